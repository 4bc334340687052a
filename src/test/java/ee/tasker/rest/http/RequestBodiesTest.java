package ee.tasker.rest.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ee.tasker.platform.JsonbCheck;
import ee.tasker.platform.Problem;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestBodiesTest {
  private static final int LIMIT = 2_000;
  private final RequestBodies bodies = new RequestBodies(LIMIT);

  @Test
  void body_of_exactly_the_limit_is_read_and_one_byte_more_is_not() {
    assertThat(bodies.object(in("{}" + " ".repeat(LIMIT - 2)))).isEmpty();
    assertThat(problem("{}" + " ".repeat(LIMIT - 1)).code()).isEqualTo("body-too-large");
    assertThat(problem("{}" + " ".repeat(LIMIT - 1)).status()).isEqualTo(413);
  }

  @Test
  void bytes_are_counted_and_not_characters() {
    assertThat(problem("{\"a\":\"" + "ü".repeat(LIMIT / 2) + "\"}").code())
        .isEqualTo("body-too-large");
  }

  @Test
  void batch_may_be_as_long_as_its_requests_together() {
    assertThat(bodies.array(in("[" + " ".repeat(3 * LIMIT - 2) + "]"), 3)).isEmpty();
    assertThat(catchThrowableOfType(Problem.class,
        () -> bodies.array(in("[" + " ".repeat(3 * LIMIT) + "]"), 3)).code())
        .isEqualTo("body-too-large");
  }

  @Test
  void nesting_has_a_limit_that_brackets_in_texts_do_not_count_for() {
    assertThat(bodies.object(in("{\"a\":" + "[".repeat(127) + "]".repeat(127) + "}"))).hasSize(1);
    assertThat(problem("{\"a\":" + "[".repeat(128) + "]".repeat(128) + "}").getMessage())
        .contains("nested");
    assertThat(bodies.object(in("{\"a\":\"\\\"" + "[{".repeat(300) + "\"}"))).hasSize(1);
  }

  @Test
  void the_namespace_of_a_body_is_that_of_its_own_member() {
    assertThat(namespace("{\"context\": {\"namespace\": \"decoy\"}, \"namespace\" : \"orders\"}"))
        .isEqualTo("orders");
    assertThat(namespace("[{\"context\": {\"namespace\": \"decoy\"}, \"namespace\": \"orders\"},"
        + " {\"namespace\": \"second\"}]")).isEqualTo("orders");
    assertThat(namespace("{\"name\": \"namespace\", \"a\": \"b\"}")).isNull();
    assertThat(namespace("{\"namespace\": 5, \"a\": \"b\"}")).isNull();
    assertThat(namespace("{\"namespace\": [\"a\", \"b\"]}")).isNull();
  }

  @Test
  void what_is_refused_has_a_turn_of_its_namespace_too_with_the_time_that_it_took() {
    List<RequestBodies.Body> turns = new ArrayList<>();
    RequestBodies inTurns = new RequestBodies(LIMIT, body -> {
      turns.add(body);
      return () -> {};
    });
    String numbers = "{\"namespace\": \"noisy\", \"a\": [" + "1e999,".repeat(300) + "1]}";

    assertThat(catchThrowableOfType(Problem.class, () -> inTurns.object(in(numbers), body -> {})))
        .extracting(Problem::status).isEqualTo(400);
    inTurns.object(in("{}"));

    assertThat(turns).extracting(RequestBodies.Body::namespace).containsExactly("noisy", null);
    assertThat(turns).extracting(RequestBodies.Body::length)
        .containsExactly((long) numbers.length(), 2L);
    assertThat(turns).extracting(RequestBodies.Body::submits).containsExactly(true, false);
    assertThat(turns.get(0).spentNanos()).isPositive();
  }

  private static String namespace(String text) {
    JsonShape shape = new JsonShape(text, LIMIT, LIMIT);
    assertThat(shape.refusal()).isNull();
    return shape.namespace();
  }

  @Test
  void numbers_count_with_all_their_digits() {
    assertThat(bodies.object(in("{\"a\": [1e900, 1e-900]}"))).hasSize(1);
    assertThat(bodies.object(in("{\"text\": \"" + "1e900 ".repeat(300) + "\"}")))
        .as("not in strings").hasSize(1);
    Problem problem = problem("{\"first\": 1e900, \"context\": {\"a\": [1E+900, 1e-900]}}");
    assertThat(problem.code()).isEqualTo("invalid-request");
    assertThat(problem.violations()).extracting(Problem.Violation::field)
        .containsExactly("context");
    assertThat(problem.getMessage()).contains("2000 bytes with all digits");
  }

  @Test
  void element_of_a_batch_is_as_long_as_a_request_alone_may_be() {
    String empty = "{\"context\": {\"text\": \"\"}}";
    String element = empty.replace("\"\"", "\"" + "x".repeat(LIMIT - empty.length()) + "\"");
    assertThat(bodies.array(in("[" + element + "," + element + "]"), 3)).hasSize(2);
    for (String longer : new String[]{element.replace("x\"", "xx\""),
      "{\"context\": [1e900, 1e900, 1e900]}"}) {
      Problem problem = catchThrowableOfType(Problem.class,
          () -> bodies.array(in("[{}," + longer + "]"), 3));
      assertThat(problem.code()).isEqualTo("invalid-request");
      assertThat(problem.violations()).extracting(Problem.Violation::field).containsExactly("1");
    }
  }

  @Test
  void number_of_very_many_digits_is_refused_with_the_member_that_has_it_before_it_is_read() {
    RequestBodies batches = new RequestBodies(1_048_576);
    String digits = "9".repeat(200_000);
    for (String number : new String[]{digits, "-0." + digits, "1e" + digits, "1e-999999999",
      "1E+999999"}) {
      Problem problem = catchThrowableOfType(Problem.class,
          () -> batches.object(
              in("{\"first\": \"1\", \"context\": {\"a\": [1, {\"b\": " + number + "}]}}")));
      assertThat(problem.code()).as(number.substring(0, 4)).isEqualTo("invalid-request");
      assertThat(problem.violations()).extracting(Problem.Violation::field)
          .containsExactly("context");
      // By its own length, and not by the work that all numbers of the body make together.
      assertThat(problem.getMessage()).contains(JsonbCheck.TOO_MANY_DIGITS);
    }
    String batch = "[{\"name\": \"x\"}, {\"name\": \"y\", \"context\": {\"n\": " + digits + "}}]";
    assertThat(catchThrowableOfType(Problem.class, () -> batches.array(in(batch), 16)).violations())
        .extracting(Problem.Violation::field)
        .containsExactly("1/context");
    assertThat(catchThrowableOfType(Problem.class, () -> batches.array(in("[" + digits + "]"), 16))
        .violations())
        .extracting(Problem.Violation::field).containsExactly("0");
    assertThat(batches.canonical("{\"a\":1e999999999}")).as("no key waits for it either")
        .isEqualTo("{\"a\":1e999999999}");
  }

  @Test
  void so_many_long_numbers_that_reading_them_takes_seconds_are_refused() {
    RequestBodies batches = new RequestBodies(1_048_576);
    String longest = "1".repeat(1_000) + "." + "1".repeat(1_000);

    assertThat(batches.array(in("[" + (longest + ",").repeat(900) + "1]"), 16)).hasSize(901);
    Problem problem = catchThrowableOfType(Problem.class,
        () -> batches.array(in("[" + (longest + ",").repeat(8_000) + "1]"), 16));
    assertThat(problem.code()).isEqualTo("invalid-request");
    assertThat(problem.getMessage()).contains("too many long numbers");
    String ofAHundredDigits = "9".repeat(100) + ",";
    assertThat(
        batches.array(in("[" + ofAHundredDigits.repeat(16 * 1_048_576 / 101 - 1) + "1]"), 16))
        .as("the longest batch full of them")
        .hasSizeGreaterThan(160_000);
    assertThat(batches.object(in("{\"12345678901234567890\":\"" + "9".repeat(1_000_000) + "\"}")))
        .as("digits in a text are no number")
        .hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
      {"a":1,~"b":}          | line 2
      {"a":1}~~ x            | line 3, column 2
      {"a":1}{}              | line 1, column 8
      {"a":1,"a":2}          | two members of the same name
      {"x":{"a":1,"a":2}}    | two members of the same name
      {"a":01}               | line 1
      {"a":NaN}              | line 1
      {'a':1}                | line 1
      }                      | line 1
      """)
  void malformed_json_is_located(String text, String place) {
    Problem problem = problem(text.replace('~', '\n'));

    assertThat(problem.status()).isEqualTo(400);
    assertThat(problem.code()).isEqualTo("malformed-json");
    assertThat(problem.getMessage()).contains(place);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "[]", "1", "\"a\"", "null", "\ufeff{}"})
  void what_is_no_object_is_refused(String text) {
    assertThat(problem(text).code()).isEqualTo("malformed-json");
  }

  @Test
  void bytes_that_are_no_utf_8_are_refused() {
    for (byte[] bytes : new byte[][]{"{\"a\":\"ü\"}".getBytes(StandardCharsets.ISO_8859_1),
      {(byte) 0xc0, (byte) 0x80},
      {(byte) 0xed, (byte) 0xa0, (byte) 0x80}}) {
      assertThat(
          catchThrowableOfType(Problem.class, () -> bodies.object(new ByteArrayInputStream(bytes)))
              .code())
          .isEqualTo("malformed-body");
    }
  }

  @Test
  void line_that_breaks_is_the_senders_problem() {
    InputStream broken = new InputStream() {
      @Override
      public int read() throws IOException {
        throw new IOException("connection reset");
      }
    };

    assertThat(catchThrowableOfType(Problem.class, () -> bodies.object(broken)).code())
        .isEqualTo("malformed-body");
  }

  private Problem problem(String text) {
    return catchThrowableOfType(Problem.class, () -> bodies.object(in(text)));
  }

  private static InputStream in(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }
}
