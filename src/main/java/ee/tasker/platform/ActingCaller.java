package ee.tasker.platform;

import jakarta.enterprise.context.RequestScoped;

/**
 * The authenticated caller of this request, which gateways have the database record with each
 * action.
 */
@RequestScoped
public class ActingCaller {
  private String name;

  public void set(String caller) {
    name = caller;
  }

  /** Null when the request is not authenticated. */
  public String name() {
    return name;
  }

  /** The actor for a log line: the authenticated caller, or else the name in the request. */
  public String actor(String given) {
    return name == null ? given : name;
  }

  /** The name in the request, for the same log line; null if it is the {@link #actor}. */
  public String claimedActor(String given) {
    return name == null || name.equals(given) ? null : given;
  }
}
