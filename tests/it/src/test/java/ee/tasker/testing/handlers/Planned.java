package ee.tasker.testing.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.JsonArray;
import jakarta.json.JsonNumber;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.util.Collections;
import java.util.List;

/**
 * Ends as the context of the task plans for the step of that name: a step of {@code fails} fails
 * permanently, one of {@code chooses} is a decision, and
 * {@code cut} makes {@code batches}; any other succeeds. It takes {@code ms} milliseconds, so that
 * a server can be killed meanwhile.
 */
@ApplicationScoped
@Handles("testing.Planned")
public class Planned implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) throws InterruptedException {
    Thread.sleep(step.input("ms").map(ms -> ((JsonNumber) ms).longValue()).orElse(0L));
    if (texts(step.input("fails").orElse(null)).contains(step.stepName())) {
      return StepOutcome.permanent("Planned", "as planned");
    }
    JsonValue chosen = step.input("chooses").map(all -> all.asJsonObject().get(step.stepName()))
        .orElse(null);
    if (chosen != null) {
      return StepOutcome.decide(JsonValue.EMPTY_JSON_OBJECT, texts(chosen));
    }
    if (step.stepName().equals("cut")) {
      return StepOutcome.batches(JsonValue.EMPTY_JSON_OBJECT,
          Collections.nCopies(
              step.input("batches").map(number -> ((JsonNumber) number).intValue()).orElse(0),
              JsonValue.TRUE));
    }
    return StepOutcome.success();
  }

  private static List<String> texts(JsonValue array) {
    return array instanceof JsonArray texts
        ? texts.getValuesAs(JsonString.class).stream().map(JsonString::getString).toList()
        : List.of();
  }
}
