package ee.tasker.platform;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.transaction.HeuristicMixedException;
import jakarta.transaction.InvalidTransactionException;
import jakarta.transaction.RollbackException;
import jakarta.transaction.TransactionalException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
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
    assertThat(DatabaseFaults.isRefusal(new IllegalStateException("transaction rolled back, perhaps"))).isFalse();
    assertThat(DatabaseFaults.isRefusal(wrapped(new SQLException("no state")))).isFalse();
  }

  @Test
  void a_commit_without_an_answer_may_have_happened() {
    // As Open Liberty tells of a connection that was reset while it committed.
    RuntimeException liberty = new TransactionalException(null,
        new HeuristicMixedException().initCause(new XAException(XAException.XAER_RMFAIL)));

    assertThat(DatabaseFaults.isUnconfirmedCommit(liberty)).isTrue();
    assertThat(DatabaseFaults.isUnconfirmedCommit(new TransactionalException(null, new RollbackException()))).isTrue();
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
    assertThat(DatabaseFaults.isUnconfirmedCommit(wrapped(new SQLException("gone", state)))).isFalse();
  }

  @Test
  void pool_that_lends_no_connection_makes_the_database_unreachable() {
    // As Open Liberty tells of it, with an SQLSTATE or without one.
    RuntimeException liberty = wrapped(new SQLTransientConnectionException("connection not available", (String) null));

    assertThat(DatabaseFaults.isUnreachable(liberty)).isTrue();
    assertThat(DatabaseFaults.isOutage(liberty)).isTrue();
    assertThat(DatabaseFaults.isUnconfirmedCommit(liberty)).isFalse();
    assertThat(DatabaseFaults.isUnreachable(wrapped(new SQLException("no state")))).isFalse();
  }

  @Test
  void write_to_a_standby_was_not_done_and_may_be_sent_again() {
    RuntimeException standby = wrapped(new SQLException("cannot execute INSERT in a read-only transaction", "25006"));

    assertThat(DatabaseFaults.isReadOnly(standby)).isTrue();
    assertThat(DatabaseFaults.isUnreachable(standby)).isTrue();
    assertThat(DatabaseFaults.isUnconfirmedCommit(standby)).isFalse();
    assertThat(DatabaseFaults.isRefusal(standby)).isTrue();
    assertThat(DatabaseFaults.isReadOnly(wrapped(new SQLException("gone", "08006")))).isFalse();
  }

  @Test
  void fault_of_our_own_has_nothing_to_do_with_the_database() {
    assertThat(DatabaseFaults.isUnreachable(new IllegalStateException("no", new NullPointerException()))).isFalse();
    assertThat(DatabaseFaults.isUnreachable(new TransactionalException(null, new InvalidTransactionException()))).isFalse();
  }

  private static RuntimeException wrapped(SQLException cause) {
    return new IllegalStateException(new RuntimeException(cause));
  }
}
