package ee.tasker.samples.reports;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneId;

/**
 * The calendar day before the fire time, in the zone that the template names; it has 23, 24 or 25
 * hours.
 */
@ApplicationScoped
@Handles("reports.ChoosePeriod")
public class ChoosePeriod implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    ZoneId zone = ZoneId.of(Fields.of("initialization", step.config()).text("zone"));
    LocalDate day = OffsetDateTime.parse(Fields.of("context", step.input()).text("fired_at"))
        .atZoneSameInstant(zone).toLocalDate()
        .minusDays(1);
    Instant from = day.atStartOfDay(zone).toInstant();
    Instant until = day.plusDays(1).atStartOfDay(zone).toInstant();
    return StepOutcome.success(Json.createObjectBuilder()
        .add("day", day.toString()).add("from", from.toString()).add("until", until.toString())
        .add("hours", Duration.between(from, until).toHours()).build());
  }
}
