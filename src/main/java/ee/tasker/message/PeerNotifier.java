package ee.tasker.message;

import ee.tasker.platform.EngineThreads;
import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Tells the other servers, at most once every {@value #PERIOD_MS} ms and in a transaction of its own: a NOTIFY inside the
 * transactions that do the work would make them commit one after another. Silent while this server is the only one.
 */
@ApplicationScoped
public class PeerNotifier {
  private static final Log LOG = Log.of(PeerNotifier.class);
  private static final int PERIOD_MS = 20;

  @Inject
  private EngineThreads threads;

  @Inject
  private Notifications notifications;

  private final Set<String> untold = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private volatile boolean others = true;

  void tell(String what) {
    if (others && untold.add(what) && scheduled.compareAndSet(false, true)) {
      sendLater();
    }
  }

  private void sendLater() {
    try {
      threads.timers().schedule(this::send, PERIOD_MS, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException stopping) {
      // The others poll, and hear of this server's end.
      scheduled.set(false);
    }
  }

  /** One at a time: while the database hangs, a thread for each would be soon all there are. */
  private void send() {
    Set<String> now = Set.copyOf(untold);
    untold.removeAll(now);
    try {
      notifications.send(now);
    } catch (Exception e) {
      LOG.write(LogEvent.NOTIFY_FAILED, e);
    }
    scheduled.set(false);
    if (!untold.isEmpty() && scheduled.compareAndSet(false, true)) {
      sendLater();
    }
  }

  /** Whether any other server is alive; until the first heartbeat we think so. */
  public void setOthers(boolean others) {
    this.others = others;
  }
}
