package ee.tasker.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.platform.Effort;
import ee.tasker.template.ContextSchema.Verdict;
import ee.tasker.template.ContextSchema.Violation;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ContextSchemaTest {
  private static final ContextSchema ORDER = ContextSchema.compile("""
      {"type": "object", "required": ["id"], "additionalProperties": false,
       "properties": {"id": {"type": "string", "format": "uuid"}, "amount": {"$ref": "#/$defs/money"},
                      "items": {"type": "array", "items": {"type": "integer"}},
                      "size": {"anyOf": [{"type": "integer"}, {"const": "all"}]}},
       "$defs": {"money": {"type": "number", "minimum": 0}}}""");

  private static List<Violation> violations(ContextSchema schema, String value) {
    var verdict = schema.validate(JsonText.parse(value));
    assertThat(verdict).isNotInstanceOf(Verdict.Undecided.class);
    return verdict instanceof Verdict.Invalid invalid ? invalid.violations() : List.of();
  }

  /** Why it is undecided whether the value is valid. */
  private static String undecided(String schema, String value) {
    var verdict = ContextSchema.compile(schema).validate(JsonText.parse(value));
    assertThat(verdict).isInstanceOf(Verdict.Undecided.class);
    return ((Verdict.Undecided) verdict).reason();
  }

  @Test
  void a_valid_value_has_no_violations() {
    assertThat(violations(ORDER,
        "{\"id\": \"a\", \"amount\": 1.5, \"items\": [1, 2.0], \"size\": \"all\"}")).isEmpty();
  }

  @Test
  void every_violation_has_the_pointer_to_its_value() {
    assertThat(
        violations(ORDER, "{\"amount\": -1, \"items\": [1, \"x\"], \"other\": 1, \"size\": true}"))
        .containsExactlyInAnyOrder(
            new Violation("", "Object does not have some of the required properties [[id]]"),
            new Violation("/amount", "-1 is less than 0"),
            new Violation("/items/1", "Value is [string] but should be [integer]"),
            new Violation("/other", "is not an allowed key"),
            new Violation("/size",
                "matches none of the alternatives: Value is [boolean] but should be [integer];"
                    + " or Expected all"));
  }

  @Test
  void its_work_counts_as_the_effort_of_the_thread() {
    long before = Effort.total();
    violations(ContextSchema.compile("{\"maxLength\": 1}"), "\"a\"");
    assertThat(Duration.ofNanos(Effort.total() - before)).isBetween(Duration.ofNanos(1),
        Duration.ofMillis(1));

    undecided("{\"pattern\": \"^(.*a){25}$\"}", "\"" + "a".repeat(2_000_000) + "\"");
    assertThat(Duration.ofNanos(Effort.total() - before)).isGreaterThan(Duration.ofSeconds(1));
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
  void what_a_schema_that_refers_to_itself_without_end_says_is_undecided() {
    assertThat(undecided("{\"$ref\": \"#\"}", "{}"))
        .startsWith("the schema refers to itself without end");
  }

  @Test
  void a_recursive_schema_validates_a_value_as_deep_as_a_context_may_be() {
    var tree = ContextSchema.compile("{\"type\": \"array\", \"items\": {\"$ref\": \"#\"}}");

    assertThat(violations(tree, "[".repeat(64) + "]".repeat(64))).isEmpty();
    assertThat(violations(tree, "[".repeat(63) + "1" + "]".repeat(63))).singleElement()
        .satisfies(violation -> assertThat(violation.pointer()).isEqualTo("/0".repeat(63)));
  }

  @Test
  @Timeout(20)
  void a_long_text_matches_a_pattern_with_alternatives() {
    var pattern = ContextSchema.compile("{\"pattern\": \"^(a|b)*$\"}");

    assertThat(violations(pattern, "\"" + "a".repeat(1_000_000) + "\"")).isEmpty();
    assertThat(violations(pattern, "\"" + "a".repeat(1_000_000) + "c\"")).singleElement()
        .satisfies(violation -> assertThat(violation.message()).contains("does not match")
            .hasSizeLessThan(200));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"pattern\": \"^(.*a){25}$\"}", "{\"pattern\": \"\\\\s+$\"}",
    "{\"patternProperties\": {\"^(.*a){25}$\": false, \"\\\\s+$\": false}}",
    "{\"propertyNames\": {\"pattern\": \"(x+x+)+y\"}}"})
  @Timeout(20)
  void no_pattern_takes_more_than_linear_time(String schema) {
    var compiled = ContextSchema.compile(schema);

    for (var text : List.of("a".repeat(24) + "b".repeat(60), " ".repeat(30_000) + ".",
        "x".repeat(5_000))) {
      assertThat(compiled.validate(JsonText.parse("\"" + text + "\"")))
          .isNotInstanceOf(Verdict.Undecided.class);
      assertThat(compiled.validate(JsonText.parse("{\"" + text + "\": 1}")))
          .isNotInstanceOf(Verdict.Undecided.class);
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      {"pattern": "^(?:.{1,90}x){0,40}$"}                                               | text
      {"$ref": "#/$defs/a0", "$defs": {DOUBLED}}                                        | []
      {"allOf": [MANY_ITEMS]}                                                           | items
      {"properties": {"a": {"not": {"items": {"allOf": [MANY_ITEMS]}}}}}                | {"a": items}
      """)
  @Timeout(60)
  void too_much_work_is_undecided_and_no_violation(String schema, String value) {
    var doubled = IntStream.range(0, 40)
        .mapToObj(
            i -> "\"a%d\": {\"anyOf\": [{\"$ref\": \"#/$defs/a%d\"}, {\"$ref\": \"#/$defs/a%d\"}]}"
                .formatted(i, i + 1, i + 1))
        .collect(Collectors.joining(", ", "", ", \"a40\": {\"type\": \"array\"}"));
    var manyItems = String.join(", ",
        Collections.nCopies(100, "{\"items\": {\"type\": \"integer\", \"minimum\": 0}}"));
    var text = "\"" + "a".repeat(200_000) + "\"";
    var items = "[" + "1,".repeat(100_000) + "1]";

    assertThat(undecided(schema.replace("DOUBLED", doubled).replace("MANY_ITEMS", manyItems),
        value.replace("text", text).replace("items", items)))
        .isEqualTo("the schema asks for too much work on a value like this one");
  }

  @Test
  @Timeout(60)
  void a_large_value_has_its_verdict() {
    var numbers = ContextSchema
        .compile("{\"items\": {\"type\": \"integer\", \"minimum\": 0, \"enum\": [1, 2, 3]}}");

    assertThat(violations(numbers, "[" + "1,".repeat(500_000) + "2]")).isEmpty();
    assertThat(violations(numbers, "[" + "1,".repeat(500_000) + "-2]")).isNotEmpty();
    assertThat(violations(numbers, "[" + "\"x\",".repeat(250_000) + "2]")).hasSize(100);
    assertThat(
        violations(ContextSchema.compile("{\"maxLength\": 4000, \"pattern\": \"^.{0,4000}$\"}"),
            "\"" + "x".repeat(4_000) + "\""))
        .isEmpty();
    assertThat(violations(ContextSchema.compile(
        "{\"anyOf\": [{\"items\": {\"type\": \"string\"}}, {\"items\": {\"type\": \"integer\"}}]}"),
        "[" + "1,".repeat(250_000) + "1]")).isEmpty();
  }

  /**
   * Of all texts of this length that are made of {@code Aa} and {@code BB}, the hash codes are the
   * same.
   */
  @Test
  @Timeout(20)
  void items_are_unique_in_near_linear_time_even_when_their_hash_codes_collide() {
    var items = IntStream.range(0, 1 << 15).mapToObj(i -> "\"" + IntStream.range(0, 15)
        .mapToObj(bit -> (i >> bit & 1) == 0 ? "Aa" : "BB").collect(Collectors.joining()) + "\"")
        .toList();
    var unique = ContextSchema.compile("{\"uniqueItems\": true}");

    assertThat(violations(unique, items.toString())).isEmpty();
    assertThat(violations(unique, items.toString().replace("]", ", " + items.get(7) + "]")))
        .containsExactly(
            new Violation("", "Array contains non-unique item at index [32768]"));
    assertThat(violations(ContextSchema.compile("{\"items\": {\"enum\": " + items + "}}"),
        items.toString())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
      {"enum": [1, "a", null, [1.0, {"b": 2, "a": true}]]} | 1.0                      | true
      {"enum": [1, "a", null, [1.0, {"b": 2, "a": true}]]} | [1, {"a": true, "b": 2}] | true
      {"enum": [1, "a", null, [1.0, {"b": 2, "a": true}]]} | "1"                      | false
      {"enum": [1, "a", null, [1.0, {"b": 2, "a": true}]]} | "null"                   | false
      {"enum": [1, "a", null, [1.0, {"b": 2, "a": true}]]} | null                     | true
      {"const": 1e999999999}                               | 1                        | false
      {"const": 100}                                       | 1e2                      | true
      {"const": {"a": []}}                                 | {"a": {}}                | false
      {"uniqueItems": true}                                | [1, "1", true, "true"]   | true
      {"uniqueItems": true}                                | [[1, 2], [1.0, 2]]       | false
      {"uniqueItems": true}                                | ["a,b", ["a", "b"], ["a,b"]] | true
      {"uniqueItems": true}                                | [1e999999999, 1]         | true
      {"uniqueItems": false}                               | [1, 1]                   | true
      """)
  @Timeout(20)
  void values_are_compared_as_json_compares_them(String schema, String value, boolean isValid) {
    assertThat(violations(ContextSchema.compile(schema), value).isEmpty()).isEqualTo(isValid);
  }

  /** The validator gives each value the whole pointer to it. */
  @Test
  @Timeout(20)
  void a_long_name_above_many_values_is_undecided() {
    assertThat(undecided("{\"additionalProperties\": {\"items\": {\"type\": \"integer\"}}}",
        "{\"" + "k".repeat(200_000) + "\": [" + "1,".repeat(200_000) + "1]}")).isNotEmpty();
  }

  @Test
  void a_remainder_of_a_number_with_a_huge_exponent_is_undecided() {
    assertThat(undecided("{\"multipleOf\": 0.01}", "1e999999999")).isNotEmpty();
  }

  @Test
  void what_a_pattern_property_has_failed_on_is_no_additional_property() {
    var schema = ContextSchema.compile("""
        {"properties": {"id": true}, "patternProperties": {"^x-": {"type": "integer"}, "^x-y": {"minimum": 3}},
         "additionalProperties": {"type": "boolean"}}""");

    assertThat(violations(schema, "{\"id\": \"a\", \"x-a\": 1, \"x-y\": 5, \"other\": true}"))
        .isEmpty();
    assertThat(violations(schema, "{\"x-a\": \"b\", \"x-y\": 1, \"other\": 2}"))
        .containsExactlyInAnyOrder(
            new Violation("/x-a", "Value is [string] but should be [integer]"),
            new Violation("/x-y", "1 is less than 3"),
            new Violation("/other", "Value is [integer] but should be [boolean]"));
  }

  @Test
  void an_invalid_alternative_hides_no_other_one() {
    var schema = ContextSchema.compile("""
        {"items": {"oneOf": [{"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["x1", "x2"]},
                             {"$ref": "#/$defs/ints"}]},
         "$defs": {"ints": {"additionalProperties": {"type": "integer"}}}}""");
    var members = IntStream.range(0, 50).mapToObj(i -> "\"m%d\": %d".formatted(i, i))
        .collect(Collectors.joining(", ", "{", "}"));

    assertThat(violations(schema, "[" + String.join(", ", Collections.nCopies(600, members)) + "]"))
        .isEmpty();
    assertThat(violations(schema,
        "[" + String.join(", ", Collections.nCopies(600, members)) + ", {\"m\": true}]"))
        .extracting(Violation::pointer).containsExactly("/600");
  }

  @Test
  void what_is_no_schema_is_refused_with_all_reasons() {
    assertThatThrownBy(() -> ContextSchema.compile("{\"type\": 1, \"minLength\": -1}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("/type").hasMessageContaining("/minLength");
    assertThatThrownBy(() -> ContextSchema.compile("{"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("the schema is not JSON");
  }

  @Test
  void one_compiled_schema_serves_many_threads() throws Exception {
    var threads = Executors.newFixedThreadPool(4);
    try {
      List<Callable<Integer>> calls = IntStream.range(0, 2_000)
          .<Callable<Integer>>mapToObj(
              i -> () -> violations(ORDER, i % 2 == 0 ? "{\"id\": \"a\"}" : "{\"amount\": \"x\"}")
                  .size())
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
