package ee.tasker.cli;

import static ee.tasker.cli.Arg.Place.BODY;
import static ee.tasker.cli.Arg.Place.LOCAL;
import static ee.tasker.cli.Arg.Place.QUERY;

import ee.tasker.client.Operation;
import java.util.List;
import java.util.stream.Stream;

/** The commands about tasks: submitting, following, operating them. */
final class TaskGroup {
  private static final String[] COLUMNS = {"TASK=task_uuid", "NAMESPACE=namespace", "NAME=name",
    "STATE=state",
    "DONE %=completion_percentage",
    "CREATED=created_at", "+VERSION=version", "+COMPLETED=completed_at", "+PRIORITY=priority",
    "+FAILED=failed_steps", "+STEPS=total_steps",
    "+WHY=why", "+HEALTH=health_status", "+INITIATOR=initiator", "+TAGS=tags",
    "+CORRELATION=correlation_id"};
  private static final View TASK = View
      .details("task=task_uuid", "namespace", "name", "version", "state", "explanation",
          "done %=completion_percentage",
          "created=created_at", "completed=completed_at", "next wake=next_wake_at",
          "SLA breached=sla_breached_at",
          "cancel request=cancel_request",
          "replaces=replaces_task_uuid", "replaced by=replaced_by_task_uuid", "context", "output",
          "output error=output_error",
          "+submitted by=submitted_by", "+trace=trace_id",
          "+requested=requested_at",
          "+priority", "+initiator", "+source system=source_system", "+reason", "+tags",
          "+correlation=correlation_id",
          "+parent=parent_task_uuid",
          "+execution=execution_status", "+recommended=recommended_action", "+health=health_status")
      .and("steps", "Steps", "STEP=name", "STATE=state", "ATTEMPTS=attempts", "OF=max_attempts",
          "?RETRY AT=next_retry_at", "?WHY=why",
          "+UUID=step_uuid",
          "+PARENTS=total_parents", "+LAST FAILURE=last_failure_at")
      .and("decisions", "Decisions", "STEP=step", "STATE=state", "CHOSEN=chosen",
          "NOT CHOSEN=not_chosen", "REASON=reason",
          "+AT=decided_at", "+CREATED=created_steps")
      .and("batches", "Batches", "STEP=step", "STATE=state", "TOTAL=total", "DONE=done",
          "FAILED=failed", "IN FLIGHT=in_flight",
          "WAITING=waiting", "+CREATED=created", "+PARALLELISM=parallelism", "+CLOSED=closed_at",
          "+UUID=step_uuid");

  private TaskGroup() {}

  static List<Command> commands() {
    return List.of(
        Command.of("submit", "Submits a task.").calls(Operation.SUBMIT_TASK)
            .with(
                Arg.local("template", "TEMPLATE", "NAMESPACE/NAME, or NAMESPACE/NAME:VERSION.")
                    .positional().optional().covers("namespace",
                        "name", "version"),
                Arg.body("context", "JSON", "The input: JSON, @file, or - for the standard input.")
                    .alias("-c").json(),
                Arg.local("set", "KEY=VALUE",
                    "A member of the context; the value is JSON, or else a text.").many(),
                Arg.local("request", "JSON",
                    "The whole request, as the interface takes it; other options go over it.")
                    .json(),
                Arg.body("priority", "N", "-100 to 100; a point is worth a minute of waiting.")
                    .integer(),
                Arg.body("tags", "TAG", "A tag.").named("--tag").many(),
                Arg.body("initiator", "TEXT", "For whom."),
                Arg.body("source_system", "TEXT", "From where."),
                Arg.body("reason", "TEXT", "Why."),
                Arg.body("requested_at", "TIME", "When it was requested; now by default."),
                Arg.body("start_at", "TIME", "When it starts; at once by default."),
                Arg.body("delay_seconds", "SECONDS", "After which it starts.").integer(),
                Arg.body("correlation_id", "UUID", "What it belongs to.").uuid(),
                Arg.body("parent_correlation_id", "UUID", "What caused it.").uuid(),
                Arg.body("parent_task_uuid", "TASK", "The task on whose behalf it is submitted.")
                    .named("--parent").uuid(),
                Arg.body("trace_parent", "TRACEPARENT", "The trace of the request, W3C."),
                Arg.body("idempotency_key", "KEY",
                    "Identifies the task within its template, for as long as it is kept.")
                    .named("--task-key"),
                Arg.body("on_duplicate", "WHAT", "What to do if the task exists."),
                Arg.local("wait", "SECONDS",
                    "Waits until the task is terminal or blocked, so long at most.").integer()
                    .covers("wait"),
                Arg.flag(LOCAL, "watch", "Watches it as tasker task watch does."))
            .shows(TASK).completedBy(TaskDetails::withReasons).runs(TaskCommands::submit)
            .example("tasker task submit linear/mathematical_sequence --set even_number=6 --watch")
            .example(
                "tasker task submit payments/order:1.2.0 --context @order.json --priority 10 --wait 60"),
        Command.of("submit-many", "Submits up to 1000 tasks; each succeeds or fails on its own.")
            .calls(Operation.SUBMIT_TASKS)
            .with(
                Arg.local("requests", "FILE", "A JSON array of requests; - for the standard input.")
                    .positional())
            .runs(TaskCommands::submitMany)
            .shows(View.rows("verdicts", "STATUS=status", "TASK=task_uuid", "STATE=state",
                "CODE=code", "DETAIL=detail"))
            .example("tasker task submit-many requests.json"),
        Command.of("list", "Lists tasks, newest first. A task must match all filters.")
            .calls(Operation.LIST_TASKS)
            .with(taskFilters(
                Arg.query("order", "ORDER", "By creation; newest first by default."),
                Arg.query("include", "WHAT",
                    "With -o json also why each waits, its first failure, its search attributes.")))
            .pages("tasks", 100).shows(View.rows("tasks", COLUMNS))
            .example("tasker task list --namespace payments --state blocked_by_failures")
            .example("tasker task list --attribute order:A-17 -o wide")
            .example("tasker task list --created-after 2026-11-01T00:00:00Z --all -o json"),
        Command.of("count", "Counts tasks by state, 10 000 at most. A task must match all filters.")
            .calls(Operation.COUNT_TASKS)
            .with(taskFilters())
            .shows(
                View.details("count", "more", "counted since=counted_since", "by state=by_state"))
            .example("tasker task count --namespace payments --state-not complete"),
        Command.of("failures", "Shows what failed, in groups of template, step and error.")
            .calls(Operation.LIST_FAILURES)
            .with(Arg.query("hours", "HOURS", "How far back; a day by default.").integer(),
                Arg.query("namespace", "NAMESPACE", "Of this namespace.").alias("-n"),
                Arg.query("name", "NAME", "Of this template."),
                Arg.query("version", "VERSION", "Of this version."),
                Arg.query("step", "STEP", "Of this step."),
                Arg.query("limit", "N", "How many groups.").integer())
            .shows(View.rows("failures", "TASKS=tasks", "BLOCKED=blocked_tasks",
                "NAMESPACE=namespace", "NAME=name", "STEP=step",
                "ERROR=signature", "LAST=last_at", "+TASK=task_uuid", "+TYPE=error_type"))
            .example("tasker task failures --namespace payments --hours 2"),
        Command.of("domain-events", "Lists domain events, in the order of their feed.")
            .calls(Operation.LIST_DOMAIN_EVENTS)
            .with(Arg.query("namespace", "NAMESPACE", "Of this namespace.").alias("-n"),
                Arg.query("name", "NAME", "Of this template."),
                Arg.query("type", "TYPE", "Events of this name."),
                Arg.query("task", "TASK", "Of this task.").uuid(),
                Arg.query("correlation_id", "UUID", "Of tasks with this correlation id."),
                Arg.query("with_error", "BOOLEAN",
                    "Only those whose data are missing or do not fit."))
            .pages("events", 1000)
            .shows(
                View.rows("events", "SEQUENCE=sequence", "TIME=time", "TYPE=type",
                    "NAMESPACE=taskernamespace", "TEMPLATE=taskertemplate",
                    "STEP=taskerstep", "TASK=subject", "+ID=id", "+DATA=data",
                    "+ERROR=taskererror"))
            .example("tasker task domain-events --namespace payments --type order.paid -o wide"),
        Command.of("get", "Shows a task with its steps, what they wait for, and why they failed.")
            .calls(Operation.GET_TASK, Operation.DIAGNOSE_TASK, Operation.LIST_STEPS)
            .with(task(),
                Arg.query("wait", "SECONDS", "Waits until it is terminal or blocked, 60 s at most.")
                    .integer(),
                Parts.mostBytes())
            .shows(TASK).completedBy(TaskDetails::withReasons)
            .example("tasker task get 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188")
            .example("tasker task get 01a1fc6e-c2c5")
            .example("tasker task get 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 -o yaml"),
        Command.of("document", "Shows a part of the context or output of a task.")
            .calls(Operation.READ_TASK_DOCUMENT)
            .with(task(),
                Arg.path("document", "DOCUMENT", "context or output.").text(),
                Parts.pointer(), Parts.offset(), Parts.characters())
            .shows(Parts.VIEW)
            .example(
                "tasker task document 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 context --pointer /lines/0"),
        Command.of("wait",
            "Waits until a task is terminal or blocked. The exit status tells whether it succeeded.")
            .calls(Operation.GET_TASK, Operation.DIAGNOSE_TASK, Operation.LIST_STEPS)
            .with(task(),
                Arg.local("for", "SECONDS", "How long at most; an hour by default.").integer())
            .runs(TaskCommands::await)
            .shows(TASK).completedBy(TaskDetails::withReasons)
            .example("tasker task wait 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 --for 600"),
        Command.of("watch",
            "Follows a task live: its graph and progress on a terminal, else a line for each transition.")
            .calls(Operation.STREAM_TASK_EVENTS, Operation.GET_TASK, Operation.GET_TEMPLATE)
            .with(task(),
                Arg.local("until", "STATE",
                    "Ends when the task is blocked (the default), or only when it has ended.")
                    .values("blocked",
                        "ended"),
                Arg.local("after", "ID", "Continues after the event of this id.")
                    .covers("last_event_id"))
            .runs(Watch::task).example("tasker task watch 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188"),
        Command.of("diagnosis", "Explains why a task waits, step by step.")
            .calls(Operation.DIAGNOSE_TASK).alias("why", "diagnose")
            .with(task())
            .shows(View.details("task=task_uuid", "state", "next wake=next_wake_at").and("waiting",
                "Waiting", "STEP=name", "STATE=state",
                "CAUSE=cause",
                "WHY=sentence", "+DETAILS=details"))
            .example("tasker task diagnosis 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188"),
        Command.of("children", "Lists the child tasks that the steps of a task have submitted.")
            .calls(Operation.LIST_CHILDREN)
            .with(task(), Arg.query("limit", "N", "How many, 25 by default.").integer(),
                Arg.query("cursor", "CURSOR", "Goes on where an earlier page ended."))
            .shows(View.rows("children", "TASK=task_uuid", "STEP=step", "NAME=name", "STATE=state",
                "ATTEMPT=attempt", "CHILDREN=children",
                "+NAMESPACE=namespace", "+VERSION=version", "+WAIT=wait", "+CREATED=created_at",
                "+COMPLETED=completed_at"))
            .example("tasker task children 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188"),
        Command.of("signal", "Sends a signal to a task, for the step that waits for it.")
            .calls(Operation.SEND_SIGNAL)
            .with(task(), Arg.path("name", "NAME", "The name of the signal.").text(), payload(),
                payloadOption(), signalId())
            .shows(View.details("task=task_uuid", "outcome", "number", "consumed=is_consumed"))
            .example(
                "tasker task signal 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 payment '{\"amount\": 1299}'")
            .example(
                "tasker task signal 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 payment --payload '{\"amount\": 1299}' --signal-id p-4711"),
        Command
            .of("signal-correlated",
                "Sends a signal to the unfinished tasks with a correlation id.")
            .calls(Operation.SEND_SIGNAL_BY_CORRELATION)
            .with(Arg.path("name", "NAME", "The name of the signal.").text(),
                Arg.body("correlation_id", "UUID", "Of the tasks.").uuid().required(), payload(),
                payloadOption(), signalId(),
                Arg.body("limit", "N", "How many tasks there may be; one by default.").integer())
            .shows(View.rows("signals", "TASK=task_uuid", "OUTCOME=outcome", "NUMBER=number",
                "CONSUMED=is_consumed", "CODE=code"))
            .example(
                "tasker task signal-correlated payment --correlation-id 01a1fc6e-1d0d-71ce-8f50-9e108c662c91 --limit 5"),
        Command.of("history", "Lists everything that happened to a task, oldest first.")
            .calls(Operation.GET_TASK_HISTORY).with(task())
            .shows(View.rows("entries", "AT=at", "KIND=kind", "STEP=step", "?ATTEMPT=attempt",
                "WHAT=what", "?BY=by", "?REASON=reason",
                "+FOR=claimed_actor", "+DETAILS=details"))
            .completedBy(TaskDetails::withWhat)
            .example("tasker task history 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188"),
        Command.of("graph", "Draws the graph of a task with the states of its steps.")
            .calls(Operation.GET_TASK, Operation.GET_TEMPLATE)
            .with(task(),
                Arg.local("as", "FORM", "A drawing by default.").values("text", "mermaid", "dot"))
            .runs(GraphCommands::task)
            .example("tasker task graph 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188")
            .example("tasker task graph 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 --as mermaid"),
        Command
            .of("cancel",
                "Asks for a cancel: no further steps start, and running ones are asked to stop.")
            .calls(Operation.CANCEL_TASK)
            .with(task(), Arg.reason(QUERY), Arg.actor(QUERY, "requested_by"),
                Arg.query("policy", "POLICY", "What happens to running steps."),
                Arg.query("grace_seconds", "SECONDS",
                    "After which running handlers are interrupted.").integer(),
                Arg.query("children", "WHAT", "Whether children are cancelled, too."),
                Arg.flag(QUERY, "compensate",
                    "What it has done is compensated before it is cancelled."))
            .shows(TASK).example(
                "tasker task cancel 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 -m \"no longer needed\" --children cancel"),
        Command.of("retry", "Runs the failed steps again.").calls(Operation.ACT_ON_TASK)
            .constant("action_type", "retry")
            .with(task(), Arg.reason(BODY), Arg.actor(BODY, "requested_by"),
                Arg.body("context", "JSON", "Replaces the input: JSON, @file or -.").alias("-c")
                    .json(),
                newToken())
            .shows(TASK).example(
                "tasker task retry 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 -m \"the bank is back\""),
        Command.of("retry-from", "Runs a step and everything after it again.")
            .calls(Operation.ACT_ON_TASK)
            .constant("action_type", "retry_from_step")
            .with(task(), Arg.body("step", "STEP", "The name or UUID of the step.").positional(),
                Arg.reason(BODY), Arg.actor(BODY, "requested_by"),
                Arg.flag(BODY, "rerun_completed", "Also steps that are complete."),
                Arg.body("context", "JSON", "Replaces the input: JSON, @file or -.").alias("-c")
                    .json(),
                newToken())
            .shows(TASK)
            .example(
                "tasker task retry-from 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 price --rerun-completed -m \"prices were wrong\""),
        Command.of("fork", "Makes a new task that runs again from chosen steps on.")
            .calls(Operation.FORK_TASK)
            .with(task(),
                Arg.body("from", "STEP",
                    "The name or UUID of a step that runs again; more than once for several.")
                    .many().required(),
                Arg.reason(BODY), Arg.actor(BODY, "requested_by"),
                Arg.body("context", "JSON", "Instead of the task's input: JSON, @file or -.")
                    .alias("-c").json(),
                Arg.body("priority", "N", "From -100 to 100; that of the task by default.")
                    .integer())
            .shows(TASK).example(
                "tasker task fork 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 --from charge -m \"the amount was wrong\""),
        Command.of("forks", "Lists the forks of a task, and what it was forked from.")
            .calls(Operation.LIST_FORKS)
            .with(task(), Arg.query("limit", "N", "How many, 25 by default.").integer(),
                Arg.query("cursor", "CURSOR", "Of the next page."))
            .shows(View.rows("forks", "TASK=task_uuid", "STATE=state", "FORKED=forked_at",
                "COPIED=copied_steps", "FROM=from_steps"))
            .example("tasker task forks 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188"),
        Command.of("resolve", "Marks a blocked task as resolved.").calls(Operation.ACT_ON_TASK)
            .constant("action_type", "resolve")
            .with(task(), Arg.reason(BODY), Arg.actor(BODY, "requested_by")).shows(TASK)
            .example(
                "tasker task resolve 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 -m \"paid by hand\""),
        Command.of("compensate",
            "Undoes what a task has done; a blocked task then ends in error, any other is cancelled.")
            .calls(Operation.ACT_ON_TASK)
            .constant("action_type", "compensate")
            .with(task(), Arg.reason(BODY), Arg.actor(BODY, "requested_by")).shows(TASK)
            .example(
                "tasker task compensate 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 -m \"the order cannot be shipped\""),
        Command.of("fail", "Ends a blocked task in error.").calls(Operation.ACT_ON_TASK)
            .constant("action_type", "fail")
            .with(task(), Arg.reason(BODY), Arg.actor(BODY, "requested_by")).shows(TASK)
            .example(
                "tasker task fail 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 -m \"the order does not exist\""),
        Command.of("erase", "Erases the documents of a task that has ended, and of its children.")
            .calls(Operation.ERASE_TASK)
            .with(task(), Arg.reason(BODY), Arg.actor(BODY, "requested_by"), children(),
                Arg.flag(BODY, "force",
                    "Cancels an unfinished task first, if none of its steps is in flight."),
                Arg.flag(LOCAL, "yes", "Does not ask.").alias("-y"))
            .runs(Erase::one).shows(Erase.DONE)
            .example(
                "tasker task erase 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 -m \"request 2026-17\" --yes"),
        Command.of("open", "Shows a task with what is sealed in it open; that is recorded.")
            .calls(Operation.OPEN_TASK)
            .with(task(), Arg.reason(BODY), Arg.actor(BODY, "requested_by")).shows(TASK)
            .example(
                "tasker task open 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 -m \"the customer asks\""),
        Command
            .of("erase-many",
                "Erases the documents of all tasks with a value of a search attribute.")
            .calls(Operation.ERASE_TASKS)
            .with(Arg.body("namespace", "NAMESPACE", "Of this namespace.").alias("-n").required(),
                Arg.body("name", "NAME", "Of this template."),
                Arg.body("attribute", "ATTRIBUTE", "The name of the search attribute.").required(),
                Arg.body("value", "VALUE", "Its value.").required(),
                Arg.reason(BODY), Arg.actor(BODY, "requested_by"), children(),
                Arg.body("limit", "N", "Tasks per request, 100 by default.").integer()
                    .covers("cursor"),
                Arg.flag(LOCAL, "dry-run", "Only counts the tasks.").covers("dry_run"),
                Arg.flag(LOCAL, "yes", "Does not ask.").alias("-y"))
            .runs(Erase::many).shows(Erase.ALL)
            .example(
                "tasker task erase-many --namespace payments --attribute customer --value C-4711 -m \"request 2026-17\" --dry-run"));
  }

  static Arg task() {
    return Arg.path("task_uuid", "TASK", "The UUID of the task, or the beginning of it.");
  }

  private static Arg children() {
    return Arg.body("children", "BOOLEAN", "Whether children are erased, too; true by default.")
        .json();
  }

  private static Arg payload() {
    return Arg
        .body("payload", "PAYLOAD", "What the signal says: JSON, @file or -; null by default.")
        .json().positional().optional();
  }

  private static Arg payloadOption() {
    return Arg.body("payload", "JSON", "The same as PAYLOAD.").json();
  }

  private static Arg signalId() {
    return Arg.body("signal_id", "ID", "Your own id for the signal, which counts once.");
  }

  private static Arg[] taskFilters(Arg... more) {
    return Stream
        .concat(
            Stream.of(Arg.query("namespace", "NAMESPACE", "Of this namespace.").alias("-n"),
                Arg.query("name", "NAME", "Of this template."),
                Arg.query("name_not", "NAME", "Not of this template."),
                Arg.query("name_prefix", "TEXT", "Of templates whose name begins so."),
                Arg.query("version", "VERSION", "Of this version."),
                Arg.query("state", "STATE",
                    "In this state, or in one of several with commas between them.").alias("-s"),
                Arg.query("state_not", "STATE",
                    "In none of these states, with commas between them."),
                Arg.query("tag", "TAG", "With this tag."),
                Arg.query("attribute", "NAME:VALUE", "With this search attribute.").many(),
                Arg.query("attribute_value", "VALUE",
                    "With a search attribute of this value, whatever its name."),
                Arg.query("created_after", "TIME", "Created then or later."),
                Arg.query("created_before", "TIME", "Created before."),
                Arg.query("updated_after", "TIME", "Changed its state then or later."),
                Arg.query("updated_before", "TIME", "Changed its state before."),
                Arg.query("completed_after", "TIME", "Ended then or later."),
                Arg.query("completed_before", "TIME", "Ended before."),
                Arg.query("initiator", "TEXT", "Of this initiator."),
                Arg.query("source_system", "TEXT", "From this system."),
                Arg.query("correlation_id", "UUID", "Of this correlation id.").uuid(),
                Arg.query("parent_correlation_id", "UUID",
                    "Caused by a task of this correlation id.").uuid(),
                Arg.query("task_uuid", "UUID", "Only these, with commas between them."),
                Arg.query("failed_step", "STEP", "Of which this step has failed."),
                Arg.query("error_type", "TYPE",
                    "With a step that failed with an error of this type."),
                Arg.query("error_signature", "TEXT",
                    "With a step whose error has this signature, as tasker task failures lists it."),
                Arg.query("sla_breached", "BOOLEAN", "Past their SLA, or not."),
                Arg.query("roots", "BOOLEAN", "Without a parent, or with one.")),
            Stream.of(more))
        .toArray(Arg[]::new);
  }

  private static Arg newToken() {
    return Arg.body("new_idempotency_token", "BOOLEAN",
        "Whether other systems take the effects of the steps for new ones: by default those of completed steps only.")
        .json().values("true", "false");
  }
}
