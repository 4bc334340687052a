package ee.tasker.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What must follow from each fault is written down, and each crash window has faults or tests that
 * exist.
 */
class FaultsDocumentTest {
  @Test
  void every_fault_has_its_line_and_every_line_its_fault() {
    List<String> described = lines("faults.md").stream()
        .filter(line -> line.startsWith("| ") && !line.startsWith("| Fault |"))
        .map(line -> line.split(" \\| ")[0].substring(2).replaceAll(" \\|$", "").strip()).toList();

    // The first is no fault of the matrix: it strikes before there is a cluster.
    assertThat(described.subList(1, described.size()))
        .containsExactlyElementsOf(Stream.of(Fault.values()).map(Fault::sentence).toList());
  }

  @Test
  void every_crash_window_is_shown_by_a_fault_or_a_test_that_exists() throws IOException {
    List<String> windows = lines("crash-windows.md").stream()
        .filter(line -> line.matches("\\| C\\d+ .*")).toList();
    List<String> sources = new ArrayList<>();
    for (String root : List.of("src/test/java", "tests/it/src/test/java",
        "tools/faults/src/test/java")) {
      try (var files = Files.walk(Path.of(root))) {
        files.forEach(file -> sources.add(file.getFileName().toString()));
      }
    }

    assertThat(windows).hasSize(12);
    for (String window : windows) {
      String shown = window.split(" \\| ")[4].replaceAll(" \\|$", "");
      for (String each : shown.equals("–") ? List.<String>of() : Arrays.asList(shown.split("; "))) {
        if (each.startsWith("`") && Character.isUpperCase(each.charAt(1))) {
          assertThat(sources).as(window).contains(each.replace("`", "") + ".java");
        } else if (!each.startsWith("`")) {
          assertThat(Stream.of(Fault.values()).map(Fault::sentence)).as(window).contains(each);
        }
      }
    }
  }

  private static List<String> lines(String resource) {
    return Fault.text(resource).lines().toList();
  }
}
