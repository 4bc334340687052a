package ee.tasker.cli;

import static ee.tasker.cli.Arg.Place.BODY;
import static ee.tasker.cli.Arg.Place.QUERY;

import ee.tasker.client.Operation;
import java.util.List;

/** The commands about webhooks and their deliveries. */
final class WebhookGroup {
  private WebhookGroup() {}

  static List<Command> commands() {
    View one = View.details("webhook=webhook_uuid", "namespace", "name", "url", "state",
        "why=pause_reason", "types=event_types",
        "template",
        "secret", "position", "behind", "open", "oldest open=oldest_open_at",
        "dead letters=dead_letters",
        "failures in a row=failures_in_a_row",
        "last failure=last_failure", "last delivered=last_delivered_at", "delivered", "failed",
        "version");
    View sent = View.details("delivery=delivery_uuid", "state", "type=event_type",
        "event=event_uuid", "task=task_uuid", "attempts",
        "status=last_status", "failure=last_error", "response=last_response", "due=due_at");
    return List.of(
        Command.of("list", "Lists the webhooks, newest first.").calls(Operation.LIST_WEBHOOKS)
            .with(Arg.query("namespace", "NAMESPACE", "Of this namespace.").alias("-n"),
                Arg.query("name", "NAME", "Of this name."),
                Arg.query("paused", "BOOLEAN", "Only paused ones, or only others."),
                Arg.query("failing", "BOOLEAN",
                    "Only those whose latest attempt failed, or only others."))
            .pages("webhooks", 100)
            .shows(View.rows("webhooks", "WEBHOOK=webhook_uuid", "NAMESPACE=namespace", "NAME=name",
                "STATE=state", "OPEN=open",
                "DEAD=dead_letters", "LAST DELIVERED=last_delivered_at",
                "LAST FAILURE=last_failure", "+URL=url", "+BEHIND=behind",
                "+DELIVERED=delivered", "+FAILED=failed"))
            .example("tasker webhook list -n payments")
            .example("tasker webhook list --failing true"),
        Command.of("get", "Shows a webhook.").calls(Operation.GET_WEBHOOK).with(webhook())
            .shows(one)
            .example("tasker webhook get 01a1fc6e-0002-7000-8000-000000000005"),
        Command.of("create", "Creates a webhook, and shows its secret once.")
            .calls(Operation.CREATE_WEBHOOK)
            .with(Arg.and(subscribed(), Arg.body("name", "NAME", "Its name.").positional(),
                Arg.body("namespace", "NAMESPACE", "Its namespace; all by default.").alias("-n"),
                Arg.body("from", "POINT",
                    "now (the default), beginning, a position of the feed, or a time."),
                Arg.body("secret", "SECRET", "Its secret; one is made by default."),
                Arg.body("reason", "TEXT", "Why.").alias("-m"), Arg.actor(BODY, "requested_by")))
            .shows(one)
            .example(
                "tasker webhook create bookkeeping -n payments --to https://books.example.com/in --type order.paid"),
        Command.of("update", "Replaces a webhook, except its namespace, name and secret.")
            .calls(Operation.UPDATE_WEBHOOK)
            .with(Arg.and(subscribed(), webhook(),
                Arg.body("version", "N", "The version of the webhook that you have seen.")
                    .required().integer(),
                Arg.body("reason", "TEXT", "Why.").alias("-m"), Arg.actor(BODY, "requested_by")))
            .shows(one)
            .example(
                "tasker webhook update 01a1fc6e-0002-7000-8000-000000000005 --version 1 --to https://books.example.com/v2"),
        Command.of("delete", "Deletes a webhook. What it has not delivered is discarded.")
            .calls(Operation.DELETE_WEBHOOK)
            .with(webhook(), Arg.reason(QUERY), Arg.actor(QUERY, "requested_by")).shows(one)
            .example(
                "tasker webhook delete 01a1fc6e-0002-7000-8000-000000000005 -m \"not needed any more\""),
        Command.of("pause", "Sends nothing more until the webhook is resumed.")
            .calls(Operation.PAUSE_WEBHOOK)
            .with(webhook(), Arg.reason(BODY), Arg.actor(BODY, "requested_by")).shows(one)
            .example(
                "tasker webhook pause 01a1fc6e-0002-7000-8000-000000000005 -m \"the receiver is being moved\""),
        Command.of("resume", "Continues where the webhook was paused.")
            .calls(Operation.RESUME_WEBHOOK)
            .with(webhook(), Arg.reason(BODY), Arg.actor(BODY, "requested_by")).shows(one)
            .example(
                "tasker webhook resume 01a1fc6e-0002-7000-8000-000000000005 -m \"it is back\""),
        Command.of("rotate-secret", "Gives a webhook another secret, and shows it once.")
            .calls(Operation.ROTATE_WEBHOOK_SECRET)
            .with(webhook(),
                Arg.body("secret", "SECRET", "The new secret; one is made by default."),
                Arg.body("overlap_seconds", "SECONDS",
                    "How long the present secret signs, too; a day by default.").integer(),
                Arg.reason(BODY), Arg.actor(BODY, "requested_by"))
            .shows(one).example(
                "tasker webhook rotate-secret 01a1fc6e-0002-7000-8000-000000000005 -m \"once a year\""),
        Command.of("ping", "Sends a test event, once.").calls(Operation.PING_WEBHOOK)
            .with(webhook(), Arg.reason(BODY), Arg.actor(BODY, "requested_by")).shows(sent)
            .example(
                "tasker webhook ping 01a1fc6e-0002-7000-8000-000000000005 -m \"does it answer?\""),
        Command.of("replay", "Sends events again from a point of the feed on.")
            .calls(Operation.REPLAY_WEBHOOK)
            .with(webhook(),
                Arg.body("from", "POINT", "beginning, a position of the feed, or a time.")
                    .required(),
                Arg.reason(BODY), Arg.actor(BODY, "requested_by"))
            .shows(one)
            .example(
                "tasker webhook replay 01a1fc6e-0002-7000-8000-000000000005 --from 2026-11-24T00:00:00Z -m \"a day was lost\""),
        Command
            .of("deliveries",
                "Lists the deliveries of a webhook, newest first; dead ones are its dead letters.")
            .calls(Operation.LIST_WEBHOOK_DELIVERIES)
            .with(webhook(),
                Arg.query("state", "STATE", "Only these."),
                Arg.query("task", "TASK", "Of this task.").uuid(),
                Arg.query("event", "UUID", "Of this event.").uuid())
            .pages("deliveries", 100)
            .shows(View.rows("deliveries", "DELIVERY=delivery_uuid", "TYPE=event_type",
                "STATE=state", "ATTEMPTS=attempts",
                "STATUS=last_status", "FAILURE=last_error", "DUE=due_at", "+TASK=task_uuid",
                "+EVENT=event_uuid",
                "+RESPONSE=last_response"))
            .example("tasker webhook deliveries 01a1fc6e-0002-7000-8000-000000000005 --state dead"),
        Command.of("delivery", "Shows a delivery.").calls(Operation.GET_WEBHOOK_DELIVERY)
            .with(webhook(), delivery()).shows(sent)
            .example(
                "tasker webhook delivery 01a1fc6e-0002-7000-8000-000000000005 01a1fc6e-0002-7000-8000-000000000006"),
        Command.of("retry", "Sends a dead letter again.").calls(Operation.RETRY_WEBHOOK_DELIVERY)
            .with(webhook(), delivery(), Arg.reason(BODY), Arg.actor(BODY, "requested_by"))
            .shows(sent)
            .example(
                "tasker webhook retry 01a1fc6e-0002-7000-8000-000000000005 01a1fc6e-0002-7000-8000-000000000006 -m \"repaired\""),
        Command.of("discard", "Stops sending a delivery.").calls(Operation.DISCARD_WEBHOOK_DELIVERY)
            .with(webhook(), delivery(), Arg.reason(BODY), Arg.actor(BODY, "requested_by"))
            .shows(sent)
            .example(
                "tasker webhook discard 01a1fc6e-0002-7000-8000-000000000005 01a1fc6e-0002-7000-8000-000000000006 -m \"known\""));
  }

  private static Arg webhook() {
    return Arg.path("webhook_uuid", "WEBHOOK", "The UUID of the webhook.");
  }

  private static Arg delivery() {
    return Arg.path("delivery_uuid", "DELIVERY", "The UUID of the delivery.");
  }

  /** What a webhook consists of, for a new one and for a change. */
  private static List<Arg> subscribed() {
    return List.of(
        Arg.body("url", "URL", "The address that events are sent to.").named("--to").required(),
        Arg.body("description", "TEXT", "What it is for."),
        Arg.body("event_types", "TYPE", "A type of the events; all by default.").named("--type")
            .many(),
        Arg.body("template", "TEMPLATE", "Only events of tasks of this template."),
        Arg.body("timeout_seconds", "SECONDS", "For a whole call; 15 by default.").integer(),
        Arg.body("max_attempts", "N", "After which an event is a dead letter; 20 by default.")
            .integer(),
        Arg.body("max_in_flight", "N", "Calls at a time over all servers; 4 by default.").integer(),
        Arg.body("backoff_seconds", "SECONDS",
            "The wait after the first failure, doubled with each; 5 by default.").integer(),
        Arg.body("backoff_cap_seconds", "SECONDS", "The longest wait; 6 hours by default.")
            .integer(),
        Arg.body("pause_after_hours", "HOURS",
            "Of nothing but failures, after which it pauses; 120 by default.").integer());
  }
}
