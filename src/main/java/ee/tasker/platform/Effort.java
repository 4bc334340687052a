package ee.tasker.platform;

/**
 * What the current thread has done that the input of a caller decides, as schemas and patterns do:
 * counted and not measured, so that a busy machine, a cold one and work for other callers on the
 * same thread make no difference.
 */
public final class Effort {
  private static final ThreadLocal<long[]> TOTAL = ThreadLocal.withInitial(() -> new long[1]);

  private Effort() {
  }

  /** @param nanos about how long it takes on a machine of 2024 */
  public static void add(long nanos) {
    TOTAL.get()[0] += nanos;
  }

  /** Of this thread in all its life; two of them have a meaning by their difference. */
  public static long total() {
    return TOTAL.get()[0];
  }
}
