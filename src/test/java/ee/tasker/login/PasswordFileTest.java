package ee.tasker.login;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.run.LoginJar;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.plugin.AuthenticationPlugin;
import org.postgresql.plugin.AuthenticationRequestType;

class PasswordFileTest {
  private static final AuthenticationRequestType ANY = AuthenticationRequestType.SASL;

  @TempDir
  private Path folder;

  private static Properties configured() {
    Properties connection = new Properties();
    connection.setProperty("password", "configured");
    return connection;
  }

  @Test
  void the_file_is_read_for_each_connection_and_without_the_end_of_its_line()
      throws IOException, SQLException {
    Path file = Files.writeString(folder.resolve("password"), " first\r\n");
    PasswordFile password = new PasswordFile(file.toString(), configured());

    assertThat(password.getPassword(ANY)).containsExactly(" first".toCharArray());
    Files.writeString(file, "second");
    assertThat(password.getPassword(ANY)).containsExactly("second".toCharArray());
  }

  @Test
  void without_a_file_the_password_is_that_of_the_datasource() throws SQLException {
    assertThat(new PasswordFile(null, configured()).getPassword(ANY))
        .containsExactly("configured".toCharArray());
    assertThat(new PasswordFile("", configured()).getPassword(ANY))
        .containsExactly("configured".toCharArray());
    assertThat(new PasswordFile(null, new Properties()).getPassword(ANY)).isNull();
  }

  @Test
  void a_file_that_cannot_be_read_is_a_refused_login_and_names_itself() {
    PasswordFile password = new PasswordFile(folder.resolve("gone").toString(), configured());

    assertThatThrownBy(() -> password.getPassword(ANY)).hasMessageContaining("DB_PASSWORD_FILE")
        .hasMessageContaining("gone")
        .isInstanceOfSatisfying(SQLException.class,
            refusal -> assertThat(refusal.getSQLState()).startsWith("28"));
  }

  @Test
  void the_jar_needs_nothing_but_the_driver_and_is_the_same_each_time()
      throws IOException, ReflectiveOperationException, SQLException {
    LocalDateTime time = LocalDateTime.of(2026, 11, 21, 0, 0);
    Path jar = folder.resolve("one.jar");
    Path again = folder.resolve("two.jar");
    LoginJar.write(jar, time);
    LoginJar.write(again, time);
    assertThat(jar).hasSameBinaryContentAs(again);

    URL driver = AuthenticationPlugin.class.getProtectionDomain().getCodeSource().getLocation();
    try (URLClassLoader beside = new URLClassLoader(new URL[]{driver, jar.toUri().toURL()},
        ClassLoader.getPlatformClassLoader())) {
      Object plugin = beside.loadClass(PasswordFile.class.getName())
          .getConstructor(Properties.class).newInstance(configured());
      Object type = beside.loadClass(AuthenticationRequestType.class.getName())
          .getEnumConstants()[0];
      assertThat((char[]) plugin.getClass().getMethod("getPassword", type.getClass())
          .invoke(plugin, type)).containsExactly("configured".toCharArray());
    }
  }
}
