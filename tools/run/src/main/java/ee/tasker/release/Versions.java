package ee.tasker.release;

import ee.tasker.run.ServerKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * The version is that of {@code pom.xml}. Every other file that names it is listed here: {@link
 * #complaints} compares them,
 * and {@link #set} changes all. The same holds for the time that the archives' entries get.
 */
public final class Versions {

  private static final Pattern VERSION = Pattern.compile("\\d+\\.\\d+\\.\\d+(-SNAPSHOT)?");
  private static final String OF_PROJECT = "(?m)^  <version>([^<]+)</version>";
  private static final String TIME = "<project\\.build\\.outputTimestamp>([^<]+)<";
  private static final String OF_PARENT = "<parent>.*<version>([^<]+)</version>";
  private static final String DEPENDENCY = "<artifactId>tasker-ee[^<]*</artifactId><version>([^<]+)</version>";

  /** What is published: the product, then what is built beside it. */
  static final List<String> POMS = List.of("src/pom.xml", "extras/api/pom.xml",
      "extras/worker/pom.xml", "extras/client/pom.xml", "extras/cli/pom.xml",
      "extras/testkit/pom.xml");
  private static final List<String> MODULES = List.of("samples/pom.xml", "tests/pom.xml",
      "tests/it/pom.xml", "tools/run/pom.xml", "tools/bench/pom.xml", "tools/faults/pom.xml",
      "tools/release/pom.xml");

  /**
   * A place that names the version.
   *
   * @param pattern its first group is the version
   * @param form    the version as this file writes it
   */
  private record Place(String file, String pattern, UnaryOperator<String> form) {}

  private static final List<Place> PLACES = new ArrayList<>();

  static {
    PLACES.add(new Place("pom.xml", OF_PROJECT, version -> version));
    for (var pom : POMS)
      PLACES.add(new Place(pom, OF_PARENT, version -> version));
    for (var pom : MODULES)
      PLACES.add(new Place(pom, OF_PARENT, version -> version));
    PLACES.add(
        new Place("examples/embedding/pom.xml", "<tasker\\.version>([^<]+)<", version -> version));
    PLACES.add(
        new Place("examples/worker/pom.xml", "<tasker\\.version>([^<]+)<", version -> version));
    PLACES.add(new Place("docs/inner-loop.md", DEPENDENCY, version -> version));
    PLACES.add(new Place("docs/testing-workflows.md", DEPENDENCY, version -> version));
    PLACES.add(new Place("README.md", "(?m)^## Status\\R\\R(\\d\\S*?)\\.\\s", version -> version));
    PLACES.add(new Place("src/main/resources/META-INF/tasker/openapi.yaml",
        "(?m)^  version: (\\S+)$", Versions::released));
    PLACES.add(new Place("deploy/helm/tasker-ee/Chart.yaml",
        "(?m)^(?:version|appVersion): \"?([^\\s\"]+)", Versions::released));
    PLACES.add(new Place("deploy/kubernetes/tasker-ee.yaml",
        "(?:/tasker-ee:|app\\.kubernetes\\.io/version: \")([^\\s\"-]+)", Versions::released));
    for (var server : ServerKind.values())
      PLACES.add(new Place(ContainerContext.file(server), "tasker-ee[:-](\\d[^\\s-]*)",
          Versions::released));
    PLACES.add(new Place("clients/python/pyproject.toml", "(?m)^version = \"([^\"]+)\"",
        Versions::python));
    PLACES.add(new Place("clients/typescript/package.json", "(?m)^  \"version\": \"([^\"]+)\"",
        Versions::npm));
    PLACES.add(
        new Place("clients/typescript/package-lock.json",
            "(?m)^(?:  |    {2}\"name\": \"tasker-ee\",\\R      )\"version\": \"([^\"]+)\"",
            Versions::npm));
    PLACES
        .add(new Place("clients/typescript/README.md", "tasker-ee-(\\d\\S*)\\.tgz", Versions::npm));
  }

  private Versions() {}

  static List<String> files() {
    return PLACES.stream().map(Place::file).distinct().toList();
  }

  /** {@code -Dversion.to=0.1.0}: the version of all; without it, whether all are the same. */
  public static void main(String[] arguments) throws IOException {
    var checkout = Path.of(System.getProperty("tasker.checkout", "."));
    var to = System.getProperty("version.to", "");
    if (!to.isBlank())
      set(checkout, to, Instant.now().truncatedTo(ChronoUnit.DAYS));
    var complaints = complaints(checkout);
    complaints.forEach(System.err::println);
    if (!complaints.isEmpty())
      System.exit(1);
    System.out.println("The version is " + of(checkout) + " everywhere.");
  }

  /** The version that {@code pom.xml} has. */
  public static String of(Path checkout) throws IOException {
    var found = Pattern.compile(OF_PROJECT).matcher(Files.readString(checkout.resolve("pom.xml")));
    if (!found.find())
      throw new IOException("pom.xml has no version");
    return found.group(1);
  }

  /** A sentence for each place that has another version or time than {@code pom.xml}. */
  public static List<String> complaints(Path checkout) throws IOException {
    var version = of(checkout);
    var complaints = new ArrayList<String>();
    for (var place : PLACES)
      compare(checkout, place.file(), place.pattern(), place.form().apply(version), complaints);
    return complaints;
  }

  private static void compare(Path checkout, String file, String pattern, String expected,
      List<String> complaints) throws IOException {
    var found = Pattern.compile(pattern).matcher(Files.readString(checkout.resolve(file)));
    int places = 0;
    for (; found.find(); places++) {
      if (!found.group(1).equals(expected))
        complaints.add(file + " says " + found.group(1) + "; by pom.xml it is " + expected);
    }
    if (places == 0)
      complaints.add(file + " names no version where it did: " + pattern);
  }

  /** Changes all places; the time becomes that of every entry of every archive. */
  public static void set(Path checkout, String version, Instant time) throws IOException {
    if (!VERSION.matcher(version).matches())
      throw new IllegalArgumentException(
          "A version is like 0.1.0 or 0.1.0-SNAPSHOT, and not: " + version);
    for (var place : PLACES)
      replace(checkout.resolve(place.file()), place.pattern(), place.form().apply(version));
    replace(checkout.resolve("pom.xml"), TIME, time.toString());
  }

  private static void replace(Path file, String pattern, String value) throws IOException {
    var text = Files.readString(file);
    var changed = new StringBuilder();
    int from = 0;
    var found = Pattern.compile(pattern).matcher(text);
    while (found.find()) {
      changed.append(text, from, found.start(1)).append(value);
      from = found.end(1);
    }
    Files.writeString(file, changed.append(text.substring(from)));
  }

  private static String released(String version) {
    return version.replace("-SNAPSHOT", "");
  }

  /** PEP 440. */
  private static String python(String version) {
    return version.replace("-SNAPSHOT", ".dev0");
  }

  /** Semantic Versioning. */
  private static String npm(String version) {
    return version.replace("-SNAPSHOT", "-dev.0");
  }
}
