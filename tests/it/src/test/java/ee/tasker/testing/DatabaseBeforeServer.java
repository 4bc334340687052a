package ee.tasker.testing;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.run.ServerKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import org.jboss.arquillian.core.api.annotation.Observes;
import org.jboss.arquillian.core.spi.LoadableExtension;
import org.jboss.arquillian.test.spi.event.suite.AfterSuite;
import org.jboss.arquillian.test.spi.event.suite.BeforeSuite;

/**
 * Gives the integration tests an empty PostgreSQL before Arquillian starts the server, and takes it
 * away after.
 */
public final class DatabaseBeforeServer implements LoadableExtension {

  @Override
  public void register(ExtensionBuilder builder) {
    builder.observer(Lifecycle.class);
  }

  /** Arquillian starts and stops the server on the same events with precedence 0. */
  public static final class Lifecycle {

    private EmbeddedDatabase database;

    public void start(@Observes(precedence = 100) BeforeSuite event) {
      database = EmbeddedDatabase.forTests(
          Path.of(System.getProperty("tasker.it.folder")),
          Path.of(System.getProperty("tasker.checkout"), ".tasker"),
          System.getProperty("tasker.postgres.version"),
          Integer.getInteger("tasker.it.db.port"));
      // If this process is killed, the end of the suite is not announced.
      Runtime.getRuntime().addShutdownHook(new Thread(database::close, "tasker-it-database"));
      database.start();
      configureServer();
    }

    /**
     * Open Liberty's folder is made by the build, from resources; what others need is more than
     * copies.
     */
    private static void configureServer() {
      var kind = ServerKind.from(System.getProperties());
      if (kind == ServerKind.LIBERTY)
        return;
      try (var server = kind.process(
          Path.of(System.getProperty("tasker.server.home")),
          Path.of(System.getProperty("tasker.it.folder"), "arquillian"),
          Integer.getInteger("tasker.it.http.port"),
          Map.of("MANAGEMENT_PORT", System.getProperty("tasker.it.management.port")))) {
        server.configureOnly(kind.config(Path.of(System.getProperty("tasker.checkout"))));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    public void stop(@Observes(precedence = -100) AfterSuite event) {
      if (database != null)
        database.close();
    }
  }
}
