package ee.tasker.schedule;

import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Local times by a cron expression of five fields, as crontab has them: minute, hour, day of the
 * month, month, day of the week (0 and 7 are
 * Sunday; a range may begin and end with it), or one of the macros {@code @yearly @annually
 * @monthly @weekly @daily @midnight @hourly}. When both days are restricted, either
 * suffices. Knows nothing of time zones. Thread-safe.
 */
final class CronExpression {
  private static final int MOST_PARSED = 10_000;
  private static final Map<String, String> MACROS = Map.of("@yearly", "0 0 1 1 *", "@annually",
      "0 0 1 1 *", "@monthly", "0 0 1 * *",
      "@weekly", "0 0 * * 0", "@daily", "0 0 * * *", "@midnight", "0 0 * * *", "@hourly",
      "0 * * * *");
  private static final Map<String, Integer> MONTHS = numbered(1, "JAN", "FEB", "MAR", "APR", "MAY",
      "JUN", "JUL", "AUG", "SEP", "OCT",
      "NOV", "DEC");
  private static final Map<String, Integer> DAYS = numbered(0, "SUN", "MON", "TUE", "WED", "THU",
      "FRI", "SAT");
  private static final Pattern WORD = Pattern.compile("[A-Za-z]+");
  private static final Pattern FROM_SUNDAY = Pattern.compile("(?<![0-9])7-(?=[0-6](?![0-9]))");
  private static final Pattern UNTIL_SUNDAY = Pattern.compile("(?<=(?<![0-9])[1-6]-)0(?![0-9])");
  /** Parsing takes far longer than all that is done with the result. */
  private static final Map<String, CronExpression> PARSED = new ConcurrentHashMap<>();

  private record Known(LocalDateTime after, Optional<LocalDateTime> next) {
  }

  private final List<ExecutionTime> times;
  private final boolean everyHour;
  /** Schedules with the same expression ask the same question. */
  private volatile Known latest;

  private CronExpression(List<ExecutionTime> times, boolean everyHour) {
    this.times = times;
    this.everyHour = everyHour;
  }

  /** @throws IllegalArgumentException with a message for the author of the expression */
  static CronExpression parse(String text) {
    CronExpression known = PARSED.get(text);
    if (known == null) {
      known = read(text);
      if (PARSED.size() < MOST_PARSED) {
        PARSED.put(text, known);
      }
    }
    return known;
  }

  private static CronExpression read(String text) {
    String trimmed = text.trim();
    String expression = trimmed.startsWith("@") ? MACROS.get(trimmed.toLowerCase(Locale.ROOT))
        : trimmed;
    if (expression == null) {
      throw new IllegalArgumentException("unknown macro; allowed: "
          + String.join(", ", MACROS.keySet().stream().sorted().toList()));
    }
    String[] fields = expression.split("\\s+");
    if (fields.length != 5) {
      throw new IllegalArgumentException(
          "must have five fields (minute, hour, day of the month, month, day of the week), not "
              + fields.length);
    }
    // The parser takes the name SUN for 7, and a range that begins with it for one that ends before
    // it begins.
    fields[3] = withoutNames(fields[3], MONTHS);
    fields[4] = UNTIL_SUNDAY
        .matcher(FROM_SUNDAY.matcher(withoutNames(fields[4], DAYS)).replaceAll("0-"))
        .replaceAll("7");
    boolean eitherDay = isRestricted(fields[2]) && isRestricted(fields[4]);
    if (eitherDay && (fields[2].startsWith("*") || fields[4].startsWith("*"))) {
      throw new IllegalArgumentException(
          "a step over all days (*/n) cannot be combined with the other field of days: use two schedules");
    }
    Stream<String> parts = eitherDay
        ? Stream.of(with(fields, 4), with(fields, 2))
        : Stream.of(String.join(" ", fields));
    CronParser parser = new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX));
    return new CronExpression(
        parts.map(part -> ExecutionTime.forCron(parser.parse(part).validate())).toList(),
        fields[1].startsWith("*"));
  }

  private static Map<String, Integer> numbered(int first, String... names) {
    return IntStream.range(0, names.length).boxed()
        .collect(Collectors.toUnmodifiableMap(i -> names[i], i -> first + i));
  }

  /** An unknown name stays, for the parser to refuse. */
  private static String withoutNames(String field, Map<String, Integer> numbers) {
    return WORD.matcher(field).replaceAll(word -> {
      Integer number = numbers.get(word.group().toUpperCase(Locale.ROOT));
      return number == null ? word.group() : number.toString();
    });
  }

  private static boolean isRestricted(String field) {
    return !"*".equals(field);
  }

  /** The expression with all values of one field. */
  private static String with(String[] fields, int everything) {
    String[] copy = fields.clone();
    copy[everything] = "*";
    return String.join(" ", copy);
  }

  /**
   * Whether the hour is a wildcard or a step over all hours, so that the expression follows the
   * passage of time.
   */
  boolean isEveryHour() {
    return everyHour;
  }

  /** The first local time after this one; empty when there is none. */
  Optional<LocalDateTime> next(LocalDateTime after) {
    Known known = latest;
    if (known == null || !known.after().equals(after)) {
      known = new Known(after,
          times.stream().flatMap(each -> each.nextExecution(after.atZone(ZoneOffset.UTC)).stream())
              .map(time -> time.toLocalDateTime())
              .min(LocalDateTime::compareTo));
      latest = known;
    }
    return known.next();
  }
}
