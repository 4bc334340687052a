package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@DatabaseTest
class PurgeExpiredRowsTest {
  private final Sql sql = Sql.open();

  @BeforeEach
  void a_table_that_wants_its_old_rows_gone() {
    sql.run("create table tasker.of_a_test (n int, at timestamptz)");
    sql.run("insert into tasker.of_a_test select d, now() - d * interval '1 day' from generate_series(1, 9) d");
    sql.run("insert into tasker.expiring_tables (table_name, time_column, keep_days) values ('of_a_test', 'at', 5), ('not_there', 'at', 5)");
  }

  @AfterEach
  void gone() {
    sql.run("drop table tasker.of_a_test");
    sql.run("delete from tasker.expiring_tables where table_name in ('of_a_test', 'not_there')");
  }

  @Test
  void the_oldest_rows_go_first_and_what_is_kept_stays() {
    assertThat(sql.number("select tasker.purge_expired_rows(3)")).isEqualTo(3);
    assertThat(sql.texts("select n from tasker.of_a_test order by 1")).containsExactly("1", "2", "3", "4", "5", "6");
    assertThat(sql.number("select tasker.purge_expired_rows(3)")).isEqualTo(2);
    assertThat(sql.number("select tasker.purge_expired_rows(3)")).isZero();
    assertThat(sql.texts("select n from tasker.of_a_test order by 1")).containsExactly("1", "2", "3", "4");
  }

  @Test
  void rows_that_another_session_holds_are_skipped() {
    try (Sql holder = Sql.session()) {
      holder.text("select n from tasker.of_a_test where n = 9 for update");
      assertThat(sql.number("select tasker.purge_expired_rows(1)")).isOne();
      assertThat(sql.texts("select n from tasker.of_a_test order by 1 desc limit 2")).containsExactly("9", "7");
    }
  }

  @Test
  void null_days_keep_for_ever() {
    sql.run("update tasker.expiring_tables set keep_days = null where table_name = 'of_a_test'");
    assertThat(sql.number("select tasker.purge_expired_rows()")).isZero();
  }
}
