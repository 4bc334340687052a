package ee.tasker.template;

import static ee.tasker.template.Templates.problemsOf;
import static ee.tasker.template.Templates.read;
import static ee.tasker.template.Templates.withSteps;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.template.model.DecisionRules;
import ee.tasker.template.model.OnNone;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** {@code type: decision} and {@code type: deferred_convergence}. */
class TemplateDecisionsTest {
  private static final String ROUTING = """
      - {name: score, handler: {callable: h}}
      - name: route
        type: decision
        dependencies: [score]
        rules:
        - {when: $.results.score.value >= 700, then: [approve]}
        - {when: "$.context.amount < 10", then: []}
        otherwise: [review, second_review]
      - {name: approve, handler: {callable: h}, dependencies: [route]}
      - {name: review, handler: {callable: h}, dependencies: [route]}
      - {name: second_review, handler: {callable: h}, dependencies: [review]}
      - {name: notify, type: deferred_convergence, on_none: run, handler: {callable: h}, dependencies: [approve, second_review]}
      """;

  @Test
  void a_decision_by_rules_is_read_with_its_rules_in_order() {
    var template = read(withSteps(ROUTING));

    var route = template.steps().get(1);
    assertThat(route.handler()).isEmpty();
    assertThat(route.rules()).hasValue(new DecisionRules(List.of(
        new DecisionRules.Rule("$.results.score.value >= 700", List.of("approve")),
        new DecisionRules.Rule("$.context.amount < 10", List.of())),
        List.of("review", "second_review")));
    assertThat(template.steps().get(5).onNone()).isEqualTo(OnNone.RUN);
    assertThat(template.steps().get(4).onNone()).isEqualTo(OnNone.SKIP);
  }

  @Test
  void the_normal_form_of_a_decision_is_read_back() {
    var template = read(withSteps(ROUTING));
    var normalForm = TemplateJson.toJson(template);

    assertThat(TemplateReader.readNormalForm(normalForm.toString()))
        .isEqualTo(new TemplateReading.Read(template));
    assertThat(normalForm.getJsonArray("steps").getJsonObject(1))
        .containsEntry("handler", JsonValue.NULL).containsKeys("rules",
            "otherwise");
    assertThat(normalForm.getJsonArray("steps").getJsonObject(0)).containsKey("handler")
        .doesNotContainKeys("rules", "otherwise",
            "on_none");
    assertThat(TemplateJson.contentHash(template))
        .isNotEqualTo(TemplateJson.contentHash(read(withSteps(ROUTING.replace("700", "701")))));
  }

  @Test
  void an_environment_leaves_a_decision_without_a_handler_alone() {
    var template = read(
        withSteps(ROUTING)
            + "environments: {test: {steps: [{name: ALL, handler: {initialization: {a: 1}}, timeout_seconds: 3}]}}\n")
        .forEnvironment("test");

    assertThat(template.steps().get(1).handler()).isEmpty();
    assertThat(template.steps().get(0).handler().orElseThrow().initialization()).containsKey("a");
  }

  @Test
  void a_rule_names_steps_that_depend_on_the_decision() {
    assertThat(problemsOf(withSteps(
        ROUTING.replace("[approve]}", "[aprove]}").replace("then: []", "then: [route, score]"))))
        .containsExactly(
            "10:49 steps[1].rules[0].then[0]: there is no step \"aprove\"; did you mean \"approve\"?",
            "11:44 steps[1].rules[1].then[0]: step \"route\" does not depend on this decision",
            "11:51 steps[1].rules[1].then[1]: step \"score\" does not depend on this decision");
  }

  @Test
  void keys_of_decisions_are_checked_one_by_one() {
    assertThat(problemsOf(withSteps("""
        - {name: a, handler: {callable: h}, rules: [{when: $.context.x, then: []}], otherwise: [], on_none: run}
        - {name: b, type: decision, dependencies: [a], rules: []}
        - {name: c, type: decision, dependencies: [a], otherwise: [d], handler: {callable: h}}
        - name: d
          type: decision
          dependencies: [c]
          timeout_seconds: 3
          rules:
          - {whn: $.context.x, then: [e, e]}
          - {when: " "}
        - {name: e, type: deferred_convergence, dependencies: [d], on_none: walk, handler: {callable: h}}
        - {name: f, type: decision, dependencies: [a]}
        """))).containsExactly(
        "5:22 steps[0].handler: a decision by rules runs no handler, so it must not have this key",
        "5:44 steps[0].rules: belongs only to steps of type decision",
        "5:101 steps[0].on_none: belongs only to steps of type deferred_convergence",
        "6:55 steps[1].rules: must have 1 to 100 rules, but has 0",
        "7:59 steps[2].otherwise: belongs to a decision by rules",
        "11:20 steps[3].timeout_seconds: a decision by rules runs no handler, so it must not have this key",
        "13:5 steps[3].rules[0].when: is missing",
        "13:6 steps[3].rules[0].whn: unknown key \"whn\"; did you mean \"when\"?",
        "13:34 steps[3].rules[0].then[1]: step \"e\" appears twice",
        "14:5 steps[3].rules[1].then: is missing",
        "14:12 steps[3].rules[1].when: must not be blank",
        "15:69 steps[4].on_none: must be one of skip, run, but is \"walk\"",
        "16:3 steps[5].handler: is missing");
  }

  @Test
  void what_the_database_finds_in_an_expression_is_reported_at_its_place_in_the_text() {
    var scan = TemplateReader
        .scan(withSteps(ROUTING.replace("name: score,", "name: score, colour: red,")));

    assertThat(scan.hasExpressions()).isTrue();
    assertThat(scan.graph().keySet()).containsExactly("score", "route", "approve", "review",
        "second_review", "notify");
    assertThat(scan.graph().getJsonArray("notify").getValuesAs(JsonString::getString))
        .containsExactly("approve", "second_review");
    assertThat(scan.expressions()).hasSize(2);
    assertThat(scan.expressions().getJsonObject(0)).containsEntry("step", JsonText.string("route"))
        .containsEntry("kind", JsonText.string("predicate"))
        .containsEntry("expression", JsonText.string("$.results.score.value >= 700"));

    scan.refuse(1, "", "is wrong", Optional.empty());
    scan.refuse(0, "", "there is no step \"scor\"", Optional.of("scor"));

    assertThat(((TemplateReading.Invalid) scan.conclude()).problems())
        .extracting(TemplateProblem::toString).containsExactly(
            "5:17 steps[0].colour: unknown key \"colour\"",
            "10:12 steps[1].rules[0].when: there is no step \"scor\"; did you mean \"score\"?",
            "11:12 steps[1].rules[1].when: is wrong");
  }
}
