package ee.tasker.event;

import ee.tasker.platform.SqlFunctions;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import java.util.Collection;
import java.util.UUID;

/** Calls the SQL functions that return events. */
@Dependent
class EventGateway {
  @Inject
  private SqlFunctions sql;

  JsonObject getEvents(Position after, Long until, Collection<UUID> taskUuids, Long span) {
    return sql.object(
        "get_events(?, cast(? as bigint), cast(? as timestamptz), cast(? as uuid), cast(? as int), cast(? as uuid[]), cast(? as bigint))",
        after.from(), text(until), text(after.last().map(Position.Last::at).orElse(null)),
        text(after.last().map(Position.Last::moverUuid).orElse(null)),
        text(after.last().map(Position.Last::sortKey).orElse(null)), SqlFunctions.arrayText(taskUuids), text(span));
  }

  void sequenceEvents(int limit) {
    sql.run("sequence_events(?)", limit);
  }

  JsonObject listDomainEvents(JsonObject filter, int limit, long after) {
    return sql.object("list_domain_events(cast(? as jsonb), ?, ?)", filter, limit, after);
  }

  int summarizeHistory() {
    return Integer.parseInt(sql.text("summarize_history()"));
  }

  /** The SQL call casts each argument from text; null stays null. */
  private static String text(Object value) {
    return value == null ? null : value.toString();
  }
}
