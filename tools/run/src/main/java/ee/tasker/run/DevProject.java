package ee.tasker.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;

/**
 * What {@code ./mvnw -Pdev} watches: the samples of this checkout, or the application that {@code
 * -Ddev.project} names.
 *
 * @param root      shown paths are relative to it
 * @param sources   Java sources of handlers
 * @param resources what belongs into the application's jar besides classes, for the samples {@code
 *   META-INF} alone
 * @param templates where templates are
 * @param libraries jars that the application brings along; may not exist
 */
record DevProject(Path root, Path sources, Path resources, Path templates, Path libraries) {

  static Optional<DevProject> from(Path checkout, Properties build) {
    if (!Boolean.parseBoolean(build.getProperty("tasker.dev", "false")))
      return Optional.empty();
    var given = build.getProperty("tasker.dev.project", "");
    if (given.isBlank()) {
      var samples = checkout.resolve("samples");
      return Optional.of(new DevProject(checkout, samples.resolve("java"), samples.resolve("java"),
          samples, samples.resolve("lib")));
    }
    var root = Path.of(given).toAbsolutePath().normalize();
    var main = root.resolve("src/main");
    if (!Files.isDirectory(main.resolve("java")))
      throw new RunProblem(
          "-Ddev.project names no application: there is no " + main.resolve("java") + ".");
    return Optional
        .of(new DevProject(root, main.resolve("java"), main.resolve("resources"),
            main.resolve("resources"), root.resolve("target/lib")));
  }

  String shown(Path file) {
    return file.startsWith(root) ? root.relativize(file).toString() : file.toString();
  }

  List<Path> javaFiles() throws IOException {
    return files(sources, ".java");
  }

  /** Every file that is watched, with what tells that it has changed. */
  Map<Path, String> snapshot() throws IOException {
    var found = new TreeMap<Path, String>();
    for (var folder : List.of(sources, resources, templates)) {
      for (var file : files(folder, "")) {
        try {
          found.put(file, Files.getLastModifiedTime(file).toMillis() + " " + Files.size(file));
        } catch (IOException e) {
          // deleted since it was listed
        }
      }
    }
    return found;
  }

  boolean isTemplate(Path file) {
    var name = file.getFileName().toString();
    return file.startsWith(templates) && (name.endsWith(".yaml") || name.endsWith(".yml"));
  }

  boolean isSource(Path file) {
    return file.startsWith(sources) && file.toString().endsWith(".java");
  }

  /** Belongs into the jar as it is. */
  boolean isResource(Path file) {
    return file.startsWith(resources) && !file.toString().endsWith(".java");
  }

  /** Without those that editors hide, and without what a build makes. */
  static List<Path> files(Path folder, String ending) throws IOException {
    if (!Files.isDirectory(folder))
      return List.of();
    try (var files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(ending) && Files.isRegularFile(file))
          .filter(file -> {
            for (var part : folder.relativize(file)) {
              if (part.toString().startsWith(".") || part.toString().equals("target")
                  || part.toString().endsWith("~"))
                return false;
            }
            return true;
          }).sorted().toList();
    } catch (java.io.UncheckedIOException e) {
      throw e.getCause(); // a folder that was deleted under the walk
    }
  }
}
