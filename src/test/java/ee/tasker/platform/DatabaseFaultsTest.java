package ee.tasker.platform;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.transaction.HeuristicMixedException;
import jakarta.transaction.InvalidTransactionException;
import jakarta.transaction.RollbackException;
import jakarta.transaction.TransactionalException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import javax.transaction.xa.XAException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseFaultsTest {

  @ParameterizedTest
  @ValueSource(strings = {"22P02", "23505", "40P01", "40001", "54000", "TK003", "P0001"})
  void what_the_database_refused_was_not_committed(String state) {
    assertThat(DatabaseFaults.isRefusal(wrapped(new SQLException("no", state)))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"08006", "08003", "57P01", "57P02", "58030", "XX000"})
  void whether_it_was_committed_is_unknown_when_the_connection_or_the_database_broke(String state) {
    assertThat(DatabaseFaults.isRefusal(wrapped(new SQLException("gone", state)))).isFalse();
  }

  @Test
  void a_failed_commit_says_nothing_at_all() {
    assertThat(
        DatabaseFaults.isRefusal(new IllegalStateException("transaction rolled back, perhaps")))
        .isFalse();
    assertThat(DatabaseFaults.isRefusal(wrapped(new SQLException("no state")))).isFalse();
  }

  @Test
  void a_commit_without_an_answer_may_have_happened() {
    // As Open Liberty tells of a connection that was reset while it committed.
    RuntimeException liberty = new TransactionalException(null,
        new HeuristicMixedException().initCause(new XAException(XAException.XAER_RMFAIL)));

    assertThat(DatabaseFaults.isUnconfirmedCommit(liberty)).isTrue();
    assertThat(DatabaseFaults
        .isUnconfirmedCommit(new TransactionalException(null, new RollbackException()))).isTrue();
    assertThat(DatabaseFaults.isUnreachable(liberty)).isTrue();
    assertThat(DatabaseFaults.isRefusal(liberty)).isFalse();
  }

  @Test
  void what_the_database_refused_at_the_commit_is_no_riddle() {
    Throwable refused = new RollbackException().initCause(new SQLException("deferred", "23503"));

    assertThat(DatabaseFaults.isUnconfirmedCommit(refused)).isFalse();
    assertThat(DatabaseFaults.isUnreachable(refused)).isFalse();
    assertThat(DatabaseFaults.isRefusal(refused)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"08006", "08001", "57P01", "57P03"})
  void database_that_is_away_is_unreachable(String state) {
    assertThat(DatabaseFaults.isUnreachable(wrapped(new SQLException("gone", state)))).isTrue();
    assertThat(DatabaseFaults.isUnconfirmedCommit(wrapped(new SQLException("gone", state))))
        .isFalse();
  }

  @Test
  void pool_that_lends_no_connection_makes_the_database_unreachable() {
    // As Open Liberty tells of it, with an SQLSTATE or without one.
    RuntimeException liberty = wrapped(
        new SQLTransientConnectionException("connection not available", (String) null));

    assertThat(DatabaseFaults.isUnreachable(liberty)).isTrue();
    assertThat(DatabaseFaults.isOutage(liberty)).isTrue();
    assertThat(DatabaseFaults.isUnconfirmedCommit(liberty)).isFalse();
    assertThat(DatabaseFaults.isUnreachable(wrapped(new SQLException("no state")))).isFalse();
  }

  @Test
  void write_to_a_standby_was_not_done_and_may_be_sent_again() {
    RuntimeException standby = wrapped(
        new SQLException("cannot execute INSERT in a read-only transaction", "25006"));

    assertThat(DatabaseFaults.isReadOnly(standby)).isTrue();
    assertThat(DatabaseFaults.isUnreachable(standby)).isTrue();
    assertThat(DatabaseFaults.isUnconfirmedCommit(standby)).isFalse();
    assertThat(DatabaseFaults.isRefusal(standby)).isTrue();
    assertThat(DatabaseFaults.isReadOnly(wrapped(new SQLException("gone", "08006")))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"08006", "25006", "25P03", "28P01", "28000", "3D000", "40001", "40P01", "53100",
        "53200", "53300", "55P03", "57014",
        "57P01", "57P05", "58030"})
  void what_may_succeed_later_is_transient(String state) {
    assertThat(DatabaseFaults.isTransient(wrapped(new SQLException("not now", state)))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"22P02", "23505", "42501", "42883", "54001", "P0001", "TK007", "XX000", "0", ""})
  void what_the_call_or_its_data_are_to_blame_for_is_not_transient(String state) {
    assertThat(DatabaseFaults.isTransient(wrapped(new SQLException("no", state)))).isFalse();
  }

  @Test
  void a_full_disk_and_a_refused_login_are_outages_and_a_statement_that_was_ended_is_none() {
    for (String state : List.of("53100", "53300", "28P01", "28000", "3D000", "08001", "57P03",
        "25006")) {
      assertThat(DatabaseFaults.isOutage(wrapped(new SQLException("away", state)))).as(state)
          .isTrue();
      assertThat(DatabaseFaults.isTransient(state)).as(state).isTrue();
    }
    for (String state : List.of("57014", "40P01", "40001", "55P03", "53200")) {
      assertThat(DatabaseFaults.isOutage(wrapped(new SQLException("this call", state)))).as(state)
          .isFalse();
    }
  }

  @Test
  void fault_of_our_own_has_nothing_to_do_with_the_database() {
    assertThat(
        DatabaseFaults.isUnreachable(new IllegalStateException("no", new NullPointerException())))
        .isFalse();
    assertThat(
        DatabaseFaults.isTransient(new IllegalStateException("no", new NullPointerException())))
        .isFalse();
    assertThat(DatabaseFaults
        .isUnreachable(new TransactionalException(null, new InvalidTransactionException())))
        .isFalse();
  }

  private static RuntimeException wrapped(SQLException cause) {
    return new IllegalStateException(new RuntimeException(cause));
  }

  @Test
  void message_is_that_of_the_driver_however_a_pool_wraps_it() {
    SQLException driver = new SQLException("no such host", "08001");
    assertThat(DatabaseFaults.message(new IllegalStateException(
        new SQLException("unable to get a connection", new IllegalStateException(driver)))))
        .isEqualTo("no such host");
    assertThat(DatabaseFaults.message(new IllegalStateException("no")))
        .isEqualTo("java.lang.IllegalStateException: no");
  }
}
