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
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;

/**
 * Stands in an application where the product's WAR migrates: compares the schema that it finds with
 * this library, and changes nothing. While the two do not fit, because Tasker EE is not installed
 * yet or its upgrade is still to come, the application is deployed and its worker waits.
 */
@Singleton(name = "TaskerSchema")
@Startup
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class SchemaFit {
  private static final Log LOG = Log.of(SchemaFit.class);
  /**
   * What the functions are written for: they look again at rows that others have changed.
   * PostgreSQL has no transactions that read what is uncommitted: it takes these for the same, and
   * WildFly asks for them where a descriptor says the former.
   */
  private static final Set<String> READ_COMMITTED = Set.of("read committed", "read uncommitted");

  @Inject
  private StartSequence start;

  @Inject
  private Settings settings;

  @Inject
  private PoolerCheck pooler;

  @Inject
  private ApplicationDataSource source;

  /** What the log has last said of a schema that does not fit. */
  private String refusal;

  @PostConstruct
  void start() {
    DataSource database = source.get();
    start.then(() -> expectToFit(database));
  }

  private void expectToFit(DataSource database) {
    Optional<String> complaint;
    try {
      FirstConnection.expect(database, settings.listen());
      pooler.expectFitting(database);
      complaint = complaint(database);
    } catch (IllegalStateException e) {
      complaint = Optional.of(e.getMessage());
    }
    if (complaint.isPresent()) {
      refuse(complaint.get());
    }
    refusal = null;
    start.schemaIsReady();
    start.expectFromNowOn(() -> expectToFit(database));
  }

  /** Not a failed deployment: what is missing comes with the engine, and the rest of it can run. */
  private void refuse(String reason) {
    if (!reason.equals(refusal)) {
      refusal = reason;
      LOG.write(LogEvent.WORKER_UNFIT, "cause", reason);
    }
    throw new StartSequence.UnusableDatabase(reason);
  }

  private static Optional<String> complaint(DataSource database) {
    String own = Routines.versionOfApplication();
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement
            .executeQuery("select to_regclass('tasker.installations') is null, "
                + "current_setting('transaction_isolation')")) {
      row.next();
      if (row.getBoolean(1)) {
        return Optional.of("the database has no schema of Tasker EE yet, which a server of version "
            + own + " installs");
      }
      if (!READ_COMMITTED.contains(row.getString(2))) {
        return Optional.of("the transactions of the data source are " + row.getString(2)
            + " and must be read committed");
      }
    } catch (SQLException e) {
      throw new StartSequence.NoDatabase(e);
    }
    SchemaRights.of(database).expectToServe();
    Routines.Comparison found = Routines.ofLibrary().compare(database);
    Optional<String> distance = distance(own, found.installed().orElse("unknown"));
    if (distance.isPresent()) {
      return distance;
    }
    if (found.notCallable().isPresent()) {
      return Optional.of("the database has version " + found.installed().orElse("unknown")
          + ", which lacks what this library of version " + own + " calls: "
          + found.notCallable().get());
    }
    if (found.isNewer()) {
      LOG.write(LogEvent.DATABASE_NEWER, "installed", found.installed().orElse("unknown"));
    }
    return Optional.empty();
  }

  /** Why two versions do not work together: those that do are at most one minor version apart. */
  static Optional<String> distance(String own, String installed) {
    int[] library = numbers(own);
    int[] schema = numbers(installed);
    if (schema.length < 2 || library[0] != schema[0] || Math.abs(library[1] - schema[1]) > 1) {
      return Optional
          .of("the database has version " + installed + " and this library is of version "
              + own + "; they may be one minor version apart");
    }
    return Optional.empty();
  }

  private static int[] numbers(String version) {
    String release = version.replaceFirst("-.*", "");
    return release.matches("[0-9]{1,6}(\\.[0-9]{1,6})+")
        ? Arrays.stream(release.split("\\.")).mapToInt(Integer::parseInt).toArray()
        : new int[0];
  }
}
