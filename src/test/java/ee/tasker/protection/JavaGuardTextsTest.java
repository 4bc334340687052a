package ee.tasker.protection;

import org.junit.jupiter.api.Test;

class JavaGuardTextsTest {
  /**
   * Otherwise only the long run of {@link JavaGuardMutations} would tell that a guard is written in
   * other words now.
   */
  @Test
  void every_guard_in_java_is_where_its_mutation_looks_for_it() {
    JavaGuardMutations.findAll();
  }
}
