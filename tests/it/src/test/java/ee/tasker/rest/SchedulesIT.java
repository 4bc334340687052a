package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Schedules over HTTP and in real time. */
@AgainstServer
class SchedulesIT {
  private static final String WHO = "'requested_by': 'ann', 'reason': 'test'";

  private final TaskerClient tasker;
  private final String name = "s" + UUID.randomUUID().toString().substring(0, 8);

  SchedulesIT(TaskerClient tasker) {
    this.tasker = tasker;
    tasker.register("/testing/templates.yaml");
  }

  private Answer create(String members) {
    return tasker.post("/v1/schedules",
        TaskerClient.quoted("{'namespace': 'testing', 'name': '" + name + "', 'template': 'hello', "
            + members + "}"));
  }

  private List<JsonObject> fires(String schedule) {
    return tasker.get("/v1/schedules/" + schedule + "/fires?limit=100").object()
        .getJsonArray("fires").getValuesAs(JsonObject.class);
  }

  private Answer put(String schedule, String json) {
    return tasker
        .send(tasker.request("/v1/schedules/" + schedule).header("Content-Type", "application/json")
            .method("PUT", HttpRequest.BodyPublishers.ofString(TaskerClient.quoted(json))));
  }

  private Answer act(String schedule, String action) {
    return tasker.post("/v1/schedules/" + schedule + "/" + action,
        TaskerClient.quoted("{" + WHO + "}"));
  }

  @Test
  void a_schedule_fires_within_a_second_of_each_of_its_times() {
    Answer created = create("'context': {'who': 'ann'}, 'every_seconds': 2, 'overlap': 'allow'");
    assertThat(created.status()).as("%s", created).isEqualTo(201);
    String schedule = created.text("schedule_uuid");
    assertThat(created.header("Location")).endsWith("/v1/schedules/" + schedule);
    assertThat(created.object().getJsonArray("next_fire_times")).hasSize(5);

    TaskerClient.until("it has fired three times", Duration.ofSeconds(60),
        () -> fires(schedule).size() >= 3);
    assertThat(act(schedule, "pause").object().getBoolean("paused")).isTrue();
    List<JsonObject> fires = fires(schedule);
    assertThat(fires).filteredOn(fire -> "started".equals(fire.getString("outcome")))
        .hasSizeGreaterThanOrEqualTo(2)
        .allSatisfy(fire -> {
          JsonObject task = tasker
              .awaitTerminalOrBlocked(UUID.fromString(fire.getString("task_uuid")));
          assertThat(task.getString("state")).isEqualTo("complete");
          assertThat(OffsetDateTime.parse(task.getString("requested_at")))
              .isEqualTo(OffsetDateTime.parse(fire.getString("fire_at")));
        });
    assertThat(fires.stream().map(fire -> fire.getString("fire_at")).distinct())
        .hasSameSizeAs(fires);
    assertThat(fires.stream().map(SchedulesIT::lateness).sorted().findFirst().orElseThrow())
        .isBetween(Duration.ZERO, Duration.ofSeconds(1));
  }

  private static Duration lateness(JsonObject fire) {
    return Duration.between(OffsetDateTime.parse(fire.getString("fire_at")),
        OffsetDateTime.parse(fire.getString("decided_at")));
  }

  @Test
  void a_backfill_is_tried_started_and_followed() {
    String schedule = create("'context': {'who': 'ann'}, 'cron': '0 3 * * *'")
        .text("schedule_uuid");
    String period = "'from': '2026-01-01T00:00:00Z', 'to': '2026-01-04T00:00:00Z', 'overlap': 'allow', ";
    JsonObject dry = tasker
        .post("/v1/schedules/" + schedule + "/backfills",
            TaskerClient.quoted("{'dry_run': true, " + period + WHO + "}"))
        .object();
    assertThat(dry.getInt("start")).isEqualTo(3);
    assertThat(fires(schedule)).isEmpty();

    Answer started = tasker.post("/v1/schedules/" + schedule + "/backfills",
        TaskerClient.quoted("{" + period + WHO + "}"));
    assertThat(started.status()).as("%s", started).isEqualTo(201);
    TaskerClient.until("the backfill is complete", Duration.ofSeconds(60), () -> "complete".equals(
        tasker.get("/v1/schedules/" + schedule + "/backfills").object().getJsonArray("backfills")
            .getJsonObject(0).getString("state")));
    assertThat(fires(schedule))
        .extracting(fire -> fire.getString("origin") + " " + fire.getString("outcome"))
        .containsExactly("backfill started", "backfill started", "backfill started");
    assertThat(tasker
        .post("/v1/schedules/" + schedule + "/backfills",
            TaskerClient.quoted("{'dry_run': true, " + period + WHO + "}"))
        .object().getInt("present")).isEqualTo(3);
  }

  @Test
  void a_schedule_that_has_lost_its_next_fire_time_gets_it_back_at_the_next_poll() {
    String schedule = create("'context': {'who': 'ann'}, 'cron': '0 3 * * *'")
        .text("schedule_uuid");
    tasker.sql(
        "update tasker.schedules set next_fire_at = null, next_due_at = null where schedule_uuid = '"
            + schedule
            + "' returning schedule_uuid");
    TaskerClient.until("a server has calculated it", Duration.ofSeconds(90),
        () -> tasker.get("/v1/schedules/" + schedule + "?upcoming=1").object()
            .getJsonArray("next_fire_times").size() == 1);
  }

  @Test
  void what_is_wrong_is_named_and_nothing_is_saved() {
    String good = "'context': {'who': 'ann'}, ";
    record Wrong(String members, int status, String field) {
    }
    for (Wrong wrong : List.of(new Wrong(good + "'cron': '61 * * * *'", 400, "cron"),
        new Wrong(good + "'cron': '0 0 31 2 *'", 400, "cron"),
        new Wrong(good + "'cron': '@daily', 'zone': 'CET+1'", 400, "zone"),
        new Wrong(good + "'zone': 'UTC'", 400, "cron"),
        new Wrong(good + "'cron': '@daily', 'every_seconds': 5", 400, "every_seconds"),
        new Wrong(good + "'cron': '@daily', 'overlap': 'never'", 400, "overlap"),
        new Wrong(good + "'cron': '@daily', 'ends_at': '2020-01-01T00:00:00Z'", 400, "cron"),
        new Wrong(good + "'cron': '@daily', 'colour': 'red'", 400, "colour"),
        new Wrong(good + "'cron': '@daily', 'template_version': '9.9.9'", 404, "name"))) {
      Answer answer = create(wrong.members());
      assertThat(answer.status()).as("%s: %s", wrong, answer).isEqualTo(wrong.status());
      assertThat(answer.body()).as("%s", wrong).contains("\"" + wrong.field() + "\"");
    }
    assertThat(tasker.get("/v1/schedules?name=" + name).object().getJsonArray("schedules"))
        .isEmpty();
  }

  @Test
  void a_timing_that_this_server_cannot_use_pauses_its_schedule_and_stops_no_other() {
    tasker.value("select tasker.save_schedule(jsonb_build_object('namespace', 'testing', 'name', '"
        + name + "', 'template_name', 'hello', "
        + "'context', '{}'::jsonb, 'cron', '@daily', 'zone', 'Mars/Olympus_Mons', 'anchor_at', now(), 'jitter_seconds', 0, 'overlap', 'skip', "
        + "'catch_up', 'last', 'catch_up_seconds', 60, 'pause_after_failures', 0, 'next_fire_at', now(), 'next_due_at', now()), 'ann', 'test')::text");
    Answer sound = tasker.post("/v1/schedules", TaskerClient.quoted(
        "{'namespace': 'testing', 'name': 'b" + name
            + "', 'template': 'hello', 'context': {'who': 'ann'}, 'every_seconds': 1}"));
    TaskerClient.until("it is paused", Duration.ofSeconds(60),
        () -> "tasker".equals(
            tasker.value("select paused_by from tasker.schedules where name = '" + name + "'")));
    TaskerClient.until("the other one fires", Duration.ofSeconds(30),
        () -> !fires(sound.text("schedule_uuid")).isEmpty());
    act(sound.text("schedule_uuid"), "pause");
    String paused = tasker
        .value("select schedule_uuid from tasker.schedules where name = '" + name + "'").toString();
    JsonObject shown = tasker.get("/v1/schedules/" + paused).object();
    assertThat(shown.getString("pause_reason"))
        .startsWith("1 of 1 servers cannot calculate its fire times").contains("zone");
    assertThat(shown.getJsonObject("last_failure").getString("code")).isEqualTo("unusable-timing");
    assertThat(shown.getJsonArray("declines")).hasSize(1);
    assertThat(
        tasker.get("/v1/schedules?failing=true&name=" + name).object().getJsonArray("schedules"))
        .hasSize(1);
    assertThat(fires(paused))
        .extracting(fire -> fire.getString("outcome") + " " + fire.getString("reason"))
        .containsExactly("failed unusable-timing");
    assertThat(act(paused, "resume").text("code")).isEqualTo("unusable-timing");
    assertThat(tasker.post("/v1/schedules/" + paused + "/backfills",
        TaskerClient.quoted(
            "{'from': '2026-11-01T00:00:00Z', 'to': '2026-11-02T00:00:00Z', 'dry_run': true, " + WHO
                + "}"))
        .text("code"))
        .isEqualTo("unusable-timing");
  }

  @Test
  void a_schedule_is_changed_triggered_resumed_and_deleted() {
    String schedule = create("'context': {'who': 'ann'}, 'cron': '@yearly'").text("schedule_uuid");
    assertThat(create("'cron': '@yearly', 'context': {'who': 'ann'}").text("code"))
        .isEqualTo("schedule-exists");
    String change = "{'version': 1, 'template': 'hello', 'context': {'who': 'bob'}, 'cron': '@monthly'}";
    assertThat(put(schedule, change).object().getInt("version")).isEqualTo(2);
    assertThat(put(schedule, change).text("code")).isEqualTo("schedule-version-changed");
    act(schedule, "pause");
    Answer triggered = act(schedule, "trigger");
    assertThat(triggered.status()).isEqualTo(201);
    assertThat(tasker.awaitTerminalOrBlocked(UUID.fromString(triggered.text("task_uuid")))
        .getString("state")).isEqualTo("complete");
    assertThat(act(schedule, "resume").object().getBoolean("paused")).isFalse();
    assertThat(
        tasker.delete("/v1/schedules/" + schedule + "?requested_by=ann&reason=test").status())
        .isEqualTo(200);
    assertThat(tasker.get("/v1/schedules/" + schedule).text("code"))
        .isEqualTo("schedule-not-found");
  }

  @Test
  void days_are_known_by_name_in_the_language_of_the_server() {
    Answer created = create("'cron': '0 12 * * sun-fri', 'context': {'who': 'ann'}");
    assertThat(created.status()).as("%s", created).isEqualTo(201);
    assertThat(tasker
        .delete("/v1/schedules/" + created.text("schedule_uuid") + "?requested_by=ann&reason=test")
        .status()).isEqualTo(200);
  }

  @Test
  void what_a_caller_sees_and_does_is_what_he_may() {
    String schedule = create("'context': {'who': 'ann'}, 'cron': '@yearly'").text("schedule_uuid");
    TaskerClient reader = tasker.asOneWhoMay(List.of("schedules:read in testing"));
    assertThat(reader.get("/v1/schedules/" + schedule).object()).doesNotContainKeys("context",
        "now");
    assertThat(tasker.asOneWhoMay(List.of("schedules:read in elsewhere"))
        .get("/v1/schedules/" + schedule).status()).isEqualTo(404);
    TaskerClient writer = tasker.asOneWhoMay(List.of("schedules:write in testing"));
    Answer refused = writer.post("/v1/schedules", TaskerClient
        .quoted("{'namespace': 'testing', 'name': 'x" + name
            + "', 'template': 'hello', 'context': {'who': 'a'}, 'cron': '@yearly'}"));
    assertThat(refused.status()).as("%s", refused).isEqualTo(403);
    assertThat(refused.body()).contains("tasks:create");
    assertThat(
        writer.post("/v1/schedules/" + schedule + "/trigger", TaskerClient.quoted("{" + WHO + "}"))
            .status())
        .isEqualTo(403);
    assertThat(
        writer.post("/v1/schedules/" + schedule + "/pause", TaskerClient.quoted("{" + WHO + "}"))
            .object().keySet())
        .containsExactlyInAnyOrder("schedule_uuid", "namespace", "name", "version");
  }
}
