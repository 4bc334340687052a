package ee.tasker.platform.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SqlFunctionsTest {
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    "select cast(tasker.heartbeat(cast(? as uuid), ?) as text)|heartbeat",
    "select tasker.is_terminal(?)|is_terminal",
    "select cast(tasker.limit_answer(cast(tasker.get_servers() as text)) as text)|get_servers",
    "select pg_current_wal_lsn()|none"})
  void call_is_measured_under_the_function_that_does_the_work(String sql, String function) {
    assertThat(SqlFunctions.function(sql)).isEqualTo(function);
  }
}
