package ee.tasker.webhook;

import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.config.Role;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.thread.StartSequence;
import ee.tasker.platform.thread.ThreadPool;
import ee.tasker.platform.thread.ThreadPools;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.net.InetAddress;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;

/**
 * Claims deliveries and sends them on threads of its own, as many at a time as {@code
 * tasker.webhooks.concurrency} says. A quarter of the threads is for webhooks that have
 * nothing in flight, so that slow receivers hold up no others. Each delivery that ends makes room,
 * and may have let the next event of its task become due: the server claims
 * again. Thread-safe.
 */
@ApplicationScoped
class DeliveryCalls {
  private static final Log LOG = Log.of(DeliveryCalls.class);

  @Inject
  private ThreadPools pools;

  @Inject
  private Settings settings;

  @Inject
  private LiveSettings live;

  @Inject
  private Webhooks webhooks;

  @Inject
  private StartSequence start;

  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger running = new AtomicInteger();
  private int most;
  private ThreadPool threads;
  private WebhookSender sender;
  private volatile long nextDueInMs = Long.MAX_VALUE;

  @PostConstruct
  void prepare() {
    most = settings.has(Role.ORCHESTRATOR) ? settings.webhooks().concurrency() : 0;
    if (most > 0) {
      threads = pools.make("webhooks", most);
      sender = new WebhookSender(new TargetRules(settings.webhooks()), trust().getSocketFactory(),
          InetAddress::getAllByName, threads.timers());
    }
  }

  /**
   * The certificates that the Java runtime trusts, whatever the application server has made the
   * default.
   */
  private static SSLContext trust() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, null, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whether this server sends at all. */
  boolean isSending() {
    return most > 0;
  }

  /** Whether it asks for nothing until the role is resumed. */
  boolean isPaused() {
    return !live.has(Role.ORCHESTRATOR);
  }

  /** Until the next delivery that waits is due; a very long time for none. */
  long nextDueInMs() {
    return nextDueInMs;
  }

  /** Claims what is due, on a thread of its own. */
  void claim() {
    if (isSending() && !isPaused() && requests.getAndIncrement() == 0) {
      try {
        threads.execute(this::claimRequested);
      } catch (RejectedExecutionException stopping) {
        requests.set(0);
      }
    }
  }

  /** One caller claims at a time; requests that come meanwhile make it claim once more. */
  private void claimRequested() {
    int served;
    do {
      served = requests.get();
      try {
        claimNow();
      } catch (RuntimeException fault) {
        requests.set(0);
        LOG.write(LogEvent.CALL_FAILED, fault, "call", "claim_deliveries");
        return;
      }
    } while (requests.addAndGet(-served) > 0);
  }

  private void claimNow() {
    Delivery.Claimed claimed;
    do {
      int free = most - running.get();
      if (start.isWaiting() || isPaused() || free <= 0) {
        return;
      }
      claimed = webhooks.claim(free, most / 4);
      nextDueInMs = claimed.nextDueInMs() == null ? Long.MAX_VALUE : claimed.nextDueInMs();
      claimed.deliveries().forEach(this::send);
    } while (claimed.hasMore());
  }

  private void send(Delivery delivery) {
    running.incrementAndGet();
    try {
      threads.execute(() -> sendNow(delivery));
    } catch (RejectedExecutionException stopping) {
      running.decrementAndGet();
      settle(Delivery.Result.released(delivery));
    }
  }

  private void sendNow(Delivery delivery) {
    try {
      settle(sender.send(delivery));
    } finally {
      running.decrementAndGet();
    }
    claim();
  }

  /** What cannot be recorded is sent again when its lease has ended. */
  private void settle(Delivery.Result result) {
    try {
      webhooks.settle(List.of(result));
    } catch (Exception fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "settle_deliveries");
    }
  }

  int running() {
    return running.get();
  }
}
