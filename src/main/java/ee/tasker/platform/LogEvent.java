package ee.tasker.platform;

import java.lang.System.Logger.Level;

/**
 * The catalogue of log events: a stable id, a level, a sentence. INFO covers the life cycle of tasks and of the server,
 * DEBUG that of steps.
 */
public enum LogEvent {
  SERVER_STARTED("TK1001", Level.INFO, "server started"),
  SERVER_STOPPED("TK1002", Level.INFO, "server stopped"),
  SCHEMA_MIGRATED("TK1003", Level.INFO, "schema is up to date"),
  SERVER_LOST("TK1004", Level.WARNING, "another server is lost"),
  DATABASE_AWAITED("TK1005", Level.WARNING, "the database cannot be reached, this server waits for it"),
  START_FAILED("TK1006", Level.ERROR, "this server cannot start, will be tried again"),
  SERVER_CHANGED("TK1007", Level.INFO, "this server was changed until its next start"),
  MANAGEMENT_MISSING("TK1008", Level.WARNING, "the management bean could not be registered"),
  TRACING_FAILED("TK1009", Level.WARNING, "OpenTelemetry of this server cannot be used"),
  NO_THREAD("TK1010", Level.WARNING, "a thread could not be made, the task waits for one that there is"),
  TASK_FAILED("TK1011", Level.ERROR, "a task of this server failed"),
  TASK_OUTLIVED("TK1012", Level.INFO, "a task of this server ended after its application had"),
  TEMPLATE_REGISTERED("TK1101", Level.INFO, "template registered"),
  TEMPLATE_REFUSED("TK1102", Level.ERROR, "template refused"),
  TASK_CREATED("TK1201", Level.DEBUG, "task created"),
  TASK_ENDED("TK1202", Level.INFO, "task ended"),
  TASK_REQUEST_REFUSED("TK1203", Level.WARNING, "task request from the queue refused"),
  CANCEL_REQUESTED("TK1204", Level.INFO, "cancel requested"),
  OPERATOR_ACTED("TK1205", Level.INFO, "a person acted"),
  STEP_CLAIMED("TK1301", Level.DEBUG, "step claimed"),
  STEP_FINISHED("TK1302", Level.DEBUG, "step finished"),
  STEP_FAILED("TK1303", Level.WARNING, "step failed"),
  STEP_TIMED_OUT("TK1304", Level.WARNING, "step timed out"),
  RESULT_REFUSED("TK1305", Level.WARNING, "result refused"),
  LEASE_LOST("TK1306", Level.WARNING, "step is no longer ours"),
  STEPS_ABANDONED("TK1307", Level.WARNING, "running steps were given up"),
  CLAIMS_RELEASED("TK1308", Level.WARNING, "claims whose answer was lost were given back"),
  CANCEL_FORCED("TK1309", Level.WARNING, "handler did not heed the cancel request"),
  SURPLUS_RELEASED("TK1310", Level.INFO, "steps that had not begun were given back, handlers got slow"),
  HANDLER_STUCK("TK1311", Level.WARNING, "handler goes on although its step was given up, its thread is lost until it returns"),
  HANDLER_RETURNED("TK1312", Level.INFO, "handler has returned, its thread is free again"),
  HANDLER_ELSEWHERE("TK1313", Level.INFO, "steps were given back unstarted, another server has their handler"),
  LISTENER_CONNECTED("TK1401", Level.INFO, "listening for wake-ups"),
  LISTENER_LOST("TK1402", Level.WARNING, "listening connection lost, polling meanwhile"),
  NOTIFY_FAILED("TK1403", Level.WARNING, "other servers could not be woken, they will poll"),
  STREAM_CUT("TK1404", Level.INFO, "slow listener was cut off"),
  CALL_FAILED("TK1501", Level.ERROR, "call to the database failed, will be tried again"),
  REQUEST_FAILED("TK1502", Level.ERROR, "request failed"),
  DATABASE_AWAY("TK1503", Level.ERROR, "the database cannot be used, calls to it will be tried again"),
  DATABASE_BACK("TK1504", Level.INFO, "the database answers again"),
  CONNECTION_DISCARDED("TK1505", Level.WARNING, "connection to a read-only database was discarded"),
  FIRST_ADMINISTRATOR("TK1601", Level.INFO, "first administrator created"),
  LOGIN_REFUSED("TK1602", Level.WARNING, "credentials refused"),
  ACCESS_DENIED("TK1603", Level.WARNING, "access denied"),
  ACCESS_CHANGED("TK1604", Level.INFO, "users, keys or grants changed"),
  TASKS_PURGED("TK1701", Level.INFO, "old tasks purged"),
  HISTORY_DROPPED("TK1702", Level.INFO, "month of history dropped"),
  ROWS_RESTORED("TK1703", Level.WARNING, "rows that had been lost restored");

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
