package ee.tasker.cli;

import ee.tasker.client.Operation;
import java.util.List;

/** The commands about analytics: what happened, how it goes, where time goes. */
final class AnalyticsGroup {
  private AnalyticsGroup() {}

  static List<Command> commands() {
    Arg hours = Arg.query("hours", "HOURS", "How far back.").integer();
    return List.of(
        Command.of("performance", "Shows what happened in the last hours.")
            .calls(Operation.GET_PERFORMANCE).with(hours)
            .shows(View.details("tasks=total_tasks", "active=active_tasks",
                "completed=completed_tasks", "failed=failed_tasks",
                "completion rate=completion_rate",
                "error rate=error_rate", "mean task s=average_task_duration_seconds",
                "mean step s=average_step_duration_seconds",
                "tasks/h=tasks_per_hour",
                "steps/h=steps_per_hour", "health score=system_health_score",
                "since=analysis_period_start"))
            .example("tasker analytics performance --hours 24"),
        Command.of("health", "Counts tasks and steps by state, with a score and the load.")
            .calls(Operation.GET_SYSTEM_HEALTH)
            .shows(View.details("score=health_score", "heavy load=is_under_heavy_load",
                "tasks=total_tasks", "by state=tasks",
                "steps=total_steps", "+steps by state=steps",
                "connections=active_connections", "of=max_connections"))
            .example("tasker analytics health"),
        Command.of("bottlenecks", "Shows where time goes.").calls(Operation.GET_BOTTLENECKS)
            .with(hours, Arg.query("namespace", "NAMESPACE", "Of this namespace.").alias("-n"),
                Arg.query("name", "NAME", "Of this template."),
                Arg.query("version", "VERSION", "Of this version."),
                Arg.query("limit", "N", "How many steps, and templates.").integer(),
                Arg.query("min_executions", "N", "Without what ran less often.").integer())
            .shows(View.rows("recommendations", "RECOMMENDATION=")
                .and("slow_steps", "Slow steps", "NAMESPACE=namespace", "NAME=name", "STEP=step",
                    "MEAN s=avg_duration_seconds",
                    "MAX s=max_duration_seconds", "RUNS=execution_count",
                    "ERRORS=error_count", "+VERSION=version")
                .and("slow_tasks", "Slow templates", "NAMESPACE=namespace", "NAME=name",
                    "MEAN s=avg_duration_seconds",
                    "MAX s=max_duration_seconds", "RUNS=execution_count",
                    "ERRORS=error_count", "+VERSION=version"))
            .example("tasker analytics bottlenecks --hours 24 --namespace payments"),
        Command.of("timeline", "Shows what happened minute by minute.")
            .calls(Operation.GET_TIMELINE)
            .with(Arg.query("minutes", "N", "How far back; an hour by default.").integer(),
                Arg.query("namespace", "NAMESPACE", "Of this namespace.").alias("-n"))
            .shows(View.rows("minutes", "MINUTE=minute", "CREATED=created", "COMPLETED=completed",
                "FAILED=failed",
                "MEAN s=average_task_seconds",
                "STEPS=executions", "ERRORS=errors", "STEP MEAN s=average_step_seconds",
                "+MAX s=most_step_seconds"))
            .example("tasker analytics timeline --minutes 15"));
  }
}
