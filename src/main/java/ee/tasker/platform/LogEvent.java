package ee.tasker.platform;

import java.lang.System.Logger.Level;

/**
 * The catalogue of log events: a stable id, a level, a sentence, and what an operator does about
 * it. INFO covers the life cycle of tasks and of the server, DEBUG that of steps. The table in
 * {@code docs/reference/log-events.md} is made from it; advice is Markdown whose links begin in
 * {@code docs}.
 */
public enum LogEvent {
  SERVER_STARTED("TK1001", Level.INFO, "server started",
      "`traced`: whether it makes [spans](operations.md#traces)"),
  SERVER_STOPPED("TK1002", Level.INFO, "server stopped",
      "`still_running` above 0: results that could not be submitted; their steps wait for "
          + "their leases to expire. Open Liberty may lose this line when a signal stops it, "
          + "because Java closes the log early"),
  SCHEMA_MIGRATED("TK1003", Level.INFO, "schema is up to date",
      ""),
  SERVER_LOST("TK1004", Level.WARNING, "another server was lost",
      "verify that it is; its steps run again elsewhere, see "
          + "[failures](failures.md#lost-servers)"),
  DATABASE_AWAITED("TK1005", Level.WARNING,
      "the database cannot be reached, this server waits for it",
      "`retry_ms`, `cause`; see [failures](failures.md#a-start-without-a-database)"),
  START_FAILED("TK1006", Level.ERROR, "this server cannot start, it will retry",
      "the database became reachable after the deployment but cannot be used, for instance "
          + "because another program created the schema. The server retries, since the "
          + "deployment can no longer fail"),
  SERVER_CHANGED("TK1007", Level.INFO, "settings of this server were changed until its next start",
      "through its management bean or `PATCH /v1/servers/…`; the line has who and why"),
  MANAGEMENT_MISSING("TK1008", Level.WARNING, "the management bean could not be registered",
      "everything else works; the stack trace has the cause"),
  TRACING_FAILED("TK1009", Level.WARNING, "the server's OpenTelemetry cannot be used",
      "steps run without [spans](operations.md#traces); the stack trace has the cause"),
  NO_THREAD("TK1010", Level.WARNING,
      "no new thread could be created, the task waits for an existing one",
      "the limit of the process or the machine is reached: raise it, or lower "
          + "`tasker.worker.capacity`"),
  TASK_FAILED("TK1011", Level.ERROR, "a background task failed",
      "a defect: please report it with its stack trace"),
  TASK_OUTLIVED("TK1012", Level.INFO, "a background task ended after its application",
      "nothing: a handler that was abandoned when the application stopped has returned; its step had "
          + "already been offered to other servers. `cause` has the exception"),
  GUARDS_UNCHANGED("TK1013", Level.WARNING,
      "the tables were too busy to change their guards, the next start will try again",
      "another transaction, a dump for instance, held one of them for a quarter of a "
          + "minute. Nothing has changed; see [guards](data-model.md#guards-of-the-tables)"),
  DATABASE_NEWER("TK1014", Level.WARNING,
      "the database has a newer version than this server, which works on",
      "upgrade this server too; `installed` is the version of the database"),
  SERVER_TOO_OLD("TK1015", Level.ERROR,
      "this server is too old for its database and takes no work",
      "upgrade it, see [who creates the schema](database.md#who-creates-the-schema); `cause` names "
          + "the functions that are gone"),
  TEMPLATE_REGISTERED("TK1101", Level.INFO, "template registered",
      ""),
  TEMPLATE_REFUSED("TK1102", Level.ERROR, "template refused",
      "correct the file, or give the change a new version"),
  TASK_CREATED("TK1201", Level.DEBUG, "task created",
      ""),
  TASK_ENDED("TK1202", Level.INFO, "task ended",
      "also for `blocked_by_failures`, which waits for an operator"),
  TASK_REQUEST_REFUSED("TK1203", Level.WARNING, "task request from the queue refused",
      "it is on `orchestration_task_requests_refused`, with the reason"),
  CANCEL_REQUESTED("TK1204", Level.INFO, "cancel requested",
      "with `by`, `claimed_actor` and `reason` as in `TK1205`"),
  OPERATOR_ACTED("TK1205", Level.INFO, "operator action",
      "`by` is the authenticated caller, `claimed_actor` another name that the request "
          + "gives, `reason` why"),
  SCHEDULE_FIRE_FAILED("TK1206", Level.WARNING, "a schedule could not submit its task",
      "`schedule`, `fire_at`, `code`, `detail`; see "
          + "[schedules.md](schedules.md#what-cannot-be-submitted)"),
  OBSERVER_FAILED("TK1207", Level.WARNING,
      "an observer of a domain event failed, and is not called again for it",
      "`event`, `type`; see [events.md](events.md#observers-in-a-server)"),
  TOPIC_FAILED("TK1208", Level.WARNING,
      "domain events could not be sent to the topic, they will be sent again",
      "the stack trace has the cause, `failures` counts; see "
          + "[events.md](events.md#a-topic-of-jakarta-messaging)"),
  TOPIC_BACK("TK1209", Level.INFO, "domain events are sent to the topic again",
      "`failures`: attempts that had failed"),
  TOPIC_NOT_CLOSED("TK1210", Level.DEBUG, "a failed connection to the topic could not be closed",
      "nothing: it is no longer used"),
  DELIVERY_DEAD("TK1211", Level.WARNING,
      "an event could not be delivered to a webhook, and is a dead letter now",
      "`webhook`, `delivery`, `event`, `attempts`, `cause`; see "
          + "[webhooks.md](webhooks.md#failures)"),
  WEBHOOK_PAUSED("TK1212", Level.WARNING,
      "a webhook was paused because its receiver is gone or keeps failing",
      "`webhook`, `cause`; resume it when the receiver is back"),
  SCHEDULE_DECLINED("TK1213", Level.WARNING,
      "this server cannot calculate the fire times of a schedule, another one may",
      "`schedule`, `detail`; update the JVM of this server: see "
          + "[schedules.md](schedules.md#a-timing-that-a-server-cannot-use)"),
  STEP_CLAIMED("TK1301", Level.DEBUG, "step claimed",
      ""),
  STEP_FINISHED("TK1302", Level.DEBUG, "step finished",
      ""),
  STEP_FAILED("TK1303", Level.WARNING, "step failed",
      "one attempt failed; `outcome` says whether the step will be retried"),
  STEP_TIMED_OUT("TK1304", Level.WARNING, "step timed out",
      "check that the handler responds to interrupts"),
  RESULT_REFUSED("TK1305", Level.WARNING, "result refused",
      "`STALE`: a later handoff has taken over, and this result is dropped. `ALREADY`: it "
          + "was recorded before; harmless"),
  LEASE_LOST("TK1306", Level.WARNING, "lease of a step was lost",
      "the server was cut off for longer than a lease, or the lease is too short"),
  STEPS_ABANDONED("TK1307", Level.WARNING, "running steps were abandoned",
      "the server stopped before they finished; they run again elsewhere. Consider a "
          + "longer `tasker.worker.drain-seconds`"),
  CLAIMS_RELEASED("TK1308", Level.WARNING, "claims whose response was lost were released",
      "a connection was cut at a bad time; nothing else is lost"),
  CANCEL_FORCED("TK1309", Level.WARNING, "handler ignored the cancel request",
      "its thread may still run; check that it responds to interrupts"),
  SURPLUS_RELEASED("TK1310", Level.INFO, "unstarted steps were released, handlers became slow",
      "nothing, unless it persists: then lower `tasker.worker.prefetch`"),
  HANDLER_STUCK("TK1311", Level.WARNING,
      "handler still runs although its step was abandoned, its thread is lost until it returns",
      "see [stuck threads](failures.md#stuck-threads)"),
  HANDLER_RETURNED("TK1312", Level.INFO, "handler has returned, its thread is free again",
      "`seconds`: since its step ended"),
  HANDLER_MISSING("TK1313", Level.WARNING,
      "steps were given back unstarted, this server cannot run their handler",
      "nothing during a rolling update; otherwise the bean lacks the method, or the "
          + "resolver finds nothing "
          + "([packaging](inner-loop.md#several-servers-with-different-handlers))"),
  WORKER_REGISTERED("TK1314", Level.INFO, "worker outside the servers registered",
      "`caller`: who registered it"),
  WORKER_DRAINED("TK1315", Level.INFO, "worker outside the servers gets no further steps",
      "its client, or an operator, has asked for it"),
  LISTENER_CONNECTED("TK1401", Level.INFO, "listening for wake-ups",
      ""),
  LISTENER_LOST("TK1402", Level.WARNING, "listening connection lost, polling meanwhile",
      "logged at once, then at most every 30 s; `failures` counts. Check the database and "
          + "the network if it persists"),
  NOTIFY_FAILED("TK1403", Level.WARNING, "other servers could not be notified, they will poll",
      ""),
  STREAM_CUT("TK1404", Level.INFO, "slow stream was cut off",
      "the client can resume from the last event that it received; see "
          + "[streams](operations.md#streams-of-events)"),
  STREAM_FAILED("TK1405", Level.WARNING, "stream ended because an event could not be written",
      "not because the client went away: the cause is in the log; the client can resume"),
  LISTENER_POOLED("TK1406", Level.WARNING,
      "the listening connection leads to a pooler that lends its session to others, polling "
          + "meanwhile",
      "set `DB_LISTEN_HOST` and `DB_LISTEN_PORT` to PostgreSQL itself, see "
          + "[PgBouncer](database.md#pgbouncer)"),
  CALL_FAILED("TK1501", Level.ERROR, "database call failed, it will be retried",
      "`sql_state` and `cause` for [errors that "
          + "pass](failures.md#errors-of-the-database-that-pass), otherwise a stack trace"),
  REQUEST_FAILED("TK1502", Level.ERROR, "request failed",
      "`id` is in the response to the client. A request that fails because the database "
          + "cannot be used counts in `TK1503` and has no line of its own"),
  DATABASE_AWAY("TK1503", Level.ERROR, "the database cannot be used, calls will be retried",
      "it is down, accepts no further connections, rejects the password or its disk is full: "
          + "see `cause`. At most one line per 30 s: `failed_calls` counts the calls, `call` "
          + "names the last one"),
  DATABASE_BACK("TK1504", Level.INFO, "the database is usable again",
      "`away_seconds`, `failed_calls`"),
  CONNECTION_DISCARDED("TK1505", Level.WARNING, "connection to a read-only database was discarded",
      "a failover took place behind a proxy or a virtual address; no action unless it "
          + "persists"),
  REPLICA_LEFT("TK1506", Level.WARNING, "the replica cannot be read, the primary answers instead",
      "see `cause`; at most one line per 30 s. The replica is tried again every 5 s. "
          + "Health shows the present state"),
  REPLICA_BACK("TK1507", Level.INFO, "the replica can be read again",
      "`away_seconds`, `failed_reads`"),
  POOLER_UNUSABLE("TK1508", Level.ERROR,
      "the pooler before the database does not fit the datasource, this server waits",
      "`cause` says what to set, see [PgBouncer](database.md#pgbouncer)"),
  FIRST_ADMINISTRATOR("TK1601", Level.INFO, "first administrator created",
      "from the configuration, because the database had no user"),
  LOGIN_REFUSED("TK1602", Level.WARNING, "credentials refused",
      "wrong, expired or revoked; many for one user suggest password guessing"),
  ACCESS_DENIED("TK1603", Level.WARNING, "access denied",
      "an authenticated caller lacks a permission"),
  ACCESS_CHANGED("TK1604", Level.INFO, "users, keys or grants changed",
      "by whom"),
  SESSION_BEGUN("TK1605", Level.INFO, "session begun",
      "a user signed in at the [console](console.md); until when"),
  SESSION_ENDED("TK1606", Level.INFO, "session ended by its user",
      "signed out there"),
  TASKS_PURGED("TK1701", Level.INFO, "old tasks purged",
      ""),
  HISTORY_DROPPED("TK1702", Level.INFO, "month of history dropped",
      "`rewritten`: with the rows that must stay; `postponed`: it was locked by writers, "
          + "retry in a minute"),
  ROWS_RESTORED("TK1703", Level.WARNING, "lost rows were restored",
      "dead letters of blocked tasks, wake-ups, or the next fire times of schedules; the "
          + "engine never loses them, something else deleted them, see "
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

  /** What its fields mean, and what to do; empty if the sentence says everything. */
  public String advice() {
    return advice;
  }
}
