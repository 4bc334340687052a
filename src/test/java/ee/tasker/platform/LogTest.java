package ee.tasker.platform;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogTest {
  private final Logger logger = Logger.getLogger(LogTest.class.getName());
  private final List<LogRecord> records = new ArrayList<>();
  private final Handler handler = new Handler() {
    @Override
    public void publish(LogRecord entry) {
      records.add(entry);
    }

    @Override
    public void flush() {
      // nothing is kept back
    }

    @Override
    public void close() {
      // nothing is open
    }
  };

  @BeforeEach
  void listen() {
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
    assertThat(line("reason", "no \"longer\" wanted", "empty", "")).isEqualTo("TK1202 task ended reason=\"no 'longer' wanted\" empty=\"\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r\n", "\r", "\u0085", "\u2028", "\u2029", "\u000b", "\f", "\u001b[2K", "\u0000", "\u009b1A"})
  void value_cannot_begin_a_line_of_its_own_or_steer_a_terminal(String breakout) {
    String line = line("reason", "bye" + breakout + "TK1202 task ended task=2");

    assertThat(line).startsWith("TK1202 task ended reason=\"bye").endsWith("\"");
    assertThat(line.codePoints()).noneMatch(c -> Character.isISOControl(c) || c == 0x2028 || c == 0x2029);
  }

  @Test
  void braces_of_a_value_are_no_place_for_a_parameter() {
    assertThat(line("reason", "{0}${jndi:x}%s")).isEqualTo("TK1202 task ended reason={0}${jndi:x}%s");
  }

  @Test
  void what_is_off_costs_no_line() {
    Log.of(LogTest.class).write(LogEvent.STEP_CLAIMED, "task", "1");

    assertThat(records).isEmpty();
  }

  @Test
  void ids_are_unique_and_levels_fit_the_catalogues_promise() {
    assertThat(Arrays.stream(LogEvent.values()).map(LogEvent::id)).doesNotHaveDuplicates().allMatch(id -> id.matches("TK\\d{4}"));
    assertThat(Arrays.stream(LogEvent.values()).map(LogEvent::sentence)).doesNotHaveDuplicates().noneMatch(sentence -> sentence.endsWith(".") || sentence.isBlank());
    assertThat(Arrays.stream(LogEvent.values()).filter(event -> event.name().startsWith("STEP_"))).noneMatch(event -> event.level() == System.Logger.Level.INFO);
  }

  private String line(Object... pairs) {
    Log.of(LogTest.class).write(LogEvent.TASK_ENDED, pairs);
    return records.get(records.size() - 1).getMessage();
  }
}
