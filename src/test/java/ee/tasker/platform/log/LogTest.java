package ee.tasker.platform.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

public class LogTest {
  private final Logger logger = Logger.getLogger(LogTest.class.getName());
  private final List<LogRecord> records = new ArrayList<>();
  private final Handler handler = new Handler() {
    @Override
    public void publish(LogRecord entry) {
      records.add(entry);
    }

    @Override
    public void flush() {
      // nothing is retained
    }

    @Override
    public void close() {
      // nothing is open
    }
  };

  @BeforeEach
  void listen() {
    // Outages are counted for the whole JVM: one that another class left is over.
    Log.of(LogTest.class).databaseAnswered();
    Log.of(LogTest.class).write(LogEvent.LISTENER_CONNECTED);
    logger.setUseParentHandlers(false);
    logger.setLevel(Level.INFO);
    logger.addHandler(handler);
  }

  @AfterEach
  void stopListening() {
    logger.removeHandler(handler);
  }

  @Test
  void line_begins_with_the_events_id_and_its_sentence() {
    assertThat(line("task", "1", "state", null)).isEqualTo("TK1202 task ended task=1");
  }

  @Test
  void values_with_blanks_are_quoted_and_cannot_close_their_quotes() {
    assertThat(line("reason", "no \"longer\" wanted", "empty", ""))
        .isEqualTo("TK1202 task ended reason=\"no 'longer' wanted\" empty=\"\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r\n", "\r", "\u0085", "\u2028", "\u2029", "\u000b", "\f",
    "\u001b[2K", "\u0000", "\u009b1A"})
  void value_cannot_begin_a_line_of_its_own_or_steer_a_terminal(String breakout) {
    String line = line("reason", "bye" + breakout + "TK1202 task ended task=2");

    assertThat(line).startsWith("TK1202 task ended reason=\"bye").endsWith("\"");
    assertThat(line.codePoints())
        .noneMatch(c -> Character.isISOControl(c) || c == 0x2028 || c == 0x2029);
  }

  @Test
  void braces_of_a_value_are_no_place_for_a_parameter() {
    assertThat(line("reason", "{0}${jndi:x}%s"))
        .isEqualTo("TK1202 task ended reason={0}${jndi:x}%s");
  }
  @Test
  void members_are_fields_of_the_record_where_no_context_of_the_thread_is_read() {
    line("task", "1", "code", "stale", "state", null, "reason", "no \"longer\" {wanted}");

    assertThat(records.get(0).getParameters()).containsExactly(Map.of("tasker_code", "TK1202",
        "tasker_task", "1", "tasker_problem_code", "stale", "tasker_reason",
        "no \"longer\" {wanted}"));
    assertThat(new SimpleFormatter().formatMessage(records.get(0)))
        .isEqualTo(records.get(0).getMessage());
  }

  @Test
  void value_that_would_make_a_pattern_of_the_line_leaves_it_without_fields() {
    line("reason", "it's {0}");

    assertThat(records.get(0).getParameters()).isNull();
    assertThat(new SimpleFormatter().formatMessage(records.get(0)))
        .isEqualTo("TK1202 task ended reason=\"it's {0}\"");
  }

  @Test
  void fields_are_in_the_context_of_the_thread_while_the_line_is_written_and_not_longer() {
    Map<String, String> seen = new HashMap<>();
    Logger looking = Logger.getAnonymousLogger();
    looking.setUseParentHandlers(false);
    looking.addHandler(new Handler() {
      @Override
      public void publish(LogRecord entry) {
        seen.putAll(ThreadContext.FIELDS);
        throw new IllegalStateException("a handler that fails");
      }

      @Override
      public void flush() {
        // nothing is retained
      }

      @Override
      public void close() {
        // nothing is open
      }
    });
    LogFields context = LogFields.Context.of(getClass().getClassLoader(),
        ThreadContext.class.getName(), "put", "remove", void.class);
    Map<String, String> fields = LogFields.of(LogEvent.TASK_ENDED, "task", "1");

    assertThatThrownBy(
        () -> context.publish(looking, new LogRecord(Level.INFO, "{0}"), fields))
        .hasMessage("a handler that fails");

    assertThat(seen).isEqualTo(Map.of("tasker_code", "TK1202", "tasker_task", "1"));
    assertThat(ThreadContext.FIELDS).isEmpty();
  }

  /** As a server has one. */
  public static final class ThreadContext {
    static final Map<String, String> FIELDS = new HashMap<>();

    private ThreadContext() {
    }

    public static void put(String name, String value) {
      FIELDS.put(name, value);
    }

    public static void remove(String name) {
      FIELDS.remove(name);
    }
  }

  @Test
  void what_is_off_costs_no_line() {
    Log.of(LogTest.class).write(LogEvent.STEP_CLAIMED, "task", "1");

    assertThat(records).isEmpty();
  }

  @Test
  void ids_are_unique_and_levels_fit_the_catalogues_promise() {
    assertThat(Arrays.stream(LogEvent.values()).map(LogEvent::id)).doesNotHaveDuplicates()
        .allMatch(id -> id.matches("TK\\d{4}"));
    assertThat(Arrays.stream(LogEvent.values()).map(LogEvent::sentence)).doesNotHaveDuplicates()
        .noneMatch(sentence -> sentence.endsWith(".") || sentence.isBlank());
    assertThat(Arrays.stream(LogEvent.values()).filter(event -> event.name().startsWith("STEP_")))
        .noneMatch(event -> event.level() == System.Logger.Level.INFO);
  }

  @ParameterizedTest
  @ValueSource(strings = {"08001", "57P03", "28P01", "28000", "25006", "3D000", "53300"})
  void database_that_cannot_be_used_is_one_line_however_many_calls_fail_and_says_when_it_is_back(
      String state) {
    Log log = Log.of(LogTest.class);
    for (int call = 0; call < 145; call++) {
      log.write(LogEvent.CALL_FAILED, new IllegalStateException(new SQLException("not now", state)),
          "call", "claim_steps");
    }
    log.databaseAnswered();
    log.databaseAnswered();

    assertThat(records).extracting(LogRecord::getMessage).hasSize(2)
        .satisfiesExactly(
            line -> assertThat(line).startsWith("TK1503 ").contains("call=claim_steps",
                "failed_calls=1", "cause=\"not now\""),
            line -> assertThat(line).startsWith("TK1504 ").contains("failed_calls=145"));
    assertThat(records).extracting(LogRecord::getThrown).containsOnlyNulls();
  }

  @Test
  void listener_that_cannot_connect_is_logged_once_beside_the_calls() {
    Log log = Log.of(LogTest.class);
    for (int i = 0; i < 20; i++) {
      log.write(LogEvent.CALL_FAILED, new SQLException("away", "08001"), "call", "claim_steps");
      log.write(LogEvent.LISTENER_LOST, new SQLException("away", "08001"), "retry_ms", 200);
    }
    log.databaseAnswered();
    log.write(LogEvent.LISTENER_CONNECTED);
    log.write(LogEvent.LISTENER_LOST, new SQLException("away again", "08006"));
    log.write(LogEvent.LISTENER_CONNECTED);

    assertThat(records).extracting(line -> line.getMessage().substring(0, 6)).containsExactly(
        "TK1503", "TK1402", "TK1504", "TK1401",
        "TK1402", "TK1401");
  }

  @Test
  void fault_of_one_call_keeps_its_line_and_its_stack_trace() {
    Log log = Log.of(LogTest.class);
    for (int call = 0; call < 3; call++) {
      log.write(LogEvent.CALL_FAILED,
          new IllegalStateException(new SQLException("no such function", "42883")), "call",
          "claim_steps");
    }

    assertThat(records).hasSize(3).allSatisfy(line -> assertThat(line.getThrown()).isNotNull());
  }

  @Test
  void request_that_met_the_outage_keeps_its_line_for_the_sake_of_its_id() {
    Log log = Log.of(LogTest.class);
    log.write(LogEvent.REQUEST_FAILED, new SQLException("gone", "08006"), "id", "1");
    log.write(LogEvent.REQUEST_FAILED, new SQLException("gone", "08006"), "id", "2");

    assertThat(records).extracting(LogRecord::getMessage).hasSize(2)
        .allMatch(line -> line.startsWith("TK1502 ") && line.contains("cause=gone"));
    assertThat(records).extracting(LogRecord::getThrown).containsOnlyNulls();
  }

  private String line(Object... pairs) {
    Log.of(LogTest.class).write(LogEvent.TASK_ENDED, pairs);
    return records.get(records.size() - 1).getMessage();
  }
}
