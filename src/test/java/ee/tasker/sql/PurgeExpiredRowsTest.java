package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"purge_expired_rows", "get_expiring_tables"})
class PurgeExpiredRowsTest {
  private final Sql sql = Sql.open();

  @BeforeEach
  void a_table_that_wants_its_old_rows_gone() {
    sql.run("create table tasker.of_a_test (n int, at timestamptz)");
    sql.run(
        "insert into tasker.of_a_test select d, now() - d * interval '1 day' from generate_series(1, 9) d");
    sql.run(
        "insert into tasker.expiring_tables (table_name, time_column, keep_days) values ('of_a_test', 'at', 5), ('not_there', 'at', 5)");
  }

  @AfterEach
  void gone() {
    sql.run("drop table tasker.of_a_test");
    sql.run("delete from tasker.expiring_tables where table_name in ('of_a_test', 'not_there')");
  }

  @Test
  void the_oldest_rows_go_first_and_what_is_kept_stays() {
    assertThat(sql.number("select tasker.purge_expired_rows(3)")).isEqualTo(3);
    assertThat(sql.texts("select n from tasker.of_a_test order by 1")).containsExactly("1", "2",
        "3", "4", "5", "6");
    assertThat(sql.number("select tasker.purge_expired_rows(3)")).isEqualTo(2);
    assertThat(sql.number("select tasker.purge_expired_rows(3)")).isZero();
    assertThat(sql.texts("select n from tasker.of_a_test order by 1")).containsExactly("1", "2",
        "3", "4");
  }

  @Test
  void rows_that_another_session_holds_are_skipped() {
    try (Sql holder = Sql.session()) {
      holder.text("select n from tasker.of_a_test where n = 9 for update");
      assertThat(sql.number("select tasker.purge_expired_rows(1)")).isOne();
      assertThat(sql.texts("select n from tasker.of_a_test order by 1 desc limit 2"))
          .containsExactly("9", "7");
    }
  }

  @Test
  void who_asked_for_which_change_is_kept_for_400_days_and_the_oldest_that_is_kept_is_shown() {
    sql.run(
        "insert into tasker.write_requests (requested_at, caller, caller_kind, method, route, path, server_uuid) select now() - d * interval '1 day', 'day ' || d, 'user', 'POST', '/', '/', "
            + "'00000000-0000-7000-8000-000000000000' from unnest('{1,399,401,900}'::int[]) d");
    try {
      sql.number("select tasker.purge_expired_rows()");

      assertThat(sql.texts(
          "select caller from tasker.write_requests where caller like 'day %' order by requested_at"))
          .containsExactly("day 399", "day 1");
      assertThat(sql.text(
          "select keep_days || ' ' || (now() - oldest_at > interval '398 days') from tasker.get_expiring_tables() where table_name = 'write_requests'"))
          .isEqualTo("400 true");
      assertThat(sql.text(
          "select string_agg(t ->> 'table', ' ') from jsonb_array_elements(tasker.get_retention_document() -> 'tables') t"))
          .isEqualTo(
              "bulk_action_tasks bulk_actions of_a_test queued_signals schedule_fires webhook_deliveries write_requests");
    } finally {
      sql.run("delete from tasker.write_requests where caller like 'day %'");
    }
  }

  @Test
  void null_days_keep_without_limit() {
    sql.run("update tasker.expiring_tables set keep_days = null where table_name = 'of_a_test'");
    assertThat(sql.number("select tasker.purge_expired_rows()")).isZero();
  }
}
