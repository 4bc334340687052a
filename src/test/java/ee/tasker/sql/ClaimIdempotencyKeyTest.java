package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import jakarta.json.JsonObject;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Keys of requests: the answer is there exactly if the effect is. */
@DatabaseTest
@DatabaseTest.Covers({"save_idempotent_response", "purge_idempotency_keys"})
class ClaimIdempotencyKeyTest {
  private static final String HASH = "ab".repeat(32);
  private static final String OTHER = "cd".repeat(32);

  private final Sql sql = Sql.open();
  private final String key = UUID.randomUUID().toString();

  /** Other classes leave such rows, too. */
  @BeforeEach
  @AfterEach
  void forget() {
    sql.run("delete from tasker.idempotency_keys");
  }

  @Test
  void what_was_kept_is_the_answer_to_the_same_request_only() {
    assertThat(claim(sql, HASH).getString("verdict")).isEqualTo("new");
    keep(sql);

    JsonObject again = claim(sql, HASH);
    assertThat(again.getString("verdict")).isEqualTo("replay");
    assertThat(again.getInt("status")).isEqualTo(201);
    assertThat(again.getString("location")).isEqualTo("http://here/1");
    assertThat(again.getString("body")).isEqualTo("{\"b\": 1,  \"a\": 2}");
    assertThat(claim(sql, OTHER).getString("verdict")).isEqualTo("other_request");
    assertThat(sql.object("select tasker.claim_idempotency_key('bo', ?, ?, 60)", key, OTHER)
        .getString("verdict"))
        .as("another caller's key")
        .isEqualTo("new");
  }

  @Test
  void second_waits_for_the_first_and_gets_its_answer() {
    Sql first = Sql.session();
    Sql second = Sql.session();
    claim(first, HASH);

    Sql.Later<JsonObject> waiting = second.later(session -> claim(session, HASH)).untilItWaits();
    keep(first);
    first.commit();

    assertThat(waiting.get().getString("verdict")).isEqualTo("replay");
    second.commit();
  }

  @Test
  void second_does_it_when_the_first_died_before_its_commit() {
    Sql first = Sql.session();
    Sql second = Sql.session();
    int pid = first.number("select pg_backend_pid()").intValue();
    claim(first, HASH);
    keep(first);

    Sql.Later<JsonObject> waiting = second.later(session -> claim(session, HASH)).untilItWaits();
    sql.text("select pg_terminate_backend(?::int)", pid);
    assertThatThrownBy(first::close).hasMessageContaining("terminat");

    assertThat(waiting.get().getString("verdict")).isEqualTo("new");
    keep(second);
    second.commit();
    assertThat(claim(sql, HASH).getString("verdict")).isEqualTo("replay");
  }

  @Test
  void a_caller_that_waits_too_long_gets_busy_and_keeps_its_lock_timeout() {
    Sql first = Sql.session();
    Sql second = Sql.session();
    claim(first, HASH);
    second.run("set local lock_timeout = '7s'");

    assertThat(second.text("select tasker.claim_idempotency_key('ann', ?, ?, 60, 50) ->> 'verdict'",
        key, HASH)).isEqualTo("busy");
    assertThat(second.text("show lock_timeout")).isEqualTo("7s");
    second.rollback();
    first.rollback();
    assertThat(claim(sql, HASH).getString("verdict")).isEqualTo("new");
  }

  @Test
  void table_refuses_a_second_answer_from_any_writer() {
    keep(sql);
    assertThatThrownBy(() -> keep(sql)).hasMessageContaining("idempotency_keys_pkey");
    assertThatThrownBy(() -> sql.run(
        "insert into tasker.idempotency_keys values ('ann', 'k', decode(?, 'hex'), 409, null, '')",
        HASH))
        .hasMessageContaining("only_what_was_done_is_kept");
  }

  @Test
  void old_answer_is_forgotten_whether_it_was_purged_or_not() {
    sql.text(
        "select tasker.save_idempotent_response('ann', ?, ?, 200, null, '{}', now() - interval '61 s')",
        key, HASH);

    assertThat(claim(sql, OTHER).getString("verdict")).isEqualTo("new");
    assertThat(sql.number("select count(*) from tasker.idempotency_keys")).isZero();
  }

  @Test
  void purge_takes_the_oldest_in_bounded_batches_and_leaves_what_another_session_has() {
    for (int i = 1; i <= 5; i++) {
      sql.text(
          "select tasker.save_idempotent_response('ann', ?, ?, 200, null, '{}', now() - make_interval(secs => ?::int))",
          "k" + i, HASH,
          i * 100);
    }
    Sql other = Sql.session();
    other.text("select body from tasker.idempotency_keys where idempotency_key = 'k5' for update");

    assertThat(sql.number("select tasker.purge_idempotency_keys(150, 2)")).isEqualTo(2);
    assertThat(sql.texts("select idempotency_key from tasker.idempotency_keys order by 1"))
        .containsExactly("k1", "k2", "k5");
    other.rollback();
    assertThat(sql.number("select tasker.purge_idempotency_keys(150, 10)")).isEqualTo(2);
    assertThat(sql.texts("select idempotency_key from tasker.idempotency_keys"))
        .containsExactly("k1");
  }

  private JsonObject claim(Sql session, String hash) {
    return session.object("select tasker.claim_idempotency_key('ann', ?, ?, 60)", key, hash);
  }

  private void keep(Sql session) {
    session.text(
        "select tasker.save_idempotent_response('ann', ?, ?, 201, 'http://here/1', '{\"b\": 1,  \"a\": 2}')",
        key, HASH);
  }
}
