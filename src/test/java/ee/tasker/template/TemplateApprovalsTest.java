package ee.tasker.template;

import static ee.tasker.template.Templates.problemsOf;
import static ee.tasker.template.Templates.read;
import static ee.tasker.template.Templates.withSteps;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.template.model.StepWait;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code approval} of a step. */
class TemplateApprovalsTest {
  private static final String WHOLE = """
      - name: review
        approval:
          title: ["Loan of ", $.context.amount]
          description: look twice
          show: {amount: $.context.amount, also: [$$literal]}
          form: {type: object, required: [limit]}
          candidates: {roles: [clerk], users: [ann, $.context.adviser]}
          due: $.context.at
          escalate_to: {roles: [lead], replace: true, due: P1D}
          on_due: {approved: true, values: {limit: 5}}
          on_reject: error
          four_eyes: true
      """;
  private static final String LEAST = "- {name: a, approval: {title: t, candidates: {users: [ann]}, due: P2D}}\n";

  @Test
  void an_approval_is_read_with_its_defaults_and_its_normal_form_is_read_back() {
    var whole = (StepWait.Approval) read(withSteps(WHOLE)).steps().get(0).waitFor().orElseThrow();
    assertThat(whole.title()).isEqualTo("[\"Loan of \",\"$.context.amount\"]");
    assertThat(whole.candidates())
        .isEqualTo(new StepWait.Candidates(List.of("clerk"), List.of("ann", "$.context.adviser")));
    assertThat(whole.escalateTo().orElseThrow().replaces()).isTrue();
    assertThat(whole.onReject()).isEqualTo(StepWait.OnReject.ERROR);
    assertThat(whole.fourEyes()).isTrue();

    var least = (StepWait.Approval) read(withSteps(LEAST)).steps().get(0).waitFor().orElseThrow();
    assertThat(least).isEqualTo(
        new StepWait.Approval("\"t\"", Optional.empty(), Optional.empty(), Optional.empty(),
            new StepWait.Candidates(List.of(), List.of("ann")), "P2D", Optional.empty(),
            Optional.empty(), StepWait.OnReject.RESULT, false, Optional.empty()));
    for (String steps : List.of(WHOLE, LEAST)) {
      var template = read(withSteps(steps));
      assertThat(TemplateReader.readNormalForm(TemplateJson.toJson(template).toString()))
          .isEqualTo(new TemplateReading.Read(template));
    }
    assertThat(TemplateJson.toJson(read(withSteps(LEAST))).getJsonArray("steps").getJsonObject(0)
        .getJsonObject("approval"))
        .containsOnlyKeys("title", "candidates", "due");
  }

  @Test
  void every_path_is_checked_where_it_stands() {
    var scan = TemplateReader.scan(withSteps(WHOLE));
    assertThat(scan.expressions().toString())
        .contains("$.context.amount", "$.context.adviser", "$.context.at")
        .doesNotContain("$$literal");
    assertThat(scan.expressions()).hasSize(4);
    scan.refuse(0, "", "is wrong", Optional.empty());
    assertThat(((TemplateReading.Invalid) scan.conclude()).problems()).singleElement()
        .satisfies(
            problem -> assertThat(problem.toString()).contains("steps[0].approval.title[1]"));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    "{candidates: {users: [a]}, due: P1D}                                        | approval.title | is missing",
    "{title: t, due: P1D}                                                        | approval.candidates | is missing",
    "{title: t, candidates: {users: [a]}}                                        | approval.due | is missing",
    "{title: [], candidates: {users: [a]}, due: P1D}                             | approval.title | a list of 1 to 20",
    "{title: t, candidates: {}, due: P1D}                                        | approval.candidates | roles and users",
    "{title: t, candidates: {user: [a]}, due: P1D}                               | approval.candidates.user | unknown key",
    "{title: t, candidates: {users: [a]}, due: 2 days}                           | approval.due | must be a duration",
    "{title: t, candidates: {users: [a]}, due: P1D, titel: t}                    | approval.titel | unknown key",
    "{title: t, candidates: {users: [a]}, due: P1D, form: {type: nonsense}}      | approval.form.type | JSON Schema",
    "{title: t, candidates: {users: [a]}, due: P1D, show: [1]}                   | approval.show | must be a mapping",
    "{title: t, candidates: {users: [a]}, due: P1D, on_due: escalate}            | approval.on_due | must be error, or a decision",
    "{title: t, candidates: {users: [a]}, due: P1D, on_due: {approve: true}}     | approval.on_due.approve | unknown key",
    "{title: t, candidates: {users: [a]}, due: P1D, on_due: {approved: maybe}}   | approval.on_due.approved | true or false",
    "{title: t, candidates: {users: [a]}, due: P1D, on_due: {approved: false, values: {a: 1}}} | approval.on_due.values | has no form",
    "{title: t, candidates: {users: [a]}, due: P1D, form: {required: [x]}, on_due: {approved: true}} | approval.on_due | does not fit the form",
    "{title: t, candidates: {users: [a]}, due: P1D, escalate_to: {due: P1D}}     | approval.escalate_to | roles and users",
    "{title: t, candidates: {users: [a]}, due: P1D, escalate_to: {users: [b]}, on_due: error} | approval.on_due | needs escalate_to.due",
    "{title: t, candidates: {users: [a]}, due: P1D, on_reject: eror}             | approval.on_reject | did you mean",
    "{title: t, candidates: {users: [a]}, due: P1D, four_eyes: 4}                | approval.four_eyes | true or false"})
  void what_cannot_be_asked_is_refused_where_it_stands(String approval, String path,
      String message) {
    assertThat(problemsOf(withSteps("- {name: a, approval: " + approval.strip() + "}")))
        .anySatisfy(problem -> {
          assertThat(problem.toString()).contains("steps[0]." + path.strip())
              .contains(message.strip());
          assertThat(problem.toString()).containsPattern("^[0-9]+:[0-9]+ ");
        });
  }

  @Test
  void an_approval_has_no_handler_and_waits_for_nothing_else() {
    String approval = "approval: {title: t, candidates: {users: [a]}, due: P1D}";
    assertThat(problemsOf(withSteps("- {name: a, handler: {callable: h}, " + approval + "}")))
        .anySatisfy(problem -> assertThat(problem.toString()).contains("steps[0].handler")
            .contains("runs no handler"));
    assertThat(problemsOf(withSteps("- {name: a, wait: {for: P1D}, " + approval + "}")))
        .anySatisfy(problem -> assertThat(problem.toString()).contains("steps[0].approval")
            .contains("waits for nothing else"));
    assertThat(problemsOf(withSteps("- {name: a, retry: {max_attempts: 2}, " + approval + "}")))
        .anySatisfy(problem -> assertThat(problem.toString()).contains("steps[0].retry"));
  }
}
