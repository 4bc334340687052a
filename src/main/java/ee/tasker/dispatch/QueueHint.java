package ee.tasker.dispatch;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.concurrent.atomic.AtomicBoolean;

/** Whether a queue may have steps for this server. Set when in doubt, and at the start; taken before the call that finds out. Thread-safe. */
@ApplicationScoped
class QueueHint {
  private final AtomicBoolean isSet = new AtomicBoolean(true);

  void set() {
    isSet.set(true);
  }

  /** True once per hint: the caller is going to ask the queues. */
  boolean take() {
    return isSet.get() && isSet.compareAndSet(true, false);
  }

  boolean isSet() {
    return isSet.get();
  }
}
