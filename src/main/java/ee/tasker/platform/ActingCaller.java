package ee.tasker.platform;

import jakarta.enterprise.context.RequestScoped;

/** Who is authenticated in this request, for gateways that have the database keep it beside what was done. */
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

  /** Who did it, for a log line: the authenticated caller, or else the name that the request gives. */
  public String actor(String given) {
    return name == null ? given : name;
  }

  /** The name that the request gives, for the same line; null where it is that of the {@link #actor}. */
  public String claimedActor(String given) {
    return name == null || name.equals(given) ? null : given;
  }
}
