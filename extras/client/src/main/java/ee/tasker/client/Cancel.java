package ee.tasker.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** How to cancel a task. Immutable; every method returns another. */
public final class Cancel {
  private final List<Map.Entry<String, String>> parameters;

  private Cancel(List<Map.Entry<String, String>> parameters) {
    this.parameters = parameters;
  }

  /** Running steps are asked to stop, and interrupted after the template's grace period. */
  public static Cancel because(String requestedBy, String reason) {
    return new Cancel(List.of(Map.entry("requested_by", requestedBy), Map.entry("reason", reason)));
  }

  /** Running steps may finish. */
  public Cancel allowFinish() {
    return with("policy", "allow_finish");
  }

  public Cancel graceSeconds(int seconds) {
    return with("grace_seconds", Integer.toString(seconds));
  }

  /** Also all tasks that have this one as their parent, and their children. */
  public Cancel withChildren() {
    return with("children", "cancel");
  }

  /** What the task has done is compensated before it is cancelled. */
  public Cancel compensate() {
    return with("compensate", "true");
  }

  private Cancel with(String parameter, String value) {
    List<Map.Entry<String, String>> more = new ArrayList<>(parameters);
    more.add(Map.entry(parameter, value));
    return new Cancel(List.copyOf(more));
  }

  List<Map.Entry<String, String>> parameters() {
    return parameters;
  }
}
