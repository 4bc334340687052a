package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import jakarta.json.JsonObject;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What administrators change and see, and what is recorded about every caller. */
@DatabaseTest
@DatabaseTest.Covers({"set_password", "set_user_enabled", "revoke_api_key", "revoke_grant",
  "count_administrators",
  "refuse_last_administrator", "begin_write_request",
  "finish_write_request", "list_write_requests", "set_caller", "get_caller", "begin_action"})
class ListAccessTest {
  private static final String HASH = "PBKDF2WithHmacSHA512:1:AAAA:AAAA";
  private final Sql sql = Sql.open();

  @BeforeEach
  void forget() {
    sql.run(
        "truncate tasker.access_users, tasker.access_keys, tasker.access_grants, tasker.write_requests cascade");
  }

  private UUID user(String name, String role) {
    UUID user = sql.uuid("select tasker.save_user(?, ?, 'test')", name, HASH);
    sql.text("select tasker.grant_access(?, null, ?, null, null, 'test')", user, role);
    return user;
  }

  /** The outcome, or the code of a refusal. */
  private String outcome(String call, Object... arguments) {
    JsonObject reply = sql.object(call, arguments);
    return reply.getString("code", reply.getString("outcome"));
  }

  @Test
  void everything_is_listed_but_hashes() {
    user("ann", "admin");
    sql.text("select tasker.create_api_key('job', ?, 'tkr_1234', null, 'ann')", "ab".repeat(32));
    JsonObject all = sql.object("select tasker.list_access()");

    assertThat(all.getJsonArray("users").getJsonObject(0).getString("name")).isEqualTo("ann");
    assertThat(all.getJsonArray("users").getJsonObject(0).getJsonArray("grants").getJsonObject(0)
        .getString("role")).isEqualTo("admin");
    assertThat(all.getJsonArray("keys").getJsonObject(0).getString("hint")).isEqualTo("tkr_1234");
    assertThat(all.getJsonArray("roles").getValuesAs(JsonObject.class))
        .extracting(role -> role.getString("role")).contains("admin",
            "operator", "submitter", "viewer", "monitor");
    assertThat(all.toString()).doesNotContain("PBKDF2", "abab");
  }

  @Test
  void a_disabled_user_is_marked_and_can_be_enabled_again() {
    user("root", "admin");
    UUID user = user("ann", "viewer");

    assertThat(outcome("select tasker.set_user_enabled(?, false, 'root')", user)).isEqualTo("done");
    assertThat(outcome("select tasker.set_user_enabled(?, false, 'root')", user))
        .isEqualTo("already");
    assertThat(sql.object("select tasker.get_user_access('ann')").getBoolean("enabled")).isFalse();
    assertThat(outcome("select tasker.set_user_enabled(?, true, 'root')", user)).isEqualTo("done");
    assertThat(sql.object("select tasker.get_user_access('ann')").getBoolean("enabled")).isTrue();
    assertThatDatabaseRefuses("TK007",
        () -> sql.text("select tasker.set_user_enabled(?, null, 'root')", user))
        .hasMessageContaining("is_enabled");
  }

  @Test
  void the_longest_name_of_a_caller_with_its_kind_before_it_is_kept_whole() {
    String caller = "external:" + "n".repeat(128);
    user("root", "admin");
    UUID user = sql.uuid("select tasker.save_user('ann', ?, ?)", HASH, caller);
    UUID key = sql.uuid("select tasker.create_api_key('job', ?, 'tkr_1234', null, ?)",
        "ab".repeat(32), caller);
    Dag.Task task = Dag.of("a").started();

    assertThat(
        outcome("select tasker.grant_access(?, null, 'viewer', null, null, ?)", user, caller))
        .isEqualTo("done");
    assertThat(outcome("select tasker.set_user_enabled(?, false, ?)", user, caller))
        .isEqualTo("done");
    assertThat(outcome("select tasker.revoke_api_key(?, ?)", key, caller)).isEqualTo("done");
    assertThat(outcome("select tasker.request_cancel(?, ?, 'a test')", task.uuid(), caller))
        .isEqualTo("requested");
    assertThat(sql.texts(
        "select created_by from tasker.access_users where user_uuid = ? union all select disabled_by from tasker.access_users where user_uuid = ? "
            + "union all select created_by from tasker.access_keys union all select revoked_by from tasker.access_keys union all select granted_by from tasker.access_grants where user_uuid = ? "
            + "union all select acted_by from tasker.operator_actions where task_uuid = ?",
        user, user, user, task.uuid())).hasSize(6).containsOnly(caller);
  }

  @Test
  void a_new_password_replaces_the_old_hash() {
    UUID user = user("ann", "viewer");
    String other = "PBKDF2WithHmacSHA512:2:AAAA:AAAA";

    assertThat(outcome("select tasker.set_password(?, ?)", user, other)).isEqualTo("done");
    assertThat(sql.object("select tasker.get_user_access('ann')").getString("password_hash"))
        .isEqualTo(other);
    assertThatDatabaseRefuses("TK007", () -> sql.text("select tasker.set_password(?, null)", user))
        .hasMessageContaining("hash_password");
    assertThat(sql.object("select tasker.get_user_access('ann')").getString("password_hash"))
        .isEqualTo(other);
  }

  @Test
  void the_last_administrator_cannot_be_taken_away_in_any_way() {
    UUID root = user("root", "admin");
    String grant = sql.text("select grant_uuid from tasker.access_grants");

    assertThat(outcome("select tasker.set_user_enabled(?, false, 'root')", root))
        .isEqualTo("last-administrator");
    assertThat(outcome("select tasker.revoke_grant(?)", grant)).isEqualTo("last-administrator");
    assertThat(sql.text("select tasker.refuse_last_administrator(?) ->> 'message'", root))
        .contains("manage users");

    UUID second = user("second", "admin");
    assertThat(sql.number("select tasker.count_administrators()")).isEqualTo(2);
    assertThat(sql.text("select tasker.refuse_last_administrator(?)", root))
        .as("another one is left").isNull();
    assertThat(outcome("select tasker.revoke_grant(?)", grant)).isEqualTo("done");
    assertThat(outcome("select tasker.revoke_grant(?)", grant)).isEqualTo("grant-not-found");
    assertThat(outcome("select tasker.set_user_enabled(?, false, 'root')", second))
        .isEqualTo("last-administrator");
    assertThat(sql.number("select tasker.count_administrators()")).isEqualTo(1);
  }

  @Test
  void of_two_administrators_who_disable_each_other_at_once_one_stays() {
    UUID one = user("one", "admin");
    UUID two = user("two", "admin");
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      assertThat(first.text("select tasker.set_user_enabled(?, false, 'one') ->> 'outcome'", two))
          .isEqualTo("done");
      Sql.Later<String> later = second
          .later(session -> session
              .text("select tasker.set_user_enabled(?, false, 'two') ->> 'code'", one))
          .untilItWaits();
      first.commit();

      assertThat(later.get()).isEqualTo("last-administrator");
    }
  }

  @Test
  void a_revoked_key_stays_so() {
    user("root", "admin");
    UUID key = sql.uuid("select tasker.create_api_key('job', ?, 'tkr_1234', null, 'ann')",
        "ab".repeat(32));

    assertThat(outcome("select tasker.revoke_api_key(?, 'ann')", key)).isEqualTo("done");
    assertThat(outcome("select tasker.revoke_api_key(?, 'ann')", key)).isEqualTo("already");
    assertThat(sql.text("select tasker.get_key_access(?)", "ab".repeat(32))).isNull();
    assertThat(outcome("select tasker.grant_access(null, ?, 'viewer', null, null, 'ann')", key))
        .as("to a revoked key")
        .isEqualTo("key-not-found");
  }

  @Test
  void a_write_request_is_there_before_it_is_answered_and_answered_once() {
    UUID server = UUID.randomUUID();
    UUID first = sql
        .uuid(
            "select tasker.begin_write_request('ann', 'user', 'PATCH', '/v1/tasks/{task_uuid}', '/v1/tasks/7', '127.0.0.1', ?)",
            server);
    assertThat(sql.text("select status from tasker.write_requests")).isNull();
    assertThat(sql.isTrue("select tasker.finish_write_request(?, 200, '/v1/x/Made')", first))
        .isTrue();
    assertThat(sql.isTrue("select tasker.finish_write_request(?, 500)", first)).isFalse();
    UUID second = sql.uuid(
        "select tasker.begin_write_request('key:job', 'key', 'POST', '/v1/pauses', '/v1/pauses', null, ?)",
        server);

    JsonObject page = sql.object("select tasker.list_write_requests('{}', 1)");
    assertThat(page.getJsonArray("requests").getJsonObject(0).getString("request_uuid"))
        .isEqualTo(second.toString());
    assertThat(page.getString("next")).isEqualTo(second.toString());
    JsonObject next = sql.object("select tasker.list_write_requests('{}', 1, ?)", second);
    assertThat(next.getJsonArray("requests").getJsonObject(0).getInt("status")).isEqualTo(200);
    assertThat(next.isNull("next")).isTrue();
    assertThatDatabaseRefuses("TK007", () -> sql.text(
        "select tasker.list_write_requests(jsonb_build_object('object', repeat('x', 1001)))"))
        .hasMessageContaining("object");
    assertThat(sql.object("select tasker.list_write_requests('{\"caller\": \"ann\"}')")
        .getJsonArray("requests")).hasSize(1);
    assertThat(sql.object("select tasker.list_write_requests('{\"route\": \"/v1/nothing\"}')")
        .getJsonArray("requests")).isEmpty();
    assertThat(sql.object("select tasker.list_write_requests('{\"object\": \"/PAUSES\"}')")
        .getJsonArray("requests")).hasSize(1);
    assertThat(sql.object("select tasker.list_write_requests('{\"object\": \"made\"}')")
        .getJsonArray("requests").getJsonObject(0).getString("object")).isEqualTo("/v1/x/Made");
    assertThat(sql.object("select tasker.list_write_requests('{\"object\": \"p%s\"}')")
        .getJsonArray("requests")).as("no pattern").isEmpty();
    assertThatDatabaseRefuses("23514",
        () -> sql.text(
            "select tasker.begin_write_request('ann', 'somebody', 'GET', '', '', null, ?)",
            server));
  }

  @Test
  void a_request_about_a_user_or_key_by_its_id_is_shown_and_found_by_the_name() {
    UUID ann = user("Ann", "viewer");
    UUID key = sql.uuid("select tasker.create_api_key('job', ?, 'tkr_1234', null, 'ann')",
        "ab".repeat(32));
    UUID server = UUID.randomUUID();
    for (String path : List.of("/shop/v1/access/users/" + ann, "/v1/access/keys/" + key,
        "/v1/access/users/" + UUID.randomUUID(), "/v1/tasks/" + ann)) {
      sql.uuid("select tasker.begin_write_request('root', 'user', 'PATCH', '/v1/x', ?, null, ?)",
          path, server);
    }
    UUID grant = sql.uuid("select tasker.begin_write_request('root', 'user', 'POST', '/v1/x',"
        + " '/v1/access/grants', null, ?)", server);
    sql.text("select tasker.finish_write_request(?, 201, ?)", grant, "/v1/access/users/" + ann);

    assertThat(names("{}")).containsExactly("Ann", "null", "null", "job", "Ann");
    assertThat(names("{\"object\": \"ann\"}")).as("by the id that belongs to the name")
        .containsExactly("Ann", "null", "Ann");
    assertThat(names("{\"object\": \"JOB\"}")).containsExactly("job");
  }

  private List<String> names(String filter) {
    return sql.object("select tasker.list_write_requests(?::jsonb)", filter)
        .getJsonArray("requests").getValuesAs(JsonObject.class).stream()
        .map(request -> request.isNull("object_name") ? "null" : request.getString("object_name"))
        .toList();
  }

  @Test
  void a_grant_that_is_made_or_revoked_names_whose_it_is() {
    UUID ann = user("ann", "admin");
    user("bob", "admin");
    JsonObject made = sql.object("select tasker.grant_access(?, null, 'viewer', null, 'a', 'x')",
        ann);
    JsonObject revoked = sql.object("select tasker.revoke_grant(?)",
        UUID.fromString(made.getString("grant_uuid")));

    assertThat(made.getString("name")).isEqualTo("ann");
    assertThat(revoked.getString("name")).isEqualTo("ann");
    assertThat(revoked.getString("user_uuid")).isEqualTo(ann.toString());
    assertThat(revoked.isNull("key_uuid")).isTrue();
  }

  @Test
  void an_action_keeps_who_was_authenticated_and_the_next_transaction_does_not() {
    List<Dag.Task> tasks = Dag.of("a").started(2);
    try (Sql session = Sql.session()) {
      session.text("select tasker.set_caller('key:job')");
      session.text("select tasker.send_task_to_dlq(?, 'ann', 'a check')", tasks.get(0).uuid());
      session.commit();
      session.text("select tasker.send_task_to_dlq(?, 'ann', 'a check')", tasks.get(1).uuid());
      session.commit();
    }

    assertThat(sql.text("select authenticated_as from tasker.operator_actions where task_uuid = ?",
        tasks.get(0).uuid()))
        .isEqualTo("key:job");
    assertThat(sql.text("select authenticated_as from tasker.operator_actions where task_uuid = ?",
        tasks.get(1).uuid())).isNull();
    assertThat(sql.text("select tasker.get_task_history(?)", tasks.get(0).uuid()))
        .contains("\"by\": \"key:job\"", "\"claimed_actor\": ");
  }

  @Test
  void who_did_something_is_who_was_authenticated_and_the_name_that_was_given_stands_beside_it() {
    Dag.Task task = Dag.of("a").inNamespace("callers").policy("{\"limit\": 1}").started();
    String namespace = "callers";
    try (Sql session = Sql.session()) {
      session.text("select tasker.set_caller('ann')");
      session.object("select tasker.pause_templates(?, null, null, 'boss', 'a test')", namespace);
      session.text(
          "select tasker.set_concurrency_limit(policy_uuid, 3, 'boss') from tasker.concurrency_policies where namespace_name = ?",
          namespace);
      session.object("select tasker.set_retention_policy(?, null, null, 3, 'boss', 'a test')",
          namespace);
      session.object("select tasker.send_task_to_dlq(?, 'boss', 'a test')", task.uuid());
      session.object(
          "select tasker.update_dlq_entry(dlq_entry_uuid, 'manually_resolved', 'boss', 'a test') from tasker.tasks_dlq where task_uuid = ?",
          task.uuid());
      session.object("select tasker.request_cancel(?, 'boss', 'a test')", task.uuid());
      session.text(
          "insert into tasker.dead_messages (queue_name, msg_id, read_ct, enqueued_at, cause, message) values ('orchestration_step_results', 0, 5, now(), 'callers', '{}') returning 1");
      session.text(
          "select tasker.replay_dead_message(dead_message_uuid, 'boss') from tasker.dead_messages where cause = 'callers'");
      session.commit();
    }

    assertThat(sql.texts(
        "select concat_ws(' ', paused_by, pause_claimed_actor) from tasker.task_namespaces where name = 'callers' "
            + "union all select concat_ws(' ', paused_by, claimed_actor) from tasker.template_pauses p join tasker.tasks t using (named_task_uuid) where t.task_uuid = ? "
            + "union all select concat_ws(' ', set_by, claimed_actor) from tasker.concurrency_policies where namespace_name = 'callers' "
            + "union all select concat_ws(' ', set_by, claimed_actor) from tasker.retention_policies where namespace_name = 'callers' "
            + "union all select concat_ws(' ', resolved_by, claimed_actor) from tasker.tasks_dlq where task_uuid = ? "
            + "union all select concat_ws(' ', cancel_requested_by, cancel_claimed_actor) from tasker.tasks where task_uuid = ? "
            + "union all select concat_ws(' ', replayed_by, claimed_actor) from tasker.dead_messages where cause = 'callers'",
        task.uuid(), task.uuid(), task.uuid()))
        .hasSize(7).containsOnly("ann boss");
    assertThat(sql.array("select tasker.get_task_history(?)", task.uuid())
        .getValuesAs(jakarta.json.JsonObject.class).stream()
        .filter(entry -> java.util.Set.of("action", "dead_letter_closed")
            .contains(entry.getString("kind")))
        .map(entry -> entry.getString("by") + " " + entry.getString("claimed_actor")))
        .hasSizeGreaterThan(3).containsOnly("ann boss");
    sql.object("select tasker.resume_templates(?, null, null, 'boss', 'a test')", namespace);
    sql.object("select tasker.pause_templates(?, null, null, 'boss', 'a test')", namespace);
    assertThat(sql.texts(
        "select concat_ws(' ', paused_by, pause_claimed_actor) from tasker.task_namespaces where name = 'callers'"))
        .as("SQL callers are not authenticated").containsExactly("boss");
    sql.object("select tasker.resume_templates(?, null, null, 'boss', 'a test')", namespace);
  }

  @Test
  void an_action_waits_five_seconds_for_a_lock_and_only_in_its_transaction() {
    try (Sql session = Sql.session()) {
      String before = session.text("show lock_timeout");

      assertThat(session.text("select tasker.begin_action('key:job')")).isEqualTo("key:job");

      assertThat(session.text("select tasker.get_caller()")).isEqualTo("key:job");
      assertThat(session.text("show lock_timeout")).isEqualTo("5s");
      session.commit();
      assertThat(session.text("show lock_timeout")).isEqualTo(before);
    }
  }
}
