package ee.tasker.engine.reply;

import ee.tasker.engine.model.TaskState;
import ee.tasker.platform.Json;
import jakarta.json.JsonObject;
import java.util.Optional;
import java.util.UUID;

/** The outcome of one task request. */
public sealed interface SubmissionVerdict {

  /**
   * The task exists.
   *
   * @param isDuplicate whether a task with its identity existed already
   * @param replaces    the ended task whose identity it took over
   */
  record Accepted(UUID taskUuid, TaskState state, UUID correlationId, String version,
      boolean isDuplicate, Optional<UUID> replaces)
      implements
        SubmissionVerdict {

    boolean isLeftPending() {
      return !isDuplicate
          && (state == TaskState.PENDING || state == TaskState.WAITING_FOR_DEPENDENCIES);
    }
  }

  /** The request created no task, and a retry would not create one. */
  sealed interface Refused extends SubmissionVerdict {

    /** The invalid property of the request. */
    String field();

    String message();
  }

  /** The template does not exist. */
  record UnknownTemplate(String field, String message) implements Refused {
  }

  /** The request breaks a rule. */
  record Invalid(String field, String message) implements Refused {
  }

  /** The context was checked for a version that is not the latest one any more. */
  record Superseded() implements SubmissionVerdict {
  }

  /** The database raised an error for this request alone. */
  record Failed(String sqlState, String message) implements SubmissionVerdict {
  }

  static SubmissionVerdict of(JsonObject document) {
    return switch (document.getString(ReplyKeys.VERDICT)) {
      case "created" -> accepted(document, false);
      case "duplicate" -> accepted(document, true);
      case "unknown_template" -> new UnknownTemplate(field(document), message(document));
      case "invalid" -> new Invalid(field(document), message(document));
      case "superseded" -> new Superseded();
      case "failed" -> new Failed(document.getString("sqlstate"), message(document));
      default -> throw new IllegalArgumentException(
          "unknown verdict of a submission: " + document.getString(ReplyKeys.VERDICT));
    };
  }

  private static Accepted accepted(JsonObject document, boolean isDuplicate) {
    return new Accepted(Json.uuid(document, ReplyKeys.TASK_UUID),
        TaskState.of(document.getString(ReplyKeys.STATE)),
        Json.uuid(document, ReplyKeys.CORRELATION_ID), document.getString("version"), isDuplicate,
        Json.optionalUuid(document, "replaces_task_uuid"));
  }

  private static String field(JsonObject document) {
    return document.getString(ReplyKeys.FIELD);
  }

  private static String message(JsonObject document) {
    return document.getString(ReplyKeys.MESSAGE);
  }
}
