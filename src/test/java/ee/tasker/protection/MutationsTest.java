package ee.tasker.protection;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The list of guards fits the sources: after rewriting a guard, say how it is taken out now. */
class MutationsTest {
  @Test
  void every_guard_of_the_list_is_still_in_the_sources_and_has_tests_that_are_to_miss_it() {
    assertThat(Mutations.ALL).hasSizeGreaterThanOrEqualTo(400).extracting(Mutation::guard)
        .doesNotHaveDuplicates();
    assertThat(Mutations.ALL).allSatisfy(mutation -> {
      assertThat(mutation.mutated()).isNotEmpty()
          .allSatisfy((file, text) -> assertThat(text).isNotEqualTo(Mutation.read(file)));
      assertThat(mutation.methods()).isNotEmpty();
    });
  }
}
