package ee.tasker.docs;

import static ee.tasker.testing.Sources.text;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * The list of what the build uses, with versions and dates, is made from the POMs; {@code
 * -Ddocs.write=true} writes it anew, with the dates of the files in the local repository.
 */
class DependenciesTest {
  private static final Path PAGE = Path.of("docs", "reference", "dependencies.md");
  private static final List<Path> MODULES = List.of(Path.of("pom.xml"), Path.of("src/pom.xml"),
      Path.of("samples/pom.xml"), Path.of("extras/api/pom.xml"), Path.of("extras/cli/pom.xml"),
      Path.of("extras/client/pom.xml"), Path.of("extras/testkit/pom.xml"),
      Path.of("extras/worker/pom.xml"),
      Path.of("tests/it/pom.xml"), Path.of("tools/bench/pom.xml"),
      Path.of("tools/faults/pom.xml"), Path.of("tools/release/pom.xml"),
      Path.of("tools/run/pom.xml"));
  private static final LocalDate TOO_OLD = LocalDate.of(2000, 1, 1);
  /** Why the newest release is not used. */
  private static final Map<String, String> KEPT_BACK = Map.of(
      "maven-surefire-plugin", "3.6.1 runs integration tests in spite of `-DskipTests`",
      "maven-failsafe-plugin", "as Surefire",
      "parsson", "1.1.9 refuses long numbers, which the product judges itself",
      "jqwik", "1.10 prints lines of its own among the results",
      "junit-bom", "JUnit 6 needs ports of the extensions that the tests use",
      "jakarta.jakartaee-api", "Jakarta EE 10 is what all three servers have");

  private record Artifact(String group, String name, String version) {
    Path file() {
      Path folder = Path.of(System.getProperty("maven.repo.local",
          System.getProperty("user.home") + "/.m2/repository"),
          group.replace('.', '/') + "/" + name + "/" + version);
      return Stream.of(".jar", ".zip", ".pom")
          .map(end -> folder.resolve(name + "-" + version + end))
          .filter(Files::exists).findFirst().orElse(null);
    }

    /** Of the newest file in it. */
    Optional<LocalDate> date() {
      Path file = file();
      if (file == null || file.toString().endsWith(".pom")) {
        return Optional.empty();
      }
      try (ZipFile zip = new ZipFile(file.toFile())) {
        return zip.stream().map(ZipEntry::getLastModifiedTime)
            .map(time -> LocalDate.ofInstant(time.toInstant(), ZoneOffset.UTC))
            .max(LocalDate::compareTo).filter(date -> date.isAfter(TOO_OLD));
      } catch (IOException e) {
        return Optional.empty();
      }
    }
  }

  @Test
  void the_list_of_dependencies_is_that_of_the_poms() throws Exception {
    Map<String, Artifact> artifacts = new TreeMap<>();
    Map<String, TreeSet<String>> uses = new TreeMap<>();
    Map<String, String> properties = properties(MODULES.get(0));
    for (Path module : MODULES) {
      Map<String, String> known = new TreeMap<>(properties);
      known.putAll(properties(module));
      for (String kind : List.of("dependency", "plugin")) {
        for (Element element : elements(module, kind)) {
          String group = resolved(known, child(element, "groupId").orElse(""));
          String name = resolved(known, child(element, "artifactId").orElseThrow());
          String key = kind + " " + group + ":" + name;
          child(element, "version").map(version -> resolved(known, version))
              .filter(version -> !version.contains("${"))
              .ifPresent(version -> artifacts.put(key, new Artifact(group, name, version)));
          if (!module.equals(MODULES.get(0))) {
            uses.computeIfAbsent(key, first -> new TreeSet<>())
                .add(name(module) + child(element, "scope").map(scope -> " (" + scope + ")")
                    .orElse(""));
          }
        }
      }
    }
    artifacts.keySet().removeIf(key -> key.contains("ee.tasker:"));
    assertThat(artifacts).hasSizeGreaterThan(60);
    List<String> rows = artifacts.entrySet().stream()
        .map(each -> row(each.getKey(), each.getValue(), uses)).toList();
    if (Boolean.getBoolean("docs.write")) {
      Files.writeString(PAGE, page(rows, artifacts));
    }
    List<String> listed = text(PAGE).lines().filter(line -> line.startsWith("| `"))
        .map(DependenciesTest::withoutDate).toList();
    assertThat(listed)
        .containsExactlyElementsOf(rows.stream().map(DependenciesTest::withoutDate).toList());
    assertThat(artifacts.values()).extracting(Artifact::name).containsAll(KEPT_BACK.keySet());
  }

  private static String page(List<String> rows, Map<String, Artifact> artifacts) {
    return "<!-- made by DependenciesTest: ./mvnw test -pl src -am -Dtest=DependenciesTest"
        + " -Ddocs.write=true -->\n# Dependencies\n\n"
        + "Which libraries and plugins does the build use, in which versions, from when?\n"
        + "A date is that of the newest file in the artifact; some artifacts carry none.\n"
        + "The bill of materials of a release lists what is in the WAR:"
        + " `./mvnw -Prelease package`.\n\n"
        + "| Artifact | Version | Date | Used by |\n|---|---|---|---|\n"
        + String.join("\n", rows) + "\n\n## Not the newest\n\n| Artifact | Version | Why |\n"
        + "|---|---|---|\n" + artifacts.values().stream()
            .filter(artifact -> KEPT_BACK.containsKey(artifact.name())).distinct()
            .map(artifact -> "| " + artifact.name() + " | " + artifact.version() + " | "
                + KEPT_BACK.get(artifact.name()) + " |")
            .collect(Collectors.joining("\n"))
        + "\n";
  }

  private static String row(String key, Artifact artifact, Map<String, TreeSet<String>> uses) {
    return "| `" + artifact.group() + ":" + artifact.name() + "` | " + artifact.version() + " | "
        + artifact.date().map(LocalDate::toString).orElse("") + " | "
        + String.join(", ", uses.getOrDefault(key, new TreeSet<>(List.of("the build")))) + " |";
  }

  private static String withoutDate(String row) {
    return row.replaceFirst("\\| [0-9-]* \\|", "| |").replaceFirst("\\|  \\|", "| |");
  }

  private static String name(Path module) {
    return module.getParent() == null ? "the build"
        : module.getParent().toString().equals("src") ? "the product"
            : module.getParent().toString();
  }

  private static Map<String, String> properties(Path pom) throws Exception {
    Map<String, String> found = new TreeMap<>();
    for (Element properties : elements(pom, "properties")) {
      for (Node node = properties.getFirstChild(); node != null; node = node.getNextSibling()) {
        if (node instanceof Element property) {
          found.putIfAbsent(property.getTagName(), property.getTextContent().trim());
        }
      }
    }
    return found;
  }

  private static String resolved(Map<String, String> properties, String text) {
    String resolved = text;
    for (int depth = 0; depth < 4; depth++) {
      resolved = Pattern.compile("\\$\\{([^}]+)}").matcher(resolved).replaceAll(
          found -> Matcher.quoteReplacement(properties.getOrDefault(found.group(1),
              found.group())));
    }
    return resolved;
  }

  private static List<Element> elements(Path pom, String tag) throws Exception {
    List<Element> found = new ArrayList<>();
    try (InputStream in = Files.newInputStream(pom)) {
      var list = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(in)
          .getElementsByTagName(tag);
      for (int i = 0; i < list.getLength(); i++) {
        found.add((Element) list.item(i));
      }
    }
    return found;
  }

  private static Optional<String> child(Element element, String tag) {
    for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element child && child.getTagName().equals(tag)) {
        return Optional.of(child.getTextContent().trim());
      }
    }
    return Optional.empty();
  }
}
