package ee.tasker.client;

import java.util.Locale;

/**
 * The operations of the REST interface, named as in its OpenAPI document: {@code listTasks} is
 * {@link #LIST_TASKS}.
 * {@link TaskerClient#send} sends any of them; the commonest have methods of their own.
 */
public enum Operation {
  SUBMIT_TASK("POST", "/v1/tasks", true),
  LIST_TASKS("GET", "/v1/tasks", false),
  COUNT_TASKS("GET", "/v1/tasks:count", false),
  SUBMIT_TASKS("POST", "/v1/tasks:batch", true),
  GET_TASK("GET", "/v1/tasks/{task_uuid}", false),
  CANCEL_TASK("DELETE", "/v1/tasks/{task_uuid}", true),
  ACT_ON_TASK("PATCH", "/v1/tasks/{task_uuid}", true),
  READ_TASK_DOCUMENT("GET", "/v1/tasks/{task_uuid}/documents/{document}", false),
  FORK_TASK("POST", "/v1/tasks/{task_uuid}/forks", true),
  ERASE_TASK("POST", "/v1/tasks/{task_uuid}/erase", true),
  OPEN_TASK("POST", "/v1/tasks/{task_uuid}/open", false),
  OPEN_STEP("POST", "/v1/tasks/{task_uuid}/workflow_steps/{step_uuid}/open", false),
  ERASE_TASKS("POST", "/v1/tasks:erase", true),
  LIST_FORKS("GET", "/v1/tasks/{task_uuid}/forks", false),
  DIAGNOSE_TASK("GET", "/v1/tasks/{task_uuid}/diagnosis", false),
  LIST_CHILDREN("GET", "/v1/tasks/{task_uuid}/children", false),
  SEND_SIGNAL("POST", "/v1/tasks/{task_uuid}/signals/{name}", true),
  SEND_SIGNAL_BY_CORRELATION("POST", "/v1/signals/{name}", true),
  LIST_APPROVALS("GET", "/v1/approvals", false),
  GET_APPROVAL("GET", "/v1/approvals/{approval_uuid}", false),
  CLAIM_APPROVAL("POST", "/v1/approvals/{approval_uuid}/claim", true),
  UNCLAIM_APPROVAL("POST", "/v1/approvals/{approval_uuid}/unclaim", true),
  DELEGATE_APPROVAL("POST", "/v1/approvals/{approval_uuid}/delegate", true),
  DECIDE_APPROVAL("POST", "/v1/approvals/{approval_uuid}/decide", true),
  GET_TASK_HISTORY("GET", "/v1/tasks/{task_uuid}/history", false),
  STREAM_TASK_EVENTS("GET", "/v1/tasks/{task_uuid}/events", false),
  LIST_STEPS("GET", "/v1/tasks/{task_uuid}/workflow_steps", false),
  GET_STEP("GET", "/v1/tasks/{task_uuid}/workflow_steps/{step_uuid}", false),
  ACT_ON_STEP("PATCH", "/v1/tasks/{task_uuid}/workflow_steps/{step_uuid}", true),
  READ_STEP_DOCUMENT("GET", "/v1/tasks/{task_uuid}/workflow_steps/{step_uuid}/documents/{document}",
      false),
  AUDIT_STEP("GET", "/v1/tasks/{task_uuid}/workflow_steps/{step_uuid}/audit", false),
  STREAM_EVENTS("GET", "/v1/events", false),
  LIST_BULK_ACTIONS("GET", "/v1/bulk-actions", false),
  PREVIEW_BULK_ACTION("POST", "/v1/bulk-actions", true),
  GET_BULK_ACTION("GET", "/v1/bulk-actions/{token}", false),
  CANCEL_BULK_ACTION("DELETE", "/v1/bulk-actions/{token}", true),
  LIST_BULK_ACTION_TASKS("GET", "/v1/bulk-actions/{token}/tasks", false),
  RUN_BULK_ACTION("POST", "/v1/bulk-actions/{token}/run", true),
  LIST_FAILURES("GET", "/v1/failures", false),
  LIST_DOMAIN_EVENTS("GET", "/v1/domain-events", false),
  STREAM_DOMAIN_EVENTS("GET", "/v1/domain-events/stream", false),
  LIST_VIEWS("GET", "/v1/views", false),
  SAVE_VIEW("POST", "/v1/views", true),
  DELETE_VIEW("DELETE", "/v1/views/{view_uuid}", true),
  LIST_PAUSES("GET", "/v1/pauses", false),
  PAUSE("POST", "/v1/pauses", true),
  RESUME("DELETE", "/v1/pauses", true),
  LIST_SCHEDULES("GET", "/v1/schedules", false),
  CREATE_SCHEDULE("POST", "/v1/schedules", true),
  PREVIEW_FIRE_TIMES("GET", "/v1/schedules/upcoming", false),
  GET_SCHEDULE("GET", "/v1/schedules/{schedule_uuid}", false),
  UPDATE_SCHEDULE("PUT", "/v1/schedules/{schedule_uuid}", true),
  DELETE_SCHEDULE("DELETE", "/v1/schedules/{schedule_uuid}", true),
  PAUSE_SCHEDULE("POST", "/v1/schedules/{schedule_uuid}/pause", true),
  RESUME_SCHEDULE("POST", "/v1/schedules/{schedule_uuid}/resume", true),
  TRIGGER_SCHEDULE("POST", "/v1/schedules/{schedule_uuid}/trigger", true),
  LIST_SCHEDULE_FIRES("GET", "/v1/schedules/{schedule_uuid}/fires", false),
  LIST_BACKFILLS("GET", "/v1/schedules/{schedule_uuid}/backfills", false),
  BACKFILL_SCHEDULE("POST", "/v1/schedules/{schedule_uuid}/backfills", true),
  CANCEL_BACKFILL("DELETE", "/v1/schedules/{schedule_uuid}/backfills/{backfill_uuid}", true),
  LIST_WEBHOOKS("GET", "/v1/webhooks", false),
  CREATE_WEBHOOK("POST", "/v1/webhooks", true),
  GET_WEBHOOK("GET", "/v1/webhooks/{webhook_uuid}", false),
  UPDATE_WEBHOOK("PUT", "/v1/webhooks/{webhook_uuid}", true),
  DELETE_WEBHOOK("DELETE", "/v1/webhooks/{webhook_uuid}", true),
  PAUSE_WEBHOOK("POST", "/v1/webhooks/{webhook_uuid}/pause", true),
  RESUME_WEBHOOK("POST", "/v1/webhooks/{webhook_uuid}/resume", true),
  ROTATE_WEBHOOK_SECRET("POST", "/v1/webhooks/{webhook_uuid}/rotate-secret", true),
  PING_WEBHOOK("POST", "/v1/webhooks/{webhook_uuid}/ping", true),
  REPLAY_WEBHOOK("POST", "/v1/webhooks/{webhook_uuid}/replay", true),
  LIST_WEBHOOK_DELIVERIES("GET", "/v1/webhooks/{webhook_uuid}/deliveries", false),
  GET_WEBHOOK_DELIVERY("GET", "/v1/webhooks/{webhook_uuid}/deliveries/{delivery_uuid}", false),
  RETRY_WEBHOOK_DELIVERY("POST", "/v1/webhooks/{webhook_uuid}/deliveries/{delivery_uuid}/retry",
      true),
  DISCARD_WEBHOOK_DELIVERY("POST", "/v1/webhooks/{webhook_uuid}/deliveries/{delivery_uuid}/discard",
      true),
  LIST_CONCURRENCY_POLICIES("GET", "/v1/concurrency-policies", false),
  SET_CONCURRENCY_LIMIT("PUT", "/v1/concurrency-policies/{policy_uuid}/limit", true),
  GET_RETENTION("GET", "/v1/retention", false),
  PREVIEW_RETENTION("GET", "/v1/retention/preview", false),
  SET_RETENTION_POLICY("PUT", "/v1/retention/policy", true),
  LIST_DEAD_LETTERS("GET", "/v1/dlq", false),
  OPEN_DEAD_LETTER("POST", "/v1/dlq", true),
  GET_DEAD_LETTER_OF_TASK("GET", "/v1/dlq/task/{task_uuid}", false),
  GET_DEAD_LETTER("GET", "/v1/dlq/entry/{dlq_entry_uuid}", false),
  UPDATE_DEAD_LETTER("PATCH", "/v1/dlq/entry/{dlq_entry_uuid}", true),
  GET_DEAD_LETTER_STATISTICS("GET", "/v1/dlq/stats", false),
  GET_INVESTIGATION_QUEUE("GET", "/v1/dlq/investigation-queue", false),
  GET_STALENESS("GET", "/v1/dlq/staleness", false),
  LIST_TEMPLATES("GET", "/v1/templates", false),
  REGISTER_TEMPLATE("POST", "/v1/templates", true),
  VALIDATE_TEMPLATE("POST", "/v1/templates/validate", false),
  GET_TEMPLATE("GET", "/v1/templates/{namespace}/{name}/{version}", false),
  LIST_DEAD_MESSAGES("GET", "/v1/dead-messages", false),
  REPLAY_DEAD_MESSAGE("POST", "/v1/dead-messages/{dead_message_uuid}/replay", true),
  LIST_QUEUES("GET", "/v1/queues", false),
  LIST_SERVERS("GET", "/v1/servers", false),
  DESCRIBE_SERVER("GET", "/v1/servers/{server_uuid}", false),
  CHANGE_SERVER("PATCH", "/v1/servers/{server_uuid}", true),
  LIST_WORKERS("GET", "/v1/workers", false),
  REGISTER_WORKER("POST", "/v1/workers", true),
  DESCRIBE_WORKER("GET", "/v1/workers/{worker_uuid}", false),
  DRAIN_WORKER("DELETE", "/v1/workers/{worker_uuid}", true),
  CLAIM_STEPS("POST", "/v1/workers/{worker_uuid}/claims", false),
  SUBMIT_RESULTS("POST", "/v1/workers/{worker_uuid}/results", false),
  HEARTBEAT_WORKER("POST", "/v1/workers/{worker_uuid}/heartbeat", false),
  SAVE_CHECKPOINTS("POST", "/v1/workers/{worker_uuid}/checkpoints", false),
  GET_ANCESTOR_RESULTS("GET", "/v1/workers/{worker_uuid}/steps/{step_uuid}/results", false),
  LIST_BATCH_RESULTS("GET", "/v1/workers/{worker_uuid}/steps/{step_uuid}/batch-results", false),
  LIST_HANDLERS("GET", "/v1/handlers", false),
  GET_PERFORMANCE("GET", "/v1/analytics/performance", false),
  GET_SYSTEM_HEALTH("GET", "/v1/analytics/health", false),
  GET_BOTTLENECKS("GET", "/v1/analytics/bottlenecks", false),
  GET_TIMELINE("GET", "/v1/analytics/timeline", false),
  LIST_USERS("GET", "/v1/access/users", false),
  CREATE_USER("POST", "/v1/access/users", false),
  CHANGE_USER("PATCH", "/v1/access/users/{user_uuid}", false),
  LIST_KEYS("GET", "/v1/access/keys", false),
  CREATE_KEY("POST", "/v1/access/keys", false),
  REVOKE_KEY("DELETE", "/v1/access/keys/{key_uuid}", false),
  SIGN_IN("POST", "/v1/access/session", false),
  SIGN_OUT("DELETE", "/v1/access/session", false),
  GRANT("POST", "/v1/access/grants", false),
  REVOKE_GRANT("DELETE", "/v1/access/grants/{grant_uuid}", false),
  LIST_ROLES("GET", "/v1/access/roles", false),
  LIST_WRITE_REQUESTS("GET", "/v1/write-requests", false),
  GET_ME("GET", "/v1/me", false),
  GET_METRICS("GET", "/metrics", false),
  GET_OPEN_API("GET", "/openapi", false),
  GET_OPEN_API_YAML("GET", "/openapi.yaml", false),
  GET_LANDING_PAGE("GET", "/", false),
  GET_HEALTH("GET", "/health", false),
  GET_LIVENESS("GET", "/health/live", false),
  GET_READINESS("GET", "/health/ready", false),
  GET_STARTUP("GET", "/health/started", false);

  private final String method;
  private final String path;
  private final boolean keyed;

  Operation(String method, String path, boolean keyed) {
    this.method = method;
    this.path = path;
    this.keyed = keyed;
  }

  /** The HTTP method. */
  public String method() {
    return method;
  }

  /** The path with its parameters in braces, {@code /v1/tasks/{task_uuid}}. */
  public String path() {
    return path;
  }

  /**
   * Whether the operation accepts an {@code Idempotency-Key}, and so may be repeated after a lost
   * answer.
   */
  public boolean acceptsIdempotencyKey() {
    return keyed;
  }

  /** Whether the operation only reads. */
  public boolean onlyReads() {
    return method.equals("GET") || this == VALIDATE_TEMPLATE;
  }

  /** The {@code operationId} of the OpenAPI document. */
  public String id() {
    StringBuilder id = new StringBuilder();
    for (String word : name().toLowerCase(Locale.ROOT).split("_")) {
      id.append(id.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
    }
    return id.toString();
  }
}
