package ee.tasker.cli;

import static ee.tasker.cli.Arg.Place.BODY;
import static ee.tasker.cli.Arg.Place.LOCAL;
import static ee.tasker.cli.Arg.Place.QUERY;

import ee.tasker.client.Operation;
import java.util.List;

/** The commands about steps of a task. */
final class StepGroup {
  private static final View STEP = View.details("step=name", "uuid=step_uuid", "task=task_uuid",
      "state", "attempts", "of=max_attempts",
      "result", "error",
      "enqueued=enqueued_at", "completed=completed_at", "retry at=next_retry_at",
      "leased by=leased_by", "lease expires=lease_expires_at",
      "took ms=execution_time_ms", "+retryable", "+attempts before reset=attempts_before_reset",
      "+idempotency token=idempotency_token", "+created=created_at");

  private static final View OPENED = View
      .details("step=step.name", "uuid=step.step_uuid", "state=step.state", "result=step.result",
          "error=step.error")
      .and("results", "Attempts", "ATTEMPT=attempt", "OUTCOME=outcome", "RESULT=result",
          "ERROR=error");

  private StepGroup() {}

  static List<Command> commands() {
    return List.of(
        Command.of("list", "Lists the steps of a task with their results.")
            .calls(Operation.LIST_STEPS)
            .with(TaskGroup.task(),
                Arg.query("batch", "UUID", "The workers of this batch step, by page.").uuid(),
                Arg.query("limit", "N", "With --batch: how many, 25 by default.").integer(),
                Arg.query("cursor", "CURSOR",
                    "With --batch: continues where an earlier page ended."),
                Arg.query("state", "STATE", "With --batch: only the workers in this state."),
                Arg.flag(QUERY, "states",
                    "With --batch: also a letter for the state of each of the next 10 000 workers, in JSON."),
                Parts.mostBytes())
            .shows(View.rows("steps", "STEP=name", "STATE=state", "ATTEMPTS=attempts",
                "RESULT=result", "ERROR=error.message",
                "+UUID=step_uuid",
                "+TOOK ms=execution_time_ms", "+ENQUEUED=enqueued_at", "+COMPLETED=completed_at",
                "+LEASED BY=leased_by"))
            .example("tasker step list 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188"),
        Command.of("get", "Shows a step.").calls(Operation.GET_STEP)
            .with(TaskGroup.task(), step(), Parts.mostBytes()).shows(STEP)
            .example("tasker step get 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 charge"),
        Command.of("audit", "Lists the results of all attempts of a step, oldest first.")
            .calls(Operation.AUDIT_STEP)
            .with(TaskGroup.task(), step(), Parts.mostBytes())
            .shows(
                View.rows("results", "ATTEMPT=attempt", "OUTCOME=outcome", "AT=recorded_at",
                    "TOOK ms=execution_time_ms", "RESULT=result",
                    "ERROR=error.message", "+WORKER=worker_uuid"))
            .example("tasker step audit 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 charge"),
        Command
            .of("document",
                "Shows a part of a result, an error, the inputs or the checkpoint of a step.")
            .calls(Operation.READ_STEP_DOCUMENT)
            .with(TaskGroup.task(), step(),
                Arg.path("document", "DOCUMENT", "result, error, inputs or checkpoint.").text(),
                Arg.query("attempt", "N", "Of this attempt; of the latest by default.").integer(),
                Parts.pointer(), Parts.offset(), Parts.characters())
            .shows(Parts.VIEW)
            .example(
                "tasker step document 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 charge result --pointer /lines/0"),
        Command.of("open", "Shows a step with what is sealed in it open; that is recorded.")
            .calls(Operation.OPEN_STEP)
            .with(TaskGroup.task(), step(), Arg.reason(BODY), Arg.actor(BODY, "requested_by"))
            .shows(OPENED).example(
                "tasker step open 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 charge -m \"the customer asks\""),
        Command.of("reset", "Runs a failed step again, with all its attempts.")
            .calls(Operation.ACT_ON_STEP)
            .constant("action_type", "reset_for_retry")
            .with(TaskGroup.task(), step(), Arg.reason(BODY), Arg.actor(BODY, "reset_by"),
                Arg.body("attempt", "N", "Only if the step is still at this attempt.").integer(),
                Arg.body("inputs", "JSON", "Replaces the step's own inputs.").json(),
                Arg.flag(BODY, "discard_checkpoint", "Begins without its checkpoint."),
                Arg.flag(BODY, "new_idempotency_token",
                    "Its effect is wanted again: other systems take it for a new request."))
            .shows(STEP).example(
                "tasker step reset 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 charge "
                    + "-m \"the bank is back\" --inputs '{\"card\": \"tok_2\"}'"),
        Command.of("resolve", "Marks a failed step as resolved, without a result.")
            .calls(Operation.ACT_ON_STEP)
            .constant("action_type", "resolve_manually")
            .with(TaskGroup.task(), step(), Arg.reason(BODY), Arg.actor(BODY, "resolved_by"),
                Arg.body("attempt", "N", "Only if the step is still at this attempt.").integer())
            .shows(STEP).example(
                "tasker step resolve 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 notify -m \"told by phone\""),
        Command.of("complete", "Completes a step with your result.")
            .calls(Operation.ACT_ON_STEP)
            .constant("action_type", "complete_manually")
            .with(TaskGroup.task(), step(), Arg.reason(BODY), Arg.actor(BODY, "completed_by"),
                Arg.body("completion_data.result", "JSON",
                    "The result, which must fit the step's schema: JSON, @file or -.").json()
                    .required(),
                Arg.body("completion_data.decision", "STEP", "Of a decision: a step to create.")
                    .many(),
                Arg.flag(LOCAL, "decide-none", "Of a decision: creates no step.")
                    .covers("completion_data.decision"),
                Arg.body("completion_data.batches", "JSON",
                    "Of a batchable step: its cursors, an array.").json(),
                Arg.body("completion_data.metadata", "JSON", "Kept in the history.").json(),
                Arg.body("attempt", "N", "Only if the step is still at this attempt.").integer())
            .runs(TaskCommands::complete)
            .shows(STEP)
            .example(
                "tasker step complete 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 square --result '{\"value\": 49}' -m \"agreed with Bo\""));
  }

  private static Arg step() {
    return Arg.path("step_uuid", "STEP", "The name or UUID of the step.").text();
  }
}
