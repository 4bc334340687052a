package ee.tasker.protection;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** docs/protection.md names tests that are there. */
class ProtectionDocumentTest {
  private static final Pattern TEST = Pattern.compile("`([A-Z]\\w+Test)#(\\w+)`");

  @Test
  void every_test_that_the_document_names_exists_under_its_whole_name() throws IOException {
    String document = Files.readString(Path.of("docs", "protection.md"));
    List<MatchResult> named = TEST.matcher(document).results().toList();
    assertThat(named).hasSizeGreaterThan(20).allSatisfy(test -> {
      Mutation asIf = Mutation.of("the document", "", "", "", test.group(1) + "#" + test.group(2));
      assertThat(asIf.methods()).anyMatch(method -> method.endsWith("#" + test.group(2)));
    });
  }

  @Test
  void every_failure_of_the_table_names_its_test() throws IOException {
    String document = Files.readString(Path.of("docs", "protection.md"));
    String table = document.substring(document.indexOf("## What catches what"),
        document.indexOf("## Does a test fail"));
    List<String> rows = table.lines()
        .filter(line -> line.startsWith("| ") && !line.startsWith("| Failure")).toList();
    assertThat(rows).hasSizeGreaterThan(20)
        .allSatisfy(row -> assertThat(TEST.matcher(row).find()).isTrue());
  }
}
