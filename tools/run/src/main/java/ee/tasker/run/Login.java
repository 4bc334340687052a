package ee.tasker.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A name and a password to log in with. The run command generates one and keeps it in a file that
 * curl can read: {@code
 * curl -K .tasker/login}.
 */
public record Login(String name, String password) {

  /** For servers that tests and benchmarks start, on databases of their own. */
  public static final Login FOR_TESTS = new Login("admin", "only-for-tests-of-tasker");

  private static final Pattern LINE = Pattern.compile("(?m)^user = \"([^:\"]+):([^\"]+)\"$");

  /** The login in the file, or a new one that is stored there. */
  static Login keptIn(Path file) {
    try {
      if (Files.exists(file))
        return of(file);
      var random = new byte[18];
      new SecureRandom().nextBytes(random);
      var login = new Login("admin", Base64.getUrlEncoder().encodeToString(random));
      Files.createDirectories(file.getParent());
      create(file);
      Files.writeString(file,
          "# Who may do everything. For curl: curl -K .tasker/login <url>\nuser = \"" + login.name
              + ":" + login.password + "\"\n");
      return login;
    } catch (IOException e) {
      throw new RunProblem("Cannot keep the login in " + file + ": " + e.getMessage(), e);
    }
  }

  /** Readable by its owner only from the first moment, if the file system supports owners. */
  private static void create(Path file) throws IOException {
    if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      Files.createFile(file,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    } else {
      Files.write(file, new byte[0],
          Set.of(StandardOpenOption.CREATE_NEW).toArray(StandardOpenOption[]::new));
    }
  }

  private static Login of(Path file) throws IOException {
    var line = LINE.matcher(Files.readString(file));
    if (!line.find())
      throw new RunProblem(
          "The file " + file
              + " has no line as this one: user = \"name:password\". Move it away to get a new login for a new database.");
    return new Login(line.group(1), line.group(2));
  }

  /** The settings with which a server makes this login the first user of an empty database. */
  public Map<String, String> environment() {
    return Map.of("TASKER_SECURITY_ADMIN_NAME", name, "TASKER_SECURITY_ADMIN_PASSWORD", password);
  }

  /** The value of the header Authorization. */
  public String basic() {
    return "Basic " + Base64.getEncoder()
        .encodeToString((name + ":" + password).getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public String toString() {
    return "Login[" + name + "]";
  }
}
