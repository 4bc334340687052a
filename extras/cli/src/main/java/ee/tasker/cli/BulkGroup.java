package ee.tasker.cli;

import static ee.tasker.cli.Arg.Place.BODY;
import static ee.tasker.cli.Arg.Place.LOCAL;

import ee.tasker.client.Operation;
import java.util.ArrayList;
import java.util.List;

/** The commands about actions on many tasks. */
final class BulkGroup {
  private static final View BULK_ACTION = View.details("token", "action=action_type", "state",
      "tasks=count", "done=results.done",
      "already=results.already", "refused=results.refused", "rest", "namespace",
      "requested by=requested_by", "reason",
      "started=started_at", "finished=finished_at", "cancelled by=cancelled_by");

  private BulkGroup() {}

  static List<Command> commands() {
    List<Command> commands = new ArrayList<>();
    for (String[] action : new String[][]{{"retry", "Runs the failed steps of many tasks again."},
      {"resolve", "Marks many blocked tasks as resolved."},
      {"fail", "Ends many blocked tasks in error."}, {"cancel", "Cancels many tasks."},
      {"compensate", "Undoes what many tasks have done."},
      {"close", "Closes the open dead letters of many tasks, which stay as they are."}}) {
      boolean closes = action[0].equals("close");
      commands.add(Command.of(action[0], action[1])
          .calls(Operation.PREVIEW_BULK_ACTION, Operation.RUN_BULK_ACTION)
          .constant("action_type", closes ? "close_dead_letters" : action[0])
          .with(closes ? List.of(Arg.body("resolution_status", "STATUS", "How they are closed.")
              .named("--status").required())
              : List.of())
          .with(Arg.body("filter.namespace", "NAMESPACE", "Of this namespace.").alias("-n"),
              Arg.body("filter.name", "NAME", "Of this template."),
              Arg.body("filter.version", "VERSION", "Of this version."),
              Arg.body("filter.state", "STATE", "In this state.").alias("-s"),
              Arg.body("filter.failed_step", "STEP", "Of which this step has failed."),
              Arg.body("filter.error_type", "TYPE",
                  "With an error of this type, of that step if one is given."),
              Arg.body("filter.error_signature", "TEXT",
                  "With an error of this signature, as tasker task failures lists it."),
              Arg.body("filter.dlq_reason", "REASON", "With an open dead letter of this reason."),
              Arg.body("filter.initiator", "TEXT", "Of this initiator."),
              Arg.body("filter.source_system", "TEXT", "From this system."),
              Arg.body("filter.correlation_id", "UUID", "Of this correlation id.").uuid(),
              Arg.body("filter.parent_correlation_id", "UUID",
                  "Caused by a task of this correlation id.").uuid(),
              Arg.body("filter.created_after", "TIME", "Created then or later."),
              Arg.body("filter.created_before", "TIME", "Created before."),
              Arg.flag(BODY, "background", "In the background even if the tasks are few."),
              Arg.reason(BODY), Arg.actor(BODY, "requested_by"),
              Arg.flag(LOCAL, "dry-run",
                  "Only counts the tasks, and prints the token with which tasker bulk run acts."),
              Arg.flag(LOCAL, "yes", "Does not ask.").alias("-y"))
          .runs(Bulk::act)
          .example(action[0].equals("cancel")
              ? "tasker bulk cancel --namespace payments --created-before 2026-11-01T00:00:00Z -m \"too old\" --yes"
              : "tasker bulk " + action[0]
                  + (closes ? " --status manually_resolved" : "")
                  + " --namespace payments --failed-step charge -m \"the bank is back\" --dry-run"));
    }
    commands.add(Command.of("run",
        "Performs what a dry run has counted, if nothing has changed since, or starts it in the background.")
        .calls(Operation.RUN_BULK_ACTION)
        .with(Arg.path("token", "TOKEN", "Of the dry run.")).shows(Bulk.RESULT)
        .example("tasker bulk run 0b6f3f5a-5f0c-4c4f-9b1e-0a3c5b7d9e11"));
    commands.add(Command.of("list", "Lists the bulk actions that were started, newest first.")
        .calls(Operation.LIST_BULK_ACTIONS)
        .pages("bulk_actions", 100)
        .shows(View.rows("bulk_actions", "TOKEN=token", "ACTION=action_type", "STATE=state",
            "TASKS=count", "DONE=results.done",
            "REFUSED=results.refused", "REST=rest", "NAMESPACE=namespace", "+BY=requested_by",
            "+REASON=reason", "+STARTED=started_at",
            "+FINISHED=finished_at"))
        .example("tasker bulk list"));
    commands
        .add(Command.of("show", "Shows the progress of a bulk action.")
            .calls(Operation.GET_BULK_ACTION)
            .with(Arg.path("token", "TOKEN", "Of the dry run.")).shows(BULK_ACTION)
            .example("tasker bulk show 0b6f3f5a-5f0c-4c4f-9b1e-0a3c5b7d9e11"));
    commands.add(Command.of("tasks", "Shows the verdict of a bulk action on each task.")
        .calls(Operation.LIST_BULK_ACTION_TASKS)
        .with(Arg.path("token", "TOKEN", "Of the dry run."),
            Arg.query("outcome", "OUTCOME", "Only these."))
        .pages("tasks", 1000)
        .shows(View.rows("tasks", "TASK=task_uuid", "OUTCOME=outcome", "CODE=code",
            "MESSAGE=message", "+AT=acted_at"))
        .example("tasker bulk tasks 0b6f3f5a-5f0c-4c4f-9b1e-0a3c5b7d9e11 --outcome refused --all"));
    commands.add(Command
        .of("stop", "Ends a bulk action in the background; the rest of its tasks stay as they are.")
        .calls(Operation.CANCEL_BULK_ACTION)
        .with(Arg.path("token", "TOKEN", "Of the dry run.")).shows(BULK_ACTION)
        .example("tasker bulk stop 0b6f3f5a-5f0c-4c4f-9b1e-0a3c5b7d9e11"));
    return commands;
  }
}
