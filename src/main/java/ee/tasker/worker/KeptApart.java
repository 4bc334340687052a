package ee.tasker.worker;

import ee.tasker.platform.load.LargeWork;
import ee.tasker.platform.load.Rests;
import ee.tasker.platform.load.RoundRobin;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.IntSupplier;

/**
 * Results that wait apart from those of other namespaces: by namespace in turns, without the
 * namespaces that rest, unless their results hold too much of the capacity. Thread-safe.
 */
final class KeptApart<T> {
  /**
   * The part of the capacity beyond which a namespace does not rest: results that wait hold
   * permits, of which the steps of other namespaces need some.
   */
  private static final int CROWD = 4;

  private final RoundRobin<T> waiting = new RoundRobin<>();
  private final Rests rests;
  private final IntSupplier capacity;

  /** @param capacity of steps that this server runs at the same time */
  KeptApart(Rests rests, IntSupplier capacity) {
    this.rests = rests;
    this.capacity = capacity;
  }

  void add(String namespace, T result) {
    waiting.add(namespace, result);
  }

  /** Results of one namespace, at most that many; none when all that have some rest. */
  List<T> take(int most) {
    return waiting.take(most,
        namespace -> restNanos(namespace) <= 0 || isCrowded(namespace));
  }

  /** How long the first namespace still rests; empty when no result waits. */
  OptionalLong nanosToNext() {
    return waiting.least(namespace -> Math.max(0, restNanos(namespace)));
  }

  int size() {
    return waiting.size();
  }

  private boolean isCrowded(String namespace) {
    return CROWD * waiting.size(namespace) > capacity.getAsInt();
  }

  private long restNanos(String namespace) {
    return rests.nanosLeft(LargeWork.share(namespace));
  }
}
