package ee.tasker.cli;

import static ee.tasker.cli.Arg.Place.BODY;
import static ee.tasker.cli.Arg.Place.QUERY;

import ee.tasker.client.Operation;
import java.util.List;

/** The commands about schedules. */
final class ScheduleGroup {
  private ScheduleGroup() {}

  static List<Command> commands() {
    View one = View
        .details("schedule=schedule_uuid", "namespace", "name", "template", "cron",
            "every=every_seconds", "zone", "overlap",
            "catch up=catch_up", "paused", "why=pause_reason", "next=next_fire_at",
            "last=last_fire_at", "last task=last_task_uuid", "started",
            "skipped", "missed", "failed", "blocked tasks=blocked_tasks",
            "failures in a row=failures_in_a_row",
            "last failure=last_failure.message", "version")
        .and("next_fire_times", "Next fire times", "TIME=")
        .and("declines", "Servers that cannot fire it", "SERVER=server", "SINCE=declined_at",
            "MESSAGE=message");
    View backfill = View.details("backfill=backfill_uuid", "state", "from", "to",
        "done until=done_until", "started", "present");
    return List.of(
        Command.of("list", "Lists the schedules, newest first.").calls(Operation.LIST_SCHEDULES)
            .with(Arg.query("namespace", "NAMESPACE", "Of this namespace.").alias("-n"),
                Arg.query("name", "NAME", "Of this name."),
                Arg.query("paused", "BOOLEAN", "Only paused ones, or only others."),
                Arg.query("failing", "BOOLEAN",
                    "Only those whose latest fire times failed, or only others."))
            .pages("schedules", 100)
            .shows(View.rows("schedules", "SCHEDULE=schedule_uuid", "NAMESPACE=namespace",
                "NAME=name", "CRON=cron", "EVERY=every_seconds",
                "ZONE=zone", "PAUSED=paused", "FAILURES=failures_in_a_row", "NEXT=next_fire_at",
                "LAST=last_fire_at", "+STARTED=started",
                "+SKIPPED=skipped",
                "+MISSED=missed", "+FAILED=failed", "+BLOCKED=blocked_tasks", "+TEMPLATE=template"))
            .example("tasker schedule list -n reports")
            .example("tasker schedule list --failing true"),
        Command.of("get", "Shows a schedule with its next fire times.")
            .calls(Operation.GET_SCHEDULE)
            .with(schedule(), Arg.query("upcoming", "N", "How many fire times.").integer())
            .shows(one)
            .example("tasker schedule get 01a1fc6e-0002-7000-8000-000000000003 --upcoming 20"),
        Command.of("preview", "Shows the fire times of a timing that is not saved.")
            .calls(Operation.PREVIEW_FIRE_TIMES)
            .with(Arg.query("cron", "EXPRESSION",
                "Minute, hour, day of the month, month, day of the week; or a macro as @daily."),
                Arg.query("every_seconds", "SECONDS", "An interval instead of a cron expression.")
                    .integer(),
                Arg.query("zone", "ZONE", "The time zone of the cron expression; UTC by default."),
                Arg.query("starts_at", "TIME", "The first possible fire time."),
                Arg.query("ends_at", "TIME", "The end of the possible fire times."),
                Arg.query("count", "N", "How many; five by default.").integer())
            .shows(View.details("fire times=fire_times"))
            .example("tasker schedule preview --cron \"0 6 * * 1-5\" --zone Europe/Berlin"),
        Command.of("create", "Creates a schedule.").calls(Operation.CREATE_SCHEDULE)
            .with(Arg.and(scheduled(),
                Arg.body("namespace", "NAMESPACE", "Its namespace.").positional(),
                Arg.body("name", "NAME", "Its name.").positional(),
                Arg.body("reason", "TEXT", "Why.").alias("-m"), Arg.actor(BODY, "requested_by")))
            .shows(one)
            .example(
                "tasker schedule create reports nightly --template nightly_report --cron \"30 2 * * 1-5\" --zone Europe/Berlin"),
        Command.of("update", "Replaces a schedule, except its namespace and name.")
            .calls(Operation.UPDATE_SCHEDULE)
            .with(Arg.and(scheduled(), schedule(),
                Arg.body("version", "N", "The version of the schedule that you have seen.")
                    .required().integer(),
                Arg.body("reason", "TEXT", "Why.").alias("-m"), Arg.actor(BODY, "requested_by")))
            .shows(one)
            .example(
                "tasker schedule update 01a1fc6e-0002-7000-8000-000000000003 --version 1 --template nightly_report --cron @daily"),
        Command.of("delete", "Deletes a schedule. Its tasks continue.")
            .calls(Operation.DELETE_SCHEDULE)
            .with(schedule(), Arg.reason(QUERY), Arg.actor(QUERY, "requested_by")).shows(one)
            .example(
                "tasker schedule delete 01a1fc6e-0002-7000-8000-000000000003 -m \"not needed any more\""),
        Command.of("pause", "Starts nothing more until the schedule is resumed.")
            .calls(Operation.PAUSE_SCHEDULE)
            .with(schedule(), Arg.reason(BODY), Arg.actor(BODY, "requested_by")).shows(one)
            .example(
                "tasker schedule pause 01a1fc6e-0002-7000-8000-000000000003 -m \"the source is down\""),
        Command.of("resume", "Ends the pause of a schedule.").calls(Operation.RESUME_SCHEDULE)
            .with(schedule(),
                Arg.flag(BODY, "catch_up", "Makes up for the fire times of the pause."),
                Arg.reason(BODY), Arg.actor(BODY, "requested_by"))
            .shows(one).example(
                "tasker schedule resume 01a1fc6e-0002-7000-8000-000000000003 -m \"it is back\""),
        Command.of("trigger", "Submits a task now.").calls(Operation.TRIGGER_SCHEDULE)
            .with(schedule(), Arg.reason(BODY), Arg.actor(BODY, "requested_by"))
            .shows(View.details("task=task_uuid", "fire time=fire_at", "outcome"))
            .example(
                "tasker schedule trigger 01a1fc6e-0002-7000-8000-000000000003 -m \"the data came late\""),
        Command.of("fires", "Lists the outcomes of fire times, the latest first.")
            .calls(Operation.LIST_SCHEDULE_FIRES)
            .with(schedule(),
                Arg.query("outcome", "OUTCOME", "Only these."),
                Arg.query("origin", "ORIGIN", "Only these."),
                Arg.query("backfill", "UUID", "Of this backfill.").uuid())
            .pages("fires", 100)
            .shows(View.rows("fires", "FIRE TIME=fire_at", "UNTIL=until_at", "COUNT=count",
                "ORIGIN=origin", "OUTCOME=outcome",
                "REASON=reason",
                "TASK=task_uuid", "STATE=task_state", "+MESSAGE=message"))
            .example("tasker schedule fires 01a1fc6e-0002-7000-8000-000000000003 --outcome failed"),
        Command.of("backfill", "Submits tasks for the fire times of a past period that have none.")
            .calls(Operation.BACKFILL_SCHEDULE)
            .with(schedule(), Arg.body("from", "TIME", "The beginning, inclusive.").required(),
                Arg.body("to", "TIME", "The end, exclusive.").required(),
                Arg.body("overlap", "HOW", "One after the other (the default), or all at once."),
                Arg.flag(BODY, "dry_run", "Only shows what it would do."), Arg.reason(BODY),
                Arg.actor(BODY, "requested_by"))
            .shows(View.details("backfill=backfill_uuid", "state", "count", "start", "present").and(
                "fires", "Fire times",
                "FIRE TIME=fire_at", "WOULD=would"))
            .example(
                "tasker schedule backfill 01a1fc6e-0002-7000-8000-000000000003 --from 2026-11-01T00:00:00Z --to 2026-11-08T00:00:00Z "
                    + "--dry-run -m \"the first week\""),
        Command.of("backfills", "Lists the backfills of a schedule with their progress.")
            .calls(Operation.LIST_BACKFILLS).with(schedule())
            .shows(View.rows("backfills", "BACKFILL=backfill_uuid", "STATE=state", "FROM=from",
                "TO=to", "DONE UNTIL=done_until",
                "STARTED=started", "PRESENT=present", "+FAILURE=failure.message", "+BY=created_by",
                "+REASON=reason"))
            .example("tasker schedule backfills 01a1fc6e-0002-7000-8000-000000000003"),
        Command.of("cancel-backfill", "Cancels a backfill. Tasks that it has submitted continue.")
            .calls(Operation.CANCEL_BACKFILL)
            .with(schedule(), Arg.path("backfill_uuid", "BACKFILL", "The UUID of the backfill."),
                Arg.reason(QUERY), Arg.actor(QUERY, "requested_by"))
            .shows(backfill)
            .example(
                "tasker schedule cancel-backfill 01a1fc6e-0002-7000-8000-000000000003 01a1fc6e-0002-7000-8000-000000000004 "
                    + "-m \"wrong week\""));
  }

  private static Arg schedule() {
    return Arg.path("schedule_uuid", "SCHEDULE", "The UUID of the schedule.");
  }

  /** What a schedule consists of, for a new one and for a change. */
  private static List<Arg> scheduled() {
    return List.of(Arg.body("template", "TEMPLATE", "The name of the template.").required(),
        Arg.body("template_version", "VERSION",
            "Its version; the highest release at each fire time by default."),
        Arg.body("context", "JSON",
            "The input of each task: JSON, @file, or - for the standard input.").alias("-c").json(),
        Arg.body("time_member", "MEMBER", "The member of the context that gets the fire time."),
        Arg.body("cron", "EXPRESSION",
            "Minute, hour, day of the month, month, day of the week; or a macro as @daily."),
        Arg.body("every_seconds", "SECONDS", "An interval instead of a cron expression.").integer(),
        Arg.body("zone", "ZONE", "The time zone of the cron expression; UTC by default."),
        Arg.body("starts_at", "TIME", "The first possible fire time."),
        Arg.body("ends_at", "TIME", "The end of the possible fire times."),
        Arg.body("jitter_seconds", "SECONDS", "How much later a task is submitted at most.")
            .integer(),
        Arg.body("overlap", "WHAT", "What to do while a task is unfinished; skip by default."),
        Arg.body("catch_up", "WHICH",
            "Which missed fire times to make up for; the last by default."),
        Arg.body("catch_up_seconds", "SECONDS", "How late a fire time may be; a day by default.")
            .integer(),
        Arg.body("pause_after_failures", "N",
            "Failures in a row after which it pauses; 10 by default, 0 for never.").integer(),
        Arg.body("tags", "TAG", "A tag of each task.").named("--tag").many(),
        Arg.body("priority", "N", "Of each task, -100 to 100.").integer(),
        Arg.body("source_system", "TEXT", "From where."));
  }
}
