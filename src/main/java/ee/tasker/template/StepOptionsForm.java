package ee.tasker.template;

import ee.tasker.template.model.Limits;
import ee.tasker.template.model.StepOptions;
import jakarta.json.JsonObjectBuilder;

/** The keys of {@link StepOptions}, of a step or of an environment. */
final class StepOptionsForm {

  private StepOptionsForm() {}

  static StepOptions read(Keys keys) {
    return new StepOptions(
        RetryReader.number(keys, "timeout_seconds", 1, Limits.TIMEOUT_SECONDS));
  }

  /** Adds the keys to {@code form}; {@link #read} reads the same options from them. */
  static JsonObjectBuilder write(StepOptions options, JsonObjectBuilder form) {
    return form.add("timeout_seconds", TemplateJson.number(options.timeoutSeconds()));
  }
}
