package ee.tasker.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** That it agrees with JSON Schema is shown by RequestSchemasTest. */
class BodySchemaTest {
  private static final String AUTHOR = "'requested_by': 'ann', 'reason': 'a test'";

  private static final BiConsumer<JsonObject, Violations> NO_RULES = (body, violations) -> {};

  private static JsonObject limit(String value) {
    return json("{" + AUTHOR + ", 'limit': " + value + "}");
  }

  private static JsonObject json(String text) {
    return Json.parseObject(text.replace('\'', '"'));
  }

  private static List<Problem.Violation> violations(String schema, JsonObject body) {
    Problem problem = catchThrowableOfType(Problem.class, () -> BodySchema.of(schema).check(body));
    assertThat(problem.status() + " " + problem.code()).isEqualTo("400 invalid-request");
    return problem.violations();
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "1000001", "1.5", "'3'", "true", "18446744073709551617",
    "-18446744073709551611", "4294967297"})
  void number_that_is_none_or_out_of_range_is_named(String value) {
    assertThat(violations("ConcurrencyLimit", limit(value))).containsExactly(
        new Problem.Violation("limit", "must be a whole number from 0 to 1000000"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "7", "1000000", "null"})
  void number_in_range_or_null_is_taken(String value) {
    assertThat(BodySchema.of("ConcurrencyLimit").read(limit(value))).isEqualTo(limit(value));
  }

  @Test
  @Timeout(20)
  void of_many_violations_the_first_hundred_are_reported_and_how_many_more_there_are() {
    JsonObjectBuilder many = Json.build().createObjectBuilder();
    IntStream.range(0, 60_000).forEach(i -> many.add("member_" + i, i));

    assertThatThrownBy(() -> BodySchema.of("ClaimRequest").check(many.build()))
        .isInstanceOfSatisfying(Problem.class, problem -> {
          assertThat(problem.getMessage()).isEqualTo("60000 fields are invalid");
          assertThat(problem.violations()).hasSize(101)
              .startsWith(
                  new Problem.Violation("member_0",
                      "unknown property; allowed: max, request_id, wait_seconds"),
                  new Problem.Violation("member_1", "unknown property"))
              .endsWith(new Problem.Violation("",
                  "there are more violations, which are not listed: 59900"));
        });
  }

  /** What is reported is bounded by the problem, too: this is about what a request may hold. */
  @Test
  void no_more_violations_are_kept_than_are_reported() {
    Violations violations = new Violations();
    IntStream.rangeClosed(1, 101).forEach(i -> violations.add("member_" + i, "is wrong"));

    assertThat(violations.kept()).isEqualTo(100);
  }

  @Test
  void every_violation_is_reported_at_once_and_at_its_place() {
    assertThat(violations("WorkerResults", json("""
        {'results': [{'handoff': 0, 'outcome': 'odd', 'error': {'type': 7}, 'colour': 1}],
         'claims': {'max': 0}, 'size': 1}"""))).containsExactlyInAnyOrder(
        new Problem.Violation("results/0/step_uuid", "is required"),
        new Problem.Violation("results/0/handoff",
            "must be a whole number from 1 to " + Integer.MAX_VALUE),
        new Problem.Violation("results/0/outcome", "must be one of cancelled, declined,"
            + " permanent_failure, released, retryable_failure, success, yielded"),
        new Problem.Violation("results/0/error/message", "is required"),
        new Problem.Violation("results/0/error/type", "must be a string"),
        new Problem.Violation("results/0/colour", "unknown property; allowed: after_ms, batches,"
            + " checkpoint, decision, error, execution_time_ms, handoff, outcome, result,"
            + " retry_after_ms, step_uuid"),
        new Problem.Violation("claims/max", "must be a whole number from 1 to 100"),
        new Problem.Violation("size", "unknown property; allowed: claims, results"));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
      NewSchedule | name       | ' '        | must be a string of 1 to 64 characters that is not blank
      NewSchedule | name       | 'a\\u0000' | must not contain the character U+0000
      NewSchedule | context    | {'a': '\\ud800'} | must not contain half of a surrogate pair
      NewSchedule | context    | []         | must be an object
      NewSchedule | starts_at  | 'now'      | must be a date and time with an offset, of the years 0001 to 9999 in UTC, as in 2026-01-31T12:00:00Z
      NewSchedule | tags       | ['']       | must be an array of at most 100 elements, of which each must be a string of 1 to 128 characters that is not blank
      NewSchedule | tags       | ['\\ud800'] | must not contain half of a surrogate pair
      NewSchedule | namespace  | 'a\\n'     | must be a string of 1 to 29 characters that matches ^[a-zA-Z][a-zA-Z0-9_]*$
      NewWorker   | worker_uuid | '1'       | must be a uuid
      EraseRequest | force     | 1          | must be true or false
      WorkerResults | results  | [{}, 7]    | must be an array of 1 to 100 elements, of which each must be an object
      BulkActionRequest | filter | {}       | must be an object with at least one of correlation_id, created_after, created_before, dlq_reason, error_signature, error_type, failed_step, initiator, name, namespace, parent_correlation_id, source_system, state, version
      BulkActionRequest | filter | null     | is required
      """)
  void message_says_what_is_expected(String schema, String member, String value, String message) {
    assertThat(violations(schema, json("{'" + member + "': " + value + "}")))
        .contains(new Problem.Violation(member, message));
  }

  @Test
  void defaults_stand_for_what_is_absent_or_null() {
    assertThat(BodySchema.of("EraseRequest")
        .read(json("{" + AUTHOR + ", 'children': null, 'force': true}")))
        .isEqualTo(json("{" + AUTHOR + ", 'children': true, 'force': true}"));
    assertThat(BodySchema.of("BackfillRequest").read(json("{" + AUTHOR
        + ", 'from': '2026-01-31T12:00:00Z', 'to': '2026-02-01T12:00:00+01:00'}"))
        .getString("overlap")).isEqualTo("one_by_one");
    assertThat(BodySchema.of("ClaimRequest").read(json("{}")).getInt("max")).isEqualTo(1);
  }

  @Test
  void part_of_a_body_is_not_asked_for_the_rest() {
    assertThat(BodySchema.of("NewSchedule").part(json("{'cron': '@daily'}"), NO_RULES)).hasSize(1);
    assertThatThrownBy(() -> BodySchema.of("NewSchedule").part(json("{'cron': ''}"), NO_RULES))
        .hasMessageStartingWith("cron: must be a string");
  }

  @Test
  void what_rules_find_comes_with_what_the_schema_finds_and_once_for_a_field() {
    assertThatThrownBy(() -> BodySchema.of("ConcurrencyLimit").check(limit("-1"),
        (body, violations) -> {
          violations.add("limit", "is odd");
          violations.add("reason", "is too short");
          violations.add("reason", "has too few words");
        })).isInstanceOfSatisfying(Problem.class,
            problem -> assertThat(problem.violations()).containsExactly(
                new Problem.Violation("limit", "must be a whole number from 0 to 1000000"),
                new Problem.Violation("reason", "is too short")));
  }
}
