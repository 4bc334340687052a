package ee.tasker.release;

import jakarta.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The functions, views and triggers of a version as one unit: the parts of {@code db/routine} in
 * the order in which they are installed, and the manifest by which a database is compared with
 * them. The build writes both into the application, which does not search for files then.
 */
public final class RoutineParts {
  /** What begins a part in the file with the texts of all. */
  static final String BEGIN = "-- part: ";

  private static final Pattern FILE = Pattern.compile("R__(.+)\\.sql");
  private static final Pattern MIGRATION = Pattern.compile("V(\\d+)__.+\\.sql");
  private static final Pattern FUNCTION = Pattern
      .compile("(?ms)^create or replace function\\s+tasker\\.(\\w+)(.*?)\\blanguage\\b");
  private static final Pattern VIEW = Pattern
      .compile("(?m)^create or replace view\\s+tasker\\.(\\w+)");
  private static final Pattern TRIGGER = Pattern.compile(
      "(?ms)^create or replace trigger\\s+(\\w+)\\b.*?\\bon\\s+tasker\\.(\\w+).*?;\\R");
  private static final Pattern CREATE = Pattern.compile("(?im)^(create|alter|drop)\\s");
  /** A call that a gateway makes, or one within a statement, as in SchemaDump. */
  private static final Pattern CALL = Pattern
      .compile("\"([a-z][a-z_0-9]*)\\(|(?<!@code )(?<!\\* )\\btasker\\.([a-z][a-z_0-9]*)\\(");

  /**
   * What is installed or not as a whole.
   *
   * @param objects what the text creates, as {@code db/install} names it; none for one that only
   *        writes rows
   */
  record Part(String file, Kind kind, String text, String signature, List<String> objects) {
    String digest() {
      return sha256(text);
    }

    boolean isAlwaysLate() {
      return kind != Kind.FUNCTION;
    }

    String title() {
      return file.substring(file.lastIndexOf('/') + 1).replaceAll("^R__|\\.sql", "")
          .replace('_', ' ').replace("#", ": ");
    }
  }

  /** In the order of the installation: what locks tables comes late. */
  private enum Kind {
    FUNCTION, VIEW, TRIGGER, ROWS
  }

  private final String version;
  private final String migration;
  private final List<Part> parts;
  private final Set<String> called;

  private RoutineParts(String version, String migration, List<Part> parts, Set<String> called) {
    this.version = version;
    this.migration = migration;
    this.parts = parts;
    this.called = called;
  }

  /**
   * @param db      the folder with migrations and routines
   * @param sources of the application, which calls functions; may not exist
   */
  public static RoutineParts of(Path db, String version, Path... sources) throws IOException {
    if (!version.matches("\\d+(\\.\\d+)*(-\\w+)?"))
      throw new IllegalArgumentException("no version: " + version);
    var parts = new ArrayList<Part>();
    for (var file : files(db.resolve("routine"), FILE))
      read(db.resolve("routine"), file, parts);
    parts.sort(Comparator.comparing(Part::kind)
        .thenComparing(part -> part.file().substring(part.file().lastIndexOf('/') + 1)));
    var migration = "0";
    for (var file : files(db.resolve("migration"), MIGRATION)) {
      var name = MIGRATION.matcher(file.getFileName().toString());
      if (name.matches() && name.group(1).compareTo(migration) > 0)
        migration = name.group(1);
    }
    return new RoutineParts(version, migration, parts, called(List.of(sources)));
  }

  private static void read(Path folder, Path file, Collection<Part> parts) throws IOException {
    var name = folder.relativize(file).toString().replace('\\', '/');
    var text = Files.readString(file).replace("\r\n", "\n");
    var triggers = TRIGGER.matcher(text);
    while (triggers.find())
      parts.add(new Part(name + "#" + triggers.group(1) + "_on_" + triggers.group(2), Kind.TRIGGER,
          triggers.group(), "",
          List.of("trigger " + triggers.group(1) + " on " + triggers.group(2))));
    var rest = TRIGGER.matcher(text).replaceAll("");
    var objects = new ArrayList<String>();
    var header = new StringBuilder();
    var functions = FUNCTION.matcher(rest);
    while (functions.find()) {
      objects.add("function " + functions.group(1));
      header.append(functions.group().replaceAll("--[^\n]*", "").replaceAll("\\s+", " "));
    }
    var kind = objects.isEmpty() ? Kind.ROWS : Kind.FUNCTION;
    var views = VIEW.matcher(rest);
    while (views.find()) {
      objects.add("view " + views.group(1));
      kind = Kind.VIEW;
    }
    if (CREATE.matcher(rest).results().count() != objects.size())
      throw new IllegalStateException(
          name + " creates something else than functions, views and triggers");
    parts.add(new Part(name, kind, rest,
        kind == Kind.ROWS ? "" : sha256(kind == Kind.VIEW ? rest : header.toString()), objects));
  }

  private static Set<String> called(List<Path> sources) throws IOException {
    var called = new HashSet<String>();
    for (var folder : sources)
      if (Files.isDirectory(folder))
        for (var file : files(folder, Pattern.compile(".+\\.java"))) {
          var calls = CALL.matcher(Files.readString(file));
          while (calls.find())
            called.add(calls.group(1) == null ? calls.group(2) : calls.group(1));
        }
    return called;
  }

  private static List<Path> files(Path folder, Pattern name) throws IOException {
    try (var files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile)
          .filter(file -> name.matcher(file.getFileName().toString()).matches()).sorted().toList();
    }
  }

  List<Part> parts() {
    return parts;
  }

  /** As JSON, for the scripts of {@code db/install}. */
  public String manifest() {
    var array = Json.createArrayBuilder();
    var all = new StringBuilder();
    for (var part : parts) {
      array.add(Json.createObjectBuilder().add("file", part.file()).add("digest", part.digest())
          .add("signature", part.signature())
          .add("objects", Json.createArrayBuilder(part.objects()))
          .add("is_called", part.kind() == Kind.FUNCTION
              && called.contains(part.objects().get(0).substring("function ".length()))));
      all.append(part.file()).append(' ').append(part.digest()).append('\n');
    }
    return Json.createObjectBuilder().add("version", version).add("migration", migration)
        .add("digest", sha256(all.toString())).add("parts", array).build().toString();
  }

  /** All parts in their order, each behind a line with its name. */
  public String texts() {
    var texts = new StringBuilder();
    for (var part : parts)
      texts.append(BEGIN).append(part.file()).append('\n').append(part.text());
    return texts.toString();
  }

  private static String sha256(String text) {
    try {
      return HexFormat.of().formatHex(
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Writes {@code routines.json} and {@code routines.sql} into the folder that is given, or only the
   * first for a library, whose folders of sources follow: it installs nothing.
   */
  public static void main(String[] arguments) throws IOException {
    var checkout = Path.of(arguments[0]);
    var folder = Path.of(arguments[1]);
    var library = Arrays.stream(arguments).skip(2).map(Path::of).toArray(Path[]::new);
    var parts = of(checkout.resolve("db"), Versions.of(checkout),
        library.length > 0 ? library : new Path[]{checkout.resolve("src/main/java")});
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("routines.json"), parts.manifest());
    if (library.length == 0)
      Files.writeString(folder.resolve("routines.sql"), parts.texts());
  }
}
