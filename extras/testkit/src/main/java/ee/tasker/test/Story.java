package ee.tasker.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What happened to a task, one line each, in the order in which it happened. */
final class Story {
  private static final int LONGEST = 400;

  private final List<String> lines = new ArrayList<>();

  void add(String time, String who, String what) {
    lines.add(String.format(Locale.ROOT, "%-12s %-20s %s", time, who,
        what.length() <= LONGEST ? what : what.substring(0, LONGEST) + "…"));
  }

  List<String> lines() {
    return lines;
  }

  /** Since the beginning of the test: {@code +2d3h0m1.5s}, without the parts that are zero. */
  static String elapsed(Duration time) {
    StringBuilder text = new StringBuilder("+");
    append(text, time.toDaysPart(), "d");
    append(text, time.toHoursPart(), "h");
    append(text, time.toMinutesPart(), "m");
    if (time.toMillisPart() > 0) {
      text.append(time.toSecondsPart()).append('.')
          .append(String.format(Locale.ROOT, "%03d", time.toMillisPart()).replaceAll("0+$", ""))
          .append('s');
    } else if (time.toSecondsPart() > 0 || text.length() == 1) {
      text.append(time.toSecondsPart()).append('s');
    }
    return text.toString();
  }

  private static void append(StringBuilder text, long number, String unit) {
    if (number > 0) {
      text.append(number).append(unit);
    }
  }
}
