package ee.tasker.platform.load;

import ee.tasker.platform.Effort;
import ee.tasker.platform.JsonbCheck;
import ee.tasker.platform.Problem;
import ee.tasker.platform.config.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.util.Set;

/**
 * Tells what is large enough to be kept apart from the work of other namespaces, gives the large
 * and the costly requests of this server their {@link Turns}, and keeps the {@link Rests} after
 * them (ADR 0074).
 */
@ApplicationScoped
public class LargeWork {
  /** Longer request bodies, contexts and results are kept apart. */
  private static final int LARGE_BYTES = 65_536;
  /** Of a request that is small. */
  private static final Duration COSTLY = Duration.ofMillis(5);

  private final Rests rests = new Rests(System::nanoTime);
  private final SlowNamespaces costly = new SlowNamespaces(System::nanoTime, COSTLY, true);
  private Turns turns;

  LargeWork() {
    // for the proxy
  }

  @Inject
  LargeWork(Settings settings) {
    turns = new Turns(Math.max(2, Runtime.getRuntime().availableProcessors()),
        settings.longestQueueing(), rests);
  }

  /** Whether a text of that length in bytes or characters is large. */
  public boolean isLarge(long length) {
    return length > LARGE_BYTES;
  }

  public boolean isLarge(JsonValue value) {
    return isLarge(JsonbCheck.size(value));
  }

  /** @throws Problem 503 server-busy when the turn does not come soon */
  public Turns.Turn takeTurn(String namespace) {
    return turns.take(namespace, 0);
  }

  /**
   * A turn for the work with a request of that length, to be closed on the same thread. A small one
   * waits for none, unless it submits, and one that its namespace sent before took much {@link
   * Effort}, or its namespace sends heavy work while calls for all are slow.
   *
   * @param spentNanos what the request took before, which is counted with its turn
   * @param submits    whether it is a submission: what operators do waits for no turn
   * @throws Problem 503 server-busy when the turn does not come soon
   */
  public Turns.Turn begin(String namespace, long length, long spentNanos, boolean submits) {
    rests.seen(namespace);
    boolean isHeavy = isLarge(length) || submits && costly.isApart(namespace);
    if (isHeavy) {
      rests.heavy(namespace);
    }
    Turns.Turn turn = isHeavy || submits && rests.isHeavy(namespace)
        ? turns.take(namespace, spentNanos) : () -> {};
    long before = Effort.total();
    return () -> {
      costly.called(Set.of(namespace), 1, Effort.total() - before);
      turn.close();
    };
  }

  /** See {@link Rests}. */
  public Rests rests() {
    return rests;
  }

  /** Whose work it is, as turns and rests know it. */
  public static String share(String namespace) {
    return "namespace " + namespace;
  }
}
