package ee.tasker.message;

import ee.tasker.platform.AfterCommit;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Refusals;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.transaction.Transactional;
import java.util.UUID;

/**
 * Dead messages: messages that could not be processed and were taken off their queues. Thread-safe.
 */
@ApplicationScoped
public class DeadMessages {
  @Inject
  private DeadMessageGateway gateway;

  @Inject
  private WorkNotifier workNotifier;

  @Inject
  private AfterCommit afterCommit;

  /**
   * Newest first.
   *
   * @param queue    null for all queues
   * @param replayed whether to include messages that were sent again
   * @param before   null for the first page, otherwise the {@code next} of the page before
   * @return as {@code tasker.list_dead_messages}
   */
  @Transactional
  public JsonObject list(String queue, boolean replayed, int limit, UUID before) {
    return gateway.listDeadMessages(queue, replayed, limit, before);
  }

  /**
   * Sends the message again, unchanged.
   *
   * @throws Problem 404 dead-message-not-found when it does not exist, or was sent again before
   */
  @Transactional
  public void replay(UUID deadMessageUuid, String by) {
    JsonObject reply = Refusals.check(gateway.replayDeadMessage(deadMessageUuid, by),
        () -> notFound(deadMessageUuid));
    if (!"done".equals(Refusals.outcome(reply))) {
      throw notFound(deadMessageUuid);
    }
    afterCommit.run(workNotifier::orchestrationQueued);
  }

  private static Problem notFound(UUID deadMessageUuid) {
    return Problem.of(404, "dead-message-not-found",
        "there is no message " + deadMessageUuid + " that was not sent again yet");
  }
}
