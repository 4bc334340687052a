package ee.tasker.rest.work;

import ee.tasker.platform.Json;
import ee.tasker.step.ClaimedStep;
import ee.tasker.step.StepSpec;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import java.util.List;
import java.util.function.UnaryOperator;

/** Claimed steps as a worker outside the servers gets them: everything that a handler needs. */
final class ClaimedStepDocuments {

  private ClaimedStepDocuments() {
  }

  /** @param opener opens what its caller may open */
  static JsonArrayBuilder of(List<ClaimedStep> steps, UnaryOperator<ClaimedStep> opener) {
    JsonArrayBuilder array = Json.build().createArrayBuilder();
    steps.forEach(step -> array.add(of(opener.apply(step))));
    return array;
  }

  /** What the database answered, with what its template has for the step. */
  private static JsonObjectBuilder of(ClaimedStep step) {
    StepSpec spec = step.definition();
    JsonObjectBuilder document = Json.build().createObjectBuilder(spec.handlerOptions());
    step.document().forEach(document::add);
    return document
        .remove("template_step_uuid")
        .add("name", step.name())
        .add("inputs", step.inputs())
        .add("results", step.results())
        .add("handler", spec.callable())
        .add("method", spec.method())
        .add("resolver", Json.string(spec.resolver().orElse(null)))
        .add("initialization", spec.initialization())
        .add("timeout_seconds",
            spec.timeout().<JsonValue>map(limit -> Json.provider().createValue(limit.toSeconds()))
                .orElse(JsonValue.NULL))
        .add("namespace", spec.namespace())
        .add("template", spec.taskName())
        .add("version", spec.taskVersion());
  }
}
