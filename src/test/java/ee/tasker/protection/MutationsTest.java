package ee.tasker.protection;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The list of guards fits the sources: after rewriting a guard, say how it is taken out now. */
class MutationsTest {
  @Test
  void every_guard_of_the_list_is_still_in_the_sources_and_has_tests_that_are_to_miss_it() {
    assertThat(Mutations.ALL).hasSizeGreaterThanOrEqualTo(25).extracting(Mutation::guard)
        .doesNotHaveDuplicates();
    assertThat(Mutations.ALL).allSatisfy(mutation -> {
      assertThat(mutation.mutated()).isNotEmpty()
          .allSatisfy((file, text) -> assertThat(text).isNotEqualTo(Mutation.read(file)));
      assertThat(mutation.methods()).isNotEmpty();
    });
  }

  @Test
  void the_table_in_the_documents_has_every_guard() throws IOException {
    List<String> document = Files.readAllLines(Path.of("docs", "protection.md"));
    assertThat(Mutations.ALL)
        .allSatisfy(mutation -> assertThat(document)
            .anyMatch(line -> line.startsWith("| " + mutation.guard() + " | ")));
  }
}
