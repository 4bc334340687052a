package ee.tasker.client;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Which tasks a list has: those that match everything. Immutable; every method returns another
 * filter.
 */
public final class TaskFilter {
  private static final TaskFilter ALL = new TaskFilter(List.of());

  private final List<Map.Entry<String, String>> parameters;

  private TaskFilter(List<Map.Entry<String, String>> parameters) {
    this.parameters = parameters;
  }

  public static TaskFilter all() {
    return ALL;
  }

  public TaskFilter namespace(String namespace) {
    return with("namespace", namespace);
  }

  /** The name of the template. */
  public TaskFilter name(String name) {
    return with("name", name);
  }

  public TaskFilter version(String version) {
    return with("version", version);
  }

  /** In one of these states. */
  public TaskFilter state(TaskState... states) {
    return with("state",
        Arrays.stream(states).map(TaskState::toString).collect(Collectors.joining(",")));
  }

  public TaskFilter tag(String tag) {
    return with("tag", tag);
  }

  /** A search attribute of the template; several must all match. */
  public TaskFilter attribute(String name, String value) {
    return with("attribute", name + ":" + value);
  }

  /** Created then or later. */
  public TaskFilter createdAfter(Instant time) {
    return with("created_after", time.toString());
  }

  /** Created earlier. */
  public TaskFilter createdBefore(Instant time) {
    return with("created_before", time.toString());
  }

  /** Any parameter by its name in the interface. */
  public TaskFilter with(String parameter, String value) {
    List<Map.Entry<String, String>> more = new ArrayList<>(parameters);
    more.add(Map.entry(parameter, value));
    return new TaskFilter(List.copyOf(more));
  }

  List<Map.Entry<String, String>> parameters() {
    return parameters;
  }
}
