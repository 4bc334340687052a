package ee.tasker.event;

import ee.tasker.handler.DomainEvent;
import ee.tasker.platform.Json;
import ee.tasker.platform.sql.SqlFunctions;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/** Calls the SQL functions that return events. */
@Dependent
class EventGateway {
  private static final JsonObject OBSERVED = Json.build().createObjectBuilder()
      .add("observed", true).build();

  @Inject
  private SqlFunctions sql;

  JsonObject getEvents(Position after, Long until, Collection<UUID> taskUuids, Long span) {
    return sql.object(
        "get_events(?, cast(? as bigint), cast(? as timestamptz), cast(? as uuid), cast(? as int), cast(? as uuid[]), cast(? as bigint))",
        after.from(), text(until), text(after.last().map(Position.Last::at).orElse(null)),
        text(after.last().map(Position.Last::moverUuid).orElse(null)),
        text(after.last().map(Position.Last::sortKey).orElse(null)),
        SqlFunctions.arrayText(taskUuids), text(span));
  }

  void sequenceEvents(int limit) {
    sql.run("sequence_events(?)", limit);
  }

  JsonObject listDomainEvents(JsonObject filter, int limit, long after) {
    return sql.answer("list_domain_events(cast(? as jsonb), ?, ?)", filter, limit, after)
        .asJsonObject();
  }

  DomainEvents.Page getPage(JsonObject filter, int limit, long after) {
    JsonObject page = listDomainEvents(filter, limit, after);
    return new DomainEvents.Page(page.getJsonNumber("position").longValueExact(),
        !page.isNull("next"), page.getJsonArray("events").getValuesAs(JsonObject.class));
  }

  DomainEvents.End getEndOfFeed() {
    JsonObject page = sql.answer("list_domain_events('{}', 1, null)").asJsonObject();
    return new DomainEvents.End(page.getJsonNumber("position").longValueExact(),
        page.getJsonNumber("bound").longValueExact());
  }

  /** The events behind a position that are for observers in servers, too. */
  DomainEvents.Observed getObservedEvents(int limit, long after) {
    JsonObject page = listDomainEvents(OBSERVED, limit, after);
    return new DomainEvents.Observed(page.getJsonNumber("position").longValueExact(),
        !page.isNull("next"), page.getJsonArray("events").getValuesAs(JsonObject.class).stream()
            .map(EventGateway::domainEvent).toList());
  }

  private static DomainEvent domainEvent(JsonObject event) {
    return new DomainEvent(Json.uuid(event, "id"), event.getString("type"),
        event.getString("taskernamespace"), Json.uuid(event, "subject"),
        event.getString("taskerstep"), event.getString("taskeroutcome"), event);
  }

  DomainEvents.Claimed claimEventConsumer(String name, UUID server, int leaseSeconds, int limit) {
    JsonObject reply = sql.object("claim_event_consumer(?, cast(? as uuid), ?, ?)", name, server,
        leaseSeconds, limit);
    return "claimed".equals(reply.getString("outcome"))
        ? new DomainEvents.Claimed(true, reply.getJsonNumber("position").longValueExact(),
            reply.getInt("failures"), reply.getJsonArray("events").getValuesAs(JsonObject.class))
        : new DomainEvents.Claimed(false, 0, 0, List.of());
  }

  /** @return whether the server still has the lease */
  boolean recordEventDelivery(String name, UUID server, long position, String failure) {
    return "done".equals(
        sql.object("record_event_delivery(?, cast(? as uuid), ?, cast(? as text))", name, server,
            position, failure).getString("outcome"));
  }

  int summarizeHistory() {
    return Integer.parseInt(sql.text("summarize_history()"));
  }

  /** The SQL call casts each argument from text; null stays null. */
  private static String text(Object value) {
    return value == null ? null : value.toString();
  }
}
