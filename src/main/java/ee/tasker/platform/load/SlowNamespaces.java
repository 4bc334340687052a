package ee.tasker.platform.load;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Which namespaces make calls of the database slow, so that the others get calls of their own. A
 * call for several namespaces that takes long makes all of them suspects; a suspect whose own calls
 * are quick is cleared, and one whose own calls take long is kept apart for a while. Long is what
 * takes many times what calls usually take for as many items: where the whole machine is slow, no
 * namespace is. A namespace that has the server for itself is never kept apart. Thread-safe.
 */
public final class SlowNamespaces {
  /** More for each item of a call: many together are no sign of a slow one. */
  private static final Duration SLOW_ITEM = Duration.ofMillis(5);
  private static final Duration APART = Duration.ofSeconds(10);
  private static final int TIMES_THE_USUAL = 8;
  /** Of the calls that the usual is a mean of, the latest ones count for most. */
  private static final int CALLS = 16;
  /** Beyond that, what is not seen any more is forgotten. */
  private static final int MANY = 1_000;

  /** A slow call of its own counts that much; a quick one takes one away. */
  private static final int SLOW_CALL = 2;
  private static final int MOST_PROOF = 4 * SLOW_CALL;

  /** @param proof zero for a suspect */
  private record Marked(int proof, long since) {
  }

  private final LongSupplier nanoTime;
  private final Duration slow;
  private final boolean isCounted;
  private final Map<String, Marked> marks = new ConcurrentHashMap<>();
  private final Map<String, Long> seen = new ConcurrentHashMap<>();
  private final CallMean usual = new CallMean(CALLS);

  /**
   * @param slow      no call is slow that is quicker
   * @param isCounted whether the time of a call is counted and not measured: then one slow call is
   *   proof, and quick ones are none of the contrary. A pause of the machine makes any call long
   */
  public SlowNamespaces(LongSupplier nanoTime, Duration slow, boolean isCounted) {
    this.nanoTime = nanoTime;
    this.slow = slow;
    this.isCounted = isCounted;
  }

  /** Whether the namespace gets calls of its own now. */
  public boolean isApart(String namespace) {
    Marked marked = marks.get(namespace);
    return marked != null && !isOver(marked.since());
  }

  /** Whether its own calls have proven that it is slow. */
  public boolean isSlow(String namespace) {
    Marked marked = marks.get(namespace);
    return marked != null && !isOver(marked.since())
        && marked.proof() >= (isCounted ? 1 : 2) * SLOW_CALL;
  }

  /** What a call for the items of these namespaces took. */
  public void called(Collection<String> namespaces, int items, long nanos) {
    long now = nanoTime.getAsLong();
    if (seen.size() > MANY) {
      seen.values().removeIf(this::isOver);
      marks.values().removeIf(marked -> isOver(marked.since()));
    }
    namespaces.forEach(namespace -> seen.put(namespace, now));
    boolean isSlow = isSlow(items, nanos);
    boolean isOwn = namespaces.size() == 1;
    if (!isSlow && isOwn) {
      namespaces.forEach(namespace -> marks.computeIfPresent(namespace, this::afterQuickCall));
    } else if (isSlow && hasOthers(namespaces)) {
      namespaces.forEach(namespace -> marks.merge(namespace, new Marked(isOwn ? SLOW_CALL : 0, now),
          this::afterSlowCall));
    }
  }

  private Marked afterQuickCall(String namespace, Marked known) {
    if (isCounted) {
      return known;
    }
    return known.proof() <= 1 ? null : new Marked(known.proof() - 1, known.since());
  }

  private Marked afterSlowCall(Marked known, Marked fresh) {
    return isOver(known.since()) ? fresh
        : new Marked(Math.min(known.proof() + fresh.proof(), MOST_PROOF), fresh.since());
  }

  private boolean isSlow(int items, long nanos) {
    double each = CallMean.each(items, nanos);
    double before = usual.value();
    if (nanos > slow.toNanos() + items * SLOW_ITEM.toNanos()
        && (before == 0 || each > TIMES_THE_USUAL * before)) {
      return true;
    }
    usual.add(each);
    return false;
  }

  private boolean hasOthers(Collection<String> namespaces) {
    return namespaces.size() > 1 || seen.entrySet().stream()
        .anyMatch(other -> !namespaces.contains(other.getKey()) && !isOver(other.getValue()));
  }

  private boolean isOver(long since) {
    return nanoTime.getAsLong() - since > APART.toNanos();
  }
}
