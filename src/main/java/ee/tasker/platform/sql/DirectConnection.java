package ee.tasker.platform.sql;

import ee.tasker.platform.DatabaseFaults;
import ee.tasker.platform.config.Secret;
import ee.tasker.platform.config.Settings;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import org.postgresql.ds.PGSimpleDataSource;

/** Connections that this application opens itself, beside the pool of the server. */
public final class DirectConnection {
  private static final int CONNECT_SECONDS = 5;
  private static final int ANSWER_SECONDS = 20;
  private static final String NONE_THAT_WRITES = "targetServerType";

  private DirectConnection() {
  }

  /** To the host that accepts writes. */
  public static Connection toPrimary(Settings.ListenSettings to, String name)
      throws SQLException {
    return open(to, name, "primary");
  }

  private static Connection open(Settings.ListenSettings to, String name, String targetServerType)
      throws SQLException {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setServerNames(
        to.hosts().stream().map(Settings.DatabaseHost::name).toArray(String[]::new));
    source.setPortNumbers(to.hosts().stream().mapToInt(Settings.DatabaseHost::port).toArray());
    // The driver caches the status of hosts, which would keep it from a standby that was just
    // promoted.
    source.setTargetServerType(targetServerType);
    source.setHostRecheckSeconds(1);
    source.setDatabaseName(to.database());
    source.setUser(to.user());
    source.setPassword(password(to.password()));
    Settings.TlsSettings tls = to.tls();
    source.setSslMode(tls.mode());
    // An empty name of a certificate or key is none; a missing one would be looked for at home.
    source.setSslCert(tls.certificate());
    source.setSslKey(tls.key());
    source.setSslPassword(tls.keyPassword());
    source.setSslRootCert(tls.rootCertificate());
    source.setApplicationName(name);
    source.setTcpKeepAlive(true);
    source.setConnectTimeout(CONNECT_SECONDS);
    // Longer than a wait for notifications; detects a host that vanished without closing the
    // connection.
    source.setSocketTimeout(ANSWER_SECONDS);
    return source.getConnection();
  }

  private static String password(Secret secret) throws SQLException {
    try {
      return secret.current();
    } catch (IOException e) {
      throw new SQLException("the file with the password cannot be read: " + e, "28P01", e);
    }
  }

  /**
   * The driver takes a login for which everything is read-only for one on a standby, and says that
   * there is no primary.
   *
   * @param refusal of a connection to the primary
   * @return what is read-only, and the statement that changes it; empty if it is something else
   */
  static Optional<String> readOnlyLogin(Settings.ListenSettings to, SQLException refusal) {
    if (!DatabaseFaults.message(refusal).contains(NONE_THAT_WRITES)) {
      return Optional.empty();
    }
    try (Connection any = open(to, "tasker-check", "any");
        Statement statement = any.createStatement();
        ResultSet row = statement.executeQuery("""
            select pg_is_in_recovery(), s.setting = 'on',
                   case s.source
                     when 'user' then format('alter role %I reset %s;', current_user, s.name)
                     when 'database' then format('alter database %I reset %s;', current_database(),
                                                 s.name)
                     when 'database user' then format('alter role %I in database %I reset %s;',
                                                      current_user, current_database(), s.name)
                     else format('alter system reset %s;', s.name) end
            from pg_settings s
            where s.name = 'default_transaction_read_only'""")) {
      return row.next() && !row.getBoolean(1) && row.getBoolean(2)
          ? Optional.of("every transaction of the login " + to.user()
              + " is read-only (default_transaction_read_only), on a primary. As an administrator "
              + "of the database: " + row.getString(3))
          : Optional.empty();
    } catch (SQLException e) {
      return Optional.empty();
    }
  }
}
