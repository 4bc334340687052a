package ee.tasker.cli;

import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes an application with a handler, a template, a test of both and the build, and with an entity
 * and a handler that persists it if told so. Speaks to no server.
 */
final class Init {
  private static final Pattern PACKAGE = Pattern.compile("[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)*");
  private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9._-]*");
  private static final Set<String> WORDS = Set.of("abstract", "assert", "boolean", "break", "byte",
      "case", "catch", "char", "class",
      "const",
      "continue", "default", "do", "double", "else", "enum", "extends", "final", "finally", "float",
      "for", "goto", "if", "implements",
      "import",
      "instanceof", "int", "interface", "long", "native", "new", "package", "private", "protected",
      "public", "return", "short", "static",
      "strictfp", "super", "switch", "synchronized", "this", "throw", "throws", "transient", "try",
      "void", "volatile", "while", "true",
      "false", "null");

  private Init() {}

  static int run(Invocation in) {
    Path folder = folder(in.required("DIR"));
    String name = in.text("--name").orElse(folder.getFileName().toString());
    String packageName = in.text("--package").orElse("app");
    if (!NAME.matcher(name).matches()) {
      throw new UsageException(
          "\"" + name
              + "\" cannot be the name of an application: letters, digits, and . _ - after a letter; see --name");
    }
    if (!PACKAGE.matcher(packageName).matches()
        || Stream.of(packageName.split("\\.")).anyMatch(WORDS::contains)) {
      throw new UsageException(
          "\"" + packageName + "\" is no package, such as shop or org.example.shop");
    }
    boolean hasEntities = in.flag("--jpa");
    Map<String, String> values = Map.of("name", name, "package", packageName, "folder",
        packageName.replace('.', '/'), "namespace",
        packageName.substring(packageName.lastIndexOf('.') + 1), "version", version(), "archive",
        hasEntities ? text("archive-jpa.txt", Map.of()) : "");
    JsonArrayBuilder made = Json.createArrayBuilder();
    files(packageName.replace('.', '/'), hasEntities).forEach((path, resources) -> {
      write(folder.resolve(path), resources.stream().map(each -> text(each, values))
          .collect(Collectors.joining()));
      made.add(Json.createObjectBuilder().add("file", path));
    });
    in.output().print(
        Json.createObjectBuilder().add("folder", folder.toString()).add("files", made).build(),
        View.rows("files", "FILE=file"));
    in.output().say("Made " + folder + "; README.md there says how it is built, tested and run.");
    return Exit.DONE;
  }

  /** Never overwrites anything. */
  private static Path folder(String given) {
    try {
      Path folder = Path.of(given).toAbsolutePath().normalize();
      if (folder.getFileName() == null) {
        throw new UsageException(given + " is no folder for an application");
      }
      if (Files.exists(folder)) {
        if (!Files.isDirectory(folder)) {
          throw new UsageException(given + " is there already, and is no folder");
        }
        try (Stream<Path> inside = Files.list(folder)) {
          if (inside.findAny().isPresent()) {
            throw new UsageException(given + " is not empty");
          }
        }
      }
      return folder;
    } catch (InvalidPathException | IOException e) {
      throw new UsageException(given + " cannot be used: " + Faults.text(e));
    }
  }

  /** Each file with the resources that it is made of. */
  private static Map<String, List<String>> files(String folder, boolean hasEntities) {
    String java = "src/main/java/" + folder + "/";
    String resources = "src/main/resources/" + folder + "/";
    Map<String, List<String>> files = new LinkedHashMap<>();
    files.put("pom.xml", List.of("pom.xml"));
    files.put("README.md", hasEntities ? List.of("README.md", "README-jpa.md")
        : List.of("README.md"));
    files.put(".gitignore", List.of("gitignore"));
    files.put(java + "Greet.java", List.of("Greet.txt"));
    files.put(resources + "greeting.yaml", List.of("greeting.yaml"));
    files.put("src/main/resources/META-INF/tasker-templates", hasEntities
        ? List.of("tasker-templates", "tasker-templates-jpa") : List.of("tasker-templates"));
    files.put("src/test/java/" + folder + "/GreetingTest.java", List.of("GreetingTest.txt"));
    if (hasEntities) {
      files.put(java + "Payment.java", List.of("Payment.txt"));
      files.put(java + "BookPayment.java", List.of("BookPayment.txt"));
      files.put(resources + "booking.yaml", List.of("booking.yaml"));
      files.put("src/main/resources/META-INF/persistence.xml", List.of("persistence.xml"));
      files.put("src/main/sql/payments.sql", List.of("payments.sql"));
    }
    return files;
  }

  /** That of this program: product, handler API and test kit are released together. */
  private static String version() {
    try (InputStream in = Init.class.getResourceAsStream("version.txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(String resource, Map<String, String> values) {
    try (InputStream in = Init.class.getResourceAsStream("init/" + resource)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      for (String key : List.copyOf(values.keySet())) {
        text = text.replace("@" + key + "@", values.get(key));
      }
      return text;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(Path file, String text) {
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UsageException(file + " cannot be written: " + Faults.text(e));
    }
  }
}
