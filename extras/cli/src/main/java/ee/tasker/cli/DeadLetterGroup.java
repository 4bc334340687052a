package ee.tasker.cli;

import static ee.tasker.cli.Arg.Place.BODY;

import ee.tasker.client.Operation;
import java.util.List;

/** The commands about dead letters. */
final class DeadLetterGroup {
  private static final View DEAD_LETTER = View.details("dead letter=dlq_entry_uuid",
      "task=task_uuid", "namespace", "reason=dlq_reason",
      "status=resolution_status", "opened=dlq_timestamp", "task was=original_state",
      "resolved=resolution_timestamp", "by=resolved_by",
      "notes=resolution_notes", "metadata", "+snapshot=task_snapshot");

  private DeadLetterGroup() {}

  static List<Command> commands() {
    String[] columns = {"DEAD LETTER=dlq_entry_uuid", "TASK=task_uuid", "NAMESPACE=namespace",
      "REASON=dlq_reason",
      "STATUS=resolution_status",
      "OPENED=dlq_timestamp", "+BY=resolved_by", "+NOTES=resolution_notes"};
    return List.of(
        Command.of("list", "Lists dead letters, newest first.").calls(Operation.LIST_DEAD_LETTERS)
            .with(
                Arg.query("resolution_status", "STATUS", "Of this status.").named("--status"),
                Arg.query("dlq_reason", "REASON", "Of this reason.").named("--reason"))
            .pages("entries", 500).shows(View.rows("entries", columns))
            .example("tasker dlq list --status pending"),
        Command.of("get", "Shows a dead letter.").calls(Operation.GET_DEAD_LETTER)
            .with(Arg.path("dlq_entry_uuid", "ENTRY", "The UUID of the dead letter."))
            .shows(DEAD_LETTER).example("tasker dlq get 01a1fc6e-d7a1-7c2e-9a51-7f1d1f2f8a10"),
        Command.of("of-task", "Shows the latest dead letter of a task.")
            .calls(Operation.GET_DEAD_LETTER_OF_TASK).with(TaskGroup.task())
            .shows(DEAD_LETTER)
            .example("tasker dlq of-task 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188"),
        Command.of("open", "Opens a dead letter for a task.").calls(Operation.OPEN_DEAD_LETTER)
            .with(Arg.body("task_uuid", "TASK", "The UUID of the task.").uuid().positional(),
                Arg.reason(BODY), Arg.actor(BODY, "requested_by"))
            .shows(DEAD_LETTER).example(
                "tasker dlq open 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 -m \"the amount looks wrong\""),
        Command
            .of("update",
                "Notes what was found out about a dead letter, or closes it with a status.")
            .calls(Operation.UPDATE_DEAD_LETTER)
            .with(Arg.path("dlq_entry_uuid", "ENTRY", "The UUID of the dead letter."),
                Arg.body("resolution_notes", "TEXT", "What was found out.").named("--notes")
                    .alias("-m").required(),
                Arg.body("resolution_status", "STATUS", "Closes it.").named("--status"),
                Arg.actor(BODY, "resolved_by"),
                Arg.body("metadata", "JSON", "Merged into what it has.").json())
            .shows(DEAD_LETTER)
            .example(
                "tasker dlq update 01a1fc6e-d7a1-7c2e-9a51-7f1d1f2f8a10 --status manually_resolved -m \"paid by hand\""),
        Command.of("queue", "Lists open dead letters by urgency.")
            .calls(Operation.GET_INVESTIGATION_QUEUE).pages("entries", 500)
            .shows(View.rows("entries", "DEAD LETTER=dlq_entry_uuid", "TASK=task_uuid",
                "NAMESPACE=namespace", "NAME=name", "STATE=state",
                "REASON=dlq_reason",
                "MINUTES=minutes_in_dlq", "SCORE=priority_score", "+WAS=original_state"))
            .example("tasker dlq queue --limit 10"),
        Command.of("stats", "Counts dead letters by reason.")
            .calls(Operation.GET_DEAD_LETTER_STATISTICS)
            .shows(View.rows("reasons", "REASON=dlq_reason", "ALL=total_entries", "PENDING=pending",
                "RESOLVED=manually_resolved",
                "FAILED=permanent_failures",
                "CANCELLED=cancelled", "OLDEST=oldest_entry", "+NEWEST=newest_entry",
                "+MINUTES=avg_resolution_time_minutes"))
            .example("tasker dlq stats"),
        Command.of("staleness", "Lists tasks that are stale, or about to be.")
            .calls(Operation.GET_STALENESS).pages("tasks", 500)
            .shows(View.rows("tasks", "TASK=task_uuid", "NAMESPACE=namespace", "NAME=name",
                "STATE=state", "HEALTH=health_status",
                "STALE AT=stale_at",
                "MINUTES IN STATE=time_in_state_minutes", "+AGE=task_age_minutes",
                "+THRESHOLD=staleness_threshold_minutes",
                "+PRIORITY=priority"))
            .example("tasker dlq staleness"));
  }
}
