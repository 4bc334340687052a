package ee.tasker.samples.reports;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonObject;

/** The title and the length of the report. */
@ApplicationScoped
@Handles("reports.WriteReport")
public class WriteReport implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    JsonObject period = step.resultObject("choose_period");
    return StepOutcome.success(Json.createObjectBuilder()
        .add("title",
            Fields.of("context", step.input()).text("region") + " on " + period.getString("day"))
        .add("hours", period.getInt("hours")).build());
  }
}
