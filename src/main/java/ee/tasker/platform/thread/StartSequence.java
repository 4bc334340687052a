package ee.tasker.platform.thread;

import ee.tasker.platform.DatabaseFaults;
import ee.tasker.platform.Problem;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The startup steps of this server, in order: the schema, the templates, then everything else.
 *
 * <p>While the database answers, a step runs in the call that adds it, and its failure fails the
 * deployment. From the first
 * step that cannot reach the database, everything waits: that step is retried, after 1 second at
 * first and 30 at most, and
 * steps added meanwhile run after it. The server is deployed, but not ready, and answers 503. A
 * step may therefore be
 * retried after a partial failure, but never after a success.
 *
 * <p>What has to hold afterwards as well is looked at again when something has changed: while it
 * does not hold, everything waits as at the start.
 */
@ApplicationScoped
public class StartSequence {
  private static final Log LOG = Log.of(StartSequence.class);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  @Inject
  private EngineThreads threads;

  private ScheduledExecutorService timers;

  /** Guarded by this; the lock is held while a step runs. */
  private final Deque<Runnable> open = new ArrayDeque<>();
  private final AtomicBoolean lookingAgain = new AtomicBoolean();
  private volatile Runnable condition;
  private volatile boolean waiting;
  private volatile String cause;
  private volatile boolean schemaReady;
  private volatile boolean webReady;
  private volatile boolean stopped;
  private volatile ScheduledFuture<?> next;

  StartSequence() {
    // for the container
  }

  StartSequence(ScheduledExecutorService timers) {
    this.timers = timers;
  }

  @PostConstruct
  void prepare() {
    timers = threads.timers();
  }

  /** The database cannot be reached: the caller may retry. */
  public static class NoDatabase extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param cause whose message the log has */
    public NoDatabase(Throwable cause) {
      super(DatabaseFaults.message(cause), cause);
    }

    /** @param reason what the log says of it */
    public NoDatabase(String reason) {
      super(reason);
    }

    /** What the log says of it. */
    @Override
    public String toString() {
      return getMessage();
    }
  }

  /** The database answers and cannot be used; the check that noticed has logged why. */
  public static final class UnusableDatabase extends NoDatabase {
    private static final long serialVersionUID = 1L;

    /** @param reason what the log says of it */
    public UnusableDatabase(String reason) {
      super(reason);
    }
  }

  /** Runs a step now, or after those that are waiting. */
  public synchronized void then(Runnable step) {
    if (!open.isEmpty()) {
      open.add(step);
      return;
    }
    try {
      step.run();
    } catch (RuntimeException fault) {
      if (!isAbsence(fault)) {
        throw fault;
      }
      open.add(step);
      waiting = true;
      tryAgainIn(FIRST_PAUSE, fault);
    }
  }

  /**
   * @param lasting what has to hold as long as this server works, for {@link #lookAgain}; throws as
   *                a step does
   */
  public void expectFromNowOn(Runnable lasting) {
    condition = lasting;
  }

  /**
   * Another version may have been installed in the database: looks soon whether this server still
   * finds what it calls, and waits until it does.
   */
  public void lookAgain() {
    if (condition == null || waiting || stopped || !lookingAgain.compareAndSet(false, true)) {
      return;
    }
    try {
      timers.schedule(this::look, 0, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The server is stopping.
      stopped = true;
    }
  }

  private void look() {
    lookingAgain.set(false);
    try {
      then(condition);
    } catch (RuntimeException fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "compare with the database");
    }
  }

  /** Of what the last try failed, while this server waits; empty otherwise. */
  public Optional<String> cause() {
    return waiting ? Optional.ofNullable(cause) : Optional.empty();
  }

  /**
   * Whether this server waits for its database, or has not yet run the steps that waited: it takes
   * no work.
   */
  public boolean isWaiting() {
    return waiting;
  }

  /**
   * Whether it is too early for a health check to call other beans: some servers answer probes
   * while they still refuse
   * calls to beans under construction.
   */
  public boolean isUnderWay() {
    return !schemaReady || waiting || !webReady;
  }

  /**
   * Whether functions of the schema can be called: they exist, in the version that this application
   * expects.
   */
  public boolean isSchemaReady() {
    return schemaReady;
  }

  /** The problem that callers get meanwhile. */
  public static Problem waitingProblem() {
    return Problem.of(503, "unavailable",
        "this server waits for its database; try again later");
  }

  /** Functions of the schema can be called from now on. */
  public void schemaIsReady() {
    schemaReady = true;
  }

  /** Requests are accepted from now on. */
  public void webIsReady() {
    webReady = true;
  }

  private void goOn(Duration pause) {
    synchronized (this) {
      while (!stopped && !open.isEmpty()) {
        try {
          open.peek().run();
        } catch (RuntimeException fault) {
          Duration doubled = pause.multipliedBy(2);
          tryAgainIn(doubled.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : doubled, fault);
          return;
        }
        open.remove();
      }
      waiting = !open.isEmpty();
    }
  }

  private void tryAgainIn(Duration pause, RuntimeException fault) {
    if (stopped) {
      return;
    }
    cause = DatabaseFaults.message(fault);
    if (isAbsence(fault) && !(fault instanceof UnusableDatabase)) {
      LOG.write(LogEvent.DATABASE_AWAITED, "retry_ms", pause.toMillis(), "cause",
          DatabaseFaults.message(fault));
    } else if (!isAbsence(fault)) {
      LOG.write(LogEvent.START_FAILED, fault, "retry_ms", pause.toMillis());
    }
    try {
      next = timers.schedule(() -> goOn(pause), pause.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The server is stopping.
      stopped = true;
    }
  }

  private static boolean isAbsence(RuntimeException fault) {
    return fault instanceof NoDatabase || DatabaseFaults.isUnreachable(fault);
  }

  @PreDestroy
  void stop() {
    stopped = true;
    ScheduledFuture<?> planned = next;
    if (planned != null) {
      planned.cancel(false);
    }
  }
}
