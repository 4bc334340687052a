package ee.tasker.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.template.ContextSchema.Violation;
import jakarta.json.JsonValue;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ContextSchemaTest {
  private static final ContextSchema ORDER = ContextSchema.compile("""
      {"type": "object", "required": ["id"], "additionalProperties": false,
       "properties": {"id": {"type": "string", "format": "uuid"}, "amount": {"$ref": "#/$defs/money"},
                      "items": {"type": "array", "items": {"type": "integer"}},
                      "size": {"anyOf": [{"type": "integer"}, {"const": "all"}]}},
       "$defs": {"money": {"type": "number", "minimum": 0}}}""");

  private static List<Violation> violations(ContextSchema schema, String value) {
    return schema.validate(JsonText.parse(value));
  }

  @Test
  void a_valid_value_has_no_violations() {
    assertThat(violations(ORDER, "{\"id\": \"a\", \"amount\": 1.5, \"items\": [1, 2.0], \"size\": \"all\"}")).isEmpty();
  }

  @Test
  void every_violation_has_the_pointer_to_its_value() {
    assertThat(violations(ORDER, "{\"amount\": -1, \"items\": [1, \"x\"], \"other\": 1, \"size\": true}"))
        .containsExactlyInAnyOrder(
            new Violation("", "Object does not have some of the required properties [[id]]"),
            new Violation("/amount", "-1 is less than 0"),
            new Violation("/items/1", "Value is [string] but should be [integer]"),
            new Violation("/other", "is not an allowed key"),
            new Violation("/size", "matches none of the alternatives: Value is [boolean] but should be [integer];"
                + " or Expected all"));
  }

  @Test
  void a_format_is_a_remark_and_refuses_nothing() {
    assertThat(violations(ORDER, "{\"id\": \"not a uuid\"}")).isEmpty();
  }

  @Test
  void violations_end_at_a_hundred_and_messages_are_short() {
    var manyWrong = "{\"id\": \"a\", \"items\": [" + "\"x\",".repeat(5_000) + "1]}";
    assertThat(violations(ORDER, manyWrong)).hasSize(100);

    var longText = ContextSchema.compile("{\"maxLength\": 1}");
    assertThat(violations(longText, "\"" + "x".repeat(100_000) + "\"")).singleElement()
        .satisfies(violation -> assertThat(violation.message()).hasSizeLessThan(400));
  }

  @Test
  void a_schema_that_refers_to_itself_without_end_is_a_violation() {
    var endless = ContextSchema.compile("{\"$ref\": \"#\"}");

    assertThat(endless.validate(JsonValue.EMPTY_JSON_OBJECT)).singleElement()
        .satisfies(violation -> assertThat(violation.message()).contains("refers to itself without end"));
  }

  @Test
  void a_recursive_schema_validates_a_value_as_deep_as_a_context_may_be() {
    var tree = ContextSchema.compile("{\"type\": \"array\", \"items\": {\"$ref\": \"#\"}}");

    assertThat(violations(tree, "[".repeat(64) + "]".repeat(64))).isEmpty();
    assertThat(violations(tree, "[".repeat(63) + "1" + "]".repeat(63))).singleElement()
        .satisfies(violation -> assertThat(violation.pointer()).isEqualTo("/0".repeat(63)));
  }

  @Test
  void a_pattern_that_needs_too_much_stack_is_a_violation() {
    var pattern = ContextSchema.compile("{\"pattern\": \"^(a|b)*$\"}");

    assertThat(violations(pattern, "\"" + "a".repeat(1_000_000) + "\"")).singleElement()
        .satisfies(violation -> assertThat(violation.message()).startsWith("could not be validated"));
  }

  @Test
  void what_is_no_schema_is_refused_with_all_reasons() {
    assertThatThrownBy(() -> ContextSchema.compile("{\"type\": 1, \"minLength\": -1}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("/type").hasMessageContaining("/minLength");
    assertThatThrownBy(() -> ContextSchema.compile("{")).isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("the schema is not JSON");
  }

  @Test
  void one_compiled_schema_serves_many_threads() throws Exception {
    var threads = Executors.newFixedThreadPool(4);
    try {
      List<Callable<Integer>> calls = IntStream.range(0, 2_000)
          .<Callable<Integer>>mapToObj(i -> () -> violations(ORDER, i % 2 == 0 ? "{\"id\": \"a\"}" : "{\"amount\": \"x\"}").size())
          .toList();
      var answers = threads.invokeAll(calls);
      for (int i = 0; i < answers.size(); i++) {
        assertThat(answers.get(i).get()).isEqualTo(i % 2 == 0 ? 0 : 2);
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
