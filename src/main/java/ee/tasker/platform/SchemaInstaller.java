package ee.tasker.platform;

import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/**
 * Makes a schema as a server does: tables by Flyway's migrations, then functions, views and
 * triggers as one unit.
 */
public final class SchemaInstaller {
  private SchemaInstaller() {
  }

  /** The migrations of the application, which make tables. */
  public static Flyway flyway(DataSource database) {
    return Flyway.configure(SchemaInstaller.class.getClassLoader())
        .dataSource(database)
        .schemas("tasker")
        .locations("classpath:db/migration")
        // On some servers a location that cannot be listed counts as empty: without this check, "0
        // migrations" would be a success.
        .failOnMissingLocations(true)
        .validateMigrationNaming(true)
        .load();
  }

  /** @return how many functions, views and triggers were installed */
  public static int install(DataSource database) {
    flyway(database).migrate();
    return Routines.ofApplication().install(database);
  }
}
