package ee.tasker.cli;

import static ee.tasker.cli.Arg.Place.BODY;
import static ee.tasker.cli.Arg.Place.LOCAL;

import ee.tasker.client.Operation;
import java.util.List;

/** The commands about servers. */
final class ServerGroup {
  private ServerGroup() {}

  static List<Command> commands() {
    View server = View
        .details("server=server_uuid", "name", "state", "problems", "roles",
            "paused roles=paused_roles", "capacity=worker_capacity",
            "poll interval s=poll_interval_seconds", "running=running_steps",
            "available=available_capacity", "stuck threads=stuck_threads",
            "+threads",
            "+queues=queue_depths")
        .and("leases", "Leases", "TASK=task_uuid", "STEP=step_uuid", "ATTEMPT=attempt",
            "HELD s=held_seconds");
    Arg uuid = Arg.path("server_uuid", "SERVER",
        "The UUID of the server. Only the server that answers can be asked.");
    return List.of(
        Command.of("list", "Lists the servers, healthiest first, and how long offers wait.")
            .calls(Operation.LIST_SERVERS)
            .shows(View
                .rows("servers", "SERVER=server_uuid", "NAME=name", "HEALTH=health", "ROLES=roles",
                    "RUNNING=running", "CAPACITY=capacity",
                    "SILENT s=silent_seconds", "+NAMESPACES=namespaces", "+PROBLEMS=problems",
                    "+REPORTED=reported_status",
                    "+SINCE=registered_at")
                .and("handoffs", "Handoffs of the last five minutes", "NAMESPACE=namespace",
                    "ACCEPTED=accepted", "P50 ms=p50_ms",
                    "P95 ms=p95_ms", "P99 ms=p99_ms",
                    "WAITING=waiting", "STUCK=stuck", "+MAX ms=max_ms",
                    "+OLDEST s=oldest_waiting_seconds"))
            .example("tasker server list"),
        Command.of("get", "Shows the server that answers.").calls(Operation.DESCRIBE_SERVER)
            .with(uuid).shows(server)
            .example("tasker server get 01a1fc6e-0001-7000-8000-000000000001"),
        Command.of("health",
            "Shows the health of the server that answers; needs no login. Ends with 8 if it is down.")
            .calls(Operation.GET_HEALTH, Operation.GET_LIVENESS, Operation.GET_READINESS,
                Operation.GET_STARTUP)
            .with(Arg.local("probe", "PROBE", "Only this one.").values("live", "ready", "started"))
            .runs(General::health)
            .shows(View.details("status").and("checks", "Checks", "CHECK=name", "STATUS=status",
                "DATA=data"))
            .example("tasker server health").example("tasker server health --probe ready"),
        Command
            .of("set",
                "Pauses roles, changes capacity and poll interval, drains; until the server stops.")
            .calls(Operation.CHANGE_SERVER)
            .with(uuid,
                Arg.local("pause", "ROLE", "Pauses this role; those that are not named resume.")
                    .many()
                    .values("api", "orchestrator", "worker").covers("paused_roles"),
                Arg.flag(LOCAL, "resume-all", "Resumes all roles.").covers("paused_roles"),
                Arg.body("worker_capacity", "N", "How many steps it may run at the same time.")
                    .named("--capacity").integer(),
                Arg.body("poll_interval_seconds", "SECONDS",
                    "How often it looks for work that nothing announced.").named("--poll-interval")
                    .integer(),
                Arg.local("draining", "BOOLEAN",
                    "Whether it finishes what it has and takes nothing more.")
                    .values("true", "false")
                    .covers("draining"),
                Arg.reason(BODY), Arg.actor(BODY, "requested_by"))
            .runs(General::changeServer).shows(server)
            .example(
                "tasker server set 01a1fc6e-0001-7000-8000-000000000001 --pause worker --capacity 50 -m \"the disk is being replaced\""));
  }
}
