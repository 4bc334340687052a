package ee.tasker.dispatch;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Whether a queue may have steps for this server. Set initially and when in doubt; cleared before
 * the call that finds out. Thread-safe.
 */
@ApplicationScoped
class QueueHint {
  private final AtomicBoolean isSet = new AtomicBoolean(true);

  void set() {
    isSet.set(true);
  }

  /** Clears the hint. True once per hint: the caller is about to claim from the queues. */
  boolean take() {
    return isSet.get() && isSet.compareAndSet(true, false);
  }

  boolean isSet() {
    return isSet.get();
  }
}
