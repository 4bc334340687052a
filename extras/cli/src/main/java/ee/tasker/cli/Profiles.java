package ee.tasker.cli;

import jakarta.json.Json;
import jakarta.json.JsonException;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonReader;
import jakarta.json.JsonValue;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The servers that the user has logged in to, with the credentials: {@code profiles.json} in a
 * folder of the user's, mode 600 and
 * 700. A file that others may read is refused, as ssh does it. Immutable; {@link #save} replaces
 * the file as a whole.
 *
 * @param current the name of the profile that is used without a choice
 * @param profiles by name
 */
record Profiles(String current, Map<String, Profile> profiles) {
  static final String DEFAULT = "default";

  /**
   * One server and how to log in there.
   *
   * @param url its address
   * @param kind {@code key}, {@code token} or {@code password}
   * @param user the name of the user, with a password
   * @param secret the key, token or password
   */
  record Profile(String url, String kind, String user, String secret) {
    @Override
    public String toString() {
      return "Profile[" + url + ", " + kind + "]";
    }
  }

  /**
   * {@code TASKER_CONFIG_DIR}, or {@code tasker} in the folder where the system keeps
   * configurations.
   */
  static Path folder(Terminal terminal) {
    Optional<String> given = terminal.variable("TASKER_CONFIG_DIR");
    if (given.isPresent()) {
      return Path.of(given.get());
    }
    boolean windows = System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("windows");
    return (windows ? terminal.variable("APPDATA") : terminal.variable("XDG_CONFIG_HOME"))
        .map(Path::of)
        .orElseGet(() -> Path.of(terminal.variable("HOME").orElse(System.getProperty("user.home")),
            ".config"))
        .resolve("tasker");
  }

  static Profiles load(Path folder) {
    Path file = folder.resolve("profiles.json");
    try {
      Set<PosixFilePermission> mode = isPosix(file) ? Files.getPosixFilePermissions(file)
          : Set.of();
      if (mode.stream().anyMatch(permission -> !permission.name().startsWith("OWNER_"))) {
        throw new UsageException("Others may read or write " + file
            + ", which has keys; take the permission away: chmod 600 " + file);
      }
      return of(Files.readString(file));
    } catch (NoSuchFileException e) {
      return new Profiles(DEFAULT, Map.of());
    } catch (IOException | JsonException | ClassCastException | NullPointerException e) {
      throw new UsageException("Cannot read the profiles in " + file + ": " + Faults.text(e));
    }
  }

  private static Profiles of(String text) {
    try (JsonReader reader = Json.createReader(new StringReader(text))) {
      JsonObject json = reader.readObject();
      Map<String, Profile> profiles = new TreeMap<>();
      json.getJsonObject("profiles").forEach((name, value) -> {
        JsonObject profile = value.asJsonObject();
        profiles.put(name,
            new Profile(profile.getString("url"), profile.getString("kind"),
                profile.getString("user", null), profile.getString("secret")));
      });
      return new Profiles(json.getString("current"), profiles);
    }
  }

  Optional<Profile> profile(String name) {
    return Optional.ofNullable(profiles.get(name));
  }

  Profiles with(String name, Profile profile) {
    Map<String, Profile> more = new TreeMap<>(profiles);
    more.put(name, profile);
    return new Profiles(name, more);
  }

  Profiles without(String name) {
    Map<String, Profile> fewer = new TreeMap<>(profiles);
    fewer.remove(name);
    return new Profiles(
        current.equals(name) ? fewer.keySet().stream().findFirst().orElse(DEFAULT) : current,
        fewer);
  }

  /** Readable by the user alone from the first moment, and never half written. */
  void save(Path folder) {
    JsonObjectBuilder all = Json.createObjectBuilder();
    profiles.forEach((name, profile) -> all.add(name,
        Json.createObjectBuilder().add("url", profile.url()).add("kind", profile.kind())
            .add("user", profile.user() == null ? JsonValue.NULL : Json.createValue(profile.user()))
            .add("secret", profile.secret())));
    write(folder, "profiles.json", Text
        .pretty(Json.createObjectBuilder().add("current", current).add("profiles", all).build()));
  }

  /** A file in the folder of the configuration, which only its user may read. */
  static void write(Path folder, String name, String text) {
    try {
      Files.createDirectories(folder.toAbsolutePath().getParent());
      if (!Files.isDirectory(folder)) {
        Files.createDirectory(folder, owned(folder, "rwx------"));
      } else if (isPosix(folder)) {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
      }
      Path written = Files.createTempFile(folder, name, ".new", owned(folder, "rw-------"));
      try {
        Files.writeString(written, text + "\n");
        Files.move(written, folder.resolve(name), StandardCopyOption.REPLACE_EXISTING,
            StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(written);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(
          "Cannot store " + name + " in " + folder + ": " + Faults.text(e), e);
    }
  }

  private static FileAttribute<?>[] owned(Path where, String mode) {
    return isPosix(where)
        ? new FileAttribute<?>[]{
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode))}
        : new FileAttribute<?>[0];
  }

  private static boolean isPosix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }
}
