package ee.tasker.rest.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.platform.Problem;
import ee.tasker.platform.Violations;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.io.StringReader;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MembersTest {

  private static JsonObject limit(String value) {
    return Json.createReader(new StringReader("{\"limit\": " + value + "}")).readObject();
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "11", "1.5", "\"3\"", "true", "18446744073709551617",
    "-18446744073709551611", "4294967297"})
  void number_that_is_none_or_out_of_range_is_named(String value) {
    Members members = new Members(limit(value));

    assertThat(members.number("limit", 0, 10)).isNull();
    assertThatThrownBy(members::check).isInstanceOfSatisfying(Problem.class,
        problem -> assertThat(problem.violations()).extracting(Problem.Violation::field)
            .containsExactly("limit"));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 7, 10})
  void number_in_range_is_taken(int value) {
    Members members = new Members(limit(String.valueOf(value)));

    assertThat(members.number("limit", 0, 10)).isEqualTo(value);
    members.check();
  }

  @Test
  @Timeout(20)
  void of_many_violations_the_first_hundred_are_reported_and_how_many_more_there_are() {
    JsonObjectBuilder many = Json.createObjectBuilder();
    IntStream.range(0, 60_000).forEach(i -> many.add("member_" + i, i));
    Members members = new Members(many.build());
    members.flag("dry_run");

    assertThatThrownBy(members::check).isInstanceOfSatisfying(Problem.class, problem -> {
      assertThat(problem.getMessage()).isEqualTo("60000 fields are invalid");
      assertThat(problem.violations()).hasSize(101)
          .startsWith(new Problem.Violation("member_0", "unknown property; allowed: dry_run"),
              new Problem.Violation("member_1", "unknown property"))
          .endsWith(
              new Problem.Violation("", "there are more violations, which are not listed: 59900"));
    });
  }

  /** What is reported is bounded by the problem, too: this is about what a request may hold. */
  @Test
  void no_more_violations_are_kept_than_are_reported() {
    Violations violations = new Violations();
    IntStream.rangeClosed(1, 101).forEach(i -> violations.add("member_" + i, "is wrong"));

    assertThat(violations.isWrong("member_100")).isTrue();
    assertThat(violations.isWrong("member_101")).isFalse();
  }

  @Test
  void null_is_there_and_no_number() {
    Members members = new Members(limit("null"));

    members.anything("limit");
    assertThat(members.number("limit", 0, 10)).isNull();
    members.check();
  }
}
