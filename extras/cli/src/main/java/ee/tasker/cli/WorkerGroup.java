package ee.tasker.cli;

import ee.tasker.client.Operation;
import java.util.List;

/** The commands about workers, and what none of them serves. */
final class WorkerGroup {
  private WorkerGroup() {}

  static List<Command> commands() {
    Arg uuid = Arg.path("worker_uuid", "WORKER", "The UUID of the worker.");
    View steps = View.details("state", "lease s=lease_seconds")
        .and("verdicts", "Verdicts", "STEP=step_uuid", "HANDOFF=handoff",
            "VERDICT=verdict", "+ERROR=error")
        .and("steps", "Claimed steps", "STEP=step_uuid", "NAME=name", "TASK=task_uuid",
            "HANDOFF=handoff",
            "HANDLER=handler", "ATTEMPT=attempt", "+CONTEXT=context", "+RESULTS=results");
    return List.of(
        Command
            .of("list",
                "Lists the workers, healthiest first: those of the servers, and external ones.")
            .calls(Operation.LIST_WORKERS)
            .shows(View.rows("workers", "WORKER=worker_uuid", "NAME=name", "HEALTH=health",
                "NAMESPACES=namespaces", "RUNNING=running",
                "CAPACITY=capacity", "SILENT s=silent_seconds", "+SERVER=server_uuid",
                "+HANDLERS=handlers", "+UNABLE=unable",
                "+SINCE=registered_at", "+BY=registered_by"))
            .example("tasker worker list -o wide"),
        Command.of("get", "Shows a worker, and what it has claimed.")
            .calls(Operation.DESCRIBE_WORKER).with(uuid)
            .shows(
                View.details("worker=worker_uuid", "name", "health", "namespaces", "handlers",
                    "resolvers", "unable", "capacity", "running",
                    "registered=registered_at", "by=registered_by", "heartbeat=heartbeat_at",
                    "lost at=considered_lost_at",
                    "+server=server_uuid",
                    "+reported=reported_status").and("claims", "Claims", "STEP=step_uuid",
                        "TASK=task_uuid", "HANDOFF=handoff",
                        "SINCE=claimed_at",
                        "LEASE EXPIRES=lease_expires_at", "+ACKNOWLEDGED=acknowledged_at"))
            .example("tasker worker get 7f6c1d1e-8f0c-4a43-9a52-5b7a0de1c0aa"),
        Command.of("unserved", "Lists offered steps for which no live worker has the handler.")
            .calls(Operation.LIST_SERVERS)
            .shows(View.rows("unserved", "NAMESPACE=namespace", "HANDLER=handler", "STEPS=steps",
                "SINCE=since", "FAILS AT=fails_at"))
            .example("tasker worker unserved"),
        Command.of("register",
            "Registers an external worker, or again; to try the protocol of docs/workers.md by hand.")
            .calls(Operation.REGISTER_WORKER)
            .with(Arg.body("name", "NAME", "For operators.").positional(),
                Arg.body("capacity", "N", "How many steps it holds at most.").integer()
                    .required(),
                Arg.body("handlers", "HANDLER", "A handler that it runs.").named("--handler")
                    .many(),
                Arg.body("resolvers", "RESOLVER", "A resolver that it runs.").named("--resolver")
                    .many(),
                Arg.body("namespaces", "NAMESPACE", "A namespace that it serves; all by default.")
                    .named("--namespace").alias("-n").many(),
                Arg.body("worker_uuid", "UUID", "Its UUID; the server makes one by default.")
                    .named("--worker").uuid(),
                Arg.body("heartbeat_seconds", "SECONDS", "How often it sends a heartbeat.")
                    .integer())
            .shows(
                View.details("worker=worker_uuid", "heartbeat s=heartbeat_seconds",
                    "lease s=lease_seconds").and("steps", "It still holds",
                        "STEP=step_uuid", "HANDOFF=handoff"))
            .example(
                "tasker worker register pricing-7 --handler orders.Price --namespace orders --capacity 20"),
        Command.of("claim", "Claims steps for an external worker of yours.")
            .calls(Operation.CLAIM_STEPS)
            .with(uuid, Arg.body("max", "N", "How many at most, 1 by default.").integer(),
                Arg.body("wait_seconds", "SECONDS", "How long to wait for work, 60 at most.")
                    .integer(),
                Arg.body("request_id", "ID", "The same when the request is repeated."))
            .shows(steps).example(
                "tasker worker claim 7f6c1d1e-8f0c-4a43-9a52-5b7a0de1c0aa --max 10 --wait-seconds 20 -o json"),
        Command.of("results", "Submits results of an external worker of yours.")
            .calls(Operation.SUBMIT_RESULTS)
            .with(uuid,
                Arg.body("results", "JSON", "An array of results: JSON, @file or -.").json()
                    .positional(),
                Arg.body("claims.max", "N", "Claims so many steps at most, too.").integer(),
                Arg.body("claims.request_id", "ID", "The same when the request is repeated."))
            .shows(steps)
            .example(
                "tasker worker results 7f6c1d1e-8f0c-4a43-9a52-5b7a0de1c0aa '[{\"step_uuid\": \"01a1fc76-e8f1-7f50-a2a7-2f8e3c0f3a11\", "
                    + "\"handoff\": 1, \"outcome\": \"success\", \"result\": {\"price\": 12}}]'"),
        Command.of("checkpoints",
            "Saves checkpoints of steps that an external worker of yours runs; the steps continue.")
            .calls(Operation.SAVE_CHECKPOINTS)
            .with(uuid,
                Arg.body("checkpoints", "JSON", "An array of checkpoints: JSON, @file or -.").json()
                    .positional())
            .shows(View.details("lease s=lease_seconds", "cancels").and("verdicts", "Verdicts",
                "STEP=step_uuid", "HANDOFF=handoff",
                "VERDICT=verdict"))
            .example("tasker worker checkpoints 7f6c1d1e-8f0c-4a43-9a52-5b7a0de1c0aa "
                + "'[{\"step_uuid\": \"01a1fc76-e8f1-7f50-a2a7-2f8e3c0f3a11\", \"handoff\": 1, \"checkpoint\": {\"row\": 5000}}]'"),
        Command
            .of("ancestors",
                "Shows results of ancestors of a step that an external worker of yours holds.")
            .calls(Operation.GET_ANCESTOR_RESULTS)
            .with(uuid, Arg.path("step_uuid", "STEP", "The step."),
                Arg.query("name", "NAME", "The name of an ancestor.").many().required())
            .shows(View.details("results"))
            .example(
                "tasker worker ancestors 7f6c1d1e-8f0c-4a43-9a52-5b7a0de1c0aa 01a1fc76-e8f1-7f50-a2a7-2f8e3c0f3a11 --name validate -o json"),
        Command.of("batch-results",
            "Lists the results of a batch before a step that an external worker of yours holds.")
            .calls(Operation.LIST_BATCH_RESULTS)
            .with(uuid, Arg.path("step_uuid", "STEP", "The step."),
                Arg.query("name", "NAME", "The name of the batch step.").required(),
                Arg.query("limit", "N", "How many, 100 by default.").integer(),
                Arg.query("cursor", "CURSOR", "Goes on where an earlier page ended."))
            .shows(View.rows("results", "NUMBER=batch_number", "BATCH=batch_id", "RESULT=result",
                "ERROR=error"))
            .example(
                "tasker worker batch-results 7f6c1d1e-8f0c-4a43-9a52-5b7a0de1c0aa 01a1fc76-e8f1-7f50-a2a7-2f8e3c0f3a11 --name load -o json"),
        Command.of("heartbeat", "Renews the leases of an external worker of yours.")
            .calls(Operation.HEARTBEAT_WORKER)
            .with(uuid,
                Arg.body("steps", "JSON",
                    "The steps that it runs: [{\"step_uuid\": …, \"handoff\": …}].").json(),
                Arg.body("state", "STATE", "Its state."))
            .shows(View.details("state", "heartbeat s=heartbeat_seconds", "lease s=lease_seconds",
                "lost", "cancels", "unreported"))
            .example("tasker worker heartbeat 7f6c1d1e-8f0c-4a43-9a52-5b7a0de1c0aa --state paused"),
        Command
            .of("drain",
                "Drains an external worker of yours: it gets no further steps, and ends with the last one.")
            .calls(Operation.DRAIN_WORKER)
            .with(uuid)
            .shows(View.details("worker=worker_uuid", "state", "claimed"))
            .example("tasker worker drain 7f6c1d1e-8f0c-4a43-9a52-5b7a0de1c0aa"));
  }
}
