package ee.tasker.login;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.postgresql.plugin.AuthenticationPlugin;
import org.postgresql.plugin.AuthenticationRequestType;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;

/**
 * Gives the driver the password that is in the file {@code DB_PASSWORD_FILE} of the environment, as
 * container platforms mount it. Read for each connection, so that a new password counts from the
 * moment in which it is in the file; connections that exist go on. Without that variable the
 * password of the datasource is used. Property of the driver: {@code
 * authenticationPluginClassName}.
 */
public final class PasswordFile implements AuthenticationPlugin {

  private static final String VARIABLE = "DB_PASSWORD_FILE";

  private final String file;
  private final String otherwise;

  /** Called by the driver, with the properties of the connection. */
  public PasswordFile(Properties connection) {
    this(System.getenv(VARIABLE), connection);
  }

  PasswordFile(String file, Properties connection) {
    this.file = file;
    this.otherwise = connection.getProperty("password");
  }

  @Override
  public char[] getPassword(AuthenticationRequestType type) throws PSQLException {
    if (file == null || file.isBlank())
      return otherwise == null ? null : otherwise.toCharArray();
    try {
      return Files.readString(Path.of(file)).replaceFirst("[\\r\\n]+$", "").toCharArray();
    } catch (IOException e) {
      throw new PSQLException(VARIABLE + " cannot be read: " + e, PSQLState.INVALID_PASSWORD, e);
    }
  }
}
