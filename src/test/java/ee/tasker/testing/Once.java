package ee.tasker.testing;

import java.util.function.Supplier;

/**
 * Made at first use, and never a second time: each later call after a failure fails at once with
 * the same cause.
 */
public final class Once<T> {
  private final Supplier<T> maker;
  private T made;
  private RuntimeException failure;

  public Once(Supplier<T> maker) {
    this.maker = maker;
  }

  public synchronized T get() {
    if (failure != null) {
      throw new IllegalStateException(
          "could not be made before, and is not tried again: " + failure.getMessage(), failure);
    }
    if (made == null) {
      try {
        made = maker.get();
      } catch (RuntimeException e) {
        failure = e;
        throw e;
      }
    }
    return made;
  }
}
