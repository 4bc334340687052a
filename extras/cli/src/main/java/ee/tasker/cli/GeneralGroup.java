package ee.tasker.cli;

import static ee.tasker.cli.Arg.Place.BODY;
import static ee.tasker.cli.Arg.Place.LOCAL;
import static ee.tasker.cli.Arg.Place.QUERY;

import ee.tasker.client.Operation;
import java.util.List;

/**
 * The commands that are in no group: logging in, what a server tells about itself, samples, and
 * what needs no server.
 */
final class GeneralGroup {
  private GeneralGroup() {}

  static List<Command> commands() {
    return List.of(
        Command.of("login", "Checks credentials with the server and stores them in a profile.")
            .calls(Operation.GET_ME, Operation.CREATE_KEY)
            .with(
                Arg.local("user", "NAME",
                    "A user; the password is asked for. Without it, an API key is."),
                Arg.flag(LOCAL, "token", "A signed token (JWT) instead of a key."),
                Arg.flag(LOCAL, "stdin",
                    "Reads the key, token or password from the standard input."),
                Arg.local("create-key", "KEY",
                    "With --user: creates an API key of this name with the user's permissions, "
                        + "and stores that instead of the password."),
                Arg.local("expires-in-days", "DAYS", "Of the created key.").integer(),
                Arg.local("login-file", "FILE",
                    "User and password from the file that the run command writes: .tasker/login."))
            .runs(LoginCommands::login)
            .example(
                "tasker login --url https://tasker.example.org --user ann --create-key \"ann's "
                    + "laptop\" --expires-in-days 90")
            .example(
                "tasker login --url https://tasker.example.org --profile prod --stdin < key.txt")
            .example("tasker login --login-file .tasker/login"),
        Command.of("logout",
            "Forgets the credentials of a profile. Keys stay valid; tasker key revoke ends them.")
            .with(Arg.flag(LOCAL, "all", "Of all profiles."))
            .runs(LoginCommands::logout).example("tasker logout")
            .example("tasker logout --profile prod"),
        Command.of("whoami", "Shows how the server identifies you, and what you may do.")
            .calls(Operation.GET_ME)
            .shows(View.details("kind", "name").and("permissions", "Permissions", "PERMISSION="))
            .example("tasker whoami"),
        Command
            .of("events",
                "Prints the transitions of all tasks as they happen, until it is interrupted.")
            .calls(Operation.STREAM_EVENTS)
            .with(Arg.query("namespace", "NAMESPACE", "Of this namespace."),
                Arg.query("name", "NAME", "Of this template."),
                Arg.query("version", "VERSION", "Of this version."),
                Arg.query("kind", "KIND", "Only of tasks, or only of steps."),
                Arg.query("correlation_id", "UUID", "Of this correlation id.").uuid(),
                Arg.query("task_uuid", "TASK", "Of this task.").named("--task").uuid(),
                Arg.query("stream_uuid", "UUID",
                    "Ends the stream that you opened before with the same UUID.").uuid(),
                Arg.local("after", "ID", "Continues after the event of this id.")
                    .covers("last_event_id"),
                Arg.local("count", "N", "Ends after so many events.").integer())
            .runs(Watch::events).example("tasker events --namespace payments --kind task")
            .example("tasker events -o json --count 10"),
        Command.of("domain-events", "Prints domain events as they happen, until it is interrupted.")
            .calls(Operation.STREAM_DOMAIN_EVENTS)
            .with(Arg.query("namespace", "NAMESPACE", "Of this namespace."),
                Arg.query("name", "NAME", "Of this template."),
                Arg.query("type", "TYPE", "Events of this name."),
                Arg.query("task", "TASK", "Of this task.").uuid(),
                Arg.query("correlation_id", "UUID", "Of tasks with this correlation id.").uuid(),
                Arg.query("with_error", "BOOLEAN",
                    "Only those whose data are missing or do not fit."),
                Arg.local("after", "ID", "Continues after the event of this id.")
                    .covers("last_event_id"),
                Arg.local("count", "N", "Ends after so many events.").integer())
            .runs(Watch::events)
            .example("tasker domain-events --namespace payments --type tasker.task.failed")
            .example("tasker domain-events -o json --count 10"),
        Command.of("pause", "Stops handing off steps of a namespace, a template or a version.")
            .calls(Operation.PAUSE)
            .with(Arg.body("namespace", "NAMESPACE", "What to pause.").positional(),
                Arg.body("name", "NAME", "Of this template."),
                Arg.body("version", "VERSION", "Of this version."), Arg.reason(BODY),
                Arg.actor(BODY, "requested_by"))
            .shows(View.details("outcome", "templates"))
            .example("tasker pause payments -m \"the bank is down\"")
            .example("tasker pause payments --name order -m \"wrong prices\""),
        Command.of("resume", "Ends a pause.").calls(Operation.RESUME)
            .with(Arg.query("namespace", "NAMESPACE", "What was paused.").positional(),
                Arg.query("name", "NAME", "Of this template."),
                Arg.query("version", "VERSION", "Of this version."), Arg.reason(QUERY),
                Arg.actor(QUERY, "requested_by"))
            .shows(View.details("outcome", "tasks"))
            .example("tasker resume payments -m \"it is back\""),
        Command.of("pauses", "Lists what is paused.").calls(Operation.LIST_PAUSES)
            .shows(View.rows("pauses", "NAMESPACE=namespace", "NAME=name", "VERSION=version",
                "SINCE=paused_at", "BY=paused_by",
                "REASON=reason",
                "+FOR=claimed_actor"))
            .example("tasker pauses"),
        Command.of("audit", "Lists who asked for which change, newest first.")
            .calls(Operation.LIST_WRITE_REQUESTS)
            .with(Arg.query("caller", "NAME", "Of this caller."),
                Arg.query("object", "TEXT",
                    "With this part in the path, such as the id of a task, or about the user, key, "
                        + "schedule or webhook of this name."),
                Arg.query("route", "ROUTE", "To this path, as in the OpenAPI document."))
            .pages("requests", 500)
            .shows(
                View.rows("requests", "AT=requested_at", "CALLER=caller", "KIND=caller_kind",
                    "METHOD=method", "PATH=path", "STATUS=status",
                    "+OBJECT=object", "+NAME=object_name", "+FROM=remote", "+ROUTE=route",
                    "+SERVER=server_uuid", "+ANSWERED=answered_at"))
            .example("tasker audit --caller ann --limit 10"),
        Command.of("handlers", "Lists the handlers of the server that answers.")
            .calls(Operation.LIST_HANDLERS)
            .shows(View.rows("handlers", "HANDLER=")).example("tasker handlers"),
        Command.of("metrics", "Prints the metrics of the server that answers, for Prometheus.")
            .calls(Operation.GET_METRICS)
            .with(Arg.query("of", "WHAT", "server: of the server that answers; system: of all."))
            .runs(General::text).example("tasker metrics"),
        Command.of("openapi", "Prints the OpenAPI document of the server.")
            .calls(Operation.GET_OPEN_API_YAML)
            .runs(General::text).example("tasker openapi"),
        Command.of("check",
            "Proves on the database that every promise of docs/guarantees.md was kept, and "
                + "replays each history as moves of the models. Reads only, by JDBC and not by REST.")
            .with(
                Arg.local("db-url", "JDBC-URL",
                    "The database; TASKER_DB_URL by default, or the run command's."),
                Arg.local("db-user", "NAME",
                    "TASKER_DB_USER by default, or tasker. The password is in TASKER_DB_PASSWORD "
                        + "or PGPASSWORD, or asked for."),
                Arg.local("since", "TIME", "Only tasks that were created from then on."),
                Arg.local("quiet-for", "INTERVAL",
                    "Also what holds where nothing waits for longer than that: '10 minutes'."))
            .runs(Check::run).example("tasker check")
            .example(
                "tasker check --db-url jdbc:postgresql://db.example.org/tasker --since 2026-11-01"),
        Command.of("samples",
            "Submits the requests of a folder of samples, and compares the tasks with what is "
                + "expected.")
            .with(
                Arg.local("folder", "FOLDER",
                    "Folders with template.yaml, request*.json and expected*.json; samples "
                        + "without it.")
                    .positional()
                    .optional(),
                Arg.local("only", "SAMPLE", "Only the folder of this name."),
                Arg.flag(LOCAL, "no-register", "Does not register the templates first."))
            .shows(View.rows("cases", "SAMPLE=sample", "CASE=case", "OK=ok"))
            .runs(Samples::run).example("tasker samples")
            .example("tasker samples samples --only linear"),
        Command.of("bench",
            "Submits tasks of a template and measures the answers: how many in a second, and how "
                + "long each took.")
            .calls(Operation.SUBMIT_TASK)
            .with(
                Arg.local("template", "TEMPLATE", "NAMESPACE/NAME, or NAMESPACE/NAME:VERSION.")
                    .positional().covers("namespace", "name",
                        "version", "idempotency_key"),
                Arg.body("context", "JSON", "The input: JSON, @file, or - for the standard input.")
                    .alias("-c").json(),
                Arg.local("set", "KEY=VALUE",
                    "A member of the context; the value is JSON, or else a text.").many(),
                Arg.body("tags", "TAG", "A tag, by which the tasks are found again.").named("--tag")
                    .many(),
                Arg.local("tasks", "N", "How many; 1000 unless told otherwise.").integer(),
                Arg.local("connections", "N", "How many requests at once; 8 unless told otherwise.")
                    .integer(),
                Arg.local("rate", "N",
                    "So many are due in a second; without it the next follows the answer.")
                    .integer(),
                Arg.flag(LOCAL, "no-wait",
                    "An answer when the task is accepted, not when it has ended.").covers("wait"))
            .shows(View.details("tasks", "accepted", "ends", "seconds",
                "tasks per second=tasks_per_second",
                "50 % within ms=milliseconds.p50", "90 % within ms=milliseconds.p90",
                "99 % within ms=milliseconds.p99",
                "longest ms=milliseconds.most"))
            .runs(Bench::run)
            .example(
                "tasker bench linear/mathematical_sequence --set even_number=6 --tasks 200 "
                    + "--connections 4")
            .example(
                "tasker bench payments/order --context @order.json --tasks 100 --rate 200 "
                    + "--no-wait --tag trial"),
        Command
            .of("mcp",
                "Serves the Model Context Protocol on standard input and output, for assistants.")
            .calls(Operation.GET_OPEN_API)
            .with(Arg.local("tools", "GROUPS",
                "The tools that are offered: basic (the default), all, or tags of the interface "
                    + "with commas between them: basic,schedules."),
                Arg.flag(LOCAL, "allow-write",
                    "Also offers tools that act; each shows first what it would do."))
            .runs(Mcp::run).example("tasker mcp")
            .example("tasker mcp --tools basic,schedules --allow-write"),
        Command.of("init",
            "Creates an application in a new folder: a handler, a template, a test of both, and "
                + "the build.")
            .with(Arg.local("dir", "DIR", "The folder, which is new or empty.").positional(),
                Arg.local("name", "NAME",
                    "The name of the application; that of the folder unless told otherwise."),
                Arg.local("package", "PACKAGE",
                    "The Java package, app unless told otherwise. Its last part is the namespace."),
                Arg.flag(LOCAL, "jpa",
                    "Also creates an entity, its persistence unit, and a handler that persists it "
                        + "in the transaction of its result."))
            .runs(Init::run).example("tasker init shop --package org.example.shop")
            .example("tasker init shop --jpa"),
        Command.of("convert",
            "Turns templates of tasker-core and BPMN models of Camunda 7 into templates, and "
                + "lists what differs afterwards.")
            .with(
                Arg.local("file", "FILE",
                    "YAML or BPMN, a folder of such files, or - for the standard input.")
                    .positional().many(),
                Arg.local("to", "FOLDER",
                    "Writes each template to a file; without it they are printed."),
                Arg.flag(LOCAL, "force", "Overwrites files."),
                Arg.local("namespace", "NAMESPACE", "Of the templates of a BPMN model.")
                    .alias("-n"),
                Arg.local("version", "VERSION",
                    "Of the templates of a BPMN model; its version tag or 1.0.0 by default."),
                Arg.flag(LOCAL, "keep-behaviour",
                    "Of tasker-core: result schemas are not enforced, and branches beside a "
                        + "failed step go on."))
            .shows(View.rows("files", "FILE=file"))
            .runs(Convert::run).example("tasker convert order.bpmn --namespace shop --to templates")
            .example("tasker convert config/tasks --to templates --keep-behaviour"),
        Command
            .of(Commands.MAKES_COMPLETIONS,
                "Prints a script with which a shell completes commands and options.")
            .with(Arg.local("shell", "SHELL", "bash, zsh or fish.").positional().values("bash",
                "zsh", "fish"))
            .runs(Completion::run).example("source <(tasker completion bash)")
            .example("tasker completion fish > ~/.config/fish/completions/tasker.fish"));
  }
}
