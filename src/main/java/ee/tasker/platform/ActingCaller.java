package ee.tasker.platform;

import jakarta.enterprise.context.RequestScoped;

/** Who is authenticated in this request, for gateways that have the database keep it beside what was done. */
@RequestScoped
public class ActingCaller {
  private String name;

  public void set(String caller) {
    name = caller;
  }

  /** Null when nobody is. */
  public String name() {
    return name;
  }
}
