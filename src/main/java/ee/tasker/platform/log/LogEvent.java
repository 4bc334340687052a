package ee.tasker.platform.log;

import java.lang.System.Logger.Level;

/**
 * The catalogue of log events: a stable id, a level, a sentence, and what an operator does about
 * it. INFO covers the life cycle of tasks and of the server, DEBUG that of steps. The table in
 * {@code docs/reference/log-events.md} is made from it; advice is Markdown whose links begin in
 * {@code docs}.
 */
public enum LogEvent {
  SERVER_STARTED("TK1001", Level.INFO, "server started",
      "nothing; `traced`: whether it creates [spans](operations.md#traces)"),
  SERVER_STOPPED("TK1002", Level.INFO, "server stopped",
      "nothing, if `still_running` is 0. Otherwise: results that could not be submitted; their "
          + "steps wait for their leases to expire. Open Liberty may lose this line when a "
          + "signal stops it, because Java closes the log early"),
  SCHEMA_MIGRATED("TK1003", Level.INFO, "schema is up to date",
      "nothing: the database has the tables and functions of this version; `version` is that of "
          + "the schema"),
  SERVER_LOST("TK1004", Level.WARNING, "another server was lost",
      "check that it has stopped; its steps run again on other servers, see "
          + "[failures](failures.md#lost-servers)"),
  DATABASE_AWAITED("TK1005", Level.WARNING,
      "the database cannot be reached, this server waits for it",
      "check the database and the network: `cause` has the error, `retry_ms` the time until the "
          + "next attempt; see [failures](failures.md#a-start-without-a-database)"),
  START_FAILED("TK1006", Level.ERROR, "this server cannot start, it will retry",
      "correct the cause, for instance a schema that another program created: the database became "
          + "reachable after the deployment but cannot be used. The server retries, because the "
          + "deployment can no longer fail"),
  SERVER_CHANGED("TK1007", Level.INFO, "settings of this server were changed until its next start",
      "nothing: an administrator used the management bean or `PATCH /v1/servers/…`; the line has "
          + "the name and the reason"),
  MANAGEMENT_MISSING("TK1008", Level.WARNING, "the management bean could not be registered",
      "correct the cause, which the stack trace has, if you need the bean; everything else works"),
  TRACING_FAILED("TK1009", Level.WARNING, "the server's OpenTelemetry cannot be used",
      "correct the cause, which the stack trace has; until then steps run without "
          + "[spans](operations.md#traces)"),
  NO_THREAD("TK1010", Level.WARNING,
      "no new thread could be created, the task waits for an existing one",
      "the limit of the process or the machine is reached: raise it, or lower "
          + "`tasker.worker.capacity`"),
  TASK_FAILED("TK1011", Level.ERROR, "a background task failed",
      "a defect: please report it with its stack trace"),
  TASK_OUTLIVED("TK1012", Level.INFO, "a background task ended after its application",
      "nothing: a handler that was abandoned when the application stopped has returned; its step "
          + "had already been offered to other servers. `cause` has the exception"),
  GUARDS_UNCHANGED("TK1013", Level.WARNING,
      "the tables were too busy to change their guards, the next start will try again",
      "nothing, unless it persists: another transaction, a dump for instance, held one of them "
          + "for a quarter of a minute. Nothing has changed; see "
          + "[guards](data-model.md#guards-of-the-tables)"),
  DATABASE_NEWER("TK1014", Level.WARNING,
      "the database has a newer version than this server, which works on",
      "upgrade this server too; `installed` is the version of the database"),
  SERVER_TOO_OLD("TK1015", Level.ERROR,
      "this server is too old for its database and takes no work",
      "upgrade it, see [who creates the schema](database.md#who-creates-the-schema); `cause` names "
          + "the functions that are gone"),
  WORKER_UNFIT("TK1016", Level.ERROR,
      "the worker of this application does not fit its database and waits",
      "`cause` says which of the two to install or upgrade; the worker looks again every 30 seconds, "
          + "see [your own application](own-application.md)"),
  TEMPLATE_REGISTERED("TK1101", Level.INFO, "template registered",
      "nothing; `steps`: how many steps it has"),
  TEMPLATE_REFUSED("TK1102", Level.ERROR, "template refused",
      "correct the file, or give the change a new version"),
  TASK_CREATED("TK1201", Level.DEBUG, "task created",
      "nothing; `duplicate`: the request was that of an existing task"),
  TASK_ENDED("TK1202", Level.INFO, "task ended",
      "nothing, except for the state `blocked_by_failures`: the task waits for an operator"),
  TASK_REQUEST_REFUSED("TK1203", Level.WARNING, "task request from the queue refused",
      "correct the sender: the request is on `orchestration_task_requests_refused`, with the "
          + "reason"),
  CANCEL_REQUESTED("TK1204", Level.INFO, "cancel requested",
      "nothing; `by`, `claimed_actor` and `reason` are those of `TK1205`"),
  OPERATOR_ACTED("TK1205", Level.INFO, "operator action",
      "nothing: for the record. `by` is the authenticated caller, `claimed_actor` another name "
          + "that the request gives, `reason` why"),
  SCHEDULE_FIRE_FAILED("TK1206", Level.WARNING, "a schedule could not submit its task",
      "correct the schedule or its template: `code` and `detail` have the refusal; see "
          + "[schedules.md](schedules.md#what-cannot-be-submitted)"),
  OBSERVER_FAILED("TK1207", Level.WARNING,
      "an observer of a domain event failed, and is not called again for it",
      "correct the observer, if it must not miss the `event`; see "
          + "[events.md](events.md#observers-in-a-server)"),
  TOPIC_FAILED("TK1208", Level.WARNING,
      "domain events could not be sent to the topic, they will be sent again",
      "check the broker, if it persists: the stack trace has the cause, `failures` counts; see "
          + "[events.md](events.md#a-topic-of-jakarta-messaging)"),
  TOPIC_BACK("TK1209", Level.INFO, "domain events are sent to the topic again",
      "nothing; `failures`: how many attempts had failed"),
  TOPIC_NOT_CLOSED("TK1210", Level.DEBUG, "a failed connection to the topic could not be closed",
      "nothing: it is no longer used"),
  DELIVERY_DEAD("TK1211", Level.WARNING,
      "an event could not be delivered to a webhook, and is a dead letter now",
      "check the receiver (`cause`), then send the delivery again or discard it; see "
          + "[webhooks.md](webhooks.md#failures)"),
  WEBHOOK_PAUSED("TK1212", Level.WARNING,
      "a webhook was paused because its receiver is gone or keeps failing",
      "repair the receiver (`cause`), then resume the webhook"),
  SCHEDULE_DECLINED("TK1213", Level.WARNING,
      "this server cannot calculate the fire times of a schedule, another one may",
      "update the JVM of this server, which does not know the zone (`detail`): see "
          + "[schedules.md](schedules.md#a-timing-that-a-server-cannot-use)"),
  STEP_CLAIMED("TK1301", Level.DEBUG, "step claimed",
      "nothing: the handler is about to run"),
  STEP_FINISHED("TK1302", Level.DEBUG, "step finished",
      "nothing: the attempt succeeded, and its result is about to be submitted"),
  STEP_FAILED("TK1303", Level.WARNING, "step failed",
      "nothing, while the step is retried (`outcome`); after a permanent failure see "
          + "[troubleshooting](troubleshooting.md)"),
  STEP_TIMED_OUT("TK1304", Level.WARNING, "step timed out",
      "check why the attempt took longer than `timeout_seconds`, and that the handler responds to "
          + "interrupts"),
  RESULT_REFUSED("TK1305", Level.WARNING, "result refused",
      "nothing. `STALE`: a later handoff has taken over, and this result is dropped; `ALREADY`: it "
          + "was recorded before"),
  LEASE_LOST("TK1306", Level.WARNING, "lease of a step was lost",
      "check why the server was cut off for longer than a lease, or raise "
          + "`tasker.worker.lease-seconds`; the step runs again elsewhere"),
  STEPS_ABANDONED("TK1307", Level.WARNING, "running steps were abandoned",
      "nothing: the server stopped before they finished, and they run again elsewhere. Consider a "
          + "longer `tasker.worker.drain-seconds`"),
  CLAIMS_RELEASED("TK1308", Level.WARNING, "claims whose response was lost were released",
      "nothing: a connection was cut before the response arrived, and the steps are offered again"),
  CANCEL_FORCED("TK1309", Level.WARNING, "handler ignored the cancel request",
      "make the handler respond to interrupts; its thread may still run"),
  SURPLUS_RELEASED("TK1310", Level.INFO, "unstarted steps were released, handlers became slow",
      "nothing, unless it persists: then lower `tasker.worker.prefetch`"),
  HANDLER_STUCK("TK1311", Level.WARNING,
      "handler still runs although its step was abandoned, its thread is lost until it returns",
      "see [stuck threads](failures.md#stuck-threads)"),
  HANDLER_RETURNED("TK1312", Level.INFO, "handler has returned, its thread is free again",
      "nothing; `seconds`: the time since its step ended"),
  HANDLER_MISSING("TK1313", Level.WARNING,
      "steps were given back unstarted, this server cannot run their handler",
      "nothing during a rolling update; otherwise the bean lacks the method, or the "
          + "resolver finds nothing "
          + "([packaging](inner-loop.md#several-servers-with-different-handlers))"),
  WORKER_REGISTERED("TK1314", Level.INFO, "worker outside the servers registered",
      "nothing; `caller`: who registered it"),
  WORKER_DRAINED("TK1315", Level.INFO, "worker outside the servers gets no further steps",
      "nothing: its client or an operator has drained it"),
  LISTENER_CONNECTED("TK1401", Level.INFO, "listening for wake-ups",
      "nothing: the listening connection is open, for the first time or again"),
  LISTENER_LOST("TK1402", Level.WARNING, "listening connection lost, polling meanwhile",
      "check the database and the network, if it persists. Logged at once, then at most every 30 "
          + "s; `failures` counts"),
  NOTIFY_FAILED("TK1403", Level.WARNING, "other servers could not be notified, they will poll",
      "nothing, unless it persists: work of this server may then start up to "
          + "`tasker.poll.interval-seconds` later on others. The stack trace has the cause"),
  STREAM_CUT("TK1404", Level.INFO, "slow stream was cut off",
      "nothing, unless it persists: the client reads too slowly. It can resume from the last event "
          + "that it received; see "
          + "[streams](operations.md#streams-of-events)"),
  STREAM_FAILED("TK1405", Level.WARNING, "stream ended because an event could not be written",
      "see the cause in the log, which is not that the client left; the client can resume"),
  LISTENER_POOLED("TK1406", Level.WARNING,
      "the listening connection leads to a pooler that lends its session to others, polling "
          + "meanwhile",
      "set `DB_LISTEN_HOST` and `DB_LISTEN_PORT` to PostgreSQL itself, see "
          + "[PgBouncer](database.md#pgbouncer)"),
  CALL_FAILED("TK1501", Level.ERROR, "database call failed, it will be retried",
      "nothing for [errors that pass](failures.md#errors-of-the-database-that-pass), of which "
          + "the line has `sql_state` and `cause`; report others with their stack trace"),
  REQUEST_FAILED("TK1502", Level.ERROR, "request failed",
      "report it with its stack trace: `id` is in the response to the client. A request that "
          + "fails because the database cannot be used counts in `TK1503` and has no line of its "
          + "own"),
  DATABASE_AWAY("TK1503", Level.ERROR, "the database cannot be used, calls will be retried",
      "check `cause`: the database is down, accepts no further connections, rejects the "
          + "password, or its disk is full. At most one line per 30 s: `failed_calls` counts the "
          + "calls, `call` names the last one"),
  DATABASE_BACK("TK1504", Level.INFO, "the database is usable again",
      "nothing; `away_seconds` and `failed_calls` tell how long it was away, and what failed "
          + "meanwhile"),
  CONNECTION_DISCARDED("TK1505", Level.WARNING, "connection to a read-only database was discarded",
      "nothing, unless it persists: a failover took place behind a proxy or a virtual address"),
  REPLICA_LEFT("TK1506", Level.WARNING, "the replica cannot be read, the primary answers instead",
      "check the replica (`cause`), which is tried again every 5 s. At most one line per 30 s; "
          + "health shows the present state"),
  REPLICA_BACK("TK1507", Level.INFO, "the replica can be read again",
      "nothing; `away_seconds` and `failed_reads` tell how long it was away, and what it missed"),
  POOLER_UNUSABLE("TK1508", Level.ERROR,
      "the pooler before the database does not fit the datasource, this server waits",
      "`cause` says what to set, see [PgBouncer](database.md#pgbouncer)"),
  FIRST_ADMINISTRATOR("TK1601", Level.INFO, "first administrator created",
      "nothing: the database had no user, and the configuration names one"),
  LOGIN_REFUSED("TK1602", Level.WARNING, "credentials refused",
      "nothing for a single line: they were wrong, expired or revoked. Many for one user suggest "
          + "that its password is being guessed"),
  ACCESS_DENIED("TK1603", Level.WARNING, "access denied",
      "grant the permission that the line names, if the caller should have it"),
  ACCESS_CHANGED("TK1604", Level.INFO, "users, keys or grants changed",
      "nothing: for the record, with the name of who changed them"),
  SESSION_BEGUN("TK1605", Level.INFO, "session begun",
      "nothing: a user signed in at the [console](console.md); the line has the end of the "
          + "session"),
  SESSION_ENDED("TK1606", Level.INFO, "session ended by its user",
      "nothing: the user signed out"),
  TASKS_PURGED("TK1701", Level.INFO, "old tasks purged",
      "nothing; `tasks`: how many, by [retention policy](retention.md#what-is-kept)"),
  HISTORY_DROPPED("TK1702", Level.INFO, "month of history dropped",
      "nothing. `rewritten`: without its rows of purged tasks; `postponed`: writers held a lock, "
          + "the next attempt is in a minute"),
  ROWS_RESTORED("TK1703", Level.WARNING, "lost rows were restored",
      "find out what deleted them, because the engine does not: dead letters of blocked tasks, "
          + "wake-ups, or next fire times of schedules; see "
          + "[guarantees](reference/invariants.md#what-heals-itself)");

  private final String id;
  private final Level level;
  private final String sentence;
  private final String advice;

  LogEvent(String id, Level level, String sentence, String advice) {
    this.id = id;
    this.level = level;
    this.sentence = sentence;
    this.advice = advice;
  }

  public String id() {
    return id;
  }

  public Level level() {
    return level;
  }

  public String sentence() {
    return sentence;
  }

  /** What to do, "nothing" included, and what its fields mean. */
  public String advice() {
    return advice;
  }
}
