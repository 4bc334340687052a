package ee.tasker.release;

import ee.tasker.run.LoginJar;
import ee.tasker.run.ServerKind;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.stream.JsonGenerator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Collects what the build has made into one folder, {@code target/release}, and adds what no plugin
 * makes: the notes from the
 * changelog, one file of licences, and the digests. Everything it writes depends on the checkout
 * alone, so that two builds
 * have the same digests.
 */
public final class Release {

  /** What Maven Central asks of a POM besides what Maven needs itself; POMs inherit the second. */
  private static final List<String> OWN = List.of("name", "description");
  private static final List<String> INHERITED = List.of("url", "licenses", "scm", "developers");

  /**
   * An artifact of Maven's.
   *
   * @param folder where its POM is
   * @param target where it is built
   * @param name   its artifact id
   * @param file   the name that the build gives its files
   */
  private record Artifact(String folder, String target, String name, String file,
      String packaging) {}

  private final Path checkout;
  private final String version;
  private final Path folder;

  private Release(Path checkout, String version) {
    this.checkout = checkout;
    this.version = version;
    this.folder = checkout.resolve("target/release");
  }

  public static void main(String[] arguments) throws IOException {
    var checkout = Path.of(System.getProperty("tasker.checkout"));
    var complaints = Versions.complaints(checkout);
    if (!complaints.isEmpty())
      throw new IOException("The version differs between files: " + String.join("; ", complaints));
    expectUsualPermissions(checkout.resolve("target/tasker-ee.war"));
    var release = new Release(checkout, Versions.of(checkout));
    release.collect();
    release.report();
  }

  /** The archives hold the permissions of the files that go into them. */
  private static void expectUsualPermissions(Path made) throws IOException {
    if (made.getFileSystem().supportedFileAttributeViews().contains("posix")
        && !PosixFilePermissions.toString(Files.getPosixFilePermissions(made)).equals("rw-r--r--"))
      throw new IOException(
          "This build differs from others in the permissions of files: clone and build with umask 022.");
  }

  private void collect() throws IOException {
    Files.createDirectories(folder);
    for (var artifact : artifacts())
      collect(artifact);
    copy("pom.xml", "tasker-ee-parent-" + version + ".pom");
    copy("target/tasker-ee-db.zip", "tasker-ee-db-" + version + ".zip");
    copy("target/tasker-ee-monitoring.zip", "tasker-ee-monitoring-" + version + ".zip");
    copy("target/tasker-ee-helm.tar.gz", "tasker-ee-helm-" + version + ".tgz");
    copy("target/release-parts/" + LoginJar.NAME, "tasker-ee-login-" + version + ".jar");
    copy("target/tasker-ee-cli.tar.gz", "tasker-ee-cli-" + version + ".tar.gz");
    for (var server : ServerKind.values())
      copy("target/tasker-ee-container-" + server.id() + ".tar.gz",
          "tasker-ee-" + version + "-container-" + server.id() + ".tar.gz");
    Files.writeString(folder.resolve("RELEASE-NOTES.md"),
        notes(Files.readString(checkout.resolve("CHANGELOG.md")), version));
    Files.writeString(folder.resolve("THIRD-PARTY-LICENCES.txt"), licences());
    copy("LICENSE", "LICENSE");
    Files.writeString(folder.resolve("SHA256SUMS"), digests());
    collectReports();
  }

  /**
   * What the tests before have found. Beside the artifacts and without a digest, because these
   * tables differ from run to run.
   */
  private void collectReports() throws IOException {
    var reports = checkout.resolve("target/reports");
    if (Files.isDirectory(reports))
      try (var files = Files.walk(reports)) {
        for (var report : files.filter(Files::isRegularFile).sorted().toList()) {
          var copy = folder.resolve("reports").resolve(reports.relativize(report).toString());
          Files.createDirectories(copy.getParent());
          Files.copy(report, copy, StandardCopyOption.REPLACE_EXISTING);
        }
      }
  }

  private List<Artifact> artifacts() {
    return List.of(new Artifact("src", "target", "tasker-ee", "tasker-ee", "war"),
        extra("api", "tasker-ee-api", "tasker-ee-api-" + version),
        extra("worker", "tasker-ee-worker", "tasker-ee-worker-" + version),
        extra("client", "tasker-ee-client", "tasker-ee-client-" + version),
        extra("cli", "tasker-ee-cli", "tasker-ee-cli"),
        extra("testkit", "tasker-ee-test", "tasker-ee-test-" + version));
  }

  private static Artifact extra(String folder, String name, String file) {
    return new Artifact("extras/" + folder, "extras/" + folder + "/target", name, file, "jar");
  }

  private void collect(Artifact artifact) throws IOException {
    var built = artifact.target() + "/";
    var name = artifact.name() + "-" + version;
    copy(built + artifact.file() + "." + artifact.packaging(), name + "." + artifact.packaging());
    copy(built + artifact.file() + "-sources.jar", name + "-sources.jar");
    copy(built + artifact.file() + "-javadoc.jar", name + "-javadoc.jar");
    copy(artifact.folder() + "/pom.xml", name + ".pom");
    var bom = built + "bom.json";
    if (artifact.packaging().equals("war"))
      Files.writeString(folder.resolve(name + "-cyclonedx.json"),
          withConsole(checkout.resolve(bom)));
    else
      copy(bom, name + "-cyclonedx.json");
  }

  private void copy(String from, String to) throws IOException {
    Files.copy(checkout.resolve(from), folder.resolve(to), StandardCopyOption.REPLACE_EXISTING);
  }

  /**
   * The modules that the console brings along are no Maven dependencies, so the plugin knows
   * nothing of them.
   */
  private String withConsole(Path bom) throws IOException {
    JsonObject maven = read(bom);
    var components = Json.createArrayBuilder(maven.getJsonArray("components"));
    for (var module : read(console("vendored.json")).getJsonArray("files")
        .getValuesAs(JsonObject.class))
      components.add(component(module));
    var text = new java.io.StringWriter();
    try (var writer = Json.createWriterFactory(Map.of(JsonGenerator.PRETTY_PRINTING, true))
        .createWriter(text)) {
      writer.writeObject(Json.createObjectBuilder(maven).add("components", components).build());
    }
    return text.toString().strip() + "\n";
  }

  private static JsonObject component(JsonObject module) {
    var purl = "pkg:npm/" + module.getString("package").replace("@", "%40") + "@"
        + module.getString("version");
    JsonArrayBuilder licences = Json.createArrayBuilder();
    for (var licence : module.getString("licence").split(" and "))
      licences.add(Json.createObjectBuilder().add("license",
          Json.createObjectBuilder().add("id", licence.replaceAll(" \\(.*", ""))));
    return Json.createObjectBuilder()
        .add("type", "library").add("bom-ref", purl).add("name", module.getString("package"))
        .add("version", module.getString("version"))
        .add("description",
            "console/vendor/" + module.getString("file") + ", " + module.getString("licence"))
        .add("scope", "required")
        .add("hashes", Json.createArrayBuilder()
            .add(Json.createObjectBuilder().add("alg", "SHA-256").add("content",
                module.getString("sha256"))))
        .add("licenses", licences).add("purl", purl).build();
  }

  private static JsonObject read(Path file) throws IOException {
    try (var reader = Json.createReader(Files.newBufferedReader(file))) {
      return reader.readObject();
    }
  }

  private Path console(String file) {
    return checkout.resolve("src/main/webapp/console/vendor").resolve(file);
  }

  private String licences() throws IOException {
    var text = new StringBuilder(
        "Works of others that the files of this release contain or need, with their licences.\n");
    for (var artifact : artifacts()) {
      text.append("\n=== ").append(artifact.name()).append("\n");
      text.append(
          thirdParty(checkout.resolve(artifact.target()).resolve("THIRD-PARTY.txt")));
    }
    text.append("\n=== jpa/eclipselink.jar of the container context for WildFly\n\n")
        .append(
            "     (Eclipse Public License 2.0) (Eclipse Distribution License 1.0) EclipseLink (org.eclipse.persistence:eclipselink)\n");
    text.append("\n=== The console, in tasker-ee.war\n\n")
        .append(Files.readString(console("licences.txt")));
    return text.toString();
  }

  /** By line, since the plugin orders them by itself. */
  private static String thirdParty(Path file) throws IOException {
    if (!Files.exists(file))
      return "\n     nothing\n";
    var lines = Files.readString(file).lines().filter(line -> line.startsWith("     (")).sorted()
        .toList();
    return lines.isEmpty() ? "\n     nothing\n" : "\n" + String.join("\n", lines) + "\n";
  }

  /** The section of this version; of a version to come, what is unreleased. */
  static String notes(String changelog, String version) throws IOException {
    var section = version.endsWith("-SNAPSHOT") ? "Unreleased" : version;
    var heading = Pattern.compile("(?m)^## \\[" + Pattern.quote(section) + "].*$")
        .matcher(changelog);
    if (!heading.find())
      throw new IOException("CHANGELOG.md has no section ## [" + section + "]");
    var next = Pattern.compile("(?m)^## \\[").matcher(changelog);
    var text = changelog.substring(heading.end(),
        next.find(heading.end()) ? next.start() : changelog.length());
    return "# Tasker EE " + version + "\n\n" + text.strip() + "\n";
  }

  private String digests() throws IOException {
    var lines = new StringBuilder();
    for (var file : files())
      lines.append(sha256(file)).append("  ").append(file.getFileName()).append("\n");
    return lines.toString();
  }

  private List<Path> files() throws IOException {
    try (var files = Files.list(folder)) {
      return files.filter(Files::isRegularFile)
          .filter(file -> !file.endsWith("SHA256SUMS")).sorted().toList();
    }
  }

  private static String sha256(Path file) throws IOException {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private void report() throws IOException {
    System.out.println("\nTasker EE " + version + ", in target/release:\n");
    for (var file : files())
      System.out.printf(Locale.ROOT, "  %9d  %s%n", Files.size(file), file.getFileName());
    System.out.println("             SHA256SUMS\n");
    var missing = missingForCentral(checkout);
    if (version.endsWith("-SNAPSHOT"))
      System.out.println(
          "Not to be published: " + version + " is no released version. See docs/releasing.md.");
    for (var line : missing)
      System.out.println("Not to be published on Maven Central: " + line);
  }

  /** What the POMs lack of that which Maven Central asks for. */
  static List<String> missingForCentral(Path checkout) throws IOException {
    var missing = new ArrayList<String>();
    for (var pom : Versions.POMS)
      find(checkout, pom, OWN, missing);
    find(checkout, "pom.xml", INHERITED, missing);
    return missing;
  }

  private static void find(Path checkout, String pom, List<String> elements, List<String> missing)
      throws IOException {
    var text = Files.readString(checkout.resolve(pom));
    var lacking = elements.stream()
        .filter(element -> !Pattern.compile("(?m)^  <" + element + ">").matcher(text).find())
        .toList();
    if (!lacking.isEmpty())
      missing.add(pom + " has no " + String.join(", no ", lacking));
  }
}
