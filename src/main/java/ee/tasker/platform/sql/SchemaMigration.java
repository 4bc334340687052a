package ee.tasker.platform.sql;

import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.thread.StartSequence;
import jakarta.annotation.PostConstruct;
import jakarta.ejb.ConcurrencyManagement;
import jakarta.ejb.ConcurrencyManagementType;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationInfoService;
import org.flywaydb.core.api.MigrationVersion;

/**
 * Migrates the schema before the rest of the application starts: beans that need it declare {@code
 * @DependsOn("TaskerSchema")} and begin with {@link StartSequence#then}. Several servers may
 * start at once: Flyway lets
 * one migrate while the others wait. A deployment whose migrations are missing or do not match the
 * database fails; one that
 * cannot reach its database waits for it.
 */
@Singleton(name = "TaskerSchema")
@Startup
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class SchemaMigration {
  private static final Log LOG = Log.of(SchemaMigration.class);

  /** Each attempt gives up after half a second, so that it holds no one up for longer. */
  private static final int ATTEMPTS_TO_GUARD = 20;
  private static final String INSUFFICIENT_PRIVILEGE = "42501";

  @Inject
  private StartSequence start;

  @Inject
  private Settings settings;

  @Inject
  private PoolerCheck pooler;

  private volatile String version;
  private volatile MigrationVersion brought;
  /** What the log has last said of a database that is too new. */
  private String refusal;

  @PostConstruct
  void start() {
    DataSource dataSource = FirstConnection.dataSource("jdbc/tasker");
    start.then(() -> migrate(dataSource));
  }

  private void migrate(DataSource dataSource) {
    FirstConnection.expect(dataSource, settings.listen());
    pooler.expectFitting(dataSource);
    SchemaRights rights = SchemaRights.of(dataSource);
    rights.expectToServe();
    DataSource unbounded = MigrationDataSource.of(dataSource);
    Flyway flyway = SchemaInstaller.flyway(unbounded);
    int known = flyway.info().all().length;
    if (known < 2) {
      throw new IllegalStateException("only " + known
          + " migrations were found in the application, so its files cannot be read");
    }
    try {
      apply(unbounded, flyway, rights);
      installRoutines(unbounded, rights);
    } catch (GivingWay.TablesBusy busy) {
      throw new StartSequence.NoDatabase(busy.getMessage());
    }
    makeHistoryPartitions(dataSource);
    guardTables(dataSource, settings.guards());
    // Each look reads all migrations anew.
    MigrationInfoService migrated = flyway.info();
    brought = broughtBy(migrated);
    MigrationInfo current = migrated.current();
    version = current == null || current.getVersion() == null ? latestVersion(migrated)
        : current.getVersion().toString();
    LOG.write(LogEvent.SCHEMA_MIGRATED, "version", version, "migrations", known);
    start.schemaIsReady();
    start.expectFromNowOn(() -> expectToServeStill(dataSource));
  }

  /**
   * Another version was installed while this server works. It installs nothing then, so that two
   * builds of one version do not take turns.
   */
  private void expectToServeStill(DataSource dataSource) {
    Routines.Comparison found = Routines.ofApplication().compare(dataSource);
    if (found.isNewer() || found.notCallable().isPresent()) {
      expectToServeBeside(found);
    }
    refusal = null;
  }

  /**
   * A server whose schema is up to date changes nothing, and so needs no right to: neither on the
   * schema nor on pgmq. All that a login lacks is reported before the first statement that would
   * need it.
   */
  private void apply(DataSource database, Flyway flyway, SchemaRights rights) {
    List<MigrationInfo> due = SchemaInstaller.due(flyway);
    if (due.isEmpty()) {
      flyway.validate();
      return;
    }
    expectToMigrate(rights, due.size() + " migrations, from " + due.get(0).getScript()
        + " on,");
    SchemaInstaller.migrate(database);
  }

  /** Never an older version than the database has. */
  private void installRoutines(DataSource dataSource, SchemaRights rights) {
    Routines routines = Routines.ofApplication();
    Routines.Comparison found = routines.compare(dataSource);
    if (found.isNewer()) {
      expectToServeBeside(found);
    } else if (found.pending() > 0) {
      expectToMigrate(rights, found.pending() + " functions, views or triggers of this version");
      routines.install(dataSource);
    } else if (found.isOther() && settings.migrates() && rights.allowToMigrate()) {
      // Nothing but the version, by which an older server recognises what is there.
      routines.install(dataSource);
    }
    refusal = null;
  }

  /**
   * What another version has changed is its business, as long as all that this one calls is there.
   */
  private void expectToServeBeside(Routines.Comparison other) {
    String installed = other.installed().orElse("unknown");
    if (other.notCallable().isEmpty()) {
      LOG.write(LogEvent.DATABASE_NEWER, "installed", installed);
      return;
    }
    String reason = (other.isNewer() ? "the database was upgraded to version "
        : "the database has another build of version ") + installed
        + ", which has not what this server calls: " + other.notCallable().get();
    if (!reason.equals(refusal)) {
      refusal = reason;
      LOG.write(LogEvent.SERVER_TOO_OLD, "cause", reason);
    }
    throw new StartSequence.UnusableDatabase(reason);
  }

  private void expectToMigrate(SchemaRights rights, String lacking) {
    if (!settings.migrates()) {
      throw new IllegalStateException("the schema lacks " + lacking + " and tasker.migrate is "
          + "false: the owner of the schema applies them with psql, db/install.sql of this version");
    }
    rights.expectToMigrate(lacking);
  }

  /**
   * Before the first row of history is written, which would pin its month to the default partition.
   */
  private static void makeHistoryPartitions(DataSource dataSource) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("select tasker.make_history_partitions()");
    } catch (SQLException e) {
      throw new IllegalStateException("the history partitions could not be made", e);
    }
  }

  /**
   * With a role that does not own the tables, their guards are their owner's business. A table that
   * stays busy, because of a long dump for instance, is no reason not to start.
   */
  private static void guardTables(DataSource dataSource, boolean guards) {
    try {
      GivingWay.repeat(ATTEMPTS_TO_GUARD, () -> {
        try (Connection connection = dataSource.getConnection();
            PreparedStatement call = connection
                .prepareStatement("select tasker.guard_tables(?)")) {
          call.setBoolean(1, guards);
          return call.execute();
        }
      });
    } catch (GivingWay.TablesBusy busy) {
      LOG.write(LogEvent.GUARDS_UNCHANGED, "guards", guards);
    } catch (SQLException e) {
      if (!INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())) {
        throw new IllegalStateException("the tables could not be guarded", e);
      }
    }
  }

  private static String latestVersion(MigrationInfoService migrated) {
    String latest = "none";
    for (MigrationInfo info : migrated.applied()) {
      if (info.getVersion() != null) {
        latest = info.getVersion().toString();
      }
    }
    return latest;
  }

  private static MigrationVersion broughtBy(MigrationInfoService migrated) {
    MigrationVersion newest = MigrationVersion.EMPTY;
    for (MigrationInfo info : migrated.all()) {
      if (info.getVersion() != null && info.getState().isResolved()
          && info.getVersion().compareTo(newest) > 0) {
        newest = info.getVersion();
      }
    }
    return newest;
  }

  /**
   * The newest version among this application's migrations; "unknown" while the server waits for
   * its database.
   */
  public String broughtVersion() {
    return brought == null ? "unknown" : brought.toString();
  }

  /** Whether a schema version is sufficient for this application: the same or a newer one. */
  public boolean isSatisfiedBy(String databaseVersion) {
    return brought != null && databaseVersion != null && databaseVersion.matches("[0-9._]+")
        && MigrationVersion.fromVersion(databaseVersion).compareTo(brought) >= 0;
  }

  /**
   * The schema version that this server found or created; null while the server waits for its
   * database.
   */
  public String version() {
    return version;
  }
}
