package ee.tasker.cli;

import ee.tasker.client.Call;
import ee.tasker.client.Operation;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Identifiers as they are typed: a UUID, or the beginning of one that only one entry has.
 *
 * <p>The beginning of a task's UUID is looked up as a range of the list of tasks, which is ordered
 * by UUID: two entries from the first
 * UUID of the range on, whatever the number of tasks. Other entries are looked up in the list that
 * a command of the same group shows.
 */
final class Ids {
  /** What is typed for the task that this program has submitted last. */
  static final String LAST = "last";
  static final String TASK = "TASK";
  private static final Pattern WHOLE = Pattern
      .compile("(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  private static final Pattern BEGINNING = Pattern.compile("(?i)[0-9a-f]{4}[0-9a-f-]{0,31}");
  private static final int DIGITS = 32;
  /** The server takes years of four digits. */
  private static final Instant LATEST = Instant.parse("9999-12-01T00:00:00Z");
  /** Of lists that are not ordered by UUID. */
  private static final int MOST_PAGES = 10;

  private Ids() {}

  /**
   * @throws UsageException if the text is no identifier, or no beginning of one where that is
   * enough
   */
  static void check(Arg arg, String text) {
    if (WHOLE.matcher(text).matches() || arg.isId() && isBeginning(text)
        || arg.isId() && arg.label().equals(TASK) && text.equals(LAST)) {
      return;
    }
    throw new UsageException(arg.key() + " must be a UUID"
        + (arg.isId() ? ", or the beginning of one with 4 digits or more" : "")
        + ", not \"" + text + "\"");
  }

  private static boolean isBeginning(String text) {
    return BEGINNING.matcher(text).matches() && digits(text).length() < DIGITS;
  }

  private static String digits(String text) {
    return text.replace("-", "").toLowerCase(java.util.Locale.ROOT);
  }

  /**
   * The UUID that was meant. @throws NotFoundException if there is none, @throws UsageException if
   * there are several
   */
  static String resolve(Invocation in, Arg arg, String text) {
    if (!arg.isId() || WHOLE.matcher(text).matches()) {
      return text;
    }
    if (arg.label().equals(TASK)) {
      return text.equals(LAST) ? LastTask.load(in).toString() : task(in, digits(text));
    }
    return listed(in, arg, digits(text));
  }

  private static String task(Invocation in, String digits) {
    BigInteger first = new BigInteger(digits + "0".repeat(DIGITS - digits.length()), 16);
    BigInteger last = new BigInteger(digits + "f".repeat(DIGITS - digits.length()), 16);
    Instant end = Instant.ofEpochMilli(last.shiftRight(80).longValue()).plusSeconds(1);
    // A page begins after its cursor. The first twelve digits of a UUID are the time at which it
    // was made, which ends the range.
    Call call = Call.of(Operation.LIST_TASKS).query("order", "oldest").query("limit", 2)
        .query("cursor", uuid(first.subtract(BigInteger.ONE).max(BigInteger.ZERO)))
        .query("created_before", end.isAfter(LATEST) ? LATEST : end);
    List<String> found = in.client().send(call).json().getJsonArray("tasks")
        .getValuesAs(JsonObject.class).stream()
        .map(task -> task.getString("task_uuid")).filter(uuid -> digits(uuid).startsWith(digits))
        .toList();
    return only(found, digits, "task",
        "There is no task that you may list whose UUID begins with ");
  }

  private static UUID uuid(BigInteger number) {
    return new UUID(number.shiftRight(64).longValue(), number.longValue());
  }

  /** By the command that lists such entries: its first column has their UUIDs. */
  private static String listed(Invocation in, Arg arg, String digits) {
    Map.Entry<String, Command> lister = lister(in.command(), arg)
        .orElseThrow(() -> new UsageException(
            arg.key() + " must be a whole UUID: no command lists such entries"));
    Command list = lister.getValue();
    String rows = list.view().tables().get(0).path();
    List<String> found = new ArrayList<>();
    String cursor = null;
    for (int page = 0; page < MOST_PAGES && found.size() < 2; page++) {
      Call call = Call.of(list.operations().get(0));
      list.args().stream().filter(each -> each.place() == Arg.Place.PATH)
          .forEach(each -> call.path(each.member(), in.id(each.key())));
      if (list.largestPage() > 0) {
        call.query("limit", list.largestPage()).query("cursor", cursor);
      }
      JsonObject answer = in.client().send(call).json();
      if (Text.at(answer, rows) instanceof JsonArray entries) {
        entries.stream().map(entry -> Text.cell(Text.at(entry, arg.member())))
            .filter(uuid -> digits(uuid).startsWith(digits))
            .forEach(found::add);
      }
      cursor = Text.cell(answer.get("next"));
      if (cursor.isEmpty()) {
        break;
      }
    }
    return only(found, digits, lister.getKey(),
        "Nothing of \"tasker " + lister.getKey() + "\" begins with ");
  }

  private static String only(List<String> found, String digits, String what, String none) {
    if (found.isEmpty()) {
      throw new NotFoundException(none + digits);
    }
    if (found.size() > 1) {
      throw new UsageException("More than one " + what + " begins with " + digits + ": "
          + found.get(0) + ", " + found.get(1)
          + "; give more of it");
    }
    return found.get(0);
  }

  /** What it needs for its path, the command must have too. */
  private static Optional<Map.Entry<String, Command>> lister(Command asking, Arg arg) {
    List<String> given = asking.args().stream().filter(each -> each.place() == Arg.Place.PATH)
        .takeWhile(each -> each != arg)
        .map(Arg::member).toList();
    return Commands.all().stream().filter(entry -> {
      Command command = entry.getValue();
      List<View.Table> tables = command.view().tables();
      return command.operations().size() == 1 && tables.size() == 1
          && tables.get(0).columns().get(0).path().equals(arg.member())
          && command.args().stream().filter(each -> each.place() == Arg.Place.PATH)
              .allMatch(each -> given.contains(each.member()))
          && command.args().stream()
              .noneMatch(each -> each.isRequired() && each.place() != Arg.Place.PATH);
    }).findFirst();
  }
}
