package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Expressions and decisions over HTTP: from the text of a template to the steps of a task. */
@AgainstServer
class DecisionsIT {
  private static final String BY_RULES = """
      name: NAME
      namespace_name: testing
      version: "1.0.0"
      identity_strategy: always_unique
      steps:
        - {name: say, handler: {callable: testing.Echo}}
        - name: route
          type: decision
          dependencies: [say]
          rules:
            - {when: $.results.say.amount < 100, then: [small]}
            - {when: $.context.amount >= 100, then: [large]}
        - {name: small, dependencies: [route], handler: {callable: testing.Echo}}
        - {name: large, dependencies: [route], handler: {callable: testing.Echo}}
        - {name: join, type: deferred_convergence, dependencies: [small, large], handler: {callable: testing.Echo}}
      """;
  private static final String BY_HANDLER = BY_RULES.replaceAll(
      "(?s)    rules:.*?(?=  - \\{name: small)",
      "    handler: {callable: testing.Decide}\n");

  private final TaskerClient tasker;
  private final String name = "decided_" + UUID.randomUUID().toString().substring(0, 8);

  DecisionsIT(TaskerClient tasker) {
    this.tasker = tasker;
  }

  private UUID task(String template, String context) {
    assertThat(tasker.postTemplate(template.replace("NAME", name)).status()).isIn(200, 201);
    UUID task = tasker.submit("testing", name, context);
    tasker.awaitTerminalOrBlocked(task);
    return task;
  }

  private Answer patch(UUID task, String step, String json) {
    return tasker.send(tasker
        .request("/v1/tasks/" + task + "/workflow_steps/"
            + tasker.steps(task).get(step).getString("step_uuid"))
        .header("Content-Type", "application/json")
        .method("PATCH", HttpRequest.BodyPublishers.ofString(TaskerClient.quoted(json))));
  }

  @Test
  void a_decision_by_rules_takes_the_branch_of_its_first_rule_and_the_task_says_which() {
    UUID task = task(BY_RULES, "{'amount': 250}");

    JsonObject shown = tasker.get("/v1/tasks/" + task).object();
    assertThat(shown.getString("state")).isEqualTo("complete");
    assertThat(tasker.steps(task).keySet()).containsExactlyInAnyOrder("say", "route", "large",
        "join");
    JsonObject decision = shown.getJsonArray("decisions").getJsonObject(0);
    assertThat(decision.getString("step")).isEqualTo("route");
    assertThat(decision.get("chosen")).hasToString("[\"large\"]");
    assertThat(decision.get("not_chosen")).hasToString("[\"small\"]");
    assertThat(decision.getString("reason")).isEqualTo("rules[1]: $.context.amount >= 100");
    assertThat(decision.getInt("created_steps")).isEqualTo(2);
  }

  @Test
  void a_handler_decides_and_its_result_is_that_of_the_step() {
    UUID task = task(BY_HANDLER, "{'choose': ['small', 'large']}");

    Map<String, JsonObject> steps = tasker.steps(task);
    assertThat(steps.keySet()).containsExactlyInAnyOrder("say", "route", "small", "large", "join");
    assertThat(steps.get("route").getJsonObject("result"))
        .hasToString("{\"asked\":[\"small\",\"large\"]}");
    assertThat(tasker.get("/v1/tasks/" + task).text("state")).isEqualTo("complete");
  }

  @Test
  void a_wrong_choice_is_an_error_that_an_operator_mends_by_naming_the_steps() {
    UUID task = task(BY_HANDLER, "{'choose': ['nowhere']}");
    assertThat(tasker.steps(task).keySet()).containsExactlyInAnyOrder("say", "route");
    assertThat(tasker.steps(task).get("route").getJsonObject("error").getString("type"))
        .isEqualTo("invalid_decision");
    assertThat(tasker.steps(task).get("route").getInt("attempts")).isEqualTo(1);

    String request = "{'action_type': 'complete_manually', 'completed_by': 'ann', 'reason': 'by hand', 'completion_data': {'result': {}, 'decision': CHOICE}}";
    Answer wrong = patch(task, "route", request.replace("CHOICE", "['say']"));
    assertThat(wrong.status()).isEqualTo(400);
    assertThat(wrong.fields()).containsExactly("completion_data/decision");
    assertThat(patch(task, "route", request.replace(", 'decision': CHOICE", "")).fields())
        .containsExactly("completion_data/decision");
    assertThat(patch(task, "route", request.replace("CHOICE", "['small']")).status())
        .isEqualTo(200);

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    assertThat(tasker.steps(task).keySet()).containsExactlyInAnyOrder("say", "route", "small",
        "join");
  }

  @Test
  void a_handler_that_forgets_to_decide_fails() {
    UUID task = task(BY_HANDLER, "{}");

    assertThat(tasker.steps(task).get("route").getJsonObject("error").getString("message"))
        .startsWith("a decision must say which steps it chose");
  }

  @Test
  void a_rule_without_an_answer_is_an_error_that_does_not_show_the_context() {
    UUID task = task(BY_RULES, "{'amount': 's3cr3t'}");

    JsonObject error = tasker.steps(task).get("route").getJsonObject("error");
    assertThat(error.getString("type")).isEqualTo("expression_error");
    assertThat(error.getJsonObject("details").getString("path"))
        .isEqualTo("$.results.say.amount < 100");
    assertThat(error.getJsonObject("details").getJsonObject("document").keySet())
        .containsExactlyInAnyOrder("results", "task");
  }

  private Answer validate(TaskerClient caller, String yaml) {
    return caller
        .send(caller.request("/v1/templates/validate").header("Content-Type", "application/yaml")
            .POST(HttpRequest.BodyPublishers.ofString(yaml)));
  }

  private static List<String> problems(Answer answer) {
    assertThat(answer.status()).isEqualTo(200);
    return answer.object().getJsonArray("problems").getValuesAs(JsonObject.class).stream()
        .map(p -> p.getInt("line") + ":" + p.getInt("column") + " " + p.getString("path") + ": "
            + p.getString("message"))
        .toList();
  }

  private static String wrong(String template) {
    return template
        .replace("$.results.say.amount < 100", "$.results.sya.amount < 100 && $.results.join > 1")
        .replace(">= 100", ">= ")
        .replace("then: [large]", "then: [say]").replace("name: join,", "name: join, colour: red,");
  }

  @Test
  void validation_reports_every_problem_of_text_graph_and_expressions_and_registers_nothing() {
    String template = BY_RULES.replace("NAME", name);
    assertThat(validate(tasker, template).object().getBoolean("valid")).isTrue();

    assertThat(problems(validate(tasker, wrong(template)))).containsExactly(
        "11:16 steps[1].rules[0].when: there is no step \"sya\"; did you mean \"say\"?",
        "11:16 steps[1].rules[0].when: step \"join\" is no ancestor of this step, so that its result is not there yet",
        "12:16 steps[1].rules[1].when: is not a valid path: syntax error at end of jsonpath input",
        "12:45 steps[1].rules[1].then[0]: step \"say\" does not depend on this decision",
        "15:18 steps[4].colour: unknown key \"colour\"");
    assertThat(tasker.get("/v1/templates/testing/" + name + "/1.0.0").status()).isEqualTo(404);
  }

  @Test
  void registration_refuses_the_same_problems_at_the_same_places() {
    Answer refused = tasker.postTemplate(wrong(BY_RULES).replace("NAME", name));

    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.text("code")).isEqualTo("invalid-template");
    assertThat(refused.fields()).containsExactly("steps[1].rules[0].when", "steps[1].rules[0].when",
        "steps[1].rules[1].when",
        "steps[1].rules[1].then[0]", "steps[4].colour");
    assertThat(refused.body()).contains("line 11, column 16: there is no step \\\"sya\\\"");
    assertThat(tasker.get("/v1/templates/testing/" + name + "/1.0.0").status()).isEqualTo(404);
  }

  @Test
  void validation_says_that_a_version_is_taken_to_those_who_may_register_there() {
    String template = BY_RULES.replace("NAME", name);
    assertThat(tasker.postTemplate(template).status()).isEqualTo(201);
    assertThat(problems(validate(tasker, template))).isEmpty();

    String changed = template.replace("100", "101");
    assertThat(problems(validate(tasker, changed))).containsExactly(
        "3:10 version: template testing/" + name
            + ":1.0.0 is registered with other content; a change needs a new version");
    assertThat(problems(validate(tasker, changed.replace("testing\n", "Testing\n"))))
        .containsExactly(
            "2:17 namespace_name: namespace Testing differs only in case from namespace testing, and both would have one queue");
    TaskerClient stranger = tasker.asOneWhoMay(List.of("templates:validate"));
    assertThat(problems(validate(stranger, changed))).isEmpty();
  }
}
