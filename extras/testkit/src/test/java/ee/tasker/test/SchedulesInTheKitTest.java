package ee.tasker.test;

import static ee.tasker.test.TaskAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.reports.ChoosePeriod;
import ee.tasker.samples.reports.WriteReport;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Schedules fire when the clock of the kit is moved, as they do on a server. */
@TaskerTest
class SchedulesInTheKitTest {
  private static final Path SAMPLE = Path.of("../../samples/nightly_report");

  private static void job(Tasker tasker, String steps) {
    tasker.workflow(
        "{name: job, namespace_name: kit, version: \"1.0.0\", identity_strategy: always_unique, steps: ["
            + steps + "]}")
        .with("kit.Do", step -> StepOutcome.success());
  }

  private static List<String> outcomes(ScheduleRun schedule) {
    return schedule.fires().stream().map(ScheduleRun.Fire::outcome).toList();
  }

  @Test
  void sample_reports_once_a_night_and_each_day_has_its_hours(Tasker tasker) {
    tasker.workflow(SAMPLE.resolve("template.yaml")).with(new ChoosePeriod())
        .with(new WriteReport());
    ScheduleRun nightly = tasker.schedule(SAMPLE.resolve("schedule.json"));
    Instant first = nightly.nextFireTime().orElseThrow();

    tasker.advance(Duration.ofDays(370));

    assertThat(nightly.tasks()).hasSizeBetween(369, 370)
        .allSatisfy(task -> assertThat(task).isComplete());
    assertThat(nightly.fires().get(0).at()).isEqualTo(first);
    assertThat(nightly.tasks().stream().map(task -> task.result("write_report").getInt("hours"))
        .distinct()).as("a year of Berlin")
        .containsExactlyInAnyOrder(24, 23, 25);
    tasker.checkHistory();
  }

  @Test
  void fires_at_each_time_and_not_before(Tasker tasker) {
    job(tasker, "{name: a, handler: {callable: kit.Do}}");
    ScheduleRun hourly = tasker.schedule(
        "{\"namespace\": \"kit\", \"name\": \"hourly\", \"template\": \"job\", \"every_seconds\": 3600}");
    Instant start = tasker.now();

    tasker.advance(Duration.ofHours(1).minusSeconds(1));
    assertThat(hourly.fires()).isEmpty();
    tasker.advance(Duration.ofHours(2));

    assertThat(hourly.fires()).extracting(ScheduleRun.Fire::at)
        .containsExactly(start.plusSeconds(3_600), start.plusSeconds(7_200));
    assertThat(hourly.tasks()).allSatisfy(task -> assertThat(task).isComplete());
  }

  @Test
  void unfinished_task_lets_the_next_fire_time_be_skipped_or_wait(Tasker tasker) {
    job(tasker, "{name: a, wait: {for: PT150M}}");
    ScheduleRun skipping = tasker.schedule(
        "{\"namespace\": \"kit\", \"name\": \"s\", \"template\": \"job\", \"every_seconds\": 3600}");
    ScheduleRun queuing = tasker.schedule(
        "{\"namespace\": \"kit\", \"name\": \"q\", \"template\": \"job\", \"every_seconds\": 3600, \"overlap\": \"queue_one\"}");

    tasker.advance(Duration.ofHours(3).plusMinutes(59));

    assertThat(outcomes(skipping)).containsExactly("started", "skipped", "skipped");
    assertThat(outcomes(queuing)).contains("started").hasSize(3);
    assertThat(queuing.tasks()).hasSize(2);
    tasker.checkHistory();
  }

  @Test
  void what_cannot_start_fails_and_pauses_the_schedule(Tasker tasker) {
    tasker.workflow(
        """
        {name: strict, namespace_name: kit, version: "1.0.0", input_schema: {type: object, required: [region]}, steps: [{name: a, wait: {for: PT1S}}]}""");
    ScheduleRun schedule = tasker.schedule(
        """
        {"namespace": "kit", "name": "s", "template": "strict", "cron": "@daily", "context": {"region": "north"}, "pause_after_failures": 2}""");
    tasker.workflow(
        """
        {name: strict, namespace_name: kit, version: "2.0.0", input_schema: {type: object, required: [country]}, steps: [{name: a, wait: {for: PT1S}}]}""");

    tasker.advance(Duration.ofDays(5));

    assertThat(schedule.fires()).hasSize(2).allSatisfy(fire -> {
      assertThat(fire.outcome()).isEqualTo("failed");
      assertThat(fire.reason()).hasValue("invalid-context");
    });
    assertThat(schedule.isPaused()).isTrue();
    assertThatIllegalArgumentException().isThrownBy(() -> tasker.schedule("""
        {"namespace": "kit", "name": "t", "template": "strict", "cron": "@daily"}"""))
        .withMessageContaining("context");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> tasker.schedule(
            """
        {"namespace": "kit", "name": "t", "template": "strict", "cron": "@daily", "overlaps": "skip"}"""))
        .withMessageContaining("overlaps");
  }

  @Test
  void run_of_a_task_fires_what_becomes_due_meanwhile_and_ends_without_help(Tasker tasker) {
    job(tasker, "{name: a, wait: {for: PT1S}}");
    ScheduleRun daily = tasker.schedule(
        "{\"namespace\": \"kit\", \"name\": \"daily\", \"template\": \"job\", \"every_seconds\": 86400}");
    TaskRun waiting = tasker
        .workflow(
            """
        {name: waiting, namespace_name: kit, version: "1.0.0", steps: [{name: a, wait: {for: P3DT1H}}, {name: b, dependencies: [a], signal: {name: go}}]}""")
        .submit();

    waiting.run();

    assertThat(waiting).step("a").isComplete().step("b").isIn("pending");
    assertThat(daily.tasks()).hasSize(3);
    assertThat(daily.pause("enough").isPaused()).isTrue();
    tasker.advance(Duration.ofDays(3));
    assertThat(daily.tasks()).hasSize(3);
  }
}
