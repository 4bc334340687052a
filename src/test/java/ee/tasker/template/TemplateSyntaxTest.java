package ee.tasker.template;

import static ee.tasker.template.Templates.HEAD;
import static ee.tasker.template.Templates.problemsOf;
import static ee.tasker.template.Templates.read;
import static ee.tasker.template.Templates.withKeys;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TemplateSyntaxTest {

  @Test
  void a_syntax_error_has_its_line_and_column() {
    assertThat(problemsOf("name: order\n version: 1.0.0\n")).singleElement().asString()
        .startsWith("2:9 not YAML: mapping values are not allowed here");
  }

  @Test
  void a_control_character_has_its_line_and_column() {
    assertThat(problemsOf("name: order\nversion: \u0001")).containsExactly(
        "2:10 not YAML: the character U+0001 is not allowed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "   ", "# only a comment\n"})
  void an_empty_text_is_no_template(String text) {
    assertThat(problemsOf(text)).containsExactly("1:1 the template is empty");
  }

  @Test
  void a_text_that_is_not_a_mapping_is_no_template() {
    assertThat(problemsOf("- a\n")).containsExactly("1:1 must be a mapping, but is a list");
  }

  @Test
  void a_second_document_is_refused_where_it_begins() {
    assertThat(problemsOf(withKeys("") + "---\nname: other\n")).singleElement().asString()
        .startsWith("6:1 not YAML: expected a single document");
  }

  @Test
  void a_text_over_one_mebibyte_is_refused() {
    assertThat(problemsOf("#".repeat(1 << 20) + "\n")).containsExactly(
        "1:1 the template is too long: it has 1048577 characters, at most 1048576 are allowed");
  }

  @Test
  void a_text_of_exactly_one_mebibyte_is_read() {
    var text = withKeys("");

    read(text + "#".repeat((1 << 20) - text.length()));
  }

  @Test
  void a_key_that_is_here_twice_is_refused_at_the_second() {
    assertThat(
        problemsOf(withKeys("description: a\nmetadata: {x: {y: 1, y: 2}}\ndescription: b\n")))
        .containsExactly(
            "5:22 metadata.x.y: appears twice; the first is in line 5",
            "6:1 description: appears twice; the first is in line 4");
  }

  @Test
  void a_key_that_is_not_a_string_is_refused() {
    assertThat(problemsOf(withKeys("metadata: {404: x, [a]: y}\n"))).containsExactly(
        "4:12 metadata: a key must be a string: put \"404\" in quotes",
        "4:20 metadata: a key must be a string");
  }

  @Test
  void a_merge_key_is_refused_with_the_way_out() {
    assertThat(problemsOf(withKeys("lifecycle: {<<: {sla_minutes: 1}}\n"))).containsExactly(
        "4:13 lifecycle.<<: merge keys are not supported; write the keys out, or use an alias for the whole value");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[", "{a: ", "- ", "? "})
  void deep_nesting_is_refused_before_it_is_built(String opening) {
    assertThat(problemsOf(opening.repeat(200_000))).singleElement().asString()
        .endsWith("the template has more than 64 levels");
  }

  @Test
  void sixty_four_levels_are_read() {
    read(withKeys("metadata: {a: " + "[".repeat(62) + "]".repeat(62) + "}\n"));
    assertThat(problemsOf(withKeys("metadata: {a: " + "[".repeat(63) + "]".repeat(63) + "}\n")))
        .containsExactly("4:77 the template has more than 64 levels");
  }

  @Test
  void aliases_that_multiply_are_refused() {
    var bomb = new StringBuilder(HEAD)
        .append("metadata:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int level = 1; level < 10; level++) {
      bomb.append("  a").append(level).append(": &a").append(level).append(" [")
          .append(("*a" + (level - 1) + ", ").repeat(10)).append("]\n");
    }

    assertThat(problemsOf(bomb.toString())).containsExactly(
        "1:1 with its aliases written out the template is longer than 4194304 characters");
  }

  @Test
  void aliases_that_build_depth_are_refused() {
    var chain = new StringBuilder(HEAD).append("metadata:\n  a0: &a0 [x]\n");
    for (int level = 1; level < 900; level++) {
      chain.append("  a").append(level).append(": &a").append(level).append(" [*a")
          .append(level - 1).append("]\n");
    }

    assertThat(problemsOf(chain.toString())).containsExactly(
        "1:1 with its aliases written out the template is deeper than 64 levels");
  }

  @Test
  void more_than_a_thousand_aliases_are_refused() {
    assertThat(problemsOf(HEAD + "metadata:\n  a: &a x\n  b: [" + "*a, ".repeat(1_001) + "]\n"))
        .singleElement()
        .asString().startsWith("6:").endsWith("the template has more than 1000 aliases");
  }

  @Test
  void an_alias_to_what_it_stands_in_is_refused() {
    assertThat(problemsOf(withKeys("metadata: &m {a: [*m]}\n"))).containsExactly(
        "4:11 an alias must not stand inside what it refers to");
  }

  @Test
  void a_tag_of_ones_own_is_refused() {
    assertThat(problemsOf(withKeys("metadata: {a: !mine x, b: !!binary aGk=, c: !!set {x: ~}}\n")))
        .hasSize(3)
        .allSatisfy(problem -> assertThat(problem).startsWith("4:")
            .contains("has no meaning in a template"));
  }

  @Test
  void what_json_or_postgresql_cannot_hold_is_refused() {
    assertThat(problemsOf(
        withKeys("metadata: {a: .nan, b: .inf, c: 1e999999, d: \"x\\0\", e: \"\\ud800\"}\n")))
        .hasSize(5)
        .contains("4:15 metadata.a: must be a number that JSON can hold, but is .nan",
            "4:46 metadata.d: must not contain U+0000 or half of a surrogate pair: PostgreSQL cannot store it");
  }

  @Test
  void a_very_long_number_is_refused_and_quickly() {
    assertThat(problemsOf(withKeys("metadata: {a: " + "9".repeat(900_000) + "}\n"))).singleElement()
        .asString()
        .startsWith("4:15 metadata.a: must be a number that JSON can hold");
  }
}
