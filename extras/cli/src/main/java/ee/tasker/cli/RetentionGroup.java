package ee.tasker.cli;

import static ee.tasker.cli.Arg.Place.BODY;
import static ee.tasker.cli.Arg.Place.LOCAL;

import ee.tasker.client.Operation;
import java.util.List;

/** The commands about retention: how long tasks are kept. */
final class RetentionGroup {
  private RetentionGroup() {}

  static List<Command> commands() {
    String[] byTemplate = {"NAMESPACE=namespace", "NAME=name", "VERSION=version", "STATE=state",
      "KEEP DAYS=keep_days", "TASKS=tasks",
      "RETAINED=retained",
      "+BY=decided_by", "+OLDEST=oldest_completed_at"};
    return List.of(
        Command.of("show", "Shows policies, and what was purged.").calls(Operation.GET_RETENTION)
            .shows(View
                .details("purged tasks=purged_tasks", "last purged=last_purged_at",
                    "oldest task=oldest_task_at", "+history")
                .and("policies", "Policies", "NAMESPACE=namespace", "NAME=name", "STATE=state",
                    "KEEP DAYS=keep_days", "BY=set_by",
                    "REASON=reason", "+AT=set_at")
                .and("templates", "Templates", "NAMESPACE=namespace", "NAME=name",
                    "VERSION=version", "PURGED=purged_tasks",
                    "LAST=last_purged_at", "+KEEP DAYS=keep_days",
                    "+BY=decided_by")
                .and("tables", "Other tables", "TABLE=table", "KEEP DAYS=keep_days",
                    "OLDEST=oldest_at"))
            .example("tasker retention show"),
        Command.of("preview", "Counts what would be purged now.").calls(Operation.PREVIEW_RETENTION)
            .shows(View.details("tasks", "retained", "oldest=oldest_completed_at", "more=is_more")
                .and("by_template", "By template", byTemplate))
            .example("tasker retention preview"),
        Command.of("set",
            "Sets how long finished tasks are kept: in general, of a namespace, a template, a state.")
            .calls(Operation.SET_RETENTION_POLICY)
            .with(Arg.body("namespace", "NAMESPACE", "Of this namespace.").alias("-n"),
                Arg.body("name", "NAME", "Of this template."),
                Arg.body("state", "STATE", "That ended in this state."),
                Arg.body("keep_days", "DAYS", "How long.").integer(),
                Arg.flag(LOCAL, "forever", "Keeps them forever.").covers("keep_days"),
                Arg.flag(BODY, "remove", "Removes the policy."),
                Arg.flag(BODY, "dry_run", "Changes nothing, and counts what would be purged."),
                Arg.reason(BODY), Arg.actor(BODY, "requested_by"))
            .runs(General::retention)
            .shows(View
                .details("dry run=dry_run", "policy", "to be purged=preview.tasks",
                    "retained=preview.retained")
                .and("preview.by_template", "By template", byTemplate))
            .example(
                "tasker retention set --namespace payments --state complete --keep-days 90 -m \"as agreed\" --dry-run"));
  }
}
