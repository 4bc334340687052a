package ee.tasker.faults;

import ee.tasker.testing.server.TaskerClient;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.io.StringReader;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What clients were promised, and when: the tasks of each request that were answered with 201. Each
 * task has its number in its context.
 */
final class Acknowledged {
  private final int each;
  private final Map<Integer, UUID> tasks = new ConcurrentHashMap<>();
  private final ConcurrentSkipListSet<Long> moments = new ConcurrentSkipListSet<>();

  /** One task for each request. */
  Acknowledged() {
    this(1);
  }

  /** @param each how many tasks a request has; more than one: of {@code tasks:batch} */
  Acknowledged(int each) {
    this.each = each;
  }

  /** @return whether this response counts as a promise */
  boolean note(int number, HttpResponse<String> answer) {
    if (answer.statusCode() != (each == 1 ? 201 : 207)) {
      return false;
    }
    JsonObject body = Json.createReader(new StringReader(answer.body())).readObject();
    if (each == 1) {
      note(number, body);
    } else {
      int task = number * each;
      for (JsonValue verdict : body.getJsonArray("verdicts")) {
        if (verdict.asJsonObject().getInt("status") != 201) {
          throw new AssertionError("a task was refused: " + verdict);
        }
        note(task++, verdict.asJsonObject());
      }
    }
    moments.add(System.nanoTime());
    return true;
  }

  private void note(int task, JsonObject created) {
    tasks.put(task, UUID.fromString(created.getString("task_uuid")));
  }

  Map<Integer, UUID> tasks() {
    return tasks;
  }

  int count() {
    return tasks.size();
  }

  /**
   * How long after that moment a client received the next promise; fails when that takes too long.
   */
  Duration pauseAfter(long nanos, Duration patience) {
    TaskerClient.until("a task is acknowledged again", patience,
        () -> moments.higher(nanos) != null);
    return Duration.ofNanos(moments.higher(nanos) - nanos);
  }

  /**
   * The interval without a promise that contains that moment; to be called after the next promise.
   */
  Duration pauseAround(long nanos) {
    return Duration.ofNanos(moments.higher(nanos) - moments.floor(nanos));
  }

  /**
   * The longest interval without a promise that began or ended between two moments; to be called
   * after the next promise.
   */
  Duration longestPause(long from, long to) {
    long longest = 0;
    long last = moments.floor(from);
    for (long moment : moments.subSet(from, false, moments.higher(to), true)) {
      longest = Math.max(longest, moment - last);
      last = moment;
    }
    return Duration.ofNanos(longest);
  }

  /** Promised but missing tasks. */
  List<Map<String, Object>> lost(TaskerClient tasker) {
    List<Map.Entry<Integer, UUID>> promised = List.copyOf(tasks.entrySet());
    return tasker.sql("""
        select p.number, p.task_uuid from unnest(?::int[], ?::uuid[]) as p(number, task_uuid)
        left join (tasker.tasks t join tasker.task_contexts c using (task_uuid)) on t.task_uuid = p.task_uuid and (c.context ->> 'number')::int = p.number
        where t.task_uuid is null""", array(promised.stream().map(Map.Entry::getKey)),
        array(promised.stream().map(Map.Entry::getValue)));
  }

  /** Requests with more than one task. */
  static List<Map<String, Object>> doubled(TaskerClient tasker) {
    return tasker.sql(
        "select context ->> 'number' as number, count(*) from tasker.task_contexts where context ->> 'number' is not null group by 1 having count(*) > 1");
  }

  private static String array(Stream<?> values) {
    return values.map(Object::toString).collect(Collectors.joining(",", "{", "}"));
  }
}
