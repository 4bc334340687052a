package ee.tasker.worker;

import ee.tasker.dispatch.ClaimProtocol;
import ee.tasker.dispatch.Permits;
import ee.tasker.dispatch.RunningStep;
import ee.tasker.dispatch.RunningSteps;
import ee.tasker.engine.reply.ResultsReply;
import ee.tasker.message.EndListener;
import ee.tasker.message.ResultBacklog;
import ee.tasker.platform.DatabaseFaults;
import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.load.CallCoalescer;
import ee.tasker.platform.load.LargeWork;
import ee.tasker.platform.load.SlowNamespaces;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.sql.Meters;
import ee.tasker.platform.thread.EngineThreads;
import ee.tasker.step.StepResult;
import ee.tasker.step.Steps;
import ee.tasker.step.model.StepKey;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * Submits results. Without load, a result that finds no call under way is submitted at once;
 * results that arrive while one is under way, or within a short
 * pause under load, go together in the next.
 *
 * <p>Large results, and those of a namespace that makes calls slow, are kept apart (ADR 0074): they
 * are submitted by namespace in turns, one such call at a time and beside the calls of the others,
 * which therefore do not wait for them. After such a call a namespace rests whose calls are slow or
 * large.
 *
 * <p>After a fault that is not about the data, the results stay here and are retried; the handoff
 * number makes a retry harmless. If the fault
 * outlasts the lease, recovery reschedules the steps and the database refuses the results as stale.
 *
 * <p>A batch that the database gives up on, because it takes too long or too much memory, or waits
 * for a lock, is submitted result by result. The result
 * that is the cause leaves the queue: it is tried again alone, one such result at a time and beside
 * the calls of the others, and ends as a permanent failure
 * when the database has given up on it often enough.
 */
@ApplicationScoped
class ResultBatcher implements ResultBacklog {
  private static final Log LOG = Log.of(ResultBatcher.class);
  /**
   * A step costs the database a third less in calls of 64 than in calls of 16, and little less in
   * larger ones.
   */
  private static final int ENOUGH_FOR_ANOTHER_CALL = 64;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
  /**
   * How often the database may give up on a result that is submitted alone, until a failure takes
   * its place.
   */
  private static final int MOST_TRIES = 5;
  /** Results in one call, of those that are kept apart. */
  private static final int MOST_APART = 8;
  /** Calls that are as slow hold up others, too, when many of them arrive. */
  private static final Duration SLOW = Duration.ofMillis(20);

  @Inject
  private EngineThreads threads;

  @Inject
  private HandlerThreads handlerThreads;

  @Inject
  private Settings settings;

  @Inject
  private LiveSettings live;

  @Inject
  private Steps steps;

  @Inject
  private ClaimProtocol claims;

  @Inject
  private Permits permits;

  @Inject
  private RunningSteps running;

  @Inject
  private EndListener endListener;

  @Inject
  private LargeWork largeWork;

  @Inject
  private Meters meters;

  private final ConcurrentLinkedQueue<StepResult> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean flushingApart = new AtomicBoolean();
  private final SlowNamespaces slow = new SlowNamespaces(System::nanoTime, SLOW, false);
  /** A flush is queued on a thread of the engine and has not started. */
  private final AtomicBoolean flushing = new AtomicBoolean();
  /** Results that wait, are being submitted, or are to be submitted again. */
  private final AtomicInteger unsubmitted = new AtomicInteger();
  private CallCoalescer calls;
  private KeptApart<StepResult> apart;
  private volatile Duration pause = Duration.ZERO;
  /** A result that is tried again alone is being submitted. */
  private final AtomicBoolean tryingAlone = new AtomicBoolean();

  @PostConstruct
  void prepare() {
    calls = new CallCoalescer(EngineThreads.RESULT_CALLS, ENOUGH_FOR_ANOTHER_CALL,
        threads.timers(), this::flushSoon);
    apart = new KeptApart<>(largeWork.rests(), live::capacity);
  }

  /**
   * The only entry for a result. Returns at once. A thread that runs handlers flushes when its
   * handlers are done or slow;
   * for every other caller a thread of the engine flushes.
   */
  void submit(StepResult result) {
    unsubmitted.incrementAndGet();
    enqueue(result);
  }

  private void enqueue(StepResult result) {
    String namespace = namespace(result);
    if (slow.isApart(namespace) || isLarge(result)) {
      keepApart(namespace, result);
      return;
    }
    waiting.add(result);
    calls.added(1);
    if (!handlerThreads.isCurrent()) {
      flushSoon();
    }
  }

  /** Empty for a step that this server does not hold any more. */
  private String namespace(StepResult result) {
    return running.namespace(result.key()).orElse("");
  }

  private boolean isLarge(StepResult result) {
    return largeWork.isLarge(result.result())
        || result.batches().filter(largeWork::isLarge).isPresent();
  }

  private void keepApart(String namespace, StepResult result) {
    apart.add(namespace, result);
    flushApartSoon();
  }

  private void flushApartSoon() {
    if (apart.size() > 0 && flushingApart.compareAndSet(false, true)) {
      try {
        threads.execute(this::flushApart);
      } catch (RejectedExecutionException e) {
        // As for the others.
        flushingApart.set(false);
      }
    }
  }

  private void flushApart() {
    try {
      for (List<StepResult> next; !(next = apart.take(MOST_APART)).isEmpty();) {
        String namespace = namespace(next.get(0));
        boolean isHeavy = slow.isSlow(namespace) || next.stream().anyMatch(this::isLarge);
        long begin = System.nanoTime();
        List<RunningStep> claimed = submitBatch(next, 0);
        if (isHeavy) {
          largeWork.rests().worked(LargeWork.share(namespace), System.nanoTime() - begin);
        }
        claims.start(claimed);
      }
    } finally {
      flushingApart.set(false);
    }
    apart.nanosToNext().ifPresent(rest -> threads.timers().schedule(this::flushApartSoon, rest,
        TimeUnit.NANOSECONDS));
  }

  /** Results that are kept apart say nothing about the calls of the others. */
  @Override
  public boolean holdsUpTheWorker() {
    return permits.takesOn() && 2 * (unsubmitted.get() - apart.size()) >= live.capacity();
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Flushes on a thread of the engine, because handlers may occupy all handler threads. */
  void flushSoon() {
    if (!isEmpty() && flushing.compareAndSet(false, true)) {
      try {
        threads.execute(() -> {
          flushing.set(false);
          flushAll();
        });
      } catch (RejectedExecutionException e) {
        // The server is stopping; recovery takes over the steps whose results it cannot submit.
        flushing.set(false);
      }
    }
  }

  /**
   * Flushes until no result waits, or other threads make all allowed calls; the worker's threads
   * run the claimed steps.
   */
  void flushAll() {
    while (!isEmpty()) {
      List<RunningStep> claimed = flush();
      if (claimed == null) {
        return;
      }
      claims.start(claimed);
    }
  }

  /**
   * Submits one batch of the waiting results, if a further call is allowed.
   *
   * @return the claimed steps, after which the caller checks again; null when no result waits, or
   *   when other threads make
   *     the calls and will check again
   */
  List<RunningStep> flush() {
    if (waiting.isEmpty() || !calls.tryAcquire()) {
      return null;
    }
    try {
      List<StepResult> batch = new ArrayList<>();
      int taken = 0;
      for (StepResult next; batch.size() < settings.worker().batchSize()
          && (next = waiting.poll()) != null; taken++) {
        String namespace = namespace(next);
        if (slow.isApart(namespace)) {
          keepApart(namespace, next);
        } else {
          batch.add(next);
        }
      }
      calls.took(taken,
          (int) batch.stream().map(result -> result.key().taskUuid()).distinct().count());
      // Not null: while this thread held the call, another may have added a result, been turned
      // away, and left.
      return batch.isEmpty() ? List.of() : submitBatch(batch, settings.worker().batchSize());
    } finally {
      calls.release();
    }
  }

  /** @param most as of {@link ClaimProtocol#submit} */
  private List<RunningStep> submitBatch(List<StepResult> batch, int most) {
    try {
      return claims.submit(batch.size(), most,
          (limit, fromQueues) -> complete(batch, limit, fromQueues)).steps();
    } catch (Exception fault) {
      return afterFault(batch, most, fault);
    }
  }

  private ResultsReply complete(List<StepResult> batch, int limit, boolean fromQueues) {
    Set<String> namespaces = batch.stream().map(this::namespace).collect(Collectors.toSet());
    namespaces.forEach(namespace -> largeWork.rests().seen(LargeWork.share(namespace)));
    long start = System.nanoTime();
    ResultsReply reply;
    try {
      // A document among other results would keep them waiting.
      reply = steps.complete(batch, limit, fromQueues,
          batch.size() == 1 && endListener.isAwaited(batch.get(0).key().taskUuid()));
    } finally {
      long took = System.nanoTime() - start;
      slow.called(namespaces, batch.size(), took);
      if (namespaces.stream().noneMatch(slow::isApart)) {
        largeWork.rests().called("complete_steps", batch.size(), took);
      }
    }
    meters.resultsSubmitted(start);
    unsubmitted.addAndGet(-batch.size());
    pause = Duration.ZERO;
    logRefused(reply);
    batch.forEach(result -> running.remove(result.key()));
    return reply;
  }

  /** The result was recorded, or refused, in the transaction of its handler. */
  void recorded(StepKey key, ResultsReply reply) {
    logRefused(reply);
    claims.recorded(key, reply);
  }

  private static void logRefused(ResultsReply reply) {
    for (ResultsReply.Refused refused : reply.refused()) {
      LOG.write(LogEvent.RESULT_REFUSED, "step", refused.stepUuid(), "handoff", refused.handoff(),
          "verdict", refused.verdict());
    }
  }

  private List<RunningStep> afterFault(List<StepResult> batch, int most, Exception fault) {
    if (DatabaseFaults.isAboutTheCall(fault)) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "complete_steps", "results", batch.size());
      if (batch.size() > 1) {
        return submitEach(batch, most);
      }
      tryAgainAlone(batch.get(0), 1, fault);
      return List.of();
    }
    if (!DatabaseFaults.isAboutTheData(fault)) {
      pause = pause.isZero() ? FIRST_PAUSE : shorter(pause.multipliedBy(2), LONGEST_PAUSE);
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "complete_steps", "results", batch.size(),
          "retry_ms", pause.toMillis());
      threads.timers().schedule(() -> batch.forEach(this::enqueue), pause.toMillis(),
          TimeUnit.MILLISECONDS);
      return List.of();
    }
    if (batch.size() == 1) {
      StepResult refused = batch.get(0);
      if (isNotStorable(refused)) {
        abandon(refused, fault);
        return List.of();
      }
      return submitBatch(List.of(Outcomes.notStorable(refused, DatabaseFaults.message(fault))),
          most);
    }
    return submitEach(batch, most);
  }

  /** One result that cannot be stored must not hold up the others. */
  private List<RunningStep> submitEach(List<StepResult> batch, int most) {
    List<RunningStep> claimed = new ArrayList<>();
    batch.forEach(result -> claimed.addAll(submitBatch(List.of(result), most)));
    return claimed;
  }

  /** Even the bare message was refused: the lease will expire, and recovery decides. */
  private void abandon(StepResult refused, Exception fault) {
    LOG.write(LogEvent.CALL_FAILED, fault, "call", "complete_steps", "step",
        refused.key().stepUuid());
    unsubmitted.decrementAndGet();
    running.remove(refused.key());
    permits.release(1);
  }

  private void tryAgainAlone(StepResult result, int tries, Exception fault) {
    Duration wait = shorter(FIRST_PAUSE.multipliedBy(1L << Math.min(tries, 10)), LONGEST_PAUSE);
    threads.timers().schedule(() -> onEngineThread(() -> tryAlone(result, tries, fault)),
        wait.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void onEngineThread(Runnable work) {
    try {
      threads.execute(work);
    } catch (RejectedExecutionException e) {
      LOG.write(LogEvent.CALL_FAILED, "call", "complete_steps", "cause", e.getMessage());
    }
  }

  private void tryAlone(StepResult result, int tries, Exception latest) {
    if (!tryingAlone.compareAndSet(false, true)) {
      tryAgainAlone(result, tries, latest);
      return;
    }
    List<StepResult> alone = List.of(tries < MOST_TRIES ? result
        : Outcomes.notStorable(result, "the database gave up on it " + MOST_TRIES + " times: "
            + DatabaseFaults.message(latest)));
    try {
      claims.start(
          claims.submit(1, 1, (limit, fromQueues) -> complete(alone, limit, fromQueues)).steps());
    } catch (Exception fault) {
      if (tries >= 2 * MOST_TRIES) {
        abandon(result, fault);
      } else if (DatabaseFaults.isAboutTheCall(fault)) {
        LOG.write(LogEvent.CALL_FAILED, fault, "call", "complete_steps", "step",
            result.key().stepUuid(), "tries", tries);
        // Who waits for a lock says nothing about the result.
        tryAgainAlone(result, DatabaseFaults.isLocked(fault) ? tries : tries + 1, fault);
      } else {
        claims.start(afterFault(alone, 1, fault));
      }
    } finally {
      tryingAlone.set(false);
    }
  }

  private static boolean isNotStorable(StepResult result) {
    return result.error() instanceof JsonObject error
        && Outcomes.NOT_STORABLE.equals(error.getString("type", ""));
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }
}
