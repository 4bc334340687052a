package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.security.PasswordHashes;
import ee.tasker.security.Permission;
import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import jakarta.json.JsonObject;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Users, keys, roles and grants as the database keeps them. */
@DatabaseTest
@DatabaseTest.Covers({"hash_password", "expand_grants", "get_user_access", "get_key_access",
  "get_role_access", "save_user", "grant_access",
  "create_api_key", "create_first_administrator", "get_namespace_of"})
class CreateUserTest {
  private static final String HASH = "PBKDF2WithHmacSHA512:1:AAAA:AAAA";
  private final Sql sql = Sql.open();

  @BeforeEach
  void forget() {
    sql.run("truncate tasker.access_users, tasker.access_keys, tasker.access_grants cascade");
  }

  private List<String> grants(JsonObject access) {
    return access.getJsonArray("grants").getValuesAs(JsonObject.class).stream()
        .map(grant -> grant.getString("permission")
            + (grant.isNull("namespace") ? "" : " in " + grant.getString("namespace")))
        .sorted()
        .toList();
  }

  @Test
  void a_password_that_was_hashed_in_sql_is_right_in_java_and_no_other_is() {
    for (String password : List.of("secret password", "Pässwörter 日本語", "x".repeat(200))) {
      String hash = sql.text("select tasker.hash_password(?, 1000)", password);

      assertThat(PasswordHashes.isHash(hash)).isTrue();
      assertThat(PasswordHashes.matches(password, hash)).isTrue();
      assertThat(PasswordHashes.matches(password + " ", hash)).isFalse();
    }
    assertThat(sql.text("select tasker.hash_password('a', 1) <> tasker.hash_password('a', 1)"))
        .as("salted").isEqualTo("t");
    assertThatDatabaseRefuses("TK007", () -> sql.text("select tasker.hash_password(null)"));
  }

  @Test
  void a_user_created_in_sql_gets_its_password_once_and_has_its_role() {
    JsonObject made = sql.object("select tasker.create_user('ann', null, 'submitter', 'orders')");
    JsonObject known = sql.object("select tasker.get_user_access('ANN')");

    assertThat(PasswordHashes.matches(made.getString("password"), known.getString("password_hash")))
        .isTrue();
    assertThat(known.getString("uuid")).isEqualTo(made.getString("user_uuid"));
    assertThat(known.getBoolean("enabled")).isTrue();
    assertThat(grants(known)).contains("tasks:create in orders", "steps:read in orders")
        .allMatch(grant -> grant.endsWith(" in orders"));
    assertThat(
        sql.object("select tasker.create_user('bob', 'at least twelve')").containsKey("password"))
        .isFalse();
    assertThat(grants(sql.object("select tasker.get_user_access('bob')"))).isEmpty();
    assertThat(sql.text("select tasker.get_user_access('nobody')")).isNull();
  }

  @Test
  void what_cannot_be_a_user_is_refused_and_leaves_nothing() {
    sql.text("select tasker.create_user('ann')");

    assertThatDatabaseRefuses("TK007", () -> sql.text("select tasker.create_user('Ann')"));
    assertThatDatabaseRefuses("TK007",
        () -> sql.text("select tasker.create_user('bob', 'too short')"));
    assertThatDatabaseRefuses("TK007",
        () -> sql.text("select tasker.create_user('bob', null, 'no such role')"));
    assertThatDatabaseRefuses("23514", () -> sql.text("select tasker.create_user('with:colon')"));
    assertThatDatabaseRefuses("23514",
        () -> sql.text("select tasker.save_user('bob', 'a password', 'me')"));
    assertThat(sql.texts("select name from tasker.access_users")).containsExactly("ann");
  }

  @Test
  void the_first_administrator_is_made_once_and_never_where_there_are_users() {
    assertThat(sql.isTrue("select tasker.create_first_administrator('root', ?)", HASH)).isTrue();
    assertThat(sql.isTrue("select tasker.create_first_administrator('other', ?)", HASH)).isFalse();
    assertThat(grants(sql.object("select tasker.get_user_access('root')"))).containsExactly("*:*");
    assertThat(sql.text("select tasker.get_user_access('other')")).isNull();
  }

  @Test
  void of_two_servers_that_start_at_once_one_makes_the_first_administrator() {
    try (Sql one = Sql.session(); Sql other = Sql.session()) {
      assertThat(one.isTrue("select tasker.create_first_administrator('root', ?)", HASH)).isTrue();
      Sql.Later<Boolean> second = other.later(
          session -> session.isTrue("select tasker.create_first_administrator('root', ?)", HASH))
          .untilItWaits();
      one.commit();

      assertThat(second.get()).isFalse();
    }
  }

  @Test
  void a_key_is_known_by_its_hash_until_it_is_revoked_or_expires() {
    String hash = "ab".repeat(32);
    UUID key = sql.uuid("select tasker.create_api_key('batch job', ?, 'tkr_1234', '1 hour', 'ann')",
        hash);
    sql.text("select tasker.grant_access(null, ?, null, 'tasks:create', 'orders', 'ann')", key);
    JsonObject known = sql.object("select tasker.get_key_access(?)", hash);

    assertThat(known.getString("name")).isEqualTo("batch job");
    assertThat(grants(known)).containsExactly("tasks:create in orders");
    assertThat(known.getInt("expires_in_seconds")).isBetween(3_500, 3_600);
    assertThat(sql.text("select tasker.get_key_access(?)", "cd".repeat(32))).isNull();
    sql.run("update tasker.access_keys set revoked_at = now(), revoked_by = 'ann'");
    assertThat(sql.text("select tasker.get_key_access(?)", hash)).isNull();
    sql.run(
        "update tasker.access_keys set revoked_at = null, revoked_by = null, expires_at = now()");
    assertThat(sql.text("select tasker.get_key_access(?)", hash)).isNull();
  }

  @Test
  void the_use_of_a_key_is_noted_once_an_hour() {
    String hash = "ab".repeat(32);
    sql.text("select tasker.create_api_key('batch job', ?, 'tkr_1234', null, 'ann')", hash);
    sql.text("select tasker.get_key_access(?)", hash);
    String first = sql.text("select last_used_at from tasker.access_keys");
    sql.text("select tasker.get_key_access(?)", hash);

    assertThat(first).isNotNull();
    assertThat(sql.text("select last_used_at from tasker.access_keys")).isEqualTo(first);
    sql.run("update tasker.access_keys set last_used_at = last_used_at - interval '61 minutes'");
    sql.text("select tasker.get_key_access(?)", hash);
    assertThat(sql.isTrue("select last_used_at >= ?::timestamptz from tasker.access_keys", first))
        .isTrue();
  }

  @Test
  void only_what_is_known_can_be_granted_and_twice_is_once() {
    UUID user = UUID
        .fromString(sql.object("select tasker.create_user('ann')").getString("user_uuid"));

    JsonObject grant = sql
        .object("select tasker.grant_access(?, null, 'viewer', null, null, 'root')", user);
    JsonObject again = sql
        .object("select tasker.grant_access(?, null, 'viewer', null, null, 'root')", user);
    assertThat(grant.getString("outcome") + " " + again.getString("outcome"))
        .isEqualTo("done already");
    assertThat(again.getString("grant_uuid")).isEqualTo(grant.getString("grant_uuid"));
    assertThat(
        sql.object("select tasker.grant_access(?, null, 'viewer', null, 'orders', 'root')", user)
            .getString("grant_uuid"))
        .isNotEqualTo(grant.getString("grant_uuid"));
    assertThatDatabaseRefuses("TK007",
        () -> sql.text("select tasker.grant_access(?, null, 'nobody', null, null, 'root')", user));
    assertThatDatabaseRefuses("TK007", () -> sql
        .text("select tasker.grant_access(?, null, null, 'tasks:everything', null, 'root')", user));
    assertThatDatabaseRefuses("TK007",
        () -> sql.text("select tasker.grant_access(?, null, 'viewer', 'tasks:read', null, 'root')",
            user))
        .hasMessageContaining("one of the two");
    assertThatDatabaseRefuses("TK007",
        () -> sql.text("select tasker.grant_access(?, null, null, null, null, 'root')", user))
        .hasMessageContaining("one of the two");
    assertThatDatabaseRefuses("TK007",
        () -> sql.text("select tasker.grant_access(?, ?, 'viewer', null, null, 'root')", user,
            UUID.randomUUID()))
        .hasMessageContaining("one of the two");
    assertThat(sql.number("select count(*) from tasker.access_grants")).isEqualTo(2);
  }

  @Test
  void permissions_are_those_of_the_code_and_every_resource_has_its_wildcard() {
    List<String> permissions = Arrays.stream(Permission.values()).map(Permission::text).toList();

    assertThat(sql
        .texts("select permission from tasker.access_permissions where permission not like '%*'"))
        .containsExactlyInAnyOrderElementsOf(permissions);
    assertThat(sql.texts(
        "select permission from tasker.access_permissions where permission like '%*' and permission <> '*:*'"))
        .containsExactlyInAnyOrderElementsOf(
            permissions.stream().map(text -> text.replaceAll(":.*", ":*")).distinct().toList());
    assertThat(sql.text("select tasker.get_role_access(array['admin', 'nobody'])")).contains("*:*");
    assertThat(sql.texts(
        "select r.role from tasker.access_roles r where not exists (select from tasker.access_role_permissions p where p.role = r.role)"))
        .isEmpty();
  }

  @Test
  void things_have_the_namespace_of_their_task() {
    Dag.Task task = Dag.of("a").started();
    String namespace = task.template().namespace();
    sql.text("select tasker.send_task_to_dlq(?, 'ann', 'a check')", task.uuid());
    String entry = sql.text("select dlq_entry_uuid from tasker.tasks_dlq");
    String token = sql.object(
        "select tasker.preview_bulk_action('cancel', '{\"namespace\": \"orders\"}', 'ann', 'all')")
        .getString("token");
    String all = sql
        .object(
            "select tasker.preview_bulk_action('cancel', '{\"state\": \"error\"}', 'ann', 'all')")
        .getString("token");

    assertThat(sql.text("select tasker.get_namespace_of('task', ?)", task.uuid()))
        .isEqualTo(namespace);
    assertThat(sql.text("select tasker.get_namespace_of('dead_letter', ?)", entry))
        .isEqualTo(namespace);
    assertThat(sql.text("select tasker.get_namespace_of('bulk_action', ?)", token))
        .isEqualTo("orders");
    assertThat(sql.text("select tasker.get_namespace_of('bulk_action', ?)", all)).isNull();
    for (String kind : List.of("task", "dead_letter", "policy", "bulk_action")) {
      assertThat(sql.text("select tasker.get_namespace_of(?, ?)", kind, UUID.randomUUID()))
          .isNull();
    }
  }
}
