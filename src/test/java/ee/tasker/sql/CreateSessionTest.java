package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import jakarta.json.JsonObject;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sessions of users, by the hash of their token. */
@DatabaseTest
@DatabaseTest.Covers({"create_session", "get_session_access", "end_session"})
class CreateSessionTest {
  private static final String HASH = "PBKDF2WithHmacSHA512:1:AAAA:AAAA";
  private static final String TOKEN = "ab".repeat(32);
  private final Sql sql = Sql.open();
  private UUID ann;

  @BeforeEach
  void a_user_with_a_session() {
    sql.run("truncate tasker.access_users, tasker.access_keys, tasker.access_grants cascade");
    ann = sql.uuid("select tasker.save_user('ann', ?, 'test')", HASH);
    sql.text("select tasker.grant_access(?, null, null, 'tasks:read', 'orders', 'test')", ann);
    assertThat(
        sql.object("select tasker.create_session(?, ?, '1 hour')", ann, TOKEN).getString("outcome"))
        .isEqualTo("done");
  }

  private boolean isSignedIn() {
    return sql.text("select tasker.get_session_access(?)", TOKEN) != null;
  }

  @Test
  void a_session_is_its_user_with_the_present_grants() {
    sql.text("select tasker.grant_access(?, null, null, 'tasks:list', null, 'test')", ann);
    JsonObject known = sql.object("select tasker.get_session_access(?)", TOKEN);

    assertThat(known.getString("name")).isEqualTo("ann");
    assertThat(known.getString("uuid")).isEqualTo(ann.toString());
    assertThat(known.getInt("expires_in_seconds")).isBetween(3_500, 3_600);
    assertThat(known.getJsonArray("grants").toString()).contains("tasks:read", "orders",
        "tasks:list");
    assertThat(sql.text("select tasker.get_session_access(?)", "cd".repeat(32))).isNull();
  }

  @Test
  void a_session_ends_when_its_time_is_over() {
    sql.run(
        "update tasker.access_sessions set created_at = now() - interval '2 hours', expires_at = now() - interval '1 second'");
    sql.run("update tasker.access_users set password_changed_at = now() - interval '3 hours'");

    assertThat(isSignedIn()).isFalse();
  }

  @Test
  void a_session_ends_when_its_user_signs_out() {
    assertThat(sql.isTrue("select tasker.end_session(?)", TOKEN)).isTrue();

    assertThat(isSignedIn()).isFalse();
    assertThat(sql.isTrue("select tasker.end_session(?)", TOKEN)).isFalse();
  }

  @Test
  void a_session_ends_with_another_password() {
    sql.text("select tasker.set_password(?, ?)", ann, HASH);

    assertThat(isSignedIn()).isFalse();
  }

  @Test
  void a_session_of_a_disabled_user_ends_and_does_not_come_back() {
    sql.text("select tasker.save_user('bob', ?, 'test')", HASH);
    sql.text(
        "select tasker.grant_access((select user_uuid from tasker.access_users where name = 'bob'), null, 'admin', null, null, 'test')");
    sql.run(
        "update tasker.access_users set disabled_at = now(), disabled_by = 'psql' where name = 'ann'");
    assertThat(isSignedIn()).isFalse();
    sql.run(
        "update tasker.access_users set disabled_at = null, disabled_by = null where name = 'ann'");
    assertThat(isSignedIn()).isTrue();

    sql.text("select tasker.set_user_enabled(?, false, 'bob')", ann);
    sql.text("select tasker.set_user_enabled(?, true, 'bob')", ann);

    assertThat(isSignedIn()).isFalse();
  }

  @Test
  void sessions_that_have_expired_are_deleted_at_the_next_sign_in() {
    sql.run(
        "update tasker.access_sessions set created_at = now() - interval '2 hours', expires_at = now() - interval '1 second'");

    sql.text("select tasker.create_session(?, ?, '1 hour')", ann, "cd".repeat(32));

    assertThat(sql.number("select count(*) from tasker.access_sessions")).isEqualTo(1);
  }

  @Test
  void a_session_lasts_for_some_time() {
    assertThatDatabaseRefuses("23514",
        () -> sql.text("select tasker.create_session(?, ?, '0')", ann, "cd".repeat(32)));
  }
}
