package ee.tasker.testing.server;

import ee.tasker.run.EmbeddedDatabase;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Starts the shared server when the first test asks for it, and stops it with the last. */
final class SharedServer implements ParameterResolver {
  /**
   * Heartbeats every second: what travels with them shows soon. Leases so that a busy machine does
   * not lose them. In Turkish the capital of i is
   * another letter than in the names of settings, of days and of what else is compared: what
   * depends on the language fails here.
   */
  private static final Map<String, String> SETTINGS = Map.of(
      "JAVA_TOOL_OPTIONS",
      Objects.requireNonNullElse(System.getenv("JAVA_TOOL_OPTIONS"), "")
          + " -Duser.language=tr -Duser.country=TR",
      "TASKER_WORKER_HEARTBEAT_SECONDS", "1", "TASKER_WORKER_LEASE_SECONDS", "15",
      "TASKER_POLL_INTERVAL_SECONDS", "5",
      "TASKER_HOUSEKEEPING_INTERVAL_SECONDS", "2");

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == TaskerClient.class || type == TestServer.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Running running = context.getRoot()
        .getStore(ExtensionContext.Namespace.create(SharedServer.class))
        .getOrComputeIfAbsent(Running.class, key -> Running.start(), Running.class);
    return parameter.getParameter().getType() == TestServer.class ? running.server()
        : running.server().client();
  }

  private record Running(EmbeddedDatabase database,
      TestServer server) implements ExtensionContext.Store.CloseableResource, AutoCloseable {

    static Running start() {
      EmbeddedDatabase database = TestServer.newDatabase();
      return new Running(database, TestServer.start(database, SETTINGS));
    }

    @Override
    public void close() {
      server.close();
      database.close();
    }
  }
}
