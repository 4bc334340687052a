package ee.tasker.platform;

import java.lang.System.Logger.Level;

/**
 * The catalogue of log events: a stable id, a level, a sentence. INFO covers the life cycle of
 * tasks and of the server,
 * DEBUG that of steps.
 */
public enum LogEvent {
  SERVER_STARTED("TK1001", Level.INFO, "server started"),
  SERVER_STOPPED("TK1002", Level.INFO, "server stopped"),
  SCHEMA_MIGRATED("TK1003", Level.INFO, "schema is up to date"),
  SERVER_LOST("TK1004", Level.WARNING, "another server was lost"),
  DATABASE_AWAITED("TK1005", Level.WARNING,
      "the database cannot be reached, this server waits for it"),
  START_FAILED("TK1006", Level.ERROR, "this server cannot start, it will retry"),
  SERVER_CHANGED("TK1007", Level.INFO, "settings of this server were changed until its next start"),
  MANAGEMENT_MISSING("TK1008", Level.WARNING, "the management bean could not be registered"),
  TRACING_FAILED("TK1009", Level.WARNING, "the server's OpenTelemetry cannot be used"),
  NO_THREAD("TK1010", Level.WARNING,
      "no new thread could be created, the task waits for an existing one"),
  TASK_FAILED("TK1011", Level.ERROR, "a background task failed"),
  TASK_OUTLIVED("TK1012", Level.INFO, "a background task ended after its application"),
  GUARDS_UNCHANGED("TK1013", Level.WARNING,
      "the tables were too busy to change their guards, the next start will try again"),
  TEMPLATE_REGISTERED("TK1101", Level.INFO, "template registered"),
  TEMPLATE_REFUSED("TK1102", Level.ERROR, "template refused"),
  TASK_CREATED("TK1201", Level.DEBUG, "task created"),
  TASK_ENDED("TK1202", Level.INFO, "task ended"),
  TASK_REQUEST_REFUSED("TK1203", Level.WARNING, "task request from the queue refused"),
  CANCEL_REQUESTED("TK1204", Level.INFO, "cancel requested"),
  OPERATOR_ACTED("TK1205", Level.INFO, "operator action"),
  SCHEDULE_FIRE_FAILED("TK1206", Level.WARNING, "a schedule could not submit its task"),
  OBSERVER_FAILED("TK1207", Level.WARNING,
      "an observer of a domain event failed, and is not called again for it"),
  TOPIC_FAILED("TK1208", Level.WARNING,
      "domain events could not be sent to the topic, they will be sent again"),
  TOPIC_BACK("TK1209", Level.INFO, "domain events are sent to the topic again"),
  TOPIC_NOT_CLOSED("TK1210", Level.DEBUG, "a failed connection to the topic could not be closed"),
  DELIVERY_DEAD("TK1211", Level.WARNING,
      "an event could not be delivered to a webhook, and is a dead letter now"),
  WEBHOOK_PAUSED("TK1212", Level.WARNING,
      "a webhook was paused because its receiver is gone or keeps failing"),
  SCHEDULE_DECLINED("TK1213", Level.WARNING,
      "this server cannot calculate the fire times of a schedule, another one may"),
  STEP_CLAIMED("TK1301", Level.DEBUG, "step claimed"),
  STEP_FINISHED("TK1302", Level.DEBUG, "step finished"),
  STEP_FAILED("TK1303", Level.WARNING, "step failed"),
  STEP_TIMED_OUT("TK1304", Level.WARNING, "step timed out"),
  RESULT_REFUSED("TK1305", Level.WARNING, "result refused"),
  LEASE_LOST("TK1306", Level.WARNING, "lease of a step was lost"),
  STEPS_ABANDONED("TK1307", Level.WARNING, "running steps were abandoned"),
  CLAIMS_RELEASED("TK1308", Level.WARNING, "claims whose response was lost were released"),
  CANCEL_FORCED("TK1309", Level.WARNING, "handler ignored the cancel request"),
  SURPLUS_RELEASED("TK1310", Level.INFO, "unstarted steps were released, handlers became slow"),
  HANDLER_STUCK("TK1311", Level.WARNING,
      "handler still runs although its step was abandoned, its thread is lost until it returns"),
  HANDLER_RETURNED("TK1312", Level.INFO, "handler has returned, its thread is free again"),
  HANDLER_MISSING("TK1313", Level.WARNING,
      "steps were given back unstarted, this server cannot run their handler"),
  WORKER_REGISTERED("TK1314", Level.INFO, "worker outside the servers registered"),
  WORKER_DRAINED("TK1315", Level.INFO, "worker outside the servers gets no further steps"),
  LISTENER_CONNECTED("TK1401", Level.INFO, "listening for wake-ups"),
  LISTENER_LOST("TK1402", Level.WARNING, "listening connection lost, polling meanwhile"),
  NOTIFY_FAILED("TK1403", Level.WARNING, "other servers could not be notified, they will poll"),
  STREAM_CUT("TK1404", Level.INFO, "slow stream was cut off"),
  STREAM_FAILED("TK1405", Level.WARNING, "stream ended because an event could not be written"),
  LISTENER_POOLED("TK1406", Level.WARNING,
      "the listening connection leads to a pooler that lends its session to others, polling meanwhile"),
  CALL_FAILED("TK1501", Level.ERROR, "database call failed, it will be retried"),
  REQUEST_FAILED("TK1502", Level.ERROR, "request failed"),
  DATABASE_AWAY("TK1503", Level.ERROR, "the database cannot be used, calls will be retried"),
  DATABASE_BACK("TK1504", Level.INFO, "the database is usable again"),
  CONNECTION_DISCARDED("TK1505", Level.WARNING, "connection to a read-only database was discarded"),
  REPLICA_LEFT("TK1506", Level.WARNING, "the replica cannot be read, the primary answers instead"),
  REPLICA_BACK("TK1507", Level.INFO, "the replica can be read again"),
  POOLER_UNUSABLE("TK1508", Level.ERROR,
      "the pooler before the database does not fit the datasource, this server waits"),
  FIRST_ADMINISTRATOR("TK1601", Level.INFO, "first administrator created"),
  LOGIN_REFUSED("TK1602", Level.WARNING, "credentials refused"),
  ACCESS_DENIED("TK1603", Level.WARNING, "access denied"),
  ACCESS_CHANGED("TK1604", Level.INFO, "users, keys or grants changed"),
  SESSION_BEGUN("TK1605", Level.INFO, "session begun"),
  SESSION_ENDED("TK1606", Level.INFO, "session ended by its user"),
  TASKS_PURGED("TK1701", Level.INFO, "old tasks purged"),
  HISTORY_DROPPED("TK1702", Level.INFO, "month of history dropped"),
  ROWS_RESTORED("TK1703", Level.WARNING, "lost rows were restored");

  private final String id;
  private final Level level;
  private final String sentence;

  LogEvent(String id, Level level, String sentence) {
    this.id = id;
    this.level = level;
    this.sentence = sentence;
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
}
