package ee.tasker.platform;

import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonValue;

/**
 * Tells what is large enough to be kept apart from the work of other namespaces, and gives the
 * large requests of this server their {@link Turns} (ADR 0074).
 */
@ApplicationScoped
public class LargeWork {
  @Inject
  private Settings settings;

  private Turns turns;

  @PostConstruct
  void prepare() {
    turns = new Turns(Math.max(2, Runtime.getRuntime().availableProcessors()),
        settings.longestQueueing());
  }

  /** Whether a text of that length in bytes or characters is large. */
  public boolean isLarge(long length) {
    return length > settings.largeBytes();
  }

  public boolean isLarge(JsonValue value) {
    return isLarge(JsonbCheck.size(value));
  }

  /** @throws Problem 503 server-busy when the turn does not come soon */
  public Turns.Turn takeTurn(String namespace) {
    return turns.take(namespace);
  }
}
