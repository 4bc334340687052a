package ee.tasker.platform;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A caller's mistake, or a request that the current state does not allow: thrown by facades,
 * returned over REST as an RFC
 * 9457 problem. Nothing has been changed when it is thrown.
 */
public class Problem extends RuntimeException {
  private static final long serialVersionUID = 1L;
  /** Violations of one problem; another one says how many more there are. */
  public static final int MOST_VIOLATIONS = 100;

  /** One invalid field: a JSON pointer or a parameter's name, and what is wrong with it. */
  public record Violation(String field, String message) {
  }

  private final int status;
  private final String code;
  private final transient List<Violation> violations;
  private final transient Map<String, Object> extras;

  /**
   * @param status the matching HTTP status
   * @param code   stable, lower case with hyphens, the last part of the problem's type
   * @param extras further members of the problem document: strings and numbers
   */
  public Problem(int status, String code, String detail, List<Violation> violations,
      Map<String, Object> extras) {
    super(detail);
    this.status = status;
    this.code = code;
    this.violations = first(violations);
    this.extras = Map.copyOf(extras);
  }

  private static List<Violation> first(List<Violation> violations) {
    if (violations.size() <= MOST_VIOLATIONS + 1) {
      return List.copyOf(violations);
    }
    List<Violation> first = new ArrayList<>(violations.subList(0, MOST_VIOLATIONS));
    first.add(more(violations.size() - MOST_VIOLATIONS));
    return List.copyOf(first);
  }

  static Violation more(int count) {
    return new Violation("", "there are more violations, which are not listed: " + count);
  }

  public static Problem of(int status, String code, String detail) {
    return new Problem(status, code, detail, List.of(), Map.of());
  }

  public static Problem invalid(String field, String message) {
    return new Problem(400, "invalid-request", field + ": " + message,
        List.of(new Violation(field, message)), Map.of());
  }

  public static Problem invalid(List<Violation> violations) {
    String detail = violations.size() == 1
        ? violations.get(0).field() + ": " + violations.get(0).message()
        : violations.size() + " fields are invalid";
    return new Problem(400, "invalid-request", detail, violations, Map.of());
  }

  public int status() {
    return status;
  }

  public String code() {
    return code;
  }

  public List<Violation> violations() {
    return violations;
  }

  public Map<String, Object> extras() {
    return extras;
  }
}
