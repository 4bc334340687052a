package ee.tasker.handler;

import jakarta.json.JsonObject;
import java.util.UUID;

/**
 * A domain event of {@code delivery_mode: fast} or {@code broadcast}. Each server that runs when it
 * is published calls its observers of
 * this type ({@code @Observes DomainEvent}) once, after the commit of the result and in the order
 * of the feed, without a transaction. Nothing is repeated: an event that was published while
 * a server was down, or whose observer failed, is in the feed only.
 *
 * @param id      the same for every reader of the event
 * @param type    its name in the template
 * @param step    the name of the step whose result it follows from
 * @param outcome of the result that it follows from, for instance {@code success}
 * @param content the whole CloudEvent, with {@code data}
 */
public record DomainEvent(UUID id, String type, String namespace, UUID taskUuid, String step,
    String outcome, JsonObject content) {
}
