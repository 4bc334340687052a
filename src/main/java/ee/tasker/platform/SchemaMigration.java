package ee.tasker.platform;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.Resource;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;

/**
 * Brings the schema up to date before anything else of the application runs: beans that need it say
 * {@code @DependsOn("SchemaMigration")}. Several servers may start at once, Flyway lets one of them work and the others
 * wait. A deployment whose migrations cannot be found or do not fit the database does not start.
 */
@Singleton
@Startup
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class SchemaMigration {
  private static final Log LOG = Log.of(SchemaMigration.class);

  @Resource(lookup = "jdbc/tasker")
  private DataSource dataSource;

  private String version;

  @PostConstruct
  void migrate() {
    Flyway flyway = Flyway.configure(SchemaMigration.class.getClassLoader())
        .dataSource(dataSource)
        .schemas("tasker")
        .locations("classpath:db/migration", "classpath:db/routine")
        // On some servers a location that cannot be listed counts as empty: without this, "0 migrations" is a success.
        .failOnMissingLocations(true)
        .validateMigrationNaming(true)
        .load();
    int known = flyway.info().all().length;
    if (known < 2) {
      throw new IllegalStateException("only " + known + " migrations were found in the application, so its files cannot be read");
    }
    flyway.migrate();
    MigrationInfo current = flyway.info().current();
    version = current == null || current.getVersion() == null ? latestVersion(flyway) : current.getVersion().toString();
    LOG.write(LogEvent.SCHEMA_MIGRATED, "version", version, "migrations", known);
  }

  private static String latestVersion(Flyway flyway) {
    String latest = "none";
    for (MigrationInfo info : flyway.info().applied()) {
      if (info.getVersion() != null) {
        latest = info.getVersion().toString();
      }
    }
    return latest;
  }

  /** The schema's version as this server found or made it. */
  public String version() {
    return version;
  }
}
