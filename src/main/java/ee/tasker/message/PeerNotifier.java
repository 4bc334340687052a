package ee.tasker.message;

import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.thread.EngineThreads;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Notifies the other servers, at most once every {@value #PERIOD_MS} ms and in its own transaction:
 * a NOTIFY in the
 * transactions that do the work would serialize their commits. Silent while this server is the only
 * one.
 */
@ApplicationScoped
public class PeerNotifier {
  private static final Log LOG = Log.of(PeerNotifier.class);
  private static final int PERIOD_MS = 20;

  @Inject
  private EngineThreads threads;

  @Inject
  private Notifications notifications;

  private final Set<String> unsent = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private volatile boolean others = true;

  void notifyPeers(String what) {
    if (others && unsent.add(what) && scheduled.compareAndSet(false, true)) {
      sendLater();
    }
  }

  private void sendLater() {
    try {
      threads.timers().schedule(this::send, PERIOD_MS, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException stopping) {
      // The other servers poll, and notice that this one has stopped.
      scheduled.set(false);
    }
  }

  /**
   * One send at a time: while the database hangs, a thread for each would soon exhaust the pool.
   */
  private void send() {
    Set<String> now = Set.copyOf(unsent);
    unsent.removeAll(now);
    try {
      notifications.send(now);
    } catch (Exception e) {
      LOG.write(LogEvent.NOTIFY_FAILED, e);
    }
    scheduled.set(false);
    if (!unsent.isEmpty() && scheduled.compareAndSet(false, true)) {
      sendLater();
    }
  }

  /** Whether any other server is alive; assumed until the first heartbeat. */
  public void setOthers(boolean others) {
    this.others = others;
  }
}
