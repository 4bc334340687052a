package ee.tasker.remote;

import ee.tasker.engine.reply.WorkerClaimReply;
import ee.tasker.message.PollListener;
import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Recheck;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.sql.Meters;
import ee.tasker.platform.thread.ThreadPool;
import ee.tasker.platform.thread.ThreadPools;
import ee.tasker.step.ClaimedStep;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The requests of external workers that wait on this server for steps, first come, first served. A
 * request is looked at once when
 * it arrives, and then only when queues may have steps: while it waits it occupies no thread and
 * costs the database nothing. One
 * call claims for all of them; of the requests of one kind (namespaces and handlers) it tries a
 * few, and the next call goes on
 * while they find steps. The fallback poller covers lost notifications.
 *
 * <p>A worker waits once: its newer request ends the older, whose connection may be gone. What its
 * caller is permitted is asked
 * again every {@link Recheck#EVERY}. Thread-safe.
 */
@ApplicationScoped
public class RemotePolls implements PollListener {
  private static final Log LOG = Log.of(RemotePolls.class);
  private static final int MOST_WAITING = 1_000;
  /** A call tries this many waiting requests of a kind. */
  private static final int OF_A_KIND = 20;
  private static final int AGAIN_AFTER_MS = 50;
  /** For claims and for answers, which may be long. */
  private static final int THREADS = 4;

  private record Key(UUID worker, String owner) {
  }

  private static final class Waiting {
    private final Recheck<Optional<Set<String>>> permission;
    private volatile Poll poll;
    private final CompletableFuture<List<ClaimedStep>> answer = new CompletableFuture<>();
    /** What the database said when it last looked at the request; empty before. */
    private String kind = "";
    /** The worker's capacity is in use. */
    private boolean isFull;
    /** Another request of the worker was under way: looked at again a little later. */
    private boolean isPostponed;
    private boolean isOver;

    private Waiting(Poll poll, Recheck<Optional<Set<String>>> permission) {
      this.poll = poll;
      this.permission = permission;
      this.isOver = poll.waitTime().isZero();
    }

    private Key key() {
      return new Key(poll.workerUuid(), poll.owner());
    }
  }

  private final Map<Key, Waiting> waiting = new LinkedHashMap<>();
  private final AtomicBoolean hinted = new AtomicBoolean();
  private final AtomicBoolean claiming = new AtomicBoolean();
  private Executor threads;
  private ScheduledExecutorService timers;
  private Function<JsonArray, List<WorkerClaimReply>> claim;
  private BiFunction<Poll, JsonArray, List<ClaimedStep>> read;
  private BiConsumer<Poll, List<ClaimedStep>> giveBack;
  private Duration recheckEvery;

  @Inject
  void connect(ThreadPools pools, RemoteCalls calls, RemoteWorkers workers, Meters meters) {
    ThreadPool pool = pools.make("poll", THREADS);
    connect(pool, pool.timers(), polls -> claim(calls, meters, polls),
        (poll, claimedSteps) -> workers.read(poll.workerUuid(), poll.owner(), claimedSteps),
        (poll, steps) -> workers.giveBack(poll.workerUuid(), poll.owner(), steps), Recheck.EVERY);
  }

  void connect(Executor threads, ScheduledExecutorService timers,
      Function<JsonArray, List<WorkerClaimReply>> claim,
      BiFunction<Poll, JsonArray, List<ClaimedStep>> read,
      BiConsumer<Poll, List<ClaimedStep>> giveBack, Duration recheckEvery) {
    this.threads = threads;
    this.timers = timers;
    this.claim = claim;
    this.read = read;
    this.giveBack = giveBack;
    this.recheckEvery = recheckEvery;
  }

  private static List<WorkerClaimReply> claim(RemoteCalls calls, Meters meters, JsonArray polls) {
    long start = System.nanoTime();
    List<WorkerClaimReply> replies = calls.claim(polls);
    meters.claimCalled(start);
    return replies;
  }

  /**
   * Returns at once. Completes on a thread of its own with the claimed steps, which may be none
   * when the wait ends.
   *
   * @param permission where the caller may work, asked again while the request waits
   * @return fails with a {@link Problem} 401 or 403 when the caller has lost the right to work, 404
   *   worker-not-found, or 409 worker-not-claiming, as cause
   * @throws Problem 503 server-busy when too many requests wait on this server
   */
  public CompletableFuture<List<ClaimedStep>> poll(Poll poll,
      Recheck<Optional<Set<String>>> permission) {
    Waiting mine = new Waiting(poll, permission);
    Waiting older;
    synchronized (waiting) {
      older = waiting.remove(mine.key());
      if (waiting.size() >= MOST_WAITING) {
        throw Problem.of(503, "server-busy",
            MOST_WAITING + " requests of workers wait on this server; try again shortly");
      }
      waiting.put(mine.key(), mine);
    }
    if (older != null) {
      older.answer.complete(List.of());
    }
    if (!mine.isOver) {
      ScheduledFuture<?> timer = timers.schedule(() -> timeIsUp(mine), poll.waitTime().toMillis(),
          TimeUnit.MILLISECONDS);
      mine.answer.whenComplete((steps, fault) -> timer.cancel(false));
      recheckLater(mine);
    }
    claimSoon();
    // Never on a thread that serves another request: JAX-RS keeps a request's state with its
    // thread.
    return mine.answer.whenCompleteAsync((steps, fault) -> {}, threads);
  }

  /** How many requests wait on this server. */
  public int count() {
    synchronized (waiting) {
      return waiting.size();
    }
  }

  @Override
  public void offersQueued() {
    hinted.set(true);
    if (count() > 0) {
      claimSoon();
    }
  }

  /** Steps of the worker have ended here: a request of it that waits for capacity may get steps. */
  void capacityFreed(UUID worker) {
    boolean isWaiting = false;
    synchronized (waiting) {
      for (Waiting each : waiting.values()) {
        if (each.poll.workerUuid().equals(worker) && each.isFull) {
          each.isFull = false;
          each.kind = "";
          isWaiting = true;
        }
      }
    }
    if (isWaiting) {
      claimSoon();
    }
  }

  /** The worker drains: its waiting requests on this server end without steps. */
  void end(UUID worker) {
    List<Waiting> its;
    synchronized (waiting) {
      its = waiting.values().stream().filter(each -> each.poll.workerUuid().equals(worker))
          .toList();
      its.forEach(each -> waiting.remove(each.key()));
    }
    its.forEach(each -> each.answer.complete(List.of()));
  }

  private void recheckLater(Waiting mine) {
    if (!mine.answer.isDone()) {
      timers.schedule(() -> recheck(mine), recheckEvery.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /** Steps that a call claims for it meanwhile are given back. */
  private void recheck(Waiting mine) {
    if (mine.answer.isDone()) {
      return;
    }
    try {
      Recheck.Outcome<Optional<Set<String>>> now = mine.permission.now();
      if (now instanceof Recheck.Outcome.Withdrawn<Optional<Set<String>>> withdrawn) {
        fail(mine, withdrawn.why());
      } else if (now instanceof Recheck.Outcome.Permitted<Optional<Set<String>>> permitted
          && !permitted.what().equals(mine.poll.namespaces())) {
        synchronized (waiting) {
          mine.poll = mine.poll.in(permitted.what());
          mine.kind = "";
        }
        claimSoon();
      }
    } catch (RuntimeException fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "permissions of a waiting worker");
    }
    recheckLater(mine);
  }

  private void timeIsUp(Waiting mine) {
    synchronized (waiting) {
      mine.isOver = true;
      // One that has not been looked at is answered by the call that does.
      if (mine.kind.isEmpty() || !waiting.remove(mine.key(), mine)) {
        return;
      }
    }
    mine.answer.complete(List.of());
  }

  private void claimSoon() {
    if (claiming.compareAndSet(false, true)) {
      try {
        threads.execute(this::claimWhileThereIsWork);
      } catch (RejectedExecutionException e) {
        // The server is stopping, and its connections end.
        claiming.set(false);
      }
    }
  }

  private void claimWhileThereIsWork() {
    try {
      for (List<Waiting> next = next(); !next.isEmpty(); next = next()) {
        look(next);
      }
    } finally {
      claiming.set(false);
    }
    // A request that arrived after the last check found this loop still running.
    if (hasWork()) {
      claimSoon();
    }
  }

  private boolean hasWork() {
    synchronized (waiting) {
      return waiting.values().stream()
          .anyMatch(each -> isNew(each) || hinted.get() && !each.isFull && !each.isPostponed);
    }
  }

  private static boolean isNew(Waiting each) {
    return each.kind.isEmpty() && !each.isPostponed;
  }

  /** The requests that nothing is known of and, when there may be steps, some of each kind. */
  private List<Waiting> next() {
    boolean isHinted = hinted.getAndSet(false);
    Map<String, Integer> ofKind = new HashMap<>();
    synchronized (waiting) {
      return waiting.values().stream().filter(each -> isNew(each)
          || isHinted && !each.isFull && !each.isPostponed
              && ofKind.merge(each.kind, 1, Integer::sum) <= OF_A_KIND)
          .toList();
    }
  }

  private void look(List<Waiting> polls) {
    JsonArrayBuilder array = Json.build().createArrayBuilder();
    polls.forEach(each -> array.add(RemoteWorkers.toJson(each.poll, each.kind)));
    List<WorkerClaimReply> replies;
    try {
      replies = claim.apply(array.build());
    } catch (Exception fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "claim_steps_for_workers", "requests",
          polls.size());
      // Those that have been looked at wait for the poller.
      polls.stream().filter(each -> each.kind.isEmpty()).forEach(each -> fail(each, fault));
      return;
    }
    for (int i = 0; i < polls.size(); i++) {
      answer(polls.get(i), replies.get(i));
    }
  }

  private void answer(Waiting each, WorkerClaimReply reply) {
    switch (reply.outcome()) {
      case CLAIMED -> claimed(each, reply.claimedSteps());
      case EMPTY, FULL -> {
        synchronized (waiting) {
          each.kind = reply.kind();
          each.isFull = reply.outcome() == WorkerClaimReply.Outcome.FULL;
          if (!each.isOver || !waiting.remove(each.key(), each)) {
            return;
          }
        }
        each.answer.complete(List.of());
      }
      case BUSY -> postpone(each);
      case NOT_CLAIMING -> fail(each, new Problem(409, "worker-not-claiming",
          "worker " + each.poll.workerUuid() + " is " + reply.state() + " and gets no steps",
          List.of(), Map.of("state", reply.state())));
      case UNKNOWN_WORKER -> fail(each, RemoteWorkers.notFound(each.poll.workerUuid()));
    }
  }

  private void claimed(Waiting each, JsonArray steps) {
    // There may be more for the others of its kind.
    hinted.set(true);
    synchronized (waiting) {
      waiting.remove(each.key(), each);
    }
    try {
      threads.execute(() -> deliver(each, steps));
    } catch (RejectedExecutionException e) {
      // The server is stopping: the worker's next heartbeat releases what it has not got.
      each.answer.completeExceptionally(e);
    }
  }

  private void deliver(Waiting each, JsonArray claimedSteps) {
    try {
      List<ClaimedStep> steps = read.apply(each.poll, claimedSteps);
      if (!each.answer.complete(steps)) {
        // A newer request has ended this one.
        giveBack.accept(each.poll, steps);
      }
    } catch (Exception fault) {
      each.answer.completeExceptionally(fault);
    }
  }

  private void postpone(Waiting each) {
    synchronized (waiting) {
      each.isPostponed = true;
    }
    timers.schedule(() -> {
      synchronized (waiting) {
        each.isPostponed = false;
        each.kind = "";
      }
      claimSoon();
    }, AGAIN_AFTER_MS, TimeUnit.MILLISECONDS);
  }

  private void fail(Waiting each, Exception fault) {
    synchronized (waiting) {
      waiting.remove(each.key(), each);
    }
    each.answer.completeExceptionally(fault);
  }
}
