package ee.tasker.platform.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationInfoService;
import org.flywaydb.core.api.MigrationState;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.flywaydb.database.postgresql.PostgreSQLConfigurationExtension;

/**
 * Makes a schema as a server does: tables by Flyway's migrations, then functions, views and
 * triggers as one unit.
 */
public final class SchemaInstaller {
  private static final String MIGRATIONS = "db/migration";
  private static final int ATTEMPTS = 40;

  private SchemaInstaller() {
  }

  /** The migrations of the application, which make tables. */
  public static Flyway flyway(DataSource database) {
    return configuration(database, SchemaInstaller.class.getClassLoader()).load();
  }

  private static FluentConfiguration configuration(DataSource database, ClassLoader files) {
    return Flyway.configure(files)
        .dataSource(database)
        .schemas("tasker")
        .locations("classpath:" + MIGRATIONS)
        // On some servers a location that cannot be listed counts as empty: without this check, "0
        // migrations" would be a success.
        .failOnMissingLocations(true)
        .validateMigrationNaming(true);
  }

  /**
   * Applies what is pending, beside servers that work: each migration in a transaction that waits
   * for a lock for half a second at most and is tried again; one that builds an index or fills a
   * table in slices in no transaction at all.
   *
   * @throws GivingWay.TablesBusy  if other transactions held tables that change all the time
   */
  static void migrate(DataSource database) {
    migrate(database, SchemaInstaller.class.getClassLoader());
  }

  /** The same with the files of another class loader. */
  static void migrate(DataSource database, ClassLoader files) {
    FluentConfiguration configuration = configuration(database, files);
    if (due(configuration.load()).stream()
        .anyMatch(each -> isOutsideTransactions(files, each))) {
      // The lock that keeps other servers from migrating would be an open transaction, for whose
      // end an index that is built beside writers waits. So the session holds it.
      configuration.getConfigurationExtension(PostgreSQLConfigurationExtension.class)
          .setTransactionalLock(false);
    }
    try {
      GivingWay.repeat(ATTEMPTS, () -> {
        Flyway flyway = configuration.load();
        forgetFailed(database, flyway);
        return flyway.migrate();
      });
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What is pending, and what has failed outside of a transaction and is to be repeated. */
  static List<MigrationInfo> due(Flyway flyway) {
    MigrationInfoService found = flyway.info();
    return Stream.concat(Stream.of(found.pending()),
        Stream.of(found.all()).filter(each -> each.getState() == MigrationState.FAILED)).toList();
  }

  private static boolean isOutsideTransactions(ClassLoader files, MigrationInfo migration) {
    return files.getResource(MIGRATIONS + "/" + migration.getScript() + ".conf") != null;
  }

  /**
   * Only a migration outside of transactions leaves a row that it failed, and is written so that it
   * can be repeated.
   */
  private static void forgetFailed(DataSource database, Flyway flyway) throws SQLException {
    if (due(flyway).stream().noneMatch(each -> each.getState() == MigrationState.FAILED)) {
      return;
    }
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(Routines.script("forget"));
    }
  }

  /** @return how many functions, views and triggers were installed */
  public static int install(DataSource database) {
    migrate(database);
    return Routines.ofApplication().install(database);
  }
}
