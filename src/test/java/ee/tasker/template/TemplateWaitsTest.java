package ee.tasker.template;

import static ee.tasker.template.Templates.problemsOf;
import static ee.tasker.template.Templates.read;
import static ee.tasker.template.Templates.withSteps;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.template.model.StepWait;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code wait} and {@code signal} of a step. */
class TemplateWaitsTest {
  private static final String WAITS = """
      - {name: cool_down, wait: {for: PT3H}}
      - {name: embargo, wait: {until: $.context.at}, handler: {callable: h}, retry: {max_attempts: 2}}
      - name: payment
        signal:
          name: paid
          schema: {type: object}
          timeout: P1M
          on_timeout: {paid: false}
      - {name: approval, type: deferred_convergence, dependencies: [payment], signal: {name: ok, timeout: PT1H, on_timeout: error}}
      """;

  @Test
  void what_a_step_waits_for_is_read_and_a_handler_is_optional() {
    var steps = read(withSteps(WAITS)).steps();

    assertThat(steps.get(0).waitFor())
        .hasValue(new StepWait.Timer(Optional.of("PT3H"), Optional.empty()));
    assertThat(steps.get(0).handler()).isEmpty();
    assertThat(steps.get(1).waitFor())
        .hasValue(new StepWait.Timer(Optional.empty(), Optional.of("$.context.at")));
    assertThat(steps.get(1).handler()).isPresent();
    assertThat(steps.get(2).waitFor()).hasValue(
        new StepWait.Signal("paid", Optional.of("{\"type\":\"object\"}"), Optional.of("P1M"),
            Optional.of("{\"paid\":false}")));
    assertThat(steps.get(3).waitFor()).hasValue(
        new StepWait.Signal("ok", Optional.empty(), Optional.of("PT1H"), Optional.empty()));
  }

  @Test
  void the_normal_form_is_read_back_and_a_step_that_does_not_wait_has_none_of_the_keys() {
    var template = read(withSteps(WAITS));
    var normalForm = TemplateJson.toJson(template);

    assertThat(TemplateReader.readNormalForm(normalForm.toString()))
        .isEqualTo(new TemplateReading.Read(template));
    assertThat(normalForm.getJsonArray("steps").getJsonObject(3).getJsonObject("signal"))
        .containsOnlyKeys("name", "timeout");
    assertThat(TemplateJson.toJson(read(withSteps("- {name: a, handler: {callable: h}}")))
        .getJsonArray("steps").getJsonObject(0))
        .doesNotContainKeys("wait", "signal");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    "{name: a, wait: {for: 3h}}                                                  | steps[0].wait.for | must be a duration",
    "{name: a, wait: {for: P}}                                                   | steps[0].wait.for | must be a duration",
    "{name: a, wait: {for: -PT1H}}                                               | steps[0].wait.for | must be a duration",
    "{name: a, wait: {for: P11Y}}                                                | steps[0].wait.for | must be a duration",
    "{name: a, wait: {for: PT999999999H}}                                        | steps[0].wait.for | must be a duration",
    "{name: a, wait: {for: PT1H, until: $.context.at}}                           | steps[0].wait | exactly one",
    "{name: a, wait: {}}                                                         | steps[0].wait | exactly one",
    "{name: a, wait: {fro: PT1H}}                                                | steps[0].wait.fro | unknown key",
    "{name: a, signal: {timeout: PT1H}}                                          | steps[0].signal.name | is missing",
    "{name: a, signal: {name: x, on_timeout: 5}}                                 | steps[0].signal.on_timeout | needs a timeout",
    "{name: a, signal: {name: x, schema: {type: nonsense}}}                      | steps[0].signal.schema.type | JSON Schema",
    "{name: a, signal: {name: x}, wait: {for: PT1H}}                             | steps[0].signal | a time or for a signal",
    "{name: a, signal: {name: x}, retry: {max_attempts: 2}}                      | steps[0].retry | has no handler",
    "{name: a, wait: {for: PT1H}, timeout_seconds: 5}                            | steps[0].timeout_seconds | has no handler",
    "{name: a}                                                                   | steps[0].handler | is missing"})
  void what_cannot_be_waited_for_is_refused_where_it_stands(String step, String path,
      String message) {
    var problems = problemsOf(withSteps("- " + step.strip()));

    assertThat(problems).anySatisfy(problem -> {
      assertThat(problem.toString()).contains(path.strip()).contains(message.strip());
      assertThat(problem.toString()).containsPattern("^[0-9]+:[0-9]+ ");
    });
  }

  @Test
  void a_decision_does_not_wait() {
    assertThat(problemsOf(withSteps("""
        - {name: a, handler: {callable: h}}
        - {name: d, type: decision, dependencies: [a], wait: {for: PT1H}, handler: {callable: h}}
        """))).anySatisfy(problem -> assertThat(problem.toString())
        .contains("belongs only to steps of type standard"));
  }

  @Test
  void a_signal_has_one_schema_in_a_template() {
    assertThat(problemsOf(withSteps("""
        - {name: a, signal: {name: x, schema: {type: object}}}
        - {name: b, signal: {name: x, schema: {type: string}}}
        """)))
        .anySatisfy(problem -> assertThat(problem.toString()).contains("steps[1].signal.schema")
            .contains("must have the same schema"));
    assertThat(read(withSteps("""
        - {name: a, signal: {name: x, schema: {type: object}}}
        - {name: b, signal: {name: x, schema: {type: object}}}
        """)).steps()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "P1Y2M3W4DT5H6M7.123456S", "P10Y", "PT87600H", "P2W", "P1M"})
  void a_duration_is_one_of_iso_8601(String text) {
    assertThat(StepWait.isDuration(text)).isTrue();
  }
}
