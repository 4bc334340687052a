package ee.tasker.cli;

import static ee.tasker.cli.Arg.Place.BODY;
import static ee.tasker.cli.Arg.Place.LOCAL;
import static ee.tasker.cli.Arg.Place.QUERY;

import ee.tasker.client.Operation;
import jakarta.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The table of commands. {@code CommandsTest} compares it with the OpenAPI document: every operation, parameter and member is in it. */
final class Commands {
  /** The command for which all others have to be there. */
  static final String MAKES_COMPLETIONS = "completion";

  private static final String[] TASK_STATES = {"pending", "steps_in_process", "waiting_for_dependencies", "waiting_for_retry",
    "blocked_by_failures",
    "complete", "error", "cancelled", "resolved_manually"};
  private static final String[] STEP_STATES = {"pending", "enqueued", "in_progress", "enqueued_for_orchestration",
    "enqueued_as_error_for_orchestration", "waiting_for_retry", "complete", "error", "cancelled", "resolved_manually"};
  private static final String[] DLQ_REASONS = {"staleness_timeout", "max_retries_exceeded", "permanent_failure",
    "dependency_cycle_detected",
    "worker_unavailable", "manual_dlq"};
  private static final String[] DLQ_STATUSES = {"pending", "manually_resolved", "permanently_failed", "cancelled"};
  private static final String[] TASK_COLUMNS = {"TASK=task_uuid", "NAMESPACE=namespace", "NAME=name", "STATE=state",
    "DONE %=completion_percentage",
    "CREATED=created_at", "+VERSION=version", "+COMPLETED=completed_at", "+PRIORITY=priority", "+FAILED=failed_steps", "+STEPS=total_steps",
    "+WHY=why", "+HEALTH=health_status", "+INITIATOR=initiator", "+TAGS=tags", "+CORRELATION=correlation_id"};
  private static final View TASK = View
      .details("task=task_uuid", "namespace", "name", "version", "state", "explanation", "done %=completion_percentage",
          "created=created_at", "completed=completed_at", "next wake=next_wake_at", "SLA breached=sla_breached_at",
          "cancel request=cancel_request",
          "replaces=replaces_task_uuid", "replaced by=replaced_by_task_uuid", "context", "output", "output error=output_error",
          "+submitted by=submitted_by",
          "+requested=requested_at",
          "+priority", "+initiator", "+source system=source_system", "+reason", "+tags", "+correlation=correlation_id",
          "+parent=parent_task_uuid",
          "+execution=execution_status", "+recommended=recommended_action", "+health=health_status")
      .and("steps", "Steps", "STEP=name", "STATE=state", "ATTEMPTS=attempts", "OF=max_attempts", "RETRY AT=next_retry_at",
          "+UUID=step_uuid",
          "+PARENTS=total_parents", "+LAST FAILURE=last_failure_at")
      .and("decisions", "Decisions", "STEP=step", "STATE=state", "CHOSEN=chosen", "NOT CHOSEN=not_chosen", "REASON=reason",
          "+AT=decided_at", "+CREATED=created_steps")
      .and("batches", "Batches", "STEP=step", "STATE=state", "TOTAL=total", "DONE=done", "FAILED=failed", "IN FLIGHT=in_flight",
          "WAITING=waiting", "+CREATED=created", "+PARALLELISM=parallelism", "+CLOSED=closed_at", "+UUID=step_uuid");
  private static final View STEP = View.details("step=name", "uuid=step_uuid", "task=task_uuid", "state", "attempts", "of=max_attempts",
      "result", "error",
      "enqueued=enqueued_at", "completed=completed_at", "retry at=next_retry_at", "leased by=leased_by", "lease expires=lease_expires_at",
      "took ms=execution_time_ms", "+retryable", "+attempts before reset=attempts_before_reset", "+created=created_at");
  private static final View APPROVAL = View.details("outcome", "approval=approval.approval_uuid", "title=approval.title",
      "state=approval.state",
      "claimed by=approval.claimed_by", "decided by=approval.decided_by");
  private static final View DEAD_LETTER = View.details("dead letter=dlq_entry_uuid", "task=task_uuid", "namespace", "reason=dlq_reason",
      "status=resolution_status", "opened=dlq_timestamp", "task was=original_state", "resolved=resolution_timestamp", "by=resolved_by",
      "notes=resolution_notes", "metadata", "+snapshot=task_snapshot");

  private Commands() {}

  /** @param name empty for commands that are in no group */
  record Group(String name, String description, Supplier<List<Command>> commands) {
  }

  static List<Group> groups() {
    return List.of(
        new Group("", "", Commands::general),
        new Group("profile", "Logins that are stored.", Commands::profiles),
        new Group("task", "Submits, follows and operates tasks.", Commands::tasks),
        new Group("step", "Steps of a task.", Commands::steps),
        new Group("bulk", "Acts on many tasks, after a dry run.", Commands::bulk),
        new Group("view", "Saved filters of lists.", Commands::views),
        new Group("template", "Checks, registers and shows templates.", Commands::templates),
        new Group("approval", "Approvals: what users decide inside workflows.", Commands::approvals),
        new Group("dlq", "Dead letters: what needs an operator.", Commands::deadLetters),
        new Group("queue", "Queues, and messages that could not be processed.", Commands::queues),
        new Group("server", "Servers.", Commands::servers),
        new Group("worker", "Workers, and what none of them serves.", Commands::workers),
        new Group("policy", "Concurrency policies: who holds and waits for slots.", Commands::policies),
        new Group("schedule", "Tasks that are submitted at fire times, by cron or by interval.", Commands::schedules),
        new Group("webhook", "Domain events that are sent to an address.", Commands::webhooks),
        new Group("retention", "How long tasks are kept.", Commands::retention),
        new Group("analytics", "What happened, how it goes, where time goes.", Commands::analytics),
        new Group("user", "Users.", Commands::users),
        new Group("key", "API keys.", Commands::keys),
        new Group("grant", "What users and keys may do.", Commands::grants));
  }

  /** All commands, by what is typed for them: {@code task list}. */
  static List<java.util.Map.Entry<String, Command>> all() {
    List<java.util.Map.Entry<String, Command>> all = new ArrayList<>();
    for (Group group : groups()) {
      group.commands().get()
          .forEach(command -> all.add(java.util.Map.entry((group.name().isEmpty() ? "" : group.name() + " ") + command.name(), command)));
    }
    return all;
  }

  /** The members of requests for this operation that say who asks. */
  static Set<String> actorsOf(Operation operation) {
    return all().stream().map(java.util.Map.Entry::getValue).filter(command -> command.operations().contains(operation))
        .flatMap(command -> command.args().stream()).filter(Arg::isActor).map(Arg::member).collect(Collectors.toSet());
  }

  /** The argument of this request that says who asks; it may depend on what is asked for. */
  static Optional<Arg> actorOf(Operation operation, JsonObject request) {
    return all().stream().map(java.util.Map.Entry::getValue).filter(command -> command.operations().contains(operation))
        .filter(command -> command.constants().entrySet().stream()
            .allMatch(constant -> constant.getValue().equals(request.get(constant.getKey()))))
        .flatMap(command -> command.args().stream()).filter(Arg::isActor).findFirst();
  }

  private static List<Command> general() {
    return List.of(
        Command.of("login", "Checks credentials with the server and stores them in a profile.")
            .calls(Operation.GET_ME, Operation.CREATE_KEY)
            .with(Arg.local("user", "NAME", "A user; the password is asked for. Without it, an API key is."),
                Arg.flag(LOCAL, "token", "A signed token (JWT) instead of a key."),
                Arg.flag(LOCAL, "stdin", "Reads the key, token or password from the standard input."),
                Arg.local("create-key", "KEY",
                    "With --user: creates an API key of this name with the user's permissions, and stores that instead of the password."),
                Arg.local("expires-in-days", "DAYS", "Of the created key.").integer(),
                Arg.local("login-file", "FILE", "User and password from the file that the run command writes: .tasker/login."))
            .runs(LoginCommands::login)
            .example("tasker login --url https://tasker.example.org --user ann --create-key \"ann's laptop\" --expires-in-days 90")
            .example("tasker login --url https://tasker.example.org --profile prod --stdin < key.txt")
            .example("tasker login --login-file .tasker/login"),
        Command.of("logout", "Forgets the credentials of a profile. Keys stay valid; tasker key revoke ends them.")
            .with(Arg.flag(LOCAL, "all", "Of all profiles."))
            .runs(LoginCommands::logout).example("tasker logout").example("tasker logout --profile prod"),
        Command.of("whoami", "Shows who the server takes you for, and what you may do.").calls(Operation.GET_ME)
            .shows(View.details("kind", "name").and("permissions", "Permissions", "PERMISSION=")).example("tasker whoami"),
        Command.of("events", "Prints the transitions of all tasks as they happen, until it is interrupted.").calls(Operation.STREAM_EVENTS)
            .with(Arg.query("namespace", "NAMESPACE", "Of this namespace."), Arg.query("name", "NAME", "Of this template."),
                Arg.query("version", "VERSION", "Of this version."),
                Arg.query("kind", "KIND", "Only of tasks, or only of steps.").values("task", "step"),
                Arg.query("correlation_id", "UUID", "Of this correlation id.").uuid(),
                Arg.query("task_uuid", "TASK", "Of this task.").named("--task").uuid(),
                Arg.local("after", "ID", "Continues after the event of this id.").covers("last_event_id"),
                Arg.local("count", "N", "Ends after so many events.").integer())
            .runs(Watch::events).example("tasker events --namespace payments --kind task").example("tasker events -o json --count 10"),
        Command.of("domain-events", "Prints domain events as they happen, until it is interrupted.").calls(Operation.STREAM_DOMAIN_EVENTS)
            .with(Arg.query("namespace", "NAMESPACE", "Of this namespace."), Arg.query("name", "NAME", "Of this template."),
                Arg.query("type", "TYPE", "Events of this name."), Arg.query("task", "TASK", "Of this task."),
                Arg.query("correlation_id", "UUID", "Of tasks with this correlation id.").uuid(),
                Arg.query("with_error", "BOOLEAN", "Only those whose data are missing or do not fit.").values("true", "false"),
                Arg.local("after", "ID", "Continues after the event of this id.").covers("last_event_id"),
                Arg.local("count", "N", "Ends after so many events.").integer())
            .runs(Watch::events).example("tasker domain-events --namespace payments --type tasker.task.failed")
            .example("tasker domain-events -o json --count 10"),
        Command.of("pause", "Hands off no more steps of a namespace, a template or a version.").calls(Operation.PAUSE)
            .with(Arg.body("namespace", "NAMESPACE", "What to pause.").positional(), Arg.body("name", "NAME", "Of this template."),
                Arg.body("version", "VERSION", "Of this version."), Arg.reason(BODY), Arg.actor(BODY, "requested_by"))
            .shows(View.details("outcome", "templates")).example("tasker pause payments -m \"the bank is down\"")
            .example("tasker pause payments --name order -m \"wrong prices\""),
        Command.of("resume", "Ends a pause.").calls(Operation.RESUME)
            .with(Arg.query("namespace", "NAMESPACE", "What was paused.").positional(), Arg.query("name", "NAME", "Of this template."),
                Arg.query("version", "VERSION", "Of this version."), Arg.reason(QUERY), Arg.actor(QUERY, "requested_by"))
            .shows(View.details("outcome", "tasks")).example("tasker resume payments -m \"it is back\""),
        Command.of("pauses", "Lists what is paused.").calls(Operation.LIST_PAUSES)
            .shows(View.rows("pauses", "NAMESPACE=namespace", "NAME=name", "VERSION=version", "SINCE=paused_at", "BY=paused_by",
                "REASON=reason",
                "+FOR=claimed_actor"))
            .example("tasker pauses"),
        Command.of("audit", "Lists who asked for which change, newest first.").calls(Operation.LIST_WRITE_REQUESTS)
            .with(Arg.query("caller", "NAME", "Of this caller."), Arg.query("route", "ROUTE", "To this path, as in the OpenAPI document."))
            .pages("requests", 500)
            .shows(
                View.rows("requests", "AT=requested_at", "CALLER=caller", "KIND=caller_kind", "METHOD=method", "PATH=path", "STATUS=status",
                    "+FROM=remote", "+ROUTE=route", "+SERVER=server_uuid", "+ANSWERED=answered_at"))
            .example("tasker audit --caller ann --limit 10"),
        Command.of("handlers", "Lists the handlers of the server that answers.").calls(Operation.LIST_HANDLERS)
            .shows(View.rows("handlers", "HANDLER=")).example("tasker handlers"),
        Command.of("metrics", "Prints the metrics of the server that answers, for Prometheus.").calls(Operation.GET_METRICS)
            .runs(General::text).example("tasker metrics"),
        Command.of("openapi", "Prints the OpenAPI document of the server.").calls(Operation.GET_OPEN_API_YAML)
            .runs(General::text).example("tasker openapi"),
        Command.of("check", "Proves on the database that every promise of docs/promises.md was kept. Reads only, by JDBC and not by REST.")
            .with(Arg.local("db-url", "JDBC-URL", "The database; TASKER_DB_URL by default, or the run command's."),
                Arg.local("db-user", "NAME",
                    "TASKER_DB_USER by default, or tasker. The password is in TASKER_DB_PASSWORD or PGPASSWORD, or asked for."),
                Arg.local("since", "TIME", "Only tasks that were created from then on."),
                Arg.local("quiet-for", "INTERVAL", "Also what holds where nothing waits for longer than that: '10 minutes'."))
            .runs(Check::run).example("tasker check")
            .example("tasker check --db-url jdbc:postgresql://db.example.org/tasker --since 2026-11-01"),
        Command.of("samples", "Submits the requests of a folder of samples, and compares the tasks with what is expected.")
            .with(
                Arg.local("folder", "FOLDER", "Folders with template.yaml, request*.json and expected*.json; samples without it.")
                    .positional()
                    .optional(),
                Arg.local("only", "SAMPLE", "Only the folder of this name."),
                Arg.flag(LOCAL, "no-register", "Does not register the templates first."))
            .shows(View.rows("cases", "SAMPLE=sample", "CASE=case", "OK=ok"))
            .runs(Samples::run).example("tasker samples").example("tasker samples samples --only linear"),
        Command.of("bench", "Submits tasks of a template and measures the answers: how many in a second, and how long each took.")
            .calls(Operation.SUBMIT_TASK)
            .with(
                Arg.local("template", "TEMPLATE", "NAMESPACE/NAME, or NAMESPACE/NAME:VERSION.").positional().covers("namespace", "name",
                    "version", "idempotency_key"),
                Arg.body("context", "JSON", "The input: JSON, @file, or - for the standard input.").alias("-c").json(),
                Arg.local("set", "KEY=VALUE", "A member of the context; the value is JSON, or else a text.").many(),
                Arg.body("tags", "TAG", "A tag, by which the tasks are found again.").named("--tag").many(),
                Arg.local("tasks", "N", "How many; 1000 unless told otherwise.").integer(),
                Arg.local("connections", "N", "How many requests at once; 8 unless told otherwise.").integer(),
                Arg.local("rate", "N", "So many are due in a second; without it the next follows the answer.").integer(),
                Arg.flag(LOCAL, "no-wait", "An answer when the task is accepted, not when it has ended.").covers("wait"))
            .shows(View.details("tasks", "accepted", "ends", "seconds", "tasks per second=tasks_per_second",
                "50 % within ms=milliseconds.p50", "90 % within ms=milliseconds.p90", "99 % within ms=milliseconds.p99",
                "longest ms=milliseconds.most"))
            .runs(Bench::run)
            .example("tasker bench linear/mathematical_sequence --set even_number=6 --tasks 200 --connections 4")
            .example("tasker bench payments/order --context @order.json --tasks 100 --rate 200 --no-wait --tag trial"),
        Command.of("mcp", "Serves the Model Context Protocol on standard input and output, for assistants.").calls(Operation.GET_OPEN_API)
            .with(Arg.flag(LOCAL, "allow-write", "Also offers tools that act; each shows first what it would do."))
            .runs(Mcp::run).example("tasker mcp").example("tasker mcp --allow-write"),
        Command.of("init", "Makes an application in a new folder: a handler, a template, a test of both, and the build.")
            .with(Arg.local("dir", "DIR", "The folder, which is new or empty.").positional(),
                Arg.local("name", "NAME", "The name of the application; that of the folder unless told otherwise."),
                Arg.local("package", "PACKAGE", "The Java package, app unless told otherwise. Its last part is the namespace."))
            .runs(Init::run).example("tasker init shop --package org.example.shop"),
        Command.of(MAKES_COMPLETIONS, "Prints a script with which a shell completes commands and options.")
            .with(Arg.local("shell", "SHELL", "bash, zsh or fish.").positional().values("bash", "zsh", "fish"))
            .runs(Completion::run).example("source <(tasker completion bash)")
            .example("tasker completion fish > ~/.config/fish/completions/tasker.fish"));
  }

  private static List<Command> profiles() {
    return List.of(
        Command.of("list", "Lists the profiles, without their credentials.").runs(LoginCommands::list).example("tasker profile list"),
        Command.of("use", "Chooses the profile for commands that name none.").with(Arg.local("name", "NAME", "The profile.").positional())
            .runs(LoginCommands::use).example("tasker profile use prod"));
  }

  private static Arg task() {
    return Arg.path("task_uuid", "TASK", "The UUID of the task.");
  }

  private static List<Command> tasks() {
    return List.of(
        Command.of("submit", "Submits a task.").calls(Operation.SUBMIT_TASK)
            .with(
                Arg.local("template", "TEMPLATE", "NAMESPACE/NAME, or NAMESPACE/NAME:VERSION.").positional().optional().covers("namespace",
                    "name", "version"),
                Arg.body("context", "JSON", "The input: JSON, @file, or - for the standard input.").alias("-c").json(),
                Arg.local("set", "KEY=VALUE", "A member of the context; the value is JSON, or else a text.").many(),
                Arg.local("request", "JSON", "The whole request, as the interface takes it; other options go over it.").json(),
                Arg.body("priority", "N", "-100 to 100; a point is worth a minute of waiting.").integer(),
                Arg.body("tags", "TAG", "A tag.").named("--tag").many(), Arg.body("initiator", "TEXT", "For whom."),
                Arg.body("source_system", "TEXT", "From where."), Arg.body("reason", "TEXT", "Why."),
                Arg.body("requested_at", "TIME", "When it was requested; now by default."),
                Arg.body("start_at", "TIME", "When it starts; at once by default."),
                Arg.body("delay_seconds", "SECONDS", "After which it starts.").integer(),
                Arg.body("correlation_id", "UUID", "What it belongs to.").uuid(),
                Arg.body("parent_correlation_id", "UUID", "What caused it.").uuid(),
                Arg.body("parent_task_uuid", "UUID", "The task on whose behalf it is submitted.").named("--parent").uuid(),
                Arg.body("trace_parent", "TRACEPARENT", "The trace of the request, W3C."),
                Arg.body("idempotency_key", "KEY", "Identifies the task within its template, for as long as it is kept.")
                    .named("--task-key"),
                Arg.body("on_duplicate", "WHAT", "What to do if the task exists.").values("refuse", "return"),
                Arg.local("wait", "SECONDS", "Waits until the task is terminal or blocked, so long at most.").integer().covers("wait"),
                Arg.flag(LOCAL, "watch", "Watches it as tasker task watch does."))
            .shows(TASK).runs(TaskCommands::submit)
            .example("tasker task submit linear/mathematical_sequence --set even_number=6 --watch")
            .example("tasker task submit payments/order:1.2.0 --context @order.json --priority 10 --wait 60"),
        Command.of("submit-many", "Submits up to 1000 tasks; each succeeds or fails on its own.").calls(Operation.SUBMIT_TASKS)
            .with(Arg.local("requests", "FILE", "A JSON array of requests; - for the standard input.").positional())
            .runs(TaskCommands::submitMany)
            .shows(View.rows("verdicts", "STATUS=status", "TASK=task_uuid", "STATE=state", "CODE=code", "DETAIL=detail"))
            .example("tasker task submit-many requests.json"),
        Command.of("list", "Lists tasks, newest first. A task must match all filters.").calls(Operation.LIST_TASKS)
            .with(taskFilters(Arg.query("order", "ORDER", "By creation; newest first by default.").values("newest", "oldest"),
                Arg.query("include", "WHAT", "why: with -o wide also why each task waits.").values("why")))
            .pages("tasks", 100).shows(View.rows("tasks", TASK_COLUMNS))
            .example("tasker task list --namespace payments --state blocked_by_failures")
            .example("tasker task list --attribute order:A-17 -o wide")
            .example("tasker task list --created-after 2026-11-01T00:00:00Z --all -o json"),
        Command.of("count", "Counts tasks by state, 10 000 at most. A task must match all filters.").calls(Operation.COUNT_TASKS)
            .with(taskFilters()).shows(View.details("count", "more", "counted since=counted_since", "by state=by_state"))
            .example("tasker task count --namespace payments --state-not complete"),
        Command.of("failures", "Shows what failed, in groups of template, step and error.").calls(Operation.LIST_FAILURES)
            .with(Arg.query("hours", "HOURS", "How far back; a day by default.").integer(),
                Arg.query("namespace", "NAMESPACE", "Of this namespace.").alias("-n"), Arg.query("name", "NAME", "Of this template."),
                Arg.query("version", "VERSION", "Of this version."), Arg.query("step", "STEP", "Of this step."),
                Arg.query("limit", "N", "How many groups.").integer())
            .shows(View.rows("failures", "TASKS=tasks", "BLOCKED=blocked_tasks", "NAMESPACE=namespace", "NAME=name", "STEP=step",
                "ERROR=signature", "LAST=last_at", "+TASK=task_uuid", "+TYPE=error_type"))
            .example("tasker task failures --namespace payments --hours 2"),
        Command.of("domain-events", "Lists domain events, in the order of their feed.").calls(Operation.LIST_DOMAIN_EVENTS)
            .with(Arg.query("namespace", "NAMESPACE", "Of this namespace.").alias("-n"), Arg.query("name", "NAME", "Of this template."),
                Arg.query("type", "TYPE", "Events of this name."), Arg.query("task", "TASK", "Of this task."),
                Arg.query("correlation_id", "UUID", "Of tasks with this correlation id."),
                Arg.query("with_error", "BOOLEAN", "Only those whose data are missing or do not fit.").values("true", "false"))
            .pages("events", 1000)
            .shows(
                View.rows("events", "SEQUENCE=sequence", "TIME=time", "TYPE=type", "NAMESPACE=taskernamespace", "TEMPLATE=taskertemplate",
                    "STEP=taskerstep", "TASK=subject", "+ID=id", "+DATA=data", "+ERROR=taskererror"))
            .example("tasker task domain-events --namespace payments --type order.paid -o wide"),
        Command.of("get", "Shows a task with its steps.").calls(Operation.GET_TASK)
            .with(task(), Arg.query("wait", "SECONDS", "Waits until it is terminal or blocked, 60 s at most.").integer(), mostBytes())
            .shows(TASK)
            .example("tasker task get 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188")
            .example("tasker task get 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 -o yaml"),
        Command.of("document", "Shows a part of the context or output of a task.").calls(Operation.READ_TASK_DOCUMENT)
            .with(task(), Arg.path("document", "DOCUMENT", "context or output.").text().values("context", "output"), pointer(), offset(),
                characters())
            .shows(PART)
            .example("tasker task document 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 context --pointer /lines/0"),
        Command.of("wait", "Waits until a task is terminal or blocked. The exit status tells whether it succeeded.")
            .calls(Operation.GET_TASK)
            .with(task(), Arg.local("for", "SECONDS", "How long at most; an hour by default.").integer()).runs(TaskCommands::await)
            .shows(TASK)
            .example("tasker task wait 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 --for 600"),
        Command.of("watch", "Follows a task live: its graph and progress on a terminal, else a line for each transition.")
            .calls(Operation.STREAM_TASK_EVENTS, Operation.GET_TASK, Operation.GET_TEMPLATE)
            .with(task(),
                Arg.local("until", "STATE", "Ends when the task is blocked (the default), or only when it has ended.").values("blocked",
                    "ended"),
                Arg.local("after", "ID", "Continues after the event of this id.").covers("last_event_id"))
            .runs(Watch::task).example("tasker task watch 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188"),
        Command.of("diagnosis", "Tells why a task waits, step by step.").calls(Operation.DIAGNOSE_TASK).with(task())
            .shows(View.details("task=task_uuid", "state", "next wake=next_wake_at").and("waiting", "Waiting", "STEP=name", "STATE=state",
                "CAUSE=cause",
                "WHY=sentence", "+DETAILS=details"))
            .example("tasker task diagnosis 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188"),
        Command.of("children", "Lists the child tasks that the steps of a task have submitted.").calls(Operation.LIST_CHILDREN)
            .with(task(), Arg.query("limit", "N", "How many, 25 by default.").integer(),
                Arg.query("cursor", "CURSOR", "Goes on where an earlier page ended."))
            .shows(View.rows("children", "TASK=task_uuid", "STEP=step", "NAME=name", "STATE=state", "ATTEMPT=attempt", "CHILDREN=children",
                "+NAMESPACE=namespace", "+VERSION=version", "+WAIT=wait", "+CREATED=created_at", "+COMPLETED=completed_at"))
            .example("tasker task children 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188"),
        Command.of("signal", "Sends a signal to a task, for the step that waits for it.").calls(Operation.SEND_SIGNAL)
            .with(task(), Arg.path("name", "NAME", "The name of the signal.").text(), payload(), signalId())
            .shows(View.details("task=task_uuid", "outcome", "number", "consumed=is_consumed"))
            .example("tasker task signal 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 payment --payload '{\"amount\": 1299}' --signal-id p-4711"),
        Command.of("signal-correlated", "Sends a signal to the unfinished tasks with a correlation id.")
            .calls(Operation.SEND_SIGNAL_BY_CORRELATION)
            .with(Arg.path("name", "NAME", "The name of the signal.").text(),
                Arg.body("correlation_id", "UUID", "Of the tasks.").uuid().required(), payload(), signalId(),
                Arg.body("limit", "N", "How many tasks there may be; one by default.").integer())
            .shows(View.rows("signals", "TASK=task_uuid", "OUTCOME=outcome", "NUMBER=number", "CONSUMED=is_consumed", "CODE=code"))
            .example("tasker task signal-correlated payment --correlation-id 01a1fc6e-1d0d-71ce-8f50-9e108c662c91 --limit 5"),
        Command.of("history", "Lists everything that happened to a task, oldest first.").calls(Operation.GET_TASK_HISTORY).with(task())
            .shows(View.rows("entries", "AT=at", "KIND=kind", "STEP=step", "FROM=from_state", "TO=to_state", "ATTEMPT=attempt",
                "ACTION=action", "BY=by",
                "REASON=reason", "+FOR=claimed_actor", "+OUTCOME=outcome", "+DETAILS=details"))
            .example("tasker task history 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188"),
        Command.of("graph", "Draws the graph of a task with the states of its steps.").calls(Operation.GET_TASK, Operation.GET_TEMPLATE)
            .with(task(), Arg.local("as", "FORM", "A drawing by default.").values("text", "mermaid", "dot")).runs(GraphCommands::task)
            .example("tasker task graph 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188")
            .example("tasker task graph 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 --as mermaid"),
        Command.of("cancel", "Asks for a cancel: no more steps start, and running ones are asked to stop.").calls(Operation.CANCEL_TASK)
            .with(task(), Arg.reason(QUERY), Arg.actor(QUERY, "requested_by"),
                Arg.query("policy", "POLICY", "What happens to running steps.").values("cancel_running", "allow_finish"),
                Arg.query("grace_seconds", "SECONDS", "After which running handlers are interrupted.").integer(),
                Arg.query("children", "WHAT", "Whether children are cancelled, too.").values("leave", "cancel"),
                Arg.flag(QUERY, "compensate", "What it has done is compensated before it is cancelled."))
            .shows(TASK).example("tasker task cancel 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 -m \"no longer needed\" --children cancel"),
        Command.of("retry", "Runs the failed steps again.").calls(Operation.ACT_ON_TASK).constant("action_type", "retry")
            .with(task(), Arg.reason(BODY), Arg.actor(BODY, "requested_by"),
                Arg.body("context", "JSON", "Replaces the input: JSON, @file or -.").alias("-c").json())
            .shows(TASK).example("tasker task retry 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 -m \"the bank is back\""),
        Command.of("retry-from", "Runs a step and everything after it again.").calls(Operation.ACT_ON_TASK)
            .constant("action_type", "retry_from_step")
            .with(task(), Arg.body("step", "STEP", "The name or UUID of the step.").positional(), Arg.reason(BODY),
                Arg.actor(BODY, "requested_by"),
                Arg.flag(BODY, "rerun_completed", "Also steps that are complete."),
                Arg.body("context", "JSON", "Replaces the input: JSON, @file or -.").alias("-c").json())
            .shows(TASK)
            .example("tasker task retry-from 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 price --rerun-completed -m \"prices were wrong\""),
        Command.of("fork", "Makes a new task that runs again from chosen steps on.").calls(Operation.FORK_TASK)
            .with(task(),
                Arg.body("from", "STEP", "The name or UUID of a step that runs again; more than once for several.").many().required(),
                Arg.reason(BODY), Arg.actor(BODY, "requested_by"),
                Arg.body("context", "JSON", "Instead of the task's input: JSON, @file or -.").alias("-c").json(),
                Arg.body("priority", "N", "From -100 to 100; that of the task by default.").integer())
            .shows(TASK).example("tasker task fork 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 --from charge -m \"the amount was wrong\""),
        Command.of("forks", "Lists the forks of a task, and what it was forked from.").calls(Operation.LIST_FORKS)
            .with(task(), Arg.query("limit", "N", "How many, 25 by default.").integer(), Arg.query("cursor", "CURSOR", "Of the next page."))
            .shows(View.rows("forks", "TASK=task_uuid", "STATE=state", "FORKED=forked_at", "COPIED=copied_steps", "FROM=from_steps"))
            .example("tasker task forks 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188"),
        Command.of("resolve", "Declares a blocked task to be done.").calls(Operation.ACT_ON_TASK).constant("action_type", "resolve")
            .with(task(), Arg.reason(BODY), Arg.actor(BODY, "requested_by")).shows(TASK)
            .example("tasker task resolve 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 -m \"paid by hand\""),
        Command.of("compensate", "Has what a task has done undone; a blocked one ends in error after that, another one cancelled.")
            .calls(Operation.ACT_ON_TASK)
            .constant("action_type", "compensate").with(task(), Arg.reason(BODY), Arg.actor(BODY, "requested_by")).shows(TASK)
            .example("tasker task compensate 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 -m \"the order cannot be shipped\""),
        Command.of("fail", "Ends a blocked task in error.").calls(Operation.ACT_ON_TASK).constant("action_type", "fail")
            .with(task(), Arg.reason(BODY), Arg.actor(BODY, "requested_by")).shows(TASK)
            .example("tasker task fail 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 -m \"the order does not exist\""));
  }

  private static List<Command> approvals() {
    return List.of(
        Command.of("list", "Lists the approvals that you may see: open ones by their due times.").calls(Operation.LIST_APPROVALS)
            .with(Arg.query("state", "STATE", "One or several of open (the default), approved, rejected, expired, cancelled."),
                Arg.query("namespace", "NAMESPACE", "In this namespace.").alias("-n"),
                Arg.flag(QUERY, "mine", "Only what you have claimed or may claim."),
                Arg.query("claimed_by", "USER", "Claimed by this user."),
                Arg.query("due_before", "TIME", "Due before this time."),
                Arg.query("task_uuid", "TASK", "Of this task.").named("--task").uuid(),
                Arg.query("title", "TEXT", "With this text in the title."))
            .pages("approvals", 500)
            .shows(View.rows("approvals", "APPROVAL=approval_uuid", "TITLE=title", "STATE=state", "DUE=due_at", "CLAIMED BY=claimed_by",
                "NAMESPACE=namespace", "+TASK=task_uuid", "+STEP=step", "+DECIDED BY=decided_by", "+ENDED=ended_at"))
            .example("tasker approval list --mine").example("tasker approval list --state approved,rejected -n loans"),
        Command.of("show", "Shows an approval: what it asks, its form and what has happened.").calls(Operation.GET_APPROVAL)
            .with(approval())
            .shows(View
                .details("approval=approval_uuid", "title", "description", "state", "task=task_uuid", "step", "namespace", "template=name",
                    "due=due_at", "escalated=escalated_at", "candidates", "four eyes=four_eyes", "claimed by=claimed_by",
                    "decided by=decided_by",
                    "you may=may", "shown", "form", "values", "comment")
                .and("events", "Events", "AT=at", "EVENT=event", "BY=by", "TO=to",
                    "NOTE=note"))
            .example("tasker approval show 01a208b3-1bed-792a-b64e-3ea06dd7e1b3"),
        Command.of("claim", "Claims an approval, so that no other candidate decides it.").calls(Operation.CLAIM_APPROVAL).with(approval())
            .shows(APPROVAL).example("tasker approval claim 01a208b3-1bed-792a-b64e-3ea06dd7e1b3"),
        Command.of("unclaim", "Gives a claimed approval back to all candidates.").calls(Operation.UNCLAIM_APPROVAL).with(approval())
            .shows(APPROVAL).example("tasker approval unclaim 01a208b3-1bed-792a-b64e-3ea06dd7e1b3"),
        Command.of("delegate", "Gives an approval to another user.").calls(Operation.DELEGATE_APPROVAL)
            .with(approval(), Arg.body("to", "USER", "Who is to decide.").required(), Arg.body("note", "TEXT", "Why."))
            .shows(APPROVAL).example("tasker approval delegate 01a208b3-1bed-792a-b64e-3ea06dd7e1b3 --to bob --note \"on leave\""),
        Command.of("approve", "Approves.").calls(Operation.DECIDE_APPROVAL).constant("approved", true)
            .with(approval(), values(), comment()).shows(APPROVAL)
            .example("tasker approval approve 01a208b3-1bed-792a-b64e-3ea06dd7e1b3 --values '{\"limit\": 5000}'"),
        Command.of("reject", "Rejects.").calls(Operation.DECIDE_APPROVAL).constant("approved", false)
            .with(approval(), values(), comment()).shows(APPROVAL)
            .example("tasker approval reject 01a208b3-1bed-792a-b64e-3ea06dd7e1b3 --comment \"no collateral\""));
  }

  private static Arg approval() {
    return Arg.path("approval_uuid", "APPROVAL", "The UUID of the approval.").uuid();
  }

  private static Arg values() {
    return Arg.body("values", "JSON", "The values of the form: JSON, @file or -.").json();
  }

  private static Arg comment() {
    return Arg.body("comment", "TEXT", "Why.");
  }

  private static Arg payload() {
    return Arg.body("payload", "JSON", "What the signal says: JSON, @file or -; null by default.").json();
  }

  private static Arg signalId() {
    return Arg.body("signal_id", "ID", "Your own id for the signal, which counts once.");
  }

  private static Arg step() {
    return Arg.path("step_uuid", "STEP", "The name or UUID of the step.").text();
  }

  private static List<Command> steps() {
    return List.of(
        Command.of("list", "Lists the steps of a task with their results.").calls(Operation.LIST_STEPS)
            .with(task(), Arg.query("batch", "UUID", "The workers of this batch step, by page.").uuid(),
                Arg.query("limit", "N", "With --batch: how many, 25 by default.").integer(),
                Arg.query("cursor", "CURSOR", "With --batch: goes on where an earlier page ended."),
                Arg.query("state", "STATE", "With --batch: only the workers in this state.").values(STEP_STATES),
                Arg.flag(QUERY, "states", "With --batch: also a letter for the state of each of the next 10 000 workers, in JSON."),
                mostBytes())
            .shows(View.rows("steps", "STEP=name", "STATE=state", "ATTEMPTS=attempts", "RESULT=result", "ERROR=error.message",
                "+UUID=step_uuid",
                "+TOOK ms=execution_time_ms", "+ENQUEUED=enqueued_at", "+COMPLETED=completed_at", "+LEASED BY=leased_by"))
            .example("tasker step list 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188"),
        Command.of("get", "Shows a step.").calls(Operation.GET_STEP).with(task(), step(), mostBytes()).shows(STEP)
            .example("tasker step get 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 charge"),
        Command.of("audit", "Lists the results of all attempts of a step, oldest first.").calls(Operation.AUDIT_STEP)
            .with(task(), step(), mostBytes())
            .shows(
                View.rows("results", "ATTEMPT=attempt", "OUTCOME=outcome", "AT=recorded_at", "TOOK ms=execution_time_ms", "RESULT=result",
                    "ERROR=error.message", "+WORKER=worker_uuid"))
            .example("tasker step audit 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 charge"),
        Command.of("document", "Shows a part of a result, an error, the inputs or the checkpoint of a step.")
            .calls(Operation.READ_STEP_DOCUMENT)
            .with(task(), step(),
                Arg.path("document", "DOCUMENT", "result, error, inputs or checkpoint.").text().values("result", "error", "inputs",
                    "checkpoint"),
                Arg.query("attempt", "N", "Of this attempt; of the latest by default.").integer(), pointer(), offset(), characters())
            .shows(PART)
            .example("tasker step document 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 charge result --pointer /lines/0"),
        Command.of("reset", "Runs a failed step again, with all its attempts.").calls(Operation.ACT_ON_STEP)
            .constant("action_type", "reset_for_retry")
            .with(task(), step(), Arg.reason(BODY), Arg.actor(BODY, "reset_by"),
                Arg.body("attempt", "N", "Only if the step is still at this attempt.").integer(),
                Arg.body("inputs", "JSON", "Replaces the step's own inputs.").json(),
                Arg.flag(BODY, "discard_checkpoint", "Begins without its checkpoint."))
            .shows(STEP).example(
                "tasker step reset 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 charge -m \"the bank is back\" --inputs '{\"card\": \"tok_2\"}'"),
        Command.of("resolve", "Declares a failed step to be done, without a result.").calls(Operation.ACT_ON_STEP)
            .constant("action_type", "resolve_manually")
            .with(task(), step(), Arg.reason(BODY), Arg.actor(BODY, "resolved_by"),
                Arg.body("attempt", "N", "Only if the step is still at this attempt.").integer())
            .shows(STEP).example("tasker step resolve 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 notify -m \"told by phone\""),
        Command.of("complete", "Completes a step with a result of yours.").calls(Operation.ACT_ON_STEP)
            .constant("action_type", "complete_manually")
            .with(task(), step(), Arg.reason(BODY), Arg.actor(BODY, "completed_by"),
                Arg.body("completion_data.result", "JSON", "The result, which must fit the step's schema: JSON, @file or -.").json()
                    .required(),
                Arg.body("completion_data.decision", "STEP", "Of a decision: a step to create.").many(),
                Arg.flag(LOCAL, "decide-none", "Of a decision: creates no step.").covers("completion_data.decision"),
                Arg.body("completion_data.batches", "JSON", "Of a batchable step: its cursors, an array.").json(),
                Arg.body("completion_data.metadata", "JSON", "Kept in the history.").json(),
                Arg.body("attempt", "N", "Only if the step is still at this attempt.").integer())
            .runs(TaskCommands::complete)
            .shows(STEP)
            .example("tasker step complete 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 square --result '{\"value\": 49}' -m \"agreed with Bo\""));
  }

  private static final View BULK_ACTION = View.details("token", "action=action_type", "state", "tasks=count", "done=results.done",
      "already=results.already", "refused=results.refused", "rest", "namespace", "requested by=requested_by", "reason",
      "started=started_at", "finished=finished_at", "cancelled by=cancelled_by");

  private static List<Command> bulk() {
    List<Command> commands = new ArrayList<>();
    for (String[] action : new String[][]{{"retry", "Runs the failed steps of many tasks again."},
      {"resolve", "Declares many blocked tasks to be done."},
      {"fail", "Ends many blocked tasks in error."}, {"cancel", "Cancels many tasks."},
      {"compensate", "Has what many tasks have done undone."}}) {
      commands.add(Command.of(action[0], action[1]).calls(Operation.PREVIEW_BULK_ACTION, Operation.RUN_BULK_ACTION)
          .constant("action_type", action[0])
          .with(Arg.body("filter.namespace", "NAMESPACE", "Of this namespace.").alias("-n"),
              Arg.body("filter.name", "NAME", "Of this template."),
              Arg.body("filter.version", "VERSION", "Of this version."),
              Arg.body("filter.state", "STATE", "In this state.").alias("-s").values(TASK_STATES),
              Arg.body("filter.failed_step", "STEP", "Of which this step has failed."),
              Arg.body("filter.dlq_reason", "REASON", "With an open dead letter of this reason.").values(DLQ_REASONS),
              Arg.body("filter.initiator", "TEXT", "Of this initiator."), Arg.body("filter.source_system", "TEXT", "From this system."),
              Arg.body("filter.correlation_id", "UUID", "Of this correlation id.").uuid(),
              Arg.body("filter.parent_correlation_id", "UUID", "Caused by a task of this correlation id.").uuid(),
              Arg.body("filter.created_after", "TIME", "Created then or later."),
              Arg.body("filter.created_before", "TIME", "Created before."),
              Arg.flag(BODY, "background", "In the background even if the tasks are few."),
              Arg.reason(BODY), Arg.actor(BODY, "requested_by"),
              Arg.flag(LOCAL, "dry-run", "Only counts the tasks, and prints the token with which tasker bulk run acts."),
              Arg.flag(LOCAL, "yes", "Does not ask.").alias("-y"))
          .runs(Bulk::act)
          .example(action[0].equals("cancel")
              ? "tasker bulk cancel --namespace payments --created-before 2026-11-01T00:00:00Z -m \"too old\" --yes"
              : "tasker bulk " + action[0] + " --namespace payments --failed-step charge -m \"the bank is back\" --dry-run"));
    }
    commands.add(Command.of("run", "Performs what a dry run has counted, if nothing has changed since, or starts it in the background.")
        .calls(Operation.RUN_BULK_ACTION)
        .with(Arg.path("token", "TOKEN", "Of the dry run.")).shows(Bulk.RESULT)
        .example("tasker bulk run 0b6f3f5a-5f0c-4c4f-9b1e-0a3c5b7d9e11"));
    commands.add(Command.of("list", "Lists the bulk actions that were started, newest first.").calls(Operation.LIST_BULK_ACTIONS)
        .pages("bulk_actions", 100)
        .shows(View.rows("bulk_actions", "TOKEN=token", "ACTION=action_type", "STATE=state", "TASKS=count", "DONE=results.done",
            "REFUSED=results.refused", "REST=rest", "NAMESPACE=namespace", "+BY=requested_by", "+REASON=reason", "+STARTED=started_at",
            "+FINISHED=finished_at"))
        .example("tasker bulk list"));
    commands.add(Command.of("show", "Shows how far a bulk action is.").calls(Operation.GET_BULK_ACTION)
        .with(Arg.path("token", "TOKEN", "Of the dry run.")).shows(BULK_ACTION)
        .example("tasker bulk show 0b6f3f5a-5f0c-4c4f-9b1e-0a3c5b7d9e11"));
    commands.add(Command.of("tasks", "Shows the verdict of a bulk action on each task.").calls(Operation.LIST_BULK_ACTION_TASKS)
        .with(Arg.path("token", "TOKEN", "Of the dry run."),
            Arg.query("outcome", "OUTCOME", "Only these.").values("done", "already", "refused"))
        .pages("tasks", 1000).shows(View.rows("tasks", "TASK=task_uuid", "OUTCOME=outcome", "CODE=code", "MESSAGE=message", "+AT=acted_at"))
        .example("tasker bulk tasks 0b6f3f5a-5f0c-4c4f-9b1e-0a3c5b7d9e11 --outcome refused --all"));
    commands.add(Command.of("stop", "Ends a bulk action in the background; the rest of its tasks stay as they are.")
        .calls(Operation.CANCEL_BULK_ACTION)
        .with(Arg.path("token", "TOKEN", "Of the dry run.")).shows(BULK_ACTION)
        .example("tasker bulk stop 0b6f3f5a-5f0c-4c4f-9b1e-0a3c5b7d9e11"));
    return commands;
  }

  private static List<Command> templates() {
    return List.of(
        Command.of("list", "Lists the templates.").calls(Operation.LIST_TEMPLATES)
            .with(Arg.query("namespace", "NAMESPACE", "Of this namespace.").alias("-n"))
            .shows(View.rows("templates", "NAMESPACE=namespace", "NAME=name", "VERSION=version", "STEPS=total_steps",
                "DESCRIPTION=description",
                "+IDENTITY=identity_strategy", "+REUSE=reuse", "+CREATED=created_at"))
            .example("tasker template list --namespace payments"),
        Command.of("get", "Shows a template, with its source.").calls(Operation.GET_TEMPLATE, Operation.LIST_TEMPLATES)
            .with(TemplateCommands.reference("TEMPLATE"), Arg.flag(LOCAL, "source", "Only the original text."))
            .shows(View.details("namespace", "name", "version", "description", "identity=identity_strategy", "reuse", "steps=total_steps",
                "created=created_at",
                "configuration", "+hash=content_hash"))
            .runs(TemplateCommands::get).example("tasker template get linear/mathematical_sequence")
            .example("tasker template get linear/mathematical_sequence:1.0.0 --source"),
        Command.of("validate", "Checks a template without registering it, and lists every problem.").calls(Operation.VALIDATE_TEMPLATE)
            .with(Arg.local("file", "FILE", "YAML or JSON; - for the standard input.").positional().many()).runs(TemplateCommands::validate)
            .example("tasker template validate samples/linear/template.yaml"),
        Command.of("register", "Registers a template.").calls(Operation.REGISTER_TEMPLATE)
            .with(Arg.local("file", "FILE", "YAML or JSON; - for the standard input.").positional().many(),
                Arg.flag(LOCAL, "dry-run", "Only validates."))
            .runs(TemplateCommands::register).example("tasker template register samples/linear/template.yaml"),
        Command.of("diff", "Compares two templates in their normal form, with all defaults filled in.")
            .calls(Operation.GET_TEMPLATE, Operation.VALIDATE_TEMPLATE, Operation.LIST_TEMPLATES)
            .with(Arg.local("old", "OLD", "NAMESPACE/NAME:VERSION, or a file.").positional(),
                Arg.local("new", "NEW", "NAMESPACE/NAME:VERSION, or a file.").positional(),
                Arg.flag(LOCAL, "source", "Compares the original texts instead."))
            .runs(TemplateCommands::diff).example("tasker template diff linear/mathematical_sequence:1.0.0 samples/linear/template.yaml"),
        Command.of("graph", "Draws the graph of a template.").calls(Operation.GET_TEMPLATE, Operation.LIST_TEMPLATES)
            .with(TemplateCommands.reference("TEMPLATE"), Arg.local("as", "FORM", "A drawing by default.").values("text", "mermaid", "dot"))
            .runs(GraphCommands::template).example("tasker template graph linear/mathematical_sequence"));
  }

  private static List<Command> deadLetters() {
    String[] columns = {"DEAD LETTER=dlq_entry_uuid", "TASK=task_uuid", "NAMESPACE=namespace", "REASON=dlq_reason",
      "STATUS=resolution_status",
      "OPENED=dlq_timestamp", "+BY=resolved_by", "+NOTES=resolution_notes"};
    return List.of(
        Command.of("list", "Lists dead letters, newest first.").calls(Operation.LIST_DEAD_LETTERS)
            .with(Arg.query("resolution_status", "STATUS", "Of this status.").named("--status").values(DLQ_STATUSES),
                Arg.query("dlq_reason", "REASON", "Of this reason.").named("--reason").values(DLQ_REASONS))
            .pages("entries", 500).shows(View.rows("entries", columns)).example("tasker dlq list --status pending"),
        Command.of("get", "Shows a dead letter.").calls(Operation.GET_DEAD_LETTER)
            .with(Arg.path("dlq_entry_uuid", "ENTRY", "The UUID of the dead letter."))
            .shows(DEAD_LETTER).example("tasker dlq get 01a1fc6e-d7a1-7c2e-9a51-7f1d1f2f8a10"),
        Command.of("of-task", "Shows the latest dead letter of a task.").calls(Operation.GET_DEAD_LETTER_OF_TASK).with(task())
            .shows(DEAD_LETTER)
            .example("tasker dlq of-task 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188"),
        Command.of("open", "Opens a dead letter for a task.").calls(Operation.OPEN_DEAD_LETTER)
            .with(Arg.body("task_uuid", "TASK", "The UUID of the task.").uuid().positional(), Arg.reason(BODY),
                Arg.actor(BODY, "requested_by"))
            .shows(DEAD_LETTER).example("tasker dlq open 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188 -m \"the amount looks wrong\""),
        Command.of("update", "Notes what was found out about a dead letter, or closes it with a status.")
            .calls(Operation.UPDATE_DEAD_LETTER)
            .with(Arg.path("dlq_entry_uuid", "ENTRY", "The UUID of the dead letter."),
                Arg.body("resolution_notes", "TEXT", "What was found out.").named("--notes").alias("-m").required(),
                Arg.body("resolution_status", "STATUS", "Closes it.").named("--status").values(DLQ_STATUSES),
                Arg.actor(BODY, "resolved_by"),
                Arg.body("metadata", "JSON", "Merged into what it has.").json())
            .shows(DEAD_LETTER)
            .example("tasker dlq update 01a1fc6e-d7a1-7c2e-9a51-7f1d1f2f8a10 --status manually_resolved -m \"paid by hand\""),
        Command.of("queue", "Lists open dead letters by urgency.").calls(Operation.GET_INVESTIGATION_QUEUE).pages("entries", 500)
            .shows(View.rows("entries", "DEAD LETTER=dlq_entry_uuid", "TASK=task_uuid", "NAMESPACE=namespace", "NAME=name", "STATE=state",
                "REASON=dlq_reason",
                "MINUTES=minutes_in_dlq", "SCORE=priority_score", "+WAS=original_state"))
            .example("tasker dlq queue --limit 10"),
        Command.of("stats", "Counts dead letters by reason.").calls(Operation.GET_DEAD_LETTER_STATISTICS)
            .shows(View.rows("reasons", "REASON=dlq_reason", "ALL=total_entries", "PENDING=pending", "RESOLVED=manually_resolved",
                "FAILED=permanent_failures",
                "CANCELLED=cancelled", "OLDEST=oldest_entry", "+NEWEST=newest_entry", "+MINUTES=avg_resolution_time_minutes"))
            .example("tasker dlq stats"),
        Command.of("staleness", "Lists tasks that are stale, or about to be.").calls(Operation.GET_STALENESS).pages("tasks", 500)
            .shows(View.rows("tasks", "TASK=task_uuid", "NAMESPACE=namespace", "NAME=name", "STATE=state", "HEALTH=health_status",
                "STALE AT=stale_at",
                "MINUTES IN STATE=time_in_state_minutes", "+AGE=task_age_minutes", "+THRESHOLD=staleness_threshold_minutes",
                "+PRIORITY=priority"))
            .example("tasker dlq staleness"));
  }

  private static List<Command> queues() {
    return List.of(
        Command.of("list", "Lists the queues.").calls(Operation.LIST_QUEUES)
            .shows(View.rows("queues", "QUEUE=queue_name", "LENGTH=queue_length", "VISIBLE=visible", "INVISIBLE=invisible",
                "OLDEST s=oldest_msg_age_seconds",
                "PARKED=parked", "+NEWEST s=newest_msg_age_seconds", "+EVER=total_messages", "+PARKED SINCE=parked_since"))
            .example("tasker queue list"),
        Command.of("dead", "Lists messages that could not be processed, newest first.").calls(Operation.LIST_DEAD_MESSAGES)
            .with(Arg.query("queue_name", "QUEUE", "Of this queue.").named("--queue"),
                Arg.flag(QUERY, "replayed", "Also those that were sent again."))
            .pages("messages", 100)
            .shows(View.rows("messages", "MESSAGE=dead_message_uuid", "QUEUE=queue_name", "PARKED=parked_at", "READ=read_ct", "CAUSE=cause",
                "+SQLSTATE=sqlstate",
                "+REPLAYED=replayed_at", "+BODY=message"))
            .example("tasker queue dead --queue orchestration_step_results"),
        Command.of("replay", "Puts a message that could not be processed on its queue again.").calls(Operation.REPLAY_DEAD_MESSAGE)
            .with(Arg.path("dead_message_uuid", "MESSAGE", "The UUID of the message."), Arg.actor(QUERY, "requested_by"))
            .shows(View.details("message=dead_message_uuid", "replayed"))
            .example("tasker queue replay 01a1fc6e-d7a1-7c2e-9a51-7f1d1f2f8a10"));
  }

  private static List<Command> views() {
    return List.of(
        Command.of("list", "Lists your views and those that are shared with you.").calls(Operation.LIST_VIEWS)
            .shows(View.rows("views", "VIEW=view_uuid", "PAGE=page", "NAME=name", "QUERY=query", "NAMESPACE=namespace", "BY=saved_by",
                "+SAVED=saved_at"))
            .example("tasker view list"),
        Command.of("save", "Saves the filter of a list under a name, for you or for a namespace.").calls(Operation.SAVE_VIEW)
            .with(Arg.body("name", "NAME", "Its name.").required(), Arg.body("page", "PAGE", "The list of the console.").required(),
                Arg.body("query", "QUERY", "The query of the list's address."),
                Arg.body("namespace", "NAMESPACE", "Shares it with all who may list tasks there.").alias("-n"))
            .shows(View.details("view=view_uuid", "name", "query", "namespace"))
            .example("tasker view save --page tasks --name failed --query state=error --namespace payments"),
        Command.of("delete", "Deletes a view.").calls(Operation.DELETE_VIEW)
            .with(Arg.path("view_uuid", "VIEW", "The UUID of the view.")).shows(View.details("outcome"))
            .example("tasker view delete 01a1fc6e-d7a1-7c2e-9a51-7f1d1f2f8a10"));
  }

  private static List<Command> servers() {
    View server = View
        .details("server=server_uuid", "name", "state", "problems", "roles", "paused roles=paused_roles", "capacity=worker_capacity",
            "poll interval s=poll_interval_seconds", "running=running_steps", "available=available_capacity", "stuck threads=stuck_threads",
            "+threads",
            "+queues=queue_depths")
        .and("leases", "Leases", "TASK=task_uuid", "STEP=step_uuid", "ATTEMPT=attempt", "HELD s=held_seconds");
    Arg uuid = Arg.path("server_uuid", "SERVER", "The UUID of the server. Only the server that answers can be asked.");
    return List.of(
        Command.of("list", "Lists the servers, healthiest first, and how long offers wait.").calls(Operation.LIST_SERVERS)
            .shows(View
                .rows("servers", "SERVER=server_uuid", "NAME=name", "HEALTH=health", "ROLES=roles", "RUNNING=running", "CAPACITY=capacity",
                    "SILENT s=silent_seconds", "+NAMESPACES=namespaces", "+PROBLEMS=problems", "+REPORTED=reported_status",
                    "+SINCE=registered_at")
                .and("handoffs", "Handoffs of the last five minutes", "NAMESPACE=namespace", "ACCEPTED=accepted", "P50 ms=p50_ms",
                    "P95 ms=p95_ms", "P99 ms=p99_ms",
                    "WAITING=waiting", "STUCK=stuck", "+MAX ms=max_ms", "+OLDEST s=oldest_waiting_seconds"))
            .example("tasker server list"),
        Command.of("get", "Shows the server that answers.").calls(Operation.DESCRIBE_SERVER).with(uuid).shows(server)
            .example("tasker server get 01a1fc6e-0001-7000-8000-000000000001"),
        Command.of("health", "Shows the health of the server that answers; needs no login. Ends with 8 if it is down.")
            .calls(Operation.GET_HEALTH, Operation.GET_LIVENESS, Operation.GET_READINESS, Operation.GET_STARTUP)
            .with(Arg.local("probe", "PROBE", "Only this one.").values("live", "ready", "started"))
            .runs(General::health).shows(View.details("status").and("checks", "Checks", "CHECK=name", "STATUS=status", "DATA=data"))
            .example("tasker server health").example("tasker server health --probe ready"),
        Command.of("set", "Pauses roles, changes capacity and poll interval, drains; until the server stops.")
            .calls(Operation.CHANGE_SERVER)
            .with(uuid,
                Arg.local("pause", "ROLE", "Pauses this role; those that are not named resume.").many()
                    .values("api", "orchestrator", "worker").covers("paused_roles"),
                Arg.flag(LOCAL, "resume-all", "Resumes all roles.").covers("paused_roles"),
                Arg.body("worker_capacity", "N", "How many steps it may run at the same time.").named("--capacity").integer(),
                Arg.body("poll_interval_seconds", "SECONDS", "How often it looks for work that nothing announced.").named("--poll-interval")
                    .integer(),
                Arg.local("draining", "BOOLEAN", "Whether it finishes what it has and takes nothing more.").values("true", "false")
                    .covers("draining"),
                Arg.reason(BODY), Arg.actor(BODY, "requested_by"))
            .runs(General::changeServer).shows(server)
            .example(
                "tasker server set 01a1fc6e-0001-7000-8000-000000000001 --pause worker --capacity 50 -m \"the disk is being replaced\""));
  }

  private static List<Command> workers() {
    Arg uuid = Arg.path("worker_uuid", "WORKER", "The UUID of the worker.");
    View steps = View.details("state", "lease s=lease_seconds").and("verdicts", "Verdicts", "STEP=step_uuid", "HANDOFF=handoff",
        "VERDICT=verdict", "+ERROR=error").and("steps", "Claimed steps", "STEP=step_uuid", "NAME=name", "TASK=task_uuid", "HANDOFF=handoff",
            "HANDLER=handler", "ATTEMPT=attempt", "+CONTEXT=context", "+RESULTS=results");
    return List.of(
        Command.of("list", "Lists the workers, healthiest first: those of the servers, and external ones.").calls(Operation.LIST_WORKERS)
            .shows(View.rows("workers", "WORKER=worker_uuid", "NAME=name", "HEALTH=health", "NAMESPACES=namespaces", "RUNNING=running",
                "CAPACITY=capacity", "SILENT s=silent_seconds", "+SERVER=server_uuid", "+HANDLERS=handlers", "+UNABLE=unable",
                "+SINCE=registered_at", "+BY=registered_by"))
            .example("tasker worker list -o wide"),
        Command.of("get", "Shows a worker, and what it has claimed.").calls(Operation.DESCRIBE_WORKER).with(uuid)
            .shows(
                View.details("worker=worker_uuid", "name", "health", "namespaces", "handlers", "resolvers", "unable", "capacity", "running",
                    "registered=registered_at", "by=registered_by", "heartbeat=heartbeat_at", "lost at=considered_lost_at",
                    "+server=server_uuid",
                    "+reported=reported_status").and("claims", "Claims", "STEP=step_uuid", "TASK=task_uuid", "HANDOFF=handoff",
                        "SINCE=claimed_at",
                        "LEASE EXPIRES=lease_expires_at", "+ACKNOWLEDGED=acknowledged_at"))
            .example("tasker worker get 7f6c1d1e-8f0c-4a43-9a52-5b7a0de1c0aa"),
        Command.of("unserved", "Lists offered steps for which no live worker has the handler.").calls(Operation.LIST_SERVERS)
            .shows(View.rows("unserved", "NAMESPACE=namespace", "HANDLER=handler", "STEPS=steps", "SINCE=since", "FAILS AT=fails_at"))
            .example("tasker worker unserved"),
        Command.of("register", "Registers an external worker, or again; to try the protocol of docs/workers.md by hand.")
            .calls(Operation.REGISTER_WORKER)
            .with(Arg.body("name", "NAME", "For operators.").positional(),
                Arg.body("capacity", "N", "How many steps it holds at most.").integer()
                    .required(),
                Arg.body("handlers", "HANDLER", "A handler that it runs.").named("--handler").many(),
                Arg.body("resolvers", "RESOLVER", "A resolver that it runs.").named("--resolver").many(),
                Arg.body("namespaces", "NAMESPACE", "A namespace that it serves; all by default.").named("--namespace").alias("-n").many(),
                Arg.body("worker_uuid", "UUID", "Its UUID; the server makes one by default.").named("--worker").uuid(),
                Arg.body("heartbeat_seconds", "SECONDS", "How often it sends a heartbeat.").integer())
            .shows(
                View.details("worker=worker_uuid", "heartbeat s=heartbeat_seconds", "lease s=lease_seconds").and("steps", "It still holds",
                    "STEP=step_uuid", "HANDOFF=handoff"))
            .example("tasker worker register pricing-7 --handler orders.Price --namespace orders --capacity 20"),
        Command.of("claim", "Claims steps for an external worker of yours.").calls(Operation.CLAIM_STEPS)
            .with(uuid, Arg.body("max", "N", "How many at most, 1 by default.").integer(),
                Arg.body("wait_seconds", "SECONDS", "How long to wait for work, 60 at most.").integer(),
                Arg.body("request_id", "ID", "The same when the request is repeated."))
            .shows(steps).example("tasker worker claim 7f6c1d1e-8f0c-4a43-9a52-5b7a0de1c0aa --max 10 --wait-seconds 20 -o json"),
        Command.of("results", "Submits results of an external worker of yours.").calls(Operation.SUBMIT_RESULTS)
            .with(uuid, Arg.body("results", "JSON", "An array of results: JSON, @file or -.").json().positional(),
                Arg.body("claims.max", "N", "Claims so many steps at most, too.").integer(),
                Arg.body("claims.request_id", "ID", "The same when the request is repeated."))
            .shows(steps)
            .example(
                "tasker worker results 7f6c1d1e-8f0c-4a43-9a52-5b7a0de1c0aa '[{\"step_uuid\": \"01a1fc76-e8f1-7f50-a2a7-2f8e3c0f3a11\", "
                    + "\"handoff\": 1, \"outcome\": \"success\", \"result\": {\"price\": 12}}]'"),
        Command.of("checkpoints", "Saves checkpoints of steps that an external worker of yours runs; the steps go on.")
            .calls(Operation.SAVE_CHECKPOINTS)
            .with(uuid, Arg.body("checkpoints", "JSON", "An array of checkpoints: JSON, @file or -.").json().positional())
            .shows(View.details("lease s=lease_seconds", "cancels").and("verdicts", "Verdicts", "STEP=step_uuid", "HANDOFF=handoff",
                "VERDICT=verdict"))
            .example("tasker worker checkpoints 7f6c1d1e-8f0c-4a43-9a52-5b7a0de1c0aa "
                + "'[{\"step_uuid\": \"01a1fc76-e8f1-7f50-a2a7-2f8e3c0f3a11\", \"handoff\": 1, \"checkpoint\": {\"row\": 5000}}]'"),
        Command.of("ancestors", "Shows results of ancestors of a step that an external worker of yours holds.")
            .calls(Operation.GET_ANCESTOR_RESULTS)
            .with(uuid, Arg.path("step_uuid", "STEP", "The step."),
                Arg.query("name", "NAME", "The name of an ancestor.").many().required())
            .shows(View.details("results"))
            .example(
                "tasker worker ancestors 7f6c1d1e-8f0c-4a43-9a52-5b7a0de1c0aa 01a1fc76-e8f1-7f50-a2a7-2f8e3c0f3a11 --name validate -o json"),
        Command.of("heartbeat", "Renews the leases of an external worker of yours.").calls(Operation.HEARTBEAT_WORKER)
            .with(uuid, Arg.body("steps", "JSON", "The steps that it runs: [{\"step_uuid\": …, \"handoff\": …}].").json(),
                Arg.body("state", "STATE", "Its state.").values("healthy", "degraded", "paused"))
            .shows(View.details("state", "heartbeat s=heartbeat_seconds", "lease s=lease_seconds", "lost", "cancels", "unreported"))
            .example("tasker worker heartbeat 7f6c1d1e-8f0c-4a43-9a52-5b7a0de1c0aa --state paused"),
        Command.of("drain", "Gives an external worker of yours no more steps; it ends with the last one.").calls(Operation.DRAIN_WORKER)
            .with(uuid)
            .shows(View.details("worker=worker_uuid", "state", "claimed"))
            .example("tasker worker drain 7f6c1d1e-8f0c-4a43-9a52-5b7a0de1c0aa"));
  }

  private static List<Command> policies() {
    String[] columns = {"POLICY=policy_uuid", "NAMESPACE=namespace", "NAME=name", "STEP=step", "COUNTS=counts", "KEY=key", "LIMIT=limit",
      "HOLDING=holding",
      "WAITING=waiting", "+WHEN FULL=when_full", "+TEMPLATE'S=template_limit", "+SET=set_limit", "+BY=set_by"};
    return List.of(
        Command.of("list", "Lists the policies.").calls(Operation.LIST_CONCURRENCY_POLICIES)
            .with(Arg.query("namespace", "NAMESPACE", "Of this namespace.").alias("-n"), Arg.query("name", "NAME", "Of this template."),
                Arg.query("entries", "N", "How many holders and waiters of each policy; in JSON and YAML.").integer())
            .shows(View.rows("policies", columns)).example("tasker policy list --namespace payments"),
        Command.of("limit", "Changes the limit of a policy, for all versions of the template.").calls(Operation.SET_CONCURRENCY_LIMIT)
            .with(Arg.path("policy_uuid", "POLICY", "The UUID of the policy."),
                Arg.local("limit", "N", "How many may hold a slot, 0 for none; or default, for the template's.").positional()
                    .covers("limit"),
                Arg.reason(BODY), Arg.actor(BODY, "requested_by"))
            .runs(General::limit)
            .shows(View.details("policy=policy_uuid", "namespace", "name", "limit", "template's=template_limit", "set=set_limit", "holding",
                "waiting"))
            .example("tasker policy limit 01a1fc6e-0002-7000-8000-000000000002 0 -m \"the bank is down\"")
            .example("tasker policy limit 01a1fc6e-0002-7000-8000-000000000002 default -m \"it is back\""));
  }

  private static Arg schedule() {
    return Arg.path("schedule_uuid", "SCHEDULE", "The UUID of the schedule.");
  }

  /** What a schedule consists of, for a new one and for a change. */
  private static List<Arg> scheduled() {
    return List.of(Arg.body("template", "TEMPLATE", "The name of the template.").required(),
        Arg.body("template_version", "VERSION", "Its version; the highest release at each fire time by default."),
        Arg.body("context", "JSON", "The input of each task: JSON, @file, or - for the standard input.").alias("-c").json(),
        Arg.body("time_member", "MEMBER", "The member of the context that gets the fire time."),
        Arg.body("cron", "EXPRESSION", "Minute, hour, day of the month, month, day of the week; or a macro as @daily."),
        Arg.body("every_seconds", "SECONDS", "An interval instead of a cron expression.").integer(),
        Arg.body("zone", "ZONE", "The time zone of the cron expression; UTC by default."),
        Arg.body("starts_at", "TIME", "The first possible fire time."), Arg.body("ends_at", "TIME", "The end of the possible fire times."),
        Arg.body("jitter_seconds", "SECONDS", "How much later a task is submitted at most.").integer(),
        Arg.body("overlap", "WHAT", "What to do while a task is unfinished; skip by default.").values("skip", "queue_one", "allow",
            "cancel_previous"),
        Arg.body("catch_up", "WHICH", "Which missed fire times to make up for; the last by default.").values("last", "all"),
        Arg.body("catch_up_seconds", "SECONDS", "How late a fire time may be; a day by default.").integer(),
        Arg.body("pause_after_failures", "N", "Failures in a row after which it pauses; 10 by default, 0 for never.").integer(),
        Arg.body("tags", "TAG", "A tag of each task.").named("--tag").many(),
        Arg.body("priority", "N", "Of each task, -100 to 100.").integer(), Arg.body("source_system", "TEXT", "From where."));
  }

  private static Arg[] and(List<Arg> args, Arg... more) {
    return java.util.stream.Stream.concat(java.util.Arrays.stream(more), args.stream()).toArray(Arg[]::new);
  }

  private static List<Command> schedules() {
    View one = View.details("schedule=schedule_uuid", "namespace", "name", "template", "cron", "every=every_seconds", "zone", "overlap",
        "catch up=catch_up", "paused", "why=pause_reason", "next=next_fire_at", "last=last_fire_at", "last task=last_task_uuid", "started",
        "skipped", "missed", "failed", "version").and("next_fire_times", "Next fire times", "TIME=");
    View backfill = View.details("backfill=backfill_uuid", "state", "from", "to", "done until=done_until", "started", "present");
    return List.of(
        Command.of("list", "Lists the schedules, newest first.").calls(Operation.LIST_SCHEDULES)
            .with(Arg.query("namespace", "NAMESPACE", "Of this namespace.").alias("-n"), Arg.query("name", "NAME", "Of this name."),
                Arg.query("paused", "BOOLEAN", "Only paused ones, or only others.").values("true", "false"),
                Arg.query("failing", "BOOLEAN", "Only those whose latest fire times failed, or only others.").values("true", "false"))
            .pages("schedules", 100)
            .shows(View.rows("schedules", "SCHEDULE=schedule_uuid", "NAMESPACE=namespace", "NAME=name", "CRON=cron", "EVERY=every_seconds",
                "ZONE=zone", "PAUSED=paused", "NEXT=next_fire_at", "LAST=last_fire_at", "+STARTED=started", "+SKIPPED=skipped",
                "+MISSED=missed", "+FAILED=failed", "+TEMPLATE=template"))
            .example("tasker schedule list -n reports").example("tasker schedule list --failing true"),
        Command.of("get", "Shows a schedule with its next fire times.").calls(Operation.GET_SCHEDULE)
            .with(schedule(), Arg.query("upcoming", "N", "How many fire times.").integer()).shows(one)
            .example("tasker schedule get 01a1fc6e-0002-7000-8000-000000000003 --upcoming 20"),
        Command.of("create", "Creates a schedule.").calls(Operation.CREATE_SCHEDULE)
            .with(and(scheduled(), Arg.body("namespace", "NAMESPACE", "Its namespace.").positional(),
                Arg.body("name", "NAME", "Its name.").positional(), Arg.body("reason", "TEXT", "Why.").alias("-m"),
                Arg.actor(BODY, "requested_by")))
            .shows(one)
            .example("tasker schedule create reports nightly --template nightly_report --cron \"30 2 * * 1-5\" --zone Europe/Berlin"),
        Command.of("update", "Replaces what a schedule says, except its namespace and name.").calls(Operation.UPDATE_SCHEDULE)
            .with(and(scheduled(), schedule(),
                Arg.body("version", "N", "The version of the schedule that you have seen.").required().integer(),
                Arg.body("reason", "TEXT", "Why.").alias("-m"), Arg.actor(BODY, "requested_by")))
            .shows(one)
            .example("tasker schedule update 01a1fc6e-0002-7000-8000-000000000003 --version 1 --template nightly_report --cron @daily"),
        Command.of("delete", "Deletes a schedule. Its tasks go on.").calls(Operation.DELETE_SCHEDULE)
            .with(schedule(), Arg.reason(QUERY), Arg.actor(QUERY, "requested_by")).shows(one)
            .example("tasker schedule delete 01a1fc6e-0002-7000-8000-000000000003 -m \"not needed any more\""),
        Command.of("pause", "Starts nothing more until the schedule is resumed.").calls(Operation.PAUSE_SCHEDULE)
            .with(schedule(), Arg.reason(BODY), Arg.actor(BODY, "requested_by")).shows(one)
            .example("tasker schedule pause 01a1fc6e-0002-7000-8000-000000000003 -m \"the source is down\""),
        Command.of("resume", "Ends the pause of a schedule.").calls(Operation.RESUME_SCHEDULE)
            .with(schedule(), Arg.flag(BODY, "catch_up", "Makes up for the fire times of the pause."), Arg.reason(BODY),
                Arg.actor(BODY, "requested_by"))
            .shows(one).example("tasker schedule resume 01a1fc6e-0002-7000-8000-000000000003 -m \"it is back\""),
        Command.of("trigger", "Submits a task now.").calls(Operation.TRIGGER_SCHEDULE)
            .with(schedule(), Arg.reason(BODY), Arg.actor(BODY, "requested_by"))
            .shows(View.details("task=task_uuid", "fire time=fire_at", "outcome"))
            .example("tasker schedule trigger 01a1fc6e-0002-7000-8000-000000000003 -m \"the data came late\""),
        Command.of("fires", "Lists what became of the fire times, the latest first.").calls(Operation.LIST_SCHEDULE_FIRES)
            .with(schedule(), Arg.query("outcome", "OUTCOME", "Only these.").values("started", "queued", "skipped", "missed", "failed"),
                Arg.query("origin", "ORIGIN", "Only these.").values("schedule", "trigger", "backfill"),
                Arg.query("backfill", "UUID", "Of this backfill.").uuid())
            .pages("fires", 100)
            .shows(View.rows("fires", "FIRE TIME=fire_at", "UNTIL=until_at", "COUNT=count", "ORIGIN=origin", "OUTCOME=outcome",
                "REASON=reason",
                "TASK=task_uuid", "STATE=task_state", "+MESSAGE=message"))
            .example("tasker schedule fires 01a1fc6e-0002-7000-8000-000000000003 --outcome failed"),
        Command.of("backfill", "Submits tasks for the fire times of a past period that have none.").calls(Operation.BACKFILL_SCHEDULE)
            .with(schedule(), Arg.body("from", "TIME", "The beginning, inclusive.").required(),
                Arg.body("to", "TIME", "The end, exclusive.").required(),
                Arg.body("overlap", "HOW", "One after the other (the default), or all at once.").values("one_by_one", "allow"),
                Arg.flag(BODY, "dry_run", "Only shows what it would do."), Arg.reason(BODY), Arg.actor(BODY, "requested_by"))
            .shows(View.details("backfill=backfill_uuid", "state", "count", "start", "present").and("fires", "Fire times",
                "FIRE TIME=fire_at", "WOULD=would"))
            .example("tasker schedule backfill 01a1fc6e-0002-7000-8000-000000000003 --from 2026-11-01T00:00:00Z --to 2026-11-08T00:00:00Z "
                + "--dry-run -m \"the first week\""),
        Command.of("backfills", "Lists the backfills of a schedule with their progress.").calls(Operation.LIST_BACKFILLS).with(schedule())
            .shows(View.rows("backfills", "BACKFILL=backfill_uuid", "STATE=state", "FROM=from", "TO=to", "DONE UNTIL=done_until",
                "STARTED=started", "PRESENT=present", "+BY=created_by", "+REASON=reason"))
            .example("tasker schedule backfills 01a1fc6e-0002-7000-8000-000000000003"),
        Command.of("cancel-backfill", "Cancels a backfill. What it has submitted goes on.").calls(Operation.CANCEL_BACKFILL)
            .with(schedule(), Arg.path("backfill_uuid", "BACKFILL", "The UUID of the backfill."), Arg.reason(QUERY),
                Arg.actor(QUERY, "requested_by"))
            .shows(backfill)
            .example("tasker schedule cancel-backfill 01a1fc6e-0002-7000-8000-000000000003 01a1fc6e-0002-7000-8000-000000000004 "
                + "-m \"wrong week\""));
  }

  private static Arg webhook() {
    return Arg.path("webhook_uuid", "WEBHOOK", "The UUID of the webhook.");
  }

  private static Arg delivery() {
    return Arg.path("delivery_uuid", "DELIVERY", "The UUID of the delivery.");
  }

  /** What a webhook consists of, for a new one and for a change. */
  private static List<Arg> subscribed() {
    return List.of(Arg.body("url", "URL", "The address that events are sent to.").named("--to").required(),
        Arg.body("description", "TEXT", "What it is for."),
        Arg.body("event_types", "TYPE", "A type of the events; all by default.").named("--type").many(),
        Arg.body("template", "TEMPLATE", "Only events of tasks of this template."),
        Arg.body("timeout_seconds", "SECONDS", "For a whole call; 15 by default.").integer(),
        Arg.body("max_attempts", "N", "After which an event is a dead letter; 20 by default.").integer(),
        Arg.body("max_in_flight", "N", "Calls at a time over all servers; 4 by default.").integer(),
        Arg.body("backoff_seconds", "SECONDS", "The wait after the first failure, doubled with each; 5 by default.").integer(),
        Arg.body("backoff_cap_seconds", "SECONDS", "The longest wait; 6 hours by default.").integer(),
        Arg.body("pause_after_hours", "HOURS", "Of nothing but failures, after which it pauses; 120 by default.").integer());
  }

  private static List<Command> webhooks() {
    View one = View.details("webhook=webhook_uuid", "namespace", "name", "url", "state", "why=pause_reason", "types=event_types",
        "template",
        "secret", "position", "behind", "open", "oldest open=oldest_open_at", "dead letters=dead_letters",
        "failures in a row=failures_in_a_row",
        "last failure=last_failure", "last delivered=last_delivered_at", "delivered", "failed", "version");
    View sent = View.details("delivery=delivery_uuid", "state", "type=event_type", "event=event_uuid", "task=task_uuid", "attempts",
        "status=last_status", "failure=last_error", "response=last_response", "due=due_at");
    return List.of(
        Command.of("list", "Lists the webhooks, newest first.").calls(Operation.LIST_WEBHOOKS)
            .with(Arg.query("namespace", "NAMESPACE", "Of this namespace.").alias("-n"), Arg.query("name", "NAME", "Of this name."),
                Arg.query("paused", "BOOLEAN", "Only paused ones, or only others.").values("true", "false"),
                Arg.query("failing", "BOOLEAN", "Only those whose latest attempt failed, or only others.").values("true", "false"))
            .pages("webhooks", 100)
            .shows(View.rows("webhooks", "WEBHOOK=webhook_uuid", "NAMESPACE=namespace", "NAME=name", "STATE=state", "OPEN=open",
                "DEAD=dead_letters", "LAST DELIVERED=last_delivered_at", "LAST FAILURE=last_failure", "+URL=url", "+BEHIND=behind",
                "+DELIVERED=delivered", "+FAILED=failed"))
            .example("tasker webhook list -n payments").example("tasker webhook list --failing true"),
        Command.of("get", "Shows a webhook.").calls(Operation.GET_WEBHOOK).with(webhook()).shows(one)
            .example("tasker webhook get 01a1fc6e-0002-7000-8000-000000000005"),
        Command.of("create", "Creates a webhook, and shows its secret once.").calls(Operation.CREATE_WEBHOOK)
            .with(and(subscribed(), Arg.body("name", "NAME", "Its name.").positional(),
                Arg.body("namespace", "NAMESPACE", "Its namespace; all by default.").alias("-n"),
                Arg.body("from", "POINT", "now (the default), beginning, a position of the feed, or a time."),
                Arg.body("secret", "SECRET", "Its secret; one is made by default."), Arg.body("reason", "TEXT", "Why.").alias("-m"),
                Arg.actor(BODY, "requested_by")))
            .shows(one)
            .example("tasker webhook create bookkeeping -n payments --to https://books.example.com/in --type order.paid"),
        Command.of("update", "Replaces what a webhook says, except its namespace, name and secret.").calls(Operation.UPDATE_WEBHOOK)
            .with(and(subscribed(), webhook(),
                Arg.body("version", "N", "The version of the webhook that you have seen.").required().integer(),
                Arg.body("reason", "TEXT", "Why.").alias("-m"), Arg.actor(BODY, "requested_by")))
            .shows(one)
            .example("tasker webhook update 01a1fc6e-0002-7000-8000-000000000005 --version 1 --to https://books.example.com/v2"),
        Command.of("delete", "Deletes a webhook. What it has not delivered is discarded.").calls(Operation.DELETE_WEBHOOK)
            .with(webhook(), Arg.reason(QUERY), Arg.actor(QUERY, "requested_by")).shows(one)
            .example("tasker webhook delete 01a1fc6e-0002-7000-8000-000000000005 -m \"not needed any more\""),
        Command.of("pause", "Sends nothing more until the webhook is resumed.").calls(Operation.PAUSE_WEBHOOK)
            .with(webhook(), Arg.reason(BODY), Arg.actor(BODY, "requested_by")).shows(one)
            .example("tasker webhook pause 01a1fc6e-0002-7000-8000-000000000005 -m \"the receiver is being moved\""),
        Command.of("resume", "Goes on where the webhook was paused.").calls(Operation.RESUME_WEBHOOK)
            .with(webhook(), Arg.reason(BODY), Arg.actor(BODY, "requested_by")).shows(one)
            .example("tasker webhook resume 01a1fc6e-0002-7000-8000-000000000005 -m \"it is back\""),
        Command.of("rotate-secret", "Gives a webhook another secret, and shows it once.").calls(Operation.ROTATE_WEBHOOK_SECRET)
            .with(webhook(), Arg.body("secret", "SECRET", "The new secret; one is made by default."),
                Arg.body("overlap_seconds", "SECONDS", "How long the present secret signs, too; a day by default.").integer(),
                Arg.reason(BODY), Arg.actor(BODY, "requested_by"))
            .shows(one).example("tasker webhook rotate-secret 01a1fc6e-0002-7000-8000-000000000005 -m \"once a year\""),
        Command.of("ping", "Sends a test event, once.").calls(Operation.PING_WEBHOOK)
            .with(webhook(), Arg.reason(BODY), Arg.actor(BODY, "requested_by")).shows(sent)
            .example("tasker webhook ping 01a1fc6e-0002-7000-8000-000000000005 -m \"does it answer?\""),
        Command.of("replay", "Sends events again from a point of the feed on.").calls(Operation.REPLAY_WEBHOOK)
            .with(webhook(), Arg.body("from", "POINT", "beginning, a position of the feed, or a time.").required(), Arg.reason(BODY),
                Arg.actor(BODY, "requested_by"))
            .shows(one)
            .example("tasker webhook replay 01a1fc6e-0002-7000-8000-000000000005 --from 2026-11-24T00:00:00Z -m \"a day was lost\""),
        Command.of("deliveries", "Lists the deliveries of a webhook, newest first; dead ones are its dead letters.")
            .calls(Operation.LIST_WEBHOOK_DELIVERIES)
            .with(webhook(), Arg.query("state", "STATE", "Only these.").values("pending", "in_flight", "delivered", "dead", "discarded"),
                Arg.query("task", "UUID", "Of this task.").uuid(), Arg.query("event", "UUID", "Of this event.").uuid())
            .pages("deliveries", 100)
            .shows(View.rows("deliveries", "DELIVERY=delivery_uuid", "TYPE=event_type", "STATE=state", "ATTEMPTS=attempts",
                "STATUS=last_status", "FAILURE=last_error", "DUE=due_at", "+TASK=task_uuid", "+EVENT=event_uuid",
                "+RESPONSE=last_response"))
            .example("tasker webhook deliveries 01a1fc6e-0002-7000-8000-000000000005 --state dead"),
        Command.of("delivery", "Shows a delivery.").calls(Operation.GET_WEBHOOK_DELIVERY).with(webhook(), delivery()).shows(sent)
            .example("tasker webhook delivery 01a1fc6e-0002-7000-8000-000000000005 01a1fc6e-0002-7000-8000-000000000006"),
        Command.of("retry", "Sends a dead letter again.").calls(Operation.RETRY_WEBHOOK_DELIVERY)
            .with(webhook(), delivery(), Arg.reason(BODY), Arg.actor(BODY, "requested_by")).shows(sent)
            .example("tasker webhook retry 01a1fc6e-0002-7000-8000-000000000005 01a1fc6e-0002-7000-8000-000000000006 -m \"repaired\""),
        Command.of("discard", "Sends a delivery no more.").calls(Operation.DISCARD_WEBHOOK_DELIVERY)
            .with(webhook(), delivery(), Arg.reason(BODY), Arg.actor(BODY, "requested_by")).shows(sent)
            .example("tasker webhook discard 01a1fc6e-0002-7000-8000-000000000005 01a1fc6e-0002-7000-8000-000000000006 -m \"known\""));
  }

  private static List<Command> retention() {
    String[] byTemplate = {"NAMESPACE=namespace", "NAME=name", "VERSION=version", "STATE=state", "KEEP DAYS=keep_days", "TASKS=tasks",
      "RETAINED=retained",
      "+BY=decided_by", "+OLDEST=oldest_completed_at"};
    return List.of(
        Command.of("show", "Shows policies, and what was purged.").calls(Operation.GET_RETENTION)
            .shows(View.details("purged tasks=purged_tasks", "last purged=last_purged_at", "oldest task=oldest_task_at", "+history")
                .and("policies", "Policies", "NAMESPACE=namespace", "NAME=name", "STATE=state", "KEEP DAYS=keep_days", "BY=set_by",
                    "REASON=reason", "+AT=set_at")
                .and("templates", "Templates", "NAMESPACE=namespace", "NAME=name", "VERSION=version", "PURGED=purged_tasks",
                    "LAST=last_purged_at", "+KEEP DAYS=keep_days",
                    "+BY=decided_by")
                .and("tables", "Other tables", "TABLE=table", "KEEP DAYS=keep_days", "OLDEST=oldest_at"))
            .example("tasker retention show"),
        Command.of("preview", "Counts what would be purged now.").calls(Operation.PREVIEW_RETENTION)
            .shows(View.details("tasks", "retained", "oldest=oldest_completed_at", "more=is_more").and("by_template", "By template",
                byTemplate))
            .example("tasker retention preview"),
        Command.of("set", "Sets how long finished tasks are kept: in general, of a namespace, a template, a state.")
            .calls(Operation.SET_RETENTION_POLICY)
            .with(Arg.body("namespace", "NAMESPACE", "Of this namespace.").alias("-n"), Arg.body("name", "NAME", "Of this template."),
                Arg.body("state", "STATE", "That ended in this state.").values("complete", "error", "cancelled", "resolved_manually"),
                Arg.body("keep_days", "DAYS", "How long.").integer(), Arg.flag(LOCAL, "forever", "Keeps them forever.").covers("keep_days"),
                Arg.flag(BODY, "remove", "Removes the policy."),
                Arg.flag(BODY, "dry_run", "Changes nothing, and counts what would be purged."),
                Arg.reason(BODY), Arg.actor(BODY, "requested_by"))
            .runs(General::retention)
            .shows(View.details("dry run=dry_run", "policy", "to be purged=preview.tasks", "retained=preview.retained")
                .and("preview.by_template", "By template", byTemplate))
            .example("tasker retention set --namespace payments --state complete --keep-days 90 -m \"as agreed\" --dry-run"));
  }

  private static final View PART = View.details("document", "pointer", "type", "members", "bytes", "offset", "next=next_offset", "text");

  private static Arg mostBytes() {
    return Arg.query("max_document_bytes", "BYTES", "Leaves out longer documents.").integer();
  }

  private static Arg pointer() {
    return Arg.query("pointer", "POINTER", "JSON pointer to a part of the document.");
  }

  private static Arg offset() {
    return Arg.query("offset", "N", "How many characters to leave out.").integer();
  }

  private static Arg characters() {
    return Arg.query("limit", "N", "How many characters; 16384 by default.").integer();
  }

  private static Arg[] taskFilters(Arg... more) {
    return Stream
        .concat(
            Stream.of(Arg.query("namespace", "NAMESPACE", "Of this namespace.").alias("-n"), Arg.query("name", "NAME", "Of this template."),
                Arg.query("name_not", "NAME", "Not of this template."),
                Arg.query("name_prefix", "TEXT", "Of templates whose name begins so."),
                Arg.query("version", "VERSION", "Of this version."),
                Arg.query("state", "STATE", "In this state, or in one of several with commas between them.").alias("-s")
                    .values(TASK_STATES),
                Arg.query("state_not", "STATE", "In none of these states, with commas between them.").values(TASK_STATES),
                Arg.query("tag", "TAG", "With this tag."), Arg.query("attribute", "NAME:VALUE", "With this search attribute.").many(),
                Arg.query("created_after", "TIME", "Created then or later."), Arg.query("created_before", "TIME", "Created before."),
                Arg.query("updated_after", "TIME", "Changed its state then or later."),
                Arg.query("updated_before", "TIME", "Changed its state before."),
                Arg.query("completed_after", "TIME", "Ended then or later."), Arg.query("completed_before", "TIME", "Ended before."),
                Arg.query("initiator", "TEXT", "Of this initiator."), Arg.query("source_system", "TEXT", "From this system."),
                Arg.query("correlation_id", "UUID", "Of this correlation id.").uuid(),
                Arg.query("parent_correlation_id", "UUID", "Caused by a task of this correlation id.").uuid(),
                Arg.query("sla_breached", "BOOLEAN", "Past their SLA, or not.").values("true", "false"),
                Arg.query("roots", "BOOLEAN", "Without a parent, or with one.").values("true", "false")),
            Stream.of(more))
        .toArray(Arg[]::new);
  }

  private static List<Command> analytics() {
    Arg hours = Arg.query("hours", "HOURS", "How far back.").integer();
    return List.of(
        Command.of("performance", "Shows what happened in the last hours.").calls(Operation.GET_PERFORMANCE).with(hours)
            .shows(View.details("tasks=total_tasks", "active=active_tasks", "completed=completed_tasks", "failed=failed_tasks",
                "completion rate=completion_rate",
                "error rate=error_rate", "mean task s=average_task_duration_seconds", "mean step s=average_step_duration_seconds",
                "tasks/h=tasks_per_hour",
                "steps/h=steps_per_hour", "health score=system_health_score", "since=analysis_period_start"))
            .example("tasker analytics performance --hours 24"),
        Command.of("health", "Counts tasks and steps by state, with a score and the load.").calls(Operation.GET_SYSTEM_HEALTH)
            .shows(View.details("score=health_score", "heavy load=is_under_heavy_load", "tasks=total_tasks", "by state=tasks",
                "steps=total_steps", "+steps by state=steps",
                "connections=active_connections", "of=max_connections"))
            .example("tasker analytics health"),
        Command.of("bottlenecks", "Shows where time goes.").calls(Operation.GET_BOTTLENECKS)
            .with(hours, Arg.query("namespace", "NAMESPACE", "Of this namespace.").alias("-n"),
                Arg.query("name", "NAME", "Of this template."),
                Arg.query("version", "VERSION", "Of this version."), Arg.query("limit", "N", "How many steps, and templates.").integer(),
                Arg.query("min_executions", "N", "Without what ran less often.").integer())
            .shows(View.rows("recommendations", "RECOMMENDATION=")
                .and("slow_steps", "Slow steps", "NAMESPACE=namespace", "NAME=name", "STEP=step", "MEAN s=avg_duration_seconds",
                    "MAX s=max_duration_seconds", "RUNS=execution_count",
                    "ERRORS=error_count", "+VERSION=version")
                .and("slow_tasks", "Slow templates", "NAMESPACE=namespace", "NAME=name", "MEAN s=avg_duration_seconds",
                    "MAX s=max_duration_seconds", "RUNS=execution_count",
                    "ERRORS=error_count", "+VERSION=version"))
            .example("tasker analytics bottlenecks --hours 24 --namespace payments"),
        Command.of("timeline", "Shows what happened minute by minute.").calls(Operation.GET_TIMELINE)
            .with(Arg.query("minutes", "N", "How far back; an hour by default.").integer(),
                Arg.query("namespace", "NAMESPACE", "Of this namespace.").alias("-n"))
            .shows(View.rows("minutes", "MINUTE=minute", "CREATED=created", "COMPLETED=completed", "FAILED=failed",
                "MEAN s=average_task_seconds",
                "STEPS=executions", "ERRORS=errors", "STEP MEAN s=average_step_seconds", "+MAX s=most_step_seconds"))
            .example("tasker analytics timeline --minutes 15"));
  }

  private static final Arg GRANT = Arg
      .local("grant", "GRANT", "A role or permission, everywhere or in a namespace: operator, tasks:create@orders.").many()
      .covers("grants");

  private static List<Command> users() {
    Arg uuid = Arg.path("user_uuid", "USER", "The name or UUID of the user.").text();
    View changed = View.details("user=user_uuid");
    return List.of(
        Command.of("list", "Lists the users.").calls(Operation.LIST_USERS)
            .shows(View.rows("users", "USER=user_uuid", "NAME=name", "ENABLED=enabled", "PASSWORD=has_password", "CREATED=created_at",
                "+BY=created_by",
                "+GRANTS=grants"))
            .example("tasker user list"),
        Command.of("create", "Creates a user; a password is generated and shown once, unless one is given.").calls(Operation.CREATE_USER)
            .with(Arg.body("name", "NAME", "The name.").positional(), GRANT,
                Arg.flag(LOCAL, "password-stdin", "Reads the password from the standard input.").covers("password"))
            .runs(Access::createUser).shows(View.details("user=user_uuid", "name", "password"))
            .example("tasker user create ann --grant operator --grant tasks:create@orders"),
        Command.of("password", "Sets the password of a user.").calls(Operation.CHANGE_USER, Operation.LIST_USERS)
            .with(uuid, Arg.flag(LOCAL, "stdin", "Reads it from the standard input.").covers("password")).runs(Access::password)
            .shows(changed)
            .example("tasker user password ann"),
        Command.of("enable", "Lets a user log in again.").calls(Operation.CHANGE_USER, Operation.LIST_USERS).with(uuid)
            .runs(in -> Access.enabled(in, true)).shows(changed)
            .example("tasker user enable ann"),
        Command.of("disable", "Lets a user log in no more.").calls(Operation.CHANGE_USER, Operation.LIST_USERS).with(uuid)
            .runs(in -> Access.enabled(in, false)).shows(changed)
            .example("tasker user disable ann"));
  }

  private static List<Command> keys() {
    return List.of(
        Command.of("list", "Lists the API keys, without the keys themselves.").calls(Operation.LIST_KEYS)
            .shows(View.rows("keys", "KEY=key_uuid", "NAME=name", "BEGINS=hint", "EXPIRES=expires_at", "LAST USED=last_used_at",
                "REVOKED=revoked_at", "+CREATED=created_at",
                "+BY=created_by", "+GRANTS=grants"))
            .example("tasker key list"),
        Command.of("create", "Creates an API key, which is shown once.").calls(Operation.CREATE_KEY)
            .with(Arg.body("name", "NAME", "What it is for.").positional(), GRANT,
                Arg.local("expires-in-days", "DAYS", "When it ends.").integer().covers("expires_in_seconds"))
            .runs(Access::createKey).shows(View.details("key uuid=key_uuid", "name", "key"))
            .example("tasker key create \"orders intake\" --grant tasks:create@orders --expires-in-days 365"),
        Command.of("revoke", "Ends an API key.").calls(Operation.REVOKE_KEY).with(Arg.path("key_uuid", "KEY", "The UUID of the key."))
            .shows(View.details("key=key_uuid"))
            .example("tasker key revoke 01a1fc6e-0003-7000-8000-000000000003"));
  }

  private static List<Command> grants() {
    return List.of(
        Command.of("add", "Grants a role or permission to a user or a key.").calls(Operation.GRANT)
            .with(
                Arg.local("grant", "GRANT", "A role or permission, everywhere or in a namespace: operator, tasks:create@orders.")
                    .positional().covers("role", "permission", "namespace"),
                Arg.body("user_uuid", "UUID", "To this user.").named("--user").uuid(),
                Arg.body("key_uuid", "UUID", "To this key.").named("--key").uuid())
            .runs(Access::grant).shows(View.details("grant=grant_uuid"))
            .example("tasker grant add viewer@orders --user 01a1fc6e-0004-7000-8000-000000000004"),
        Command.of("revoke", "Takes a grant away.").calls(Operation.REVOKE_GRANT)
            .with(Arg.path("grant_uuid", "GRANT", "The UUID of the grant."))
            .shows(View.details("grant=grant_uuid")).example("tasker grant revoke 01a1fc6e-0005-7000-8000-000000000005"),
        Command.of("roles", "Lists the roles and their permissions.").calls(Operation.LIST_ROLES)
            .shows(View.rows("roles", "ROLE=role", "DESCRIPTION=description", "+PERMISSIONS=permissions"))
            .example("tasker grant roles -o wide"));
  }
}
