package ee.tasker.cli;

import static ee.tasker.cli.Arg.Place.QUERY;

import ee.tasker.client.Operation;
import java.util.List;

/** The commands about queues, and messages that could not be processed. */
final class QueueGroup {
  private QueueGroup() {}

  static List<Command> commands() {
    return List.of(
        Command.of("list", "Lists the queues.").calls(Operation.LIST_QUEUES)
            .shows(View.rows("queues", "QUEUE=queue_name", "LENGTH=queue_length", "VISIBLE=visible",
                "INVISIBLE=invisible",
                "OLDEST s=oldest_msg_age_seconds",
                "PARKED=parked", "+NEWEST s=newest_msg_age_seconds", "+EVER=total_messages",
                "+PARKED SINCE=parked_since"))
            .example("tasker queue list"),
        Command.of("dead", "Lists messages that could not be processed, newest first.")
            .calls(Operation.LIST_DEAD_MESSAGES)
            .with(Arg.query("queue_name", "QUEUE", "Of this queue.").named("--queue"),
                Arg.flag(QUERY, "replayed", "Also those that were sent again."))
            .pages("messages", 100)
            .shows(View.rows("messages", "MESSAGE=dead_message_uuid", "QUEUE=queue_name",
                "PARKED=parked_at", "READ=read_ct", "CAUSE=cause",
                "+SQLSTATE=sqlstate",
                "+REPLAYED=replayed_at", "+BODY=message"))
            .example("tasker queue dead --queue orchestration_step_results"),
        Command.of("replay", "Puts a message that could not be processed on its queue again.")
            .calls(Operation.REPLAY_DEAD_MESSAGE)
            .with(Arg.path("dead_message_uuid", "MESSAGE", "The UUID of the message."),
                Arg.actor(QUERY, "requested_by"))
            .shows(View.details("message=dead_message_uuid", "replayed"))
            .example("tasker queue replay 01a1fc6e-d7a1-7c2e-9a51-7f1d1f2f8a10"));
  }
}
