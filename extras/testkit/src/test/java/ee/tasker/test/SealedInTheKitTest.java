package ee.tasker.test;

import static ee.tasker.test.TaskAssert.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepOutcome;
import jakarta.json.Json;
import jakarta.json.JsonString;
import org.junit.jupiter.api.Test;

/** A template that seals members runs in a test as any other: the test sees what handlers see. */
@TaskerTest
class SealedInTheKitTest {
  private static final String ACCOUNTS = "{type: object, properties: {iban: {type: string,"
      + " x-sealed: true}}}";
  private static final String TEMPLATE = """
      name: transfer
      namespace_name: bank
      version: 1.0.0
      identity_strategy: always_unique
      seal_errors: true
      input_schema: %1$s
      steps:
        - name: check
          handler: {callable: bank.Check}
          result_schema: %1$s
        - name: confirm
          dependencies: [check]
          signal: {name: confirmed, schema: {type: object, properties: {tan: {x-sealed: true}}}}
        - name: book
          dependencies: [confirm]
          handler: {callable: bank.Book}
          retry: {retryable: false}
      """.formatted(ACCOUNTS);

  private static StepOutcome check(StepContext step) {
    step.checkpoint(Json.createValue("seen"));
    return StepOutcome.success(Json.createObjectBuilder()
        .add("iban", step.input().getString("iban")).build());
  }

  private static StepOutcome book(StepContext step) {
    String tan = step.signals().get(0).getJsonObject("payload").getString("tan");
    return StepOutcome.permanent("Refused", step.input().getString("iban") + " " + tan);
  }

  @Test
  void its_handlers_and_assertions_see_everything_and_its_database_has_nothing_in_clear(
      Tasker tasker) {
    TaskRun task = tasker.workflow(TEMPLATE).with("bank.Check", SealedInTheKitTest::check)
        .with("bank.Book", SealedInTheKitTest::book)
        .submit("{\"iban\": \"DE02\"}").run();
    task.signal("confirmed", "{\"tan\": \"4711-8265\"}").run();

    assertThat(task).step("check").hasResult("{\"iban\": \"DE02\"}");
    assertEquals("DE02 4711-8265", ((JsonString) task.step("book").error().asJsonObject()
        .getJsonObject("sealed").get("message")).getString());
    String stored = tasker.sql().text("select string_agg(t::text, ' ') from (select c::text as t"
        + " from tasker.task_contexts c union all select r::text from"
        + " tasker.workflow_step_result_audit r union all select g::text from"
        + " tasker.task_signals g) x");
    assertTrue(stored.contains("$sealed"), stored);
    assertFalse(stored.contains("DE02"), stored);
    assertFalse(stored.contains("4711-8265"), stored);
  }
}
