package ee.tasker.operation;

import ee.tasker.platform.ActingCaller;
import ee.tasker.platform.config.ServerIdentity;
import ee.tasker.platform.sql.SqlFunctions;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;

/** Calls the SQL functions for signals. */
@Dependent
class SignalGateway {
  @Inject
  private SqlFunctions sql;

  @Inject
  private ServerIdentity server;

  @Inject
  private ActingCaller caller;

  JsonValue getSignalSchema(UUID task, String name) {
    return sql.json("get_signal_schema(cast(? as uuid), ?)", task, name);
  }

  /** @param namespaces null for all */
  JsonArray findSignalTargets(UUID correlationId, String name, Collection<String> namespaces,
      int limit) {
    return sql.array("find_signal_targets(cast(? as uuid), ?, cast(? as text[]), ?)", correlationId,
        name, namespaces == null ? null : array(namespaces), limit);
  }

  /** The payload has been validated. */
  JsonObject sendSignals(List<UUID> tasks, String name, JsonValue payload, String signalId) {
    sql.run("begin_action(cast(? as text))", caller.name());
    return sql.object(
        "send_signals(cast(? as uuid[]), ?, cast(? as jsonb), cast(? as text), cast(? as text), true, cast(? as uuid))",
        array(tasks), name, payload.toString(), signalId, caller.name(), server.uuid());
  }

  /** Uuids and names of namespaces need no quotes. */
  private static String array(Collection<?> elements) {
    return elements.stream().map(Object::toString).collect(Collectors.joining(",", "{", "}"));
  }
}
