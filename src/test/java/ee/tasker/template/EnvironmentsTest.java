package ee.tasker.template;

import static ee.tasker.template.Templates.problemsOf;
import static ee.tasker.template.Templates.read;
import static ee.tasker.template.Templates.withSteps;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.template.model.BackoffKind;
import ee.tasker.template.model.OnWorkerLost;
import ee.tasker.template.model.RetryPolicy;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EnvironmentsTest {
  private static final String STEPS = withSteps("""
      - name: a
        handler: {callable: h, initialization: {url: real, limits: {x: 1, y: 2}}}
        retry: {max_attempts: 5, backoff: linear}
        timeout_seconds: 10
      - {name: b, handler: {callable: h}}
      """);

  @Test
  void configuration_and_retry_are_replaced_key_by_key() {
    var template = read(STEPS + """
        environments:
          test:
            steps:
            - name: a
              handler: {initialization: {limits: {x: 9}, extra: true}}
              retry: {max_attempts: 1, backoff_base_ms: 5}
              timeout_seconds: 2
        """);

    var effective = template.forEnvironment("test");

    var step = effective.steps().get(0);
    assertThat(step.handler().orElseThrow().initialization())
        .isEqualTo(Map.of("url", "\"real\"", "limits", "{\"x\":9}", "extra", "true"));
    assertThat(step.retry()).isEqualTo(
        new RetryPolicy(true, 1, BackoffKind.LINEAR, 5, 60_000, OnWorkerLost.RESCHEDULE));
    assertThat(step.options().timeoutSeconds()).hasValue(2);
    assertThat(effective.steps().get(1)).isEqualTo(template.steps().get(1));
    assertThat(effective.environments()).isEmpty();
  }

  @Test
  void what_is_said_of_a_step_wins_over_what_is_said_of_all() {
    var effective = read(STEPS + """
        environments:
          test:
            steps:
            - {name: a, timeout_seconds: 3}
            - {name: ALL, timeout_seconds: 99, retry: {max_attempts: 0}}
        """).forEnvironment("test");

    assertThat(effective.steps()).extracting(step -> step.options().timeoutSeconds().orElse(0))
        .containsExactly(3, 99);
    assertThat(effective.steps()).extracting(step -> step.retry().maxAttempts()).containsExactly(0,
        0);
  }

  @Test
  void an_environment_without_overrides_changes_nothing() {
    var template = read(STEPS);

    assertThat(template.forEnvironment("anywhere")).isEqualTo(template);
  }

  @Test
  void an_environment_of_null_counts_as_absent() {
    assertThat(read(STEPS + "environments: {test: }\n")).isEqualTo(read(STEPS));
  }

  @Test
  void an_override_must_name_a_step_of_the_template_and_only_once() {
    assertThat(problemsOf(STEPS + """
        environments:
          test:
            steps:
            - {name: c}
            - {name: a}
            - {name: a}
        """)).containsExactly(
        "13:14 environments.test.steps[0].name: there is no step \"c\"; it must be a step of this template or ALL",
        "15:14 environments.test.steps[2].name: this environment already overrides \"a\"");
  }

  @Test
  void a_contradiction_that_only_an_environment_makes_is_found_when_reading() {
    assertThat(problemsOf(STEPS + """
        environments:
          test:
            steps:
            - {name: ALL, retry: {max_backoff_ms: 2000}}
            - {name: b, retry: {backoff_base_ms: 3000}}
        """)).containsExactly(
        "14:42 environments.test.steps[1].retry.backoff_base_ms: max_backoff_ms 2000 must not be"
            + " less than backoff_base_ms 3000 (step b)");
  }
}
