package ee.tasker.platform;

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
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationInfoService;
import org.flywaydb.core.api.MigrationVersion;

/**
 * Migrates the schema before the rest of the application starts: beans that need it declare {@code
 * @DependsOn("SchemaMigration")} and begin with {@link StartSequence#then}. Several servers may
 * start at once: Flyway lets
 * one migrate while the others wait. A deployment whose migrations are missing or do not match the
 * database fails; one that
 * cannot reach its database waits for it.
 */
@Singleton
@Startup
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class SchemaMigration {
  private static final Log LOG = Log.of(SchemaMigration.class);

  /** Each attempt gives up after half a second, so that it holds no one up for longer. */
  private static final int ATTEMPTS_TO_GUARD = 20;
  private static final Duration BETWEEN_ATTEMPTS = Duration.ofMillis(250);
  private static final String LOCK_NOT_AVAILABLE = "55P03";
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
    DataSource dataSource = dataSource();
    start.then(() -> migrate(dataSource));
  }

  private void migrate(DataSource dataSource) {
    connect(dataSource, settings.listen());
    expectFittingPooler(dataSource);
    SchemaRights rights = SchemaRights.of(dataSource);
    rights.expectToServe();
    DataSource unbounded = MigrationDataSource.of(dataSource);
    Flyway flyway = SchemaInstaller.flyway(unbounded);
    int known = flyway.info().all().length;
    if (known < 2) {
      throw new IllegalStateException("only " + known
          + " migrations were found in the application, so its files cannot be read");
    }
    apply(flyway, rights);
    installRoutines(unbounded, rights);
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
  }

  private void expectFittingPooler(DataSource dataSource) {
    try {
      Optional<String> problem = pooler.check(dataSource);
      if (problem.isPresent()) {
        throw new StartSequence.UnusableDatabase(problem.get());
      }
    } catch (SQLException e) {
      throw new StartSequence.NoDatabase(e);
    }
  }

  /**
   * A server whose schema is up to date changes nothing, and so needs no right to: neither on the
   * schema nor on pgmq. All that a login lacks is reported before the first statement that would
   * need it.
   */
  private void apply(Flyway flyway, SchemaRights rights) {
    MigrationInfo[] pending = flyway.info().pending();
    if (pending.length == 0) {
      flyway.validate();
      return;
    }
    expectToMigrate(rights, pending.length + " migrations, from " + pending[0].getScript()
        + " on,");
    flyway.migrate();
  }

  /** Never an older version than the database has. */
  private void installRoutines(DataSource dataSource, SchemaRights rights) {
    Routines routines = Routines.ofApplication();
    Routines.Comparison found = routines.compare(dataSource);
    if (found.isNewer()) {
      expectToServeBeside(found);
    } else if (found.pending() > 0) {
      expectToMigrate(rights, found.pending() + " functions, views or triggers of this version");
      install(routines, dataSource);
    } else if (found.isOther() && settings.migrates() && rights.allowToMigrate()) {
      // Nothing but the version, by which an older server recognises what is there.
      install(routines, dataSource);
    }
    refusal = null;
  }

  private static void install(Routines routines, DataSource dataSource) {
    try {
      routines.install(dataSource);
    } catch (Routines.TablesBusy busy) {
      throw new StartSequence.NoDatabase(busy.getMessage());
    }
  }

  /**
   * What a newer version has changed is its business, as long as all that this one calls is there.
   */
  private void expectToServeBeside(Routines.Comparison newer) {
    String installed = newer.installed().orElse("unknown");
    if (newer.notCallable().isEmpty()) {
      LOG.write(LogEvent.DATABASE_NEWER, "installed", installed);
      return;
    }
    String reason = "the database was upgraded to version " + installed
        + ", which has no longer what this server calls: " + newer.notCallable().get();
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
   * Every failure to connect, including a wrong password that may be corrected later, is a reason
   * to wait; a later failure is not, nor is a database that this login may not connect to.
   */
  private static void connect(DataSource dataSource, Settings.ListenSettings database) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("select 1");
    } catch (SQLException e) {
      if (INSUFFICIENT_PRIVILEGE.equals(DatabaseFaults.sqlState(e))) {
        // Without the cause, which a server would show instead.
        throw new IllegalStateException("the login " + database.user()
            + " may not connect. As an administrator of the database: grant connect on database \""
            + database.database() + "\" to \"" + database.user() + "\";");
      }
      throw DirectConnection.readOnlyLogin(database, e).map(StartSequence.NoDatabase::new)
          .orElseGet(() -> new StartSequence.NoDatabase(e));
    }
  }

  /**
   * Looked up instead of injected: for {@code @Resource(lookup)}, a name without a scheme is global
   * on one server and local
   * to the component on another.
   */
  private static DataSource dataSource() {
    try {
      return InitialContext.doLookup("jdbc/tasker");
    } catch (NamingException e) {
      throw new IllegalStateException("the server has no datasource jdbc/tasker", e);
    }
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
    for (int attempt = 1; attempt <= ATTEMPTS_TO_GUARD; attempt++) {
      try (Connection connection = dataSource.getConnection();
          PreparedStatement call = connection
              .prepareStatement("select tasker.guard_tables(?)")) {
        call.setBoolean(1, guards);
        call.execute();
        return;
      } catch (SQLException e) {
        if (INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())) {
          return;
        }
        if (!LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
          throw new IllegalStateException("the tables could not be guarded", e);
        }
        LockSupport.parkNanos(BETWEEN_ATTEMPTS.toNanos());
      }
    }
    LOG.write(LogEvent.GUARDS_UNCHANGED, "guards", guards);
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
