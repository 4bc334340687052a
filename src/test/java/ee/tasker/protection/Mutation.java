package ee.tasker.protection;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * A guard, how to take it out, and the tests of which at least one must notice. A guard is taken
 * out by replacing text of
 * the files under {@code db}, each of which must be found exactly once, in any layout.
 *
 * @param tests {@code Class#beginning_of_the_method}, of packages protection and sql
 */
record Mutation(String guard, List<Replacement> replacements, List<String> tests) {
  private static final Map<String, List<Path>> FILES = new ConcurrentHashMap<>();

  record Replacement(String file, String text, String by) {}

  static Mutation of(String guard, String file, String text, String by, String... tests) {
    return new Mutation(guard, List.of(new Replacement(file, text, by)), List.of(tests));
  }

  Mutation and(String file, String text, String by) {
    return new Mutation(guard,
        Stream.concat(replacements.stream(), Stream.of(new Replacement(file, text, by))).toList(),
        tests);
  }

  /**
   * Changes tables, or is noticed by a plan, which depends on how many templates other tests have
   * left.
   */
  boolean needsNewDatabase() {
    return replacements.stream().anyMatch(replacement -> replacement.file.startsWith("V"))
        || tests.stream().anyMatch(test -> test.startsWith("ReadsPerTaskTest#of_pairs"));
  }

  /** The changed files by name. */
  Map<String, String> mutated() {
    Map<String, String> files = new LinkedHashMap<>();
    for (Replacement replacement : replacements) {
      String before = files.computeIfAbsent(replacement.file, Mutation::read);
      files.put(replacement.file,
          SourceText.replace("the guard \"" + guard + "\" in " + replacement.file, before,
              replacement.text, replacement.by));
    }
    return files;
  }

  /**
   * All scripts in an order in which they can be applied: by name, regardless of their room. They
   * need {@code check_function_bodies} off.
   */
  static List<Path> scripts() {
    return Stream.of("migration", "routine").flatMap(folder -> {
      // Migrations and routines; callbacks are Flyway's.
      return files(folder)
          .filter(file -> file.getFileName().toString().matches("[VR]\\d*__.*\\.sql"))
          .sorted(Comparator.comparing(file -> file.getFileName().toString()));
    }).toList();
  }

  /** Walked once: there are hundreds of files, and hundreds of guards ask for theirs. */
  private static Stream<Path> files(String folder) {
    return FILES.computeIfAbsent(folder, each -> {
      try (Stream<Path> files = Files.walk(root().resolve(each))) {
        return files.filter(Files::isRegularFile).toList();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }).stream();
  }

  /** The text of a migration or routine, by the name of its file without its room. */
  static String read(String file) {
    List<Path> found = files(file.startsWith("V") ? "migration" : "routine")
        .filter(path -> path.endsWith(file)).toList();
    if (found.size() != 1) {
      throw new AssertionError("files of the name " + file + ": " + found);
    }
    try {
      return Files.readString(found.get(0));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path root() {
    return Path.of(System.getProperty("tasker.checkout", "."), "db");
  }

  /** The tests as classes and whole method names. */
  List<String> methods() {
    return tests.stream().flatMap(test -> {
      String[] parts = test.split("#", 2);
      Class<?> type = type(parts[0]);
      List<String> methods = Arrays.stream(type.getDeclaredMethods())
          .filter(method -> method.isAnnotationPresent(org.junit.jupiter.api.Test.class))
          .map(java.lang.reflect.Method::getName).filter(name -> name.startsWith(parts[1]))
          .map(name -> type.getName() + "#" + name)
          .toList();
      if (methods.isEmpty()) {
        throw new AssertionError(
            "no test begins with " + test + ", which is to notice that \"" + guard + "\" is gone");
      }
      return methods.stream();
    }).toList();
  }

  private static Class<?> type(String simpleName) {
    for (String home : List.of("ee.tasker.protection.", "ee.tasker.sql.", "ee.tasker.schedule.",
        "ee.tasker.webhook.")) {
      try {
        return Class.forName(home + simpleName);
      } catch (ClassNotFoundException e) {
        // It may be in the other one.
      }
    }
    throw new AssertionError("no test class " + simpleName);
  }
}
