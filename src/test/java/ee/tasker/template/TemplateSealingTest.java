package ee.tasker.template;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Where a template may say that something is sealed, and what it cannot ask for then. */
class TemplateSealingTest {
  private static final String SEALED = "{properties: {iban: {x-sealed: true}, id: {}}}";

  private static List<String> problems(String keys, String step) {
    TemplateReading reading = TemplateReader.scan("name: t\nnamespace_name: n\nversion: 1.0.0\n"
        + keys + "steps:\n  - name: a\n" + step).conclude();
    return reading instanceof TemplateReading.Invalid invalid
        ? invalid.problems().stream().map(problem -> problem.path() + " " + problem.message())
            .toList()
        : List.of();
  }

  private static List<String> ofContext(String schema) {
    return problems("identity_strategy: always_unique\ninput_schema: " + schema + "\n",
        "    handler: {callable: h}\n");
  }

  @Test
  void it_stands_below_properties_items_and_all_of() {
    for (String schema : List.of(SEALED, "{x-sealed: true}",
        "{properties: {a: {items: {properties: {b: {x-sealed: true}}}}}}",
        "{allOf: [{properties: {a: {x-sealed: true}}}]}",
        "{$defs: {a: {type: string, x-sealed: false}}, properties: {a: {$ref: '#/$defs/a',"
            + " x-sealed: true}}}")) {
      assertThat(ofContext(schema)).as(schema).isEmpty();
    }
  }

  @Test
  void elsewhere_the_place_would_depend_on_the_value() {
    for (String schema : List.of("{$defs: {a: {x-sealed: true}}}",
        "{anyOf: [{properties: {a: {x-sealed: true}}}]}", "{oneOf: [{x-sealed: true}]}",
        "{not: {x-sealed: true}}", "{if: {properties: {a: {x-sealed: true}}}}",
        "{additionalProperties: {x-sealed: true}}", "{patternProperties: {a: {x-sealed: true}}}",
        "{properties: {a: {prefixItems: [{x-sealed: true}]}}}",
        "{properties: {a: {contains: {x-sealed: true}}}}")) {
      assertThat(ofContext(schema)).as(schema).singleElement().asString()
          .contains("only what is reached by properties, items and allOf can be sealed");
    }
    assertThat(ofContext("{properties: {a: {x-sealed: yes please}}}")).singleElement().asString()
        .contains("must be true or false");
  }

  @Test
  void what_is_sealed_identifies_nothing_and_is_not_searched_for() {
    String step = "    handler: {callable: h}\n";

    assertThat(problems("input_schema: " + SEALED + "\n", step)).singleElement().asString()
        .contains("identity_strategy must be caller_provided or always_unique");
    assertThat(problems("identity_strategy: strict\ninput_schema: " + SEALED + "\n", step))
        .singleElement().asString().startsWith("identity_strategy ");
    assertThat(problems("identity_strategy: caller_provided\ninput_schema: " + SEALED
        + "\nsearch_attributes: {id: id, iban: iban.number}\n", step)).singleElement().asString()
        .isEqualTo("search_attributes.iban context.iban.number is sealed and cannot be searched"
            + " for");
    assertThat(problems("seal_errors: perhaps\n", step)).hasSize(1);
  }

  @Test
  void what_a_template_itself_gives_is_not_sealed() {
    assertThat(problems("", "    signal: {name: s, timeout: P1D, on_timeout: {id: 1}, schema: "
        + SEALED + "}\n")).isEmpty();
    assertThat(problems("", "    signal: {name: s, timeout: P1D, on_timeout: {iban: 1}, schema: "
        + SEALED + "}\n")).singleElement().asString()
        .contains("must have no member that the schema seals");
    String approval = "    approval: {title: t, candidates: {users: [ann]}, due: P1D, form: "
        + SEALED + ", on_due: {approved: true, values: {%s: 1}}}\n";
    assertThat(problems("", approval.formatted("id"))).isEmpty();
    assertThat(problems("", approval.formatted("iban"))).singleElement().asString()
        .contains("must have no member that the schema seals");
  }

  @Test
  void events_are_for_others_and_seal_nothing() {
    assertThat(problems("domain_events: [{name: paid, schema: {properties: {iban: {x-sealed:"
        + " true}}}}]\n", "    handler: {callable: h}\n")).singleElement().asString()
        .contains("x-sealed");
  }
}
