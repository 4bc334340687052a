package ee.tasker.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TaskRequestReaderTest {
  private static final String LEAST = "'namespace': 'n', 'name': 't', 'version': '1.0.0', 'context': {}";

  @Test
  void request_carries_every_member_unchanged() {
    JsonObject document = json("""
        {'namespace': 'n', 'name': 't', 'version': '1.2.3', 'context': {'a': [1, 2.50, null, {'b': 'ü'}]}, 'initiator': 'i', 'source_system': 's',
         'reason': 'r', 'tags': ['x', 'y'], 'requested_at': '2026-01-31T12:00:00Z', 'priority': -100,
         'correlation_id': '01900000-0000-7000-8000-000000000001', 'parent_correlation_id': '01900000-0000-7000-8000-000000000002',
         'idempotency_key': 'k'}""");

    assertThat(TaskRequestReader.read(document).toJson()).isEqualTo(document);
  }

  @Test
  void what_need_not_be_given_may_be_null() {
    JsonObject document = json("{" + LEAST
        + ", 'initiator': null, 'tags': null, 'priority': null, 'requested_at': null, 'correlation_id': null, 'on_duplicate': null}");

    assertThat(TaskRequestReader.read(document).toJson()).isEqualTo(json("{" + LEAST + "}"));
  }

  @Test
  @Timeout(20)
  void of_many_unknown_members_the_first_hundred_are_reported_and_how_many_more_there_are() {
    JsonObjectBuilder many = Json.build()
        .createObjectBuilder(json("{" + LEAST + ", 'priority': 'high'}"));
    IntStream.range(0, 60_000).forEach(i -> many.add("member_" + i, i));

    Problem problem = catchThrowableOfType(Problem.class,
        () -> TaskRequestReader.read(many.build()));

    assertThat(problem.getMessage()).isEqualTo("60001 fields are invalid");
    assertThat(problem.violations()).hasSize(101)
        .endsWith(
            new Problem.Violation("", "there are more violations, which are not listed: 59901"));
    assertThat(problem.violations().toString()).hasSizeLessThan(20_000);
  }

  @Test
  void on_duplicate_is_asked_of_the_document() {
    assertThat(TaskRequestReader.wantsExisting(json("{" + LEAST + ", 'on_duplicate': 'return'}")))
        .isTrue();
    assertThat(TaskRequestReader.wantsExisting(json("{" + LEAST + ", 'on_duplicate': 'refuse'}")))
        .isFalse();
    assertThat(TaskRequestReader.wantsExisting(json("{" + LEAST + "}"))).isFalse();
  }

  @Test
  void every_violation_is_reported_at_once() {
    assertThat(fields(
        "{'colour': 1, 'namespace': 'has blank', 'name': '', 'version': 'one', 'context': 7, 'initiator': 1, 'source_system': [], 'reason': {},"
            + " 'tags': [1], 'requested_at': 'now', 'priority': 'high', 'correlation_id': 'x', 'parent_correlation_id': 5, 'idempotency_key': '', 'on_duplicate': 'x'}"))
        .containsExactlyInAnyOrder("colour", "namespace", "name", "version", "context", "initiator",
            "source_system", "reason", "tags",
            "requested_at",
            "priority", "correlation_id", "parent_correlation_id", "idempotency_key",
            "on_duplicate");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
      initiator     | 'a\\u0000b'
      reason        | '\\ud800'
      initiator     | ''
      idempotency_key | '\\udc00'
      tags          | ['a\\u0000']
      tags          | ['\\ud800']
      tags          | [['a']]
      tags          | {'a': 1}
      priority      | 101
      priority      | -101
      priority      | 0.5
      priority      | 1e30
      priority      | 1e999999999
      priority      | true
      requested_at  | '2026-01-31'
      requested_at  | '2026-01-31T12:00:00'
      requested_at  | '2026-02-30T12:00:00Z'
      requested_at  | '+10000-01-01T00:00:00Z'
      requested_at  | '0000-01-01T00:00:00Z'
      requested_at  | '9999-12-31T23:59:59.9999999Z'
      start_at      | '9999-12-31T23:59:59.9999999Z'
      correlation_id | '0190000000007000800000000000000001'
      correlation_id | '{01900000-0000-7000-8000-000000000001}'
      context       | []
      context       | {'a': 'b\\u0000'}
      context       | {'a\\u0000': 1}
      context       | {'\\ud800': 1}
      context       | {'a': ['\\udfff']}
      context       | {'a': 1e1001}
      context       | {'a': 1e-1001}
      context       | {'a': 1e999999999}
      """)
  void one_wrong_member_is_the_only_one_named(String member, String value) {
    String document = "context".equals(member)
        ? "{'namespace': 'n', 'name': 't', 'version': '1.0.0', 'context': " + value + "}"
        : "{" + LEAST + ", '" + member + "': " + value + "}";

    assertThat(fields(document)).containsExactly(member);
  }

  @ParameterizedTest
  @ValueSource(strings = {"'priority': 100", "'priority': -0",
    "'requested_at': '9999-12-31T23:59:59.999999999+18:00'", "'tags': []",
    "'reason': '\\ud83d\\ude00'"})
  void unusual_and_right_is_accepted(String member) {
    assertThatCode(() -> TaskRequestReader.read(json("{" + LEAST + ", " + member + "}")))
        .doesNotThrowAnyException();
  }

  @Test
  void depth_and_keys_of_the_context_have_limits() {
    assertThatCode(
        () -> TaskRequestReader.read(context("{'a': " + "[".repeat(63) + "]".repeat(63) + "}")))
        .doesNotThrowAnyException();
    assertThat(fields(context("{'a': " + "[".repeat(64) + "]".repeat(64) + "}")))
        .containsExactly("context");
    assertThatCode(() -> TaskRequestReader.read(context(keys(10_000)))).doesNotThrowAnyException();
    assertThat(fields(context(keys(10_001)))).containsExactly("context");
  }

  private static String keys(int count) {
    StringBuilder text = new StringBuilder("{");
    for (int i = 0; i < count; i++) {
      text.append(i == 0 ? "" : ",").append("'k").append(i).append("':0");
    }
    return text.append('}').toString();
  }

  private static JsonObject context(String context) {
    return json("{'namespace': 'n', 'name': 't', 'version': '1.0.0', 'context': " + context + "}");
  }

  private static List<String> fields(String document) {
    return fields(json(document));
  }

  private static List<String> fields(JsonObject document) {
    Problem problem = catchThrowableOfType(Problem.class, () -> TaskRequestReader.read(document));
    assertThat(problem.status()).isEqualTo(400);
    assertThat(problem.code()).isEqualTo("invalid-request");
    return problem.violations().stream().map(Problem.Violation::field).toList();
  }

  private static JsonObject json(String text) {
    return Json.parseObject(text.replace('\'', '"'));
  }
}
