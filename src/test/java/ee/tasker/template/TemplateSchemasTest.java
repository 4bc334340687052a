package ee.tasker.template;

import static ee.tasker.template.Templates.problemsOf;
import static ee.tasker.template.Templates.read;
import static ee.tasker.template.Templates.withKeys;
import static ee.tasker.template.Templates.withSteps;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TemplateSchemasTest {

  @Test
  void what_is_wrong_with_a_schema_is_placed_inside_it() {
    assertThat(problemsOf(withKeys("""
        input_schema:
          type: object
          required: id
          properties:
            amount: {type: number, minimum: none}
            tags:
              type: lst
        """))).containsExactly(
        "6:13 input_schema.required: is not a valid JSON Schema: Value is [string] but should be [array]",
        "8:37 input_schema.properties.amount.minimum: is not a valid JSON Schema: Value is [string] but should be [number]",
        "10:13 input_schema.properties.tags.type: is not a valid JSON Schema: matches none of the alternatives:"
            + " Expected any of [[array, boolean, integer, null, number, object, string]]; or"
            + " Value is [string] but should be [array]");
  }

  @Test
  void every_schema_of_a_template_is_checked() {
    assertThat(problemsOf(withKeys("""
        input_schema: {minLength: -1}
        domain_events: [{name: e, schema: {minLength: -1}}]
        """).replace("callable: h}", "callable: h}, result_schema: {minLength: -1},"
        + " publishes_events: [{name: e, schema: {minLength: -1}}]"))).hasSize(4)
        .allSatisfy(problem -> assertThat(problem)
            .contains("is not a valid JSON Schema: -1 is less than 0"));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    "{$ref: 'https://example.org/s.json'} | $ref | a reference must stay inside the schema and start with #, but is https://example.org/s.json",
    "{$ref: 'other.json#/a'} | $ref | a reference must stay inside the schema and start with #, but is other.json#/a",
    "{$ref: '#/$defs/a'} | $ref | there is no schema at #/$defs/a",
    "{$ref: '#a', $defs: {a: {}}} | $ref | there is no schema at #a",
    "{pattern: '('} | pattern | the pattern ( cannot be used: there is a ( without its )",
    "{pattern: '(?<=a)b'} | pattern | the pattern (?<=a)b cannot be used: there is no look-behind; write it as a schema of its own, with allOf or not",
    "{patternProperties: {'(a)\\1': {}}} | patternProperties | the pattern (a)\\1 cannot be used: there are no back-references",
    "{pattern: '(a{200}){200}'} | pattern | the pattern (a{200}){200} cannot be used: it is too large: with its counted repetitions written out, it has more than 20000 states",
    "{$schema: 'http://json-schema.org/draft-07/schema#'} | $schema | only draft 2020-12 is supported: leave $schema out or say https://json-schema.org/draft/2020-12/schema",
    "{maxLength: 99999999999} | maxLength | maxLength must not be greater than 2147483647"})
  void a_schema_that_cannot_be_used_is_refused(String schema, String key, String why) {
    assertThat(problemsOf(withKeys("input_schema: " + schema + "\n"))).singleElement().asString()
        .startsWith("4:").endsWith(" input_schema." + key + ": is not a valid JSON Schema: " + why);
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "{}", "{$schema: 'https://json-schema.org/draft/2020-12/schema'}",
    "{$ref: '#/$defs/a~1b', $defs: {a/b: {type: string}}}",
    "{$ref: '#n', $defs: {a: {$anchor: n}}}",
    "{properties: {$ref: {type: string}}}", "{enum: [{$ref: 'https://example.org'}]}",
    "{$id: 'https://example.org/order', items: {$ref: '#'}}"})
  void a_schema_that_can_be_used_is_accepted(String schema) {
    assertThat(ContextSchema
        .compile(read(withKeys("input_schema: " + schema + "\n")).inputSchema().orElseThrow()))
        .isNotNull();
  }

  @Test
  void a_schema_inside_a_schema_must_not_have_an_id() {
    assertThat(problemsOf(withSteps("""
        - {name: a, handler: {callable: h}, result_schema: {$defs: {x: {$id: x}}}}
        """))).containsExactly(
        "5:70 steps[0].result_schema.$defs.x.$id: is not a valid JSON Schema: $id may stand only at"
            + " the top; use $defs and #-references inside");
  }

  @Test
  void the_patterns_of_a_template_have_a_size_together() {
    var schemas = "[" + "{pattern: '^(?:abcdefghij){1500}$'}, ".repeat(8) + "{}]";

    assertThat(problemsOf(withKeys("input_schema: {allOf: " + schemas + "}\n"))).singleElement()
        .asString()
        .endsWith(
            "input_schema: the patterns of all schemas of the template must not have more than 100000 states together");
  }
}
