package ee.tasker.platform;

import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonValue;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Set;

/**
 * Tells what is large enough to be kept apart from the work of other namespaces, gives the large
 * and the costly requests of this server their {@link Turns}, and keeps the {@link Rests} after
 * them (ADR 0074).
 */
@ApplicationScoped
public class LargeWork {
  @Inject
  private Settings settings;

  /** Of the processors, for a request that is small. */
  private static final Duration COSTLY = Duration.ofMillis(10);
  /** What one takes in a server that is cold. */
  private static final Duration USUAL_AT_FIRST = Duration.ofMillis(5);

  private final ThreadMXBean processors = ManagementFactory.getThreadMXBean();
  private final Rests rests = new Rests(System::nanoTime);
  private final SlowNamespaces costly = new SlowNamespaces(System::nanoTime, COSTLY,
      USUAL_AT_FIRST);
  private Turns turns;

  @PostConstruct
  void prepare() {
    turns = new Turns(Math.max(2, Runtime.getRuntime().availableProcessors()),
        settings.longestQueueing(), rests);
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

  /**
   * A turn for the work with a request of that length, to be closed on the same thread. A small one
   * waits for none, unless what its namespace sends has taken much of the processors before.
   *
   * @throws Problem 503 server-busy when the turn does not come soon
   */
  public Turns.Turn begin(String namespace, long length) {
    rests.seen(namespace);
    Turns.Turn turn = isLarge(length) || costly.isApart(namespace) ? turns.take(namespace)
        : () -> {};
    long before = processorTime();
    return () -> {
      costly.called(Set.of(namespace), 1, processorTime() - before);
      turn.close();
    };
  }

  /** Of this thread, in nanoseconds; always the same where the JVM does not know. */
  private long processorTime() {
    return processors.isCurrentThreadCpuTimeSupported() ? processors.getCurrentThreadCpuTime() : 0;
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
