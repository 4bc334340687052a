package ee.tasker.platform.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DatabaseUsabilityTest {
  private final AtomicLong now = new AtomicLong();
  private final DatabaseUsability usability = new DatabaseUsability(now::get);

  private void fail(String state) {
    usability.failed(new IllegalStateException(new SQLException("no", state)));
  }

  private void pass(int seconds) {
    now.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
  }

  @Test
  void a_full_disk_is_a_problem_until_a_write_was_possible_again() {
    fail("53100");
    assertThat(usability.problem())
        .hasValueSatisfying(problem -> assertThat(problem).contains("disk"));
    assertThat(usability.isWriteDue()).as("what has just been refused is not tried at once")
        .isFalse();
    usability.written();
    assertThat(usability.problem()).as("a write that began before it was refused").isPresent();

    pass(60);
    assertThat(usability.problem()).as("nothing has been written since").isPresent();
    assertThat(usability.isWriteDue()).isTrue();
    fail("53100");
    assertThat(usability.isWriteDue()).isFalse();
    pass(60);
    usability.written();
    assertThat(usability.problem()).isEmpty();
    assertThat(usability.isWriteDue()).isFalse();
  }

  @Test
  void a_refused_login_is_a_problem_for_a_while() {
    fail("28P01");
    pass(14);
    assertThat(usability.problem())
        .hasValueSatisfying(problem -> assertThat(problem).contains("login"));
    pass(2);
    assertThat(usability.problem()).isEmpty();
  }

  @Test
  void lost_prepared_statements_are_a_problem_for_a_while_and_name_the_setting() {
    for (String state : List.of("26000", "42P05")) {
      fail(state);
      pass(14);
      assertThat(usability.problem())
          .hasValueSatisfying(problem -> assertThat(problem).contains("DB_PREPARE_THRESHOLD=0"));
      pass(2);
      assertThat(usability.problem()).isEmpty();
    }
  }

  @Test
  void what_a_call_alone_is_refused_for_is_no_problem_of_the_database() {
    fail("57014");
    fail("23505");
    assertThat(usability.problem()).isEmpty();
  }
}
