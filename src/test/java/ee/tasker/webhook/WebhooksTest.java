package ee.tasker.webhook;

import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Deliveries of domain events to webhooks: each event at least once, in the order of its task, by
 * any number of servers.
 */
@DatabaseTest
@DatabaseTest.Covers({"save_webhook", "change_webhook", "change_delivery", "plan_deliveries",
  "claim_deliveries", "settle_deliveries",
  "get_webhook_documents", "list_webhook_deliveries", "get_webhook_figures",
  "is_awaited_by_webhook", "find_feed_position",
  "find_webhook_violations"})
class WebhooksTest {
  private static final String PAID = "[{\"name\": \"order.paid\"}]";

  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private final WebhookDesk desk = new WebhookDesk(sql);
  /** Later than the events, which are written at the time of the database. */
  private final Instant now = Instant.now().plusSeconds(5);

  /** Tasks that have published one event for each of their steps, one after the other. */
  private List<Dag.Task> published(int tasks, int events) {
    List<Dag.Task> all = new ArrayList<>();
    for (int i = 0; i < tasks; i++) {
      Dag dag = Dag.of("s1").publishes(PAID);
      for (int n = 2; n <= events; n++) {
        dag = dag.step("s" + n).dependsOn("s" + (n - 1)).publishes(PAID);
      }
      all.add(dag.inNamespace("payments").started());
    }
    for (int n = 1; n <= events; n++) {
      worker.claim(tasks).forEach(claim -> worker.complete(claim.success("{\"n\": 1}")));
    }
    return all;
  }

  private static List<String> subjects(List<JsonObject> deliveries) {
    return deliveries.stream().map(delivery -> delivery.getJsonObject("event").getString("subject"))
        .toList();
  }

  private static String event(JsonObject delivery) {
    return delivery.getString("event_uuid");
  }

  @Test
  void every_event_is_delivered_once_as_a_cloud_event_with_its_own_id() {
    UUID webhook = desk.create("");
    List<Dag.Task> tasks = published(3, 1);

    List<JsonObject> claimed = desk.claim(10, now);

    assertThat(subjects(claimed)).containsExactlyInAnyOrderElementsOf(
        tasks.stream().map(task -> task.uuid().toString()).toList());
    assertThat(claimed).allSatisfy(delivery -> {
      assertThat(delivery.getJsonObject("event").getString("id")).isEqualTo(event(delivery));
      assertThat(delivery.getJsonArray("secrets")).hasSize(1);
      assertThat(delivery.getInt("attempt")).isEqualTo(1);
    });
    claimed.forEach(
        delivery -> assertThat(desk.settle(delivery, 204, now).getInt("settled")).isEqualTo(1));
    assertThat(desk.claim(10, now.plusSeconds(600))).isEmpty();
    assertThat(desk.deliveries(webhook, "{\"state\": \"delivered\"}")).hasSize(3);
    assertThat(desk.document(webhook).getInt("delivered")).isEqualTo(3);
    assertThatHistoryIsSound();
  }

  private UUID failingSchedule(String namespace, int fires) {
    UUID schedule = sql
        .uuid(
            "insert into tasker.schedules (namespace_name, name, template_name, every_seconds, anchor_at, ends_at, created_by, updated_by, "
                + "pause_after_failures) values (?, 'nightly', 'report', 60, now(), now(), 'ann', 'ann', 2) returning schedule_uuid",
            namespace);
    for (int i = 0; i < fires; i++) {
      sql.text(
          "select tasker.start_scheduled_tasks(jsonb_build_array(jsonb_build_object('schedule_uuid', ?::uuid, 'fire_at', ?::text, "
              + "'origin', 'schedule', 'problem', '{\"code\": \"unknown-template\", \"message\": \"gone\"}'::jsonb)))",
          schedule,
          "2026-11-01T00:0" + i + ":00Z");
    }
    return schedule;
  }

  @Test
  void events_of_a_schedule_are_sent_in_its_order_and_end_with_its_fire_times() {
    UUID all = desk.create("");
    UUID ofNamespace = desk.create("\"name\": \"n\", \"namespace\": \"reports\"");
    UUID ofTemplate = desk.create("\"name\": \"m\", \"template_name\": \"other\"");
    UUID schedule = failingSchedule("reports", 2);
    failingSchedule("elsewhere", 1);

    List<JsonObject> first = desk.claim(10, now);

    assertThat(first)
        .filteredOn(delivery -> subjects(List.of(delivery)).contains(schedule.toString()))
        .as("the first event of the schedule, for two webhooks").hasSize(2)
        .allSatisfy(delivery -> assertThat(delivery.getJsonObject("event").getString("type"))
            .isEqualTo("tasker.schedule.fire_failed"));
    first.forEach(delivery -> desk.settle(delivery, 204, now));
    for (int i = 0; i < 3; i++) {
      desk.claim(10, now).forEach(delivery -> desk.settle(delivery, 204, now));
    }
    assertThat(desk.deliveries(ofNamespace, "{\"state\": \"delivered\"}")).hasSize(3)
        .allSatisfy(delivery -> {
          assertThat(delivery.getString("schedule_uuid")).isEqualTo(schedule.toString());
          assertThat(delivery.isNull("task_uuid")).isTrue();
        }).extracting(delivery -> delivery.getString("event_type"))
        .contains("tasker.schedule.paused");
    assertThat(desk.deliveries(all, "{}")).hasSize(4);
    assertThat(desk.deliveries(ofTemplate, "{}")).isEmpty();
    assertThatHistoryIsSound();
    sql.run("delete from tasker.schedule_fires where fire_at = '2026-11-01T00:00:00Z'");
    assertThat(desk.deliveries(ofNamespace, "{}")).hasSize(2);
    assertThatHistoryIsSound();
  }

  @Test
  void a_webhook_gets_only_the_events_of_its_filter() {
    published(1, 1);
    Dag.Task shipped = Dag.of("a").inNamespace("shipping")
        .publishes("[{\"name\": \"order.shipped\"}]").started();
    worker.complete(worker.claimOne().success("1"));
    String all = "\"from\": \"beginning\", ";
    UUID ofNamespace = desk.create(all + "\"name\": \"n\", \"namespace\": \"shipping\"");
    UUID ofType = desk
        .create(all + "\"name\": \"t\", \"event_types\": [\"order.shipped\", \"order.lost\"]");
    UUID ofTemplate = desk
        .create(all + "\"name\": \"m\", \"template_name\": \"" + shipped.template().name() + "\"");
    UUID ofNothing = desk.create(all + "\"name\": \"x\", \"event_types\": [\"order\"]");
    UUID later = desk.create("\"name\": \"l\"");

    desk.claim(99, now);

    for (UUID webhook : List.of(ofNamespace, ofType, ofTemplate)) {
      assertThat(desk.deliveries(webhook, "{}")).singleElement()
          .satisfies(delivery -> assertThat(delivery.getString("task_uuid"))
              .isEqualTo(shipped.uuid().toString()));
    }
    assertThat(desk.deliveries(ofNothing, "{}")).isEmpty();
    assertThat(desk.deliveries(later, "{}")).isEmpty();
    assertThat(desk.document(ofNothing).getInt("behind")).isZero();
    assertThatHistoryIsSound();
  }

  @Test
  void a_failing_event_holds_back_later_events_of_its_task_and_no_others() {
    desk.create("");
    List<Dag.Task> tasks = published(2, 3);
    String failing = tasks.get(0).uuid().toString();

    List<JsonObject> first = desk.claim(10, now);
    assertThat(subjects(first)).as("one event of each task").containsExactlyInAnyOrder(failing,
        tasks.get(1).uuid().toString());
    assertThat(desk.claim(10, now)).as("nothing beside what is in flight").isEmpty();
    first.forEach(delivery -> desk.settle(delivery,
        subjects(List.of(delivery)).contains(failing) ? 500 : 200, now));

    List<JsonObject> second = desk.claim(10, now.plusSeconds(1));
    assertThat(subjects(second)).containsExactly(tasks.get(1).uuid().toString());
    desk.settle(second.get(0), 200, now);
    JsonObject again = desk.claim(10, now.plusSeconds(60)).stream()
        .filter(d -> subjects(List.of(d)).contains(failing)).findFirst()
        .orElseThrow();
    assertThat(again.getInt("attempt")).isEqualTo(2);
    assertThat(event(again)).as("the same event").isEqualTo(
        event(first.stream().filter(d -> subjects(List.of(d)).contains(failing)).findFirst()
            .orElseThrow()));
    desk.settle(again, 200, now.plusSeconds(60));
    assertThat(subjects(desk.claim(10, now.plusSeconds(61)))).containsExactly(failing);
    assertThatHistoryIsSound();
  }

  @Test
  void two_servers_claim_different_deliveries_and_the_second_waits_for_none() {
    desk.create("");
    desk.create("\"name\": \"other\"");
    published(1, 1);
    assertThat(desk.claim(0, now)).as("made, and left to both").isEmpty();
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      assertThat(new WebhookDesk(first).claim(10, now)).hasSize(2);
      assertThat(new WebhookDesk(second).claim(10, now)).isEmpty();
      first.commit();
      assertThat(new WebhookDesk(second).claim(10, now)).as("they are in flight").isEmpty();
      second.commit();
    }
  }

  @Test
  void a_delivery_whose_server_died_is_sent_again_with_the_same_id_and_attempt() {
    desk.create("");
    published(1, 1);
    JsonObject lost = desk.claim(10, now).get(0);
    assertThat(desk.claim(10, now.plusSeconds(44))).as("15 s and half a minute").isEmpty();

    JsonObject again = desk.claim(10, now.plusSeconds(46)).get(0);

    assertThat(event(again)).isEqualTo(event(lost));
    assertThat(again.getInt("attempt")).as("an attempt without an end does not count").isEqualTo(1);
    assertThat(desk.settle(lost, 500, now.plusSeconds(47)).getInt("stale"))
        .as("the first server lives").isEqualTo(1);
    assertThat(desk.settle(again, 200, now.plusSeconds(47)).getInt("settled")).isEqualTo(1);
    assertThat(desk.settle(again, 500, now.plusSeconds(48)).getInt("stale")).isEqualTo(1);
    assertThatHistoryIsSound();
  }

  @Test
  void a_server_that_dies_before_the_commit_has_claimed_nothing() {
    desk.create("");
    published(1, 1);
    try (Sql dying = Sql.session()) {
      assertThat(new WebhookDesk(dying).claim(10, now)).hasSize(1);
      sql.run("select pg_terminate_backend(?)", dying.number("select pg_backend_pid()"));
    } catch (Sql.SqlProblem killed) {
      // its connection is gone
    }
    assertThat(desk.claim(10, now)).hasSize(1);
  }

  @Test
  void what_a_server_could_not_send_comes_back_at_once_and_uncounted() {
    desk.create("");
    published(1, 1);
    JsonObject claimed = desk.claim(10, now).get(0);
    desk.settle(claimed, 0, ", \"released\": true", now);

    assertThat(desk.claim(10, now)).singleElement()
        .satisfies(delivery -> assertThat(delivery.getInt("attempt")).isEqualTo(1));
  }

  @Test
  void the_backoff_doubles_up_to_its_cap_give_or_take_a_fifth() {
    UUID webhook = desk.create("");
    published(1, 1);
    Instant at = now;
    for (int expected : new int[]{10, 20, 40, 80, 160, 320, 600, 600}) {
      sql.run(
          "update tasker.webhooks set wait_until = null, failures_in_a_row = 1, failing_since = coalesce(failing_since, now())");
      desk.settle(desk.claim(10, at).get(0), 500, at);
      Instant due = sql
          .instant("select due_at from tasker.webhook_deliveries where webhook_uuid = ?", webhook);
      assertThat(Duration.between(at, due).toMillis()).isBetween(expected * 799L, expected * 1201L);
      at = due;
    }
  }

  @Test
  void the_receiver_says_how_long_to_wait() {
    UUID webhook = desk.create("");
    published(2, 1);
    List<JsonObject> both = desk.claim(1, now);
    desk.settle(both.get(0), 503, ", \"retry_after_seconds\": 300", now);

    assertThat(desk.claim(10, now.plusSeconds(299))).as("the webhook as a whole waits").isEmpty();
    assertThat(desk.claim(10, now.plusSeconds(331))).hasSize(2);
    assertThat(desk.document(webhook).getString("state")).isEqualTo("failing");
  }

  @Test
  void a_receiver_cannot_ask_for_more_than_a_day_and_a_tenth() {
    desk.create("");
    published(1, 1);
    desk.settle(desk.claim(10, now).get(0), 429, ", \"retry_after_seconds\": 99999999999", now);

    assertThat(desk.claim(10, now.plus(Duration.ofHours(27)))).hasSize(1);
  }

  @Test
  void after_the_last_attempt_an_event_is_dead_and_the_next_of_its_task_is_sent() {
    UUID webhook = desk.create("\"max_attempts\": 2");
    Dag.Task task = published(1, 2).get(0);
    JsonObject first = desk.claim(10, now).get(0);
    desk.settle(first, 400, ", \"response\": \"no such order\"", now);
    JsonObject dead = desk.settle(desk.claim(10, now.plusSeconds(60)).get(0), 400,
        now.plusSeconds(60));
    assertThat(dead.getJsonArray("dead")).hasSize(1);

    JsonObject next = desk.claim(10, now.plusSeconds(61)).get(0);

    assertThat(event(next)).isNotEqualTo(event(first));
    desk.settle(next, 200, now.plusSeconds(61));
    JsonObject letter = desk.deliveries(webhook, "{\"state\": \"dead\"}").get(0);
    assertThat(letter.getString("task_uuid")).isEqualTo(task.uuid().toString());
    assertThat(letter.getInt("attempts")).isEqualTo(2);
    UUID letterUuid = UUID.fromString(letter.getString("delivery_uuid"));
    assertThat(sql.object("select tasker.change_delivery(?, ?, 'retry', 'ann', 'repaired')",
        webhook, letterUuid).getString("outcome"))
        .isEqualTo("done");
    JsonObject again = desk.claim(10, now.plusSeconds(62)).get(0);
    assertThat(event(again)).isEqualTo(event(first));
    assertThat(again.getInt("attempt")).isEqualTo(1);
    desk.settle(again, 200, now.plusSeconds(62));
    assertThat(sql
        .object("select tasker.change_delivery(?, ?, 'retry', 'ann', 'again')", webhook, letterUuid)
        .getString("code"))
        .isEqualTo("delivery-not-movable");
    assertThatHistoryIsSound();
  }

  @Test
  void a_dead_letter_can_be_discarded() {
    UUID webhook = desk.create("\"max_attempts\": 1");
    published(1, 1);
    JsonObject only = desk.claim(10, now).get(0);
    desk.settle(only, 400, now);

    sql.object("select tasker.change_delivery(?, ?::uuid, 'discard', 'ann', 'known')", webhook,
        only.getString("delivery_uuid"));

    assertThat(desk.document(webhook).getInt("dead_letters")).isZero();
    assertThat(sql.texts("select action from tasker.operator_actions order by action"))
        .contains("discard_delivery", "create_webhook");
  }

  @Test
  void a_webhook_has_no_more_in_flight_than_its_limit_over_all_servers() {
    desk.create("\"max_in_flight\": 3");
    published(5, 1);
    List<JsonObject> first = desk.claim(2, now);
    List<JsonObject> second = new WebhookDesk(sql).claim(10, now);

    assertThat(first).hasSize(2);
    assertThat(second).hasSize(1);
    desk.settle(first.get(0), 200, now);
    assertThat(desk.claim(10, now)).hasSize(1);
  }

  @Test
  void what_is_reserved_goes_to_webhooks_that_have_nothing_in_flight() {
    desk.create("\"max_in_flight\": 32");
    published(8, 1);
    assertThat(desk.claimReply(4, 2, now).getJsonArray("deliveries")).as("the slow one leaves two")
        .hasSize(2);
    assertThat(desk.claimReply(2, 2, now).getJsonArray("deliveries")).isEmpty();

    UUID other = desk.create("\"name\": \"other\", \"from\": \"beginning\"");
    List<JsonObject> claimed = desk.claimReply(2, 2, now).getJsonArray("deliveries")
        .getValuesAs(JsonObject.class);

    assertThat(claimed).singleElement()
        .satisfies(d -> assertThat(d.getString("webhook_uuid")).isEqualTo(other.toString()));
  }

  @Test
  void after_ten_failures_in_a_row_one_delivery_a_minute_is_tried() {
    UUID webhook = desk.create("\"max_in_flight\": 20");
    published(12, 1);
    List<JsonObject> claimed = desk.claim(20, now);
    assertThat(claimed).hasSize(12);
    claimed.subList(0, 10).forEach(delivery -> desk.settle(delivery, 500, now));
    claimed.subList(10, 12)
        .forEach(delivery -> desk.settle(delivery, 0, ", \"released\": true", now));

    assertThat(desk.claim(20, now.plusSeconds(59))).isEmpty();
    JsonObject probe = desk.claim(20, now.plusSeconds(61)).get(0);
    assertThat(desk.claim(20, now.plusSeconds(61))).as("one").isEmpty();
    desk.settle(probe, 200, now.plusSeconds(61));

    assertThat(desk.claim(20, now.plusSeconds(61))).as("it is back").hasSize(11);
    assertThat(desk.document(webhook).getString("state")).isEqualTo("active");
  }

  @Test
  void a_receiver_that_is_gone_pauses_its_webhook() {
    UUID webhook = desk.create("");
    published(2, 1);
    JsonObject reply = desk.settle(desk.claim(1, now).get(0), 410, now);

    assertThat(reply.getJsonArray("paused")).hasSize(1);
    assertThat(desk.document(webhook).getString("pause_reason")).contains("410");
    assertThat(desk.claim(10, now.plusSeconds(3600))).isEmpty();
  }

  @Test
  void a_webhook_that_has_failed_for_its_hours_is_paused_and_keeps_its_place() {
    UUID webhook = desk.create("\"pause_after_hours\": 2");
    published(1, 1);
    desk.settle(desk.claim(10, now).get(0), 500, now);
    Instant later = now.plus(Duration.ofHours(2)).plusSeconds(1);
    assertThat(desk.settle(desk.claim(10, later).get(0), 500, later).getJsonArray("paused"))
        .hasSize(1);
    published(1, 1);
    assertThat(desk.claim(10, later.plusSeconds(3600))).isEmpty();

    assertThat(desk.change(webhook, "resume", "{}").getString("outcome")).isEqualTo("done");

    assertThat(desk.claim(10, later.plusSeconds(3600))).as("what failed and what came in the pause")
        .hasSize(2);
    assertThatHistoryIsSound();
  }

  @Test
  void a_pause_keeps_the_queue_and_a_ping_goes_through() {
    UUID webhook = desk.create("");
    published(1, 1);
    assertThat(desk.claim(0, now)).as("made before the pause").isEmpty();
    desk.change(webhook, "pause", "{}");
    assertThat(desk.change(webhook, "pause", "{}").getString("outcome")).isEqualTo("already_done");
    assertThat(desk.claim(10, now)).isEmpty();
    desk.change(webhook, "ping", "{}");

    List<JsonObject> pinged = desk.claim(10, now);

    assertThat(pinged).singleElement().satisfies(
        d -> assertThat(d.getJsonObject("event").getString("type")).isEqualTo("tasker.ping"));
    desk.settle(pinged.get(0), 500, now);
    assertThat(desk.deliveries(webhook, "{\"state\": \"dead\"}")).singleElement()
        .satisfies(d -> assertThat(d.getString("event_type")).isEqualTo("tasker.ping"));
    assertThat(desk.document(webhook).getInt("failures_in_a_row"))
        .as("a ping says nothing about events").isZero();
    assertThat(desk.document(webhook).getInt("dead_letters")).isZero();
    desk.change(webhook, "resume", "{}");
    assertThat(desk.claim(10, now)).hasSize(1);
  }

  @Test
  void a_replay_sends_what_was_delivered_again_in_order() {
    UUID webhook = desk.create("");
    published(1, 3);
    List<String> sent = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      JsonObject delivery = desk.claim(10, now).get(0);
      sent.add(event(delivery));
      desk.settle(delivery, 200, now);
    }
    long second = sql.number("select position from tasker.domain_events where event_uuid = ?::uuid",
        sent.get(1));

    assertThat(
        desk.change(webhook, "replay", "{\"from\": \"" + (second - 1) + "\"}").getString("outcome"))
        .isEqualTo("done");

    List<String> again = new ArrayList<>();
    for (List<JsonObject> next = desk.claim(10, now); !next.isEmpty(); next = desk.claim(10, now)) {
      again.add(event(next.get(0)));
      desk.settle(next.get(0), 200, now);
    }
    assertThat(again).isEqualTo(sent.subList(1, 3));
    assertThatHistoryIsSound();
  }

  @ParameterizedTest
  @ValueSource(strings = {"beginning", "0", "2020-01-01T00:00:00Z"})
  void a_replay_can_reach_behind_the_creation_of_its_webhook(String from) {
    published(1, 2);
    UUID webhook = desk.create("");
    published(1, 1);
    desk.settle(desk.claim(10, now).get(0), 200, now);
    desk.change(webhook, "replay", "{\"from\": \"" + from + "\"}");
    desk.claim(10, now);

    assertThat(desk.deliveries(webhook, "{}")).hasSize(3);
    assertThatHistoryIsSound();
  }

  @Test
  void a_replay_from_a_time_begins_with_the_first_event_after_it() {
    UUID webhook = desk.create("");
    published(1, 1);
    desk.claim(10, now);
    desk.change(webhook, "replay", "{\"from\": \"" + now.plusSeconds(3600) + "\"}");

    assertThat(desk.document(webhook).getInt("position")).as("there is none yet").isEqualTo(
        sql.number("select max(position) from tasker.domain_events").intValue());
    assertThatThrownBy(() -> desk.change(webhook, "replay", "{\"from\": \"yesterday-ish\"}"))
        .isInstanceOf(Sql.SqlProblem.class);
  }

  @Test
  void an_open_backlog_has_at_most_a_thousand_rows() {
    UUID webhook = desk.create("");
    Dag.Task task = published(1, 1).get(0);
    sql.run("select tasker.sequence_events()");
    sql.run(
        "insert into tasker.domain_events (position, task_uuid, workflow_step_uuid, sort_key, declaration, name, delivery_mode, outcome, attempt) "
            + "select nextval('tasker.domain_event_positions'), e.task_uuid, e.workflow_step_uuid, g, 9, 'order.more', e.delivery_mode, e.outcome, 1 "
            + "from tasker.domain_events e, generate_series(1000, 3000) g where e.task_uuid = ?",
        task.uuid());
    for (int i = 0; i < 5; i++) {
      desk.claim(10, now);
    }
    assertThat(desk.document(webhook).getInt("open")).isEqualTo(1000);
    assertThat(desk.document(webhook).getInt("behind")).isEqualTo(1002);
    sql.run("delete from tasker.domain_events where name = 'order.more'");
    sql.run("delete from tasker.webhook_deliveries where event_type = 'order.more'");
  }

  @Test
  void a_rotated_secret_signs_beside_the_new_one_for_its_overlap() {
    UUID webhook = desk.create("");
    published(2, 1);
    String other = WebhookDesk.SECRET.replace("MDEy", "MTEy");
    desk.change(webhook, "rotate_secret",
        "{\"secret\": \"" + other + "\", \"overlap_seconds\": 3600}");

    assertThat(desk.claim(1, now).get(0).getJsonArray("secrets")).extracting(Object::toString)
        .containsExactly("\"" + other + "\"", "\"" + WebhookDesk.SECRET + "\"");
    assertThat(desk.claim(1, now.plusSeconds(3610)).get(0).getJsonArray("secrets")).hasSize(1);
    assertThat(sql.texts("select details::text from tasker.operator_actions"))
        .noneMatch(details -> details.contains("whsec_"));
    assertThat(desk.document(webhook).toString()).doesNotContain("whsec_");
    assertThatHistoryIsSound();
  }

  @Test
  void a_deleted_webhook_sends_nothing_and_has_no_secret() {
    UUID webhook = desk.create("");
    published(2, 1);
    JsonObject inFlight = desk.claim(1, now).get(0);
    desk.change(webhook, "delete", "{}");

    assertThat(desk.claim(10, now)).isEmpty();
    assertThat(desk.settle(inFlight, 200, now).getInt("stale")).isEqualTo(1);
    assertThat(sql.number("select count(*) from tasker.webhook_secrets")).isZero();
    assertThat(desk.change(webhook, "resume", "{}").getString("code"))
        .isEqualTo("webhook-not-found");
    desk.create("");
    assertThatHistoryIsSound();
  }

  @Test
  void a_change_needs_the_version_that_was_read_and_a_name_is_taken_once() {
    UUID webhook = desk.create("\"namespace\": \"payments\"");
    assertThat(
        desk.save(WebhookDesk.members("\"namespace\": \"payments\""), null, null).getString("code"))
        .isEqualTo("webhook-exists");
    assertThat(desk.save(WebhookDesk.members(""), null, null).getString("outcome"))
        .as("for all namespaces").isEqualTo("created");
    assertThat(desk.save(WebhookDesk.members(""), webhook, 1).getString("outcome"))
        .isEqualTo("unchanged");
    JsonObject changed = WebhookDesk
        .members("\"event_types\": [\"a\"], \"url\": \"https://other.example.com/\"");
    assertThat(desk.save(changed, webhook, 7).getString("code"))
        .isEqualTo("webhook-version-changed");
    assertThat(desk.save(changed, webhook, 1).getInt("version")).isEqualTo(2);
    assertThat(desk.document(webhook).getString("url")).isEqualTo("https://other.example.com/");
  }

  @Test
  void a_namespace_has_at_most_a_hundred_webhooks() {
    for (int i = 0; i < 100; i++) {
      desk.create("\"name\": \"w" + i + "\"");
    }
    assertThat(desk.save(WebhookDesk.members(""), null, null).getString("code"))
        .isEqualTo("too-many-webhooks");
    assertThat(desk.save(WebhookDesk.members("\"namespace\": \"payments\""), null, null)
        .getString("outcome")).isEqualTo("created");
  }

  @Test
  void an_event_that_an_active_webhook_has_not_delivered_keeps_its_task() {
    UUID webhook = desk.create("\"max_attempts\": 1");
    Dag.Task task = published(1, 1).get(0);
    worker.advance();
    String purge = "select cardinality(tasker.purge_tasks(array[?::uuid]))";
    sql.run("select tasker.roll_up_analytics()");
    assertThat(sql.number(purge, task.uuid())).as("before its delivery is planned").isZero();
    JsonObject delivery = desk.claim(10, now).get(0);
    assertThat(sql.number(purge, task.uuid())).as("in flight").isZero();
    desk.change(webhook, "pause", "{}");
    assertThat(sql.number(purge, task.uuid())).as("paused").isZero();
    sql.run("update tasker.webhooks set paused_at = now() - interval '8 days'");
    assertThat(sql.text("select tasker.is_awaited_by_webhook(?)::text", task.uuid()))
        .as("paused for long").isEqualTo("false");
    desk.change(webhook, "resume", "{}");
    desk.settle(delivery, 400, now);

    assertThat(sql.number(purge, task.uuid())).as("dead").isEqualTo(1);

    assertThat(desk.deliveries(webhook, "{}")).isEmpty();
    assertThatHistoryIsSound();
  }

  @Test
  void figures_tell_of_failing_webhooks_and_the_oldest_open_event() {
    desk.create("\"max_attempts\": 2");
    desk.change(desk.create("\"name\": \"idle\""), "pause", "{}");
    published(2, 1);
    List<JsonObject> both = desk.claim(10, now);
    desk.settle(both.get(0), 200, now);
    desk.settle(both.get(1), 500, now);

    JsonObject figures = sql.object("select tasker.get_webhook_figures(?)", now.plusSeconds(100));

    assertThat(figures.getInt("active")).isEqualTo(1);
    assertThat(figures.getInt("paused")).isEqualTo(1);
    assertThat(figures.getInt("failing")).isEqualTo(1);
    assertThat(figures.getInt("open")).isEqualTo(1);
    assertThat(figures.getJsonNumber("oldest_open_seconds").doubleValue()).isGreaterThan(99);
    assertThat(figures.getInt("delivered")).isEqualTo(1);
    assertThat(figures.getInt("failed")).isEqualTo(1);
  }

  @Test
  void without_a_webhook_nothing_is_placed_in_the_feed() {
    published(1, 1);
    desk.claim(10, now);
    assertThat(sql.number("select count(*) from tasker.domain_events where position is not null"))
        .isZero();
  }
}
