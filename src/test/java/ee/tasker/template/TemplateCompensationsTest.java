package ee.tasker.template;

import static ee.tasker.template.Templates.problemsOf;
import static ee.tasker.template.Templates.read;
import static ee.tasker.template.Templates.withSteps;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.template.model.CompensateWhen;
import ee.tasker.template.model.Compensation;
import org.junit.jupiter.api.Test;

/** {@code compensation} of a step. */
class TemplateCompensationsTest {
  private static final String IMPORT = """
      - {name: open, type: batchable, handler: {callable: h}, compensation: {handler: {callable: close}}}
      - name: load
        type: batch_worker
        dependencies: [open]
        handler: {callable: h}
        batch_config: {worker_template: load}
        compensation: {when: attempted, handler: {callable: remove}, timeout_seconds: 30}
      """;

  @Test
  void the_steps_of_a_batch_may_have_compensations_which_are_retried_harder_than_the_rest() {
    var steps = read(withSteps(IMPORT)).steps();

    Compensation open = steps.get(0).compensation().orElseThrow();
    assertThat(open.when()).isEqualTo(CompensateWhen.COMPLETE);
    assertThat(open.retry()).isEqualTo(Compensation.DEFAULT_RETRY);
    Compensation load = steps.get(1).compensation().orElseThrow();
    assertThat(load.when()).isEqualTo(CompensateWhen.ATTEMPTED);
    assertThat(load.timeoutSeconds()).hasValue(30);
  }

  @Test
  void the_normal_form_says_when_only_where_it_is_not_the_default() {
    var normalForm = TemplateJson.toJson(read(withSteps(IMPORT))).getJsonArray("steps");

    assertThat(normalForm.getJsonObject(0).getJsonObject("compensation")).doesNotContainKey("when");
    assertThat(normalForm.getJsonObject(1).getJsonObject("compensation").getString("when"))
        .isEqualTo("attempted");
  }

  @Test
  void another_when_is_refused_where_it_is() {
    assertThat(problemsOf(withSteps(IMPORT.replace("attempted", "always")))).singleElement()
        .asString().startsWith("11:")
        .contains("compensation.when");
  }
}
