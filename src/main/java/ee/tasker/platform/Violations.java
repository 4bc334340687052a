package ee.tasker.platform;

import ee.tasker.platform.Problem.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Collects the violations of one request, the first of each field, and keeps a hundred. Not
 * thread-safe.
 */
public final class Violations {
  private final List<Violation> first = new ArrayList<>();
  private int count;

  public void add(String field, String message) {
    if (!has(field) && count++ < Problem.MOST_VIOLATIONS) {
      first.add(new Violation(field, message));
    }
  }

  /** Whether one of this field is kept. */
  public boolean has(String field) {
    return first.stream().anyMatch(other -> other.field().equals(field));
  }

  int kept() {
    return first.size();
  }

  /** Reports the names that are not allowed; the first of them says which ones are. */
  public void addUnknown(String prefix, Set<String> names, Set<String> allowed) {
    String[] more = {"; allowed: " + String.join(", ", new TreeSet<>(allowed))};
    names.stream().filter(name -> !allowed.contains(name)).sorted().forEach(name -> {
      add(prefix + name, "unknown property" + more[0]);
      more[0] = "";
    });
  }

  /** @throws Problem 400 invalid-request when there are any */
  public void check() {
    if (count > 0) {
      List<Violation> reported = new ArrayList<>(first);
      if (count > first.size()) {
        reported.add(Problem.more(count - first.size()));
      }
      throw new Problem(400, "invalid-request",
          count == 1 ? first.get(0).field() + ": " + first.get(0).message()
              : count + " fields are invalid",
          reported, Map.of());
    }
  }
}
