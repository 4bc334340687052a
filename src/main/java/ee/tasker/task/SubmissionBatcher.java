package ee.tasker.task;

import ee.tasker.engine.reply.SubmissionReply;
import ee.tasker.engine.reply.SubmissionVerdict;
import ee.tasker.message.ResultBacklog;
import ee.tasker.message.StepDispatcher;
import ee.tasker.platform.DatabaseFaults;
import ee.tasker.platform.JsonbCheck;
import ee.tasker.platform.Problem;
import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.config.Role;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.load.CallCoalescer;
import ee.tasker.platform.load.LargeWork;
import ee.tasker.platform.load.Turns;
import ee.tasker.platform.sql.Meters;
import ee.tasker.platform.thread.EngineThreads;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Batches independent requests and commits together those that arrive together: a caller that finds
 * no submission under way
 * submits for all waiting callers, under load after a short pause. A lone request costs only its
 * own commit.
 *
 * <p>A large request has a transaction of its own, when it is its namespace's turn: no other
 * request waits for it.
 *
 * <p>The same transaction claims root steps for this server's worker, as many as it has permits
 * available. The others go to
 * the queue, where the first worker to claim them also gets their successors.
 */
@ApplicationScoped
public class SubmissionBatcher {
  private static final int BATCH = 500;
  private static final long BATCH_BYTES = 1_048_576;
  /** One submission runs while the other waits for its commit to reach the disk. */
  private static final int SUBMITTERS = 2;
  private static final int ENOUGH_FOR_ANOTHER_CALL = 16;

  /** @param asked as it came; {@code request} has a version, and is checked */
  private record Waiting(TaskRequest asked, TaskRequest request, int rootSteps, long bytes,
      CompletableFuture<SubmittedTask> answer) {
  }

  @Inject
  private EngineThreads threads;

  @Inject
  private TransactionalSubmissions submissions;

  @Inject
  private RequestCheck check;

  @Inject
  private Settings settings;

  @Inject
  private LiveSettings live;

  @Inject
  private Meters meters;

  @Inject
  private LargeWork largeWork;

  @Inject
  private StepDispatcher stepDispatcher;

  @Inject
  private ResultBacklog backlog;

  private SubmissionQueue<Waiting> waiting;
  private CallCoalescer calls;

  @PostConstruct
  void prepare() {
    waiting = new SubmissionQueue<>(settings.maxRequests(), settings.longestQueueing(),
        System::nanoTime);
    calls = new CallCoalescer(SUBMITTERS, ENOUGH_FOR_ANOTHER_CALL, threads.timers(),
        this::submitWaiting);
  }

  /**
   * The future completes when the task's creation is committed, or fails as it fails: with a {@link
   * Problem} for what is wrong with the request, for example.
   * A caller that finds no submission under way submits for all that wait, before it returns. Must
   * be called outside a transaction.
   *
   * @throws Problem for what is wrong with the request by itself; 503 server-busy as {@link
   *   #requireRoom}
   */
  public CompletableFuture<SubmittedTask> submit(TaskRequest request) {
    countRefusals(waiting::requireTimely);
    Waiting entry = checked(request);
    countRefusals(() -> waiting.count(entry.answer()));
    if (largeWork.isLarge(entry.bytes())) {
      submitAlone(entry);
      return entry.answer();
    }
    await(entry);
    submitWaiting();
    return entry.answer();
  }

  /**
   * For single requests, whose threads do not wait: that many at once would have been refused if
   * they did.
   *
   * @throws Problem 503 server-busy while too many of them wait for their tasks, or earlier
   *   requests have waited for too long
   */
  public void requireRoom() {
    countRefusals(waiting::requireRoom);
  }

  /**
   * Many requests at once, each with its own outcome: a future fails with the {@link Problem} of
   * its request.
   *
   * @throws Problem 503 server-busy for all of them while earlier requests have waited for too long
   */
  public List<CompletableFuture<SubmittedTask>> submitEach(List<TaskRequest> requests) {
    countRefusals(waiting::requireTimely);
    List<CompletableFuture<SubmittedTask>> answers = new ArrayList<>(requests.size());
    List<Waiting> large = new ArrayList<>();
    for (TaskRequest request : requests) {
      try {
        Waiting entry = checked(request);
        if (largeWork.isLarge(entry.bytes())) {
          large.add(entry);
        } else {
          await(entry);
        }
        answers.add(entry.answer());
      } catch (RuntimeException refused) {
        answers.add(CompletableFuture.failedFuture(refused));
      }
    }
    submitWaiting();
    large.forEach(this::submitAlone);
    return answers;
  }

  private void await(Waiting entry) {
    waiting.add(entry.request().namespace(), entry.bytes(), entry);
    calls.added(1);
  }

  private void submitAlone(Waiting entry) {
    try (Turns.Turn turn = largeWork
        .takeTurn(LargeWork.share(entry.request().namespace()))) {
      submit(List.of(entry));
    } catch (Problem busy) {
      meters.submissionRefused();
      entry.answer().completeExceptionally(busy);
    }
    submitWaiting();
  }

  private void countRefusals(Runnable check) {
    try {
      check.run();
    } catch (Problem refused) {
      meters.submissionRefused();
      throw refused;
    }
  }

  private Waiting checked(TaskRequest request) {
    return checked(request, check.presume(request), new CompletableFuture<>());
  }

  private Waiting checked(TaskRequest asked, TaskRequest complete,
      CompletableFuture<SubmittedTask> answer) {
    RequestCheck.Checked checked = check.check(complete);
    return new Waiting(asked, checked.request(), checked.template().rootSteps(),
        JsonbCheck.size(checked.request().context()), answer);
  }

  private void submitWaiting() {
    while (!waiting.isEmpty()) {
      if (givesWay() || !calls.tryAcquire()) {
        // Later, or the thread that submits checks the queue again.
        return;
      }
      try {
        submitBatch();
      } finally {
        calls.release();
      }
    }
  }

  /**
   * Whether results go first. Where the database takes less than arrives, each further task would
   * only make those that are under way wait longer; the requests
   * wait instead, and those that find too many others waiting are refused. Not where handlers are
   * slow: then the tasks wait in the queue.
   */
  private boolean givesWay() {
    return backlog.holdsUpTheWorker() && waiting.canWait() && calls.giveWay();
  }

  private void submitBatch() {
    List<Waiting> batch = waiting.take(BATCH, BATCH_BYTES);
    calls.took(batch.size(), batch.size());
    if (!batch.isEmpty()) {
      submit(batch);
    }
  }

  private void submit(List<Waiting> batch) {
    boolean claims = live.has(Role.ORCHESTRATOR) && settings.events();
    List<Waiting> superseded = new ArrayList<>();
    try {
      stepDispatcher.call(claims ? batch.stream().mapToInt(Waiting::rootSteps).sum() : 0,
          limit -> submitAndAnswer(batch, limit, superseded));
    } catch (Exception failed) {
      fail(batch, failed);
      return;
    }
    superseded.forEach(this::submitAgain);
  }

  /**
   * The request now names the version that is the latest at this moment, so one that is registered
   * later does not delay it again.
   */
  private void submitAgain(Waiting entry) {
    try {
      await(checked(entry.asked(), check.complete(entry.asked()), entry.answer()));
    } catch (RuntimeException refused) {
      entry.answer().completeExceptionally(refused);
    }
  }

  /** @param superseded gets those whose template has a later version than they were checked for */
  private SubmissionReply submitAndAnswer(List<Waiting> batch, int limit,
      List<Waiting> superseded) {
    long start = System.nanoTime();
    SubmissionReply reply = submissions.submitChecked(batch.stream().map(Waiting::request).toList(),
        limit);
    for (int i = 0; i < batch.size(); i++) {
      if (reply.verdicts().get(i) instanceof SubmissionVerdict.Superseded) {
        superseded.add(batch.get(i));
      }
    }
    meters.tasksRequested(batch.size() - superseded.size(), start);
    if (batch.stream().noneMatch(entry -> largeWork.isLarge(entry.bytes()))) {
      largeWork.rests().called("submit_tasks", batch.size(), System.nanoTime() - start);
    }
    for (int i = 0; i < batch.size(); i++) {
      if (!(reply.verdicts().get(i) instanceof SubmissionVerdict.Superseded)) {
        answer(batch.get(i), reply.verdicts().get(i));
      }
    }
    return reply;
  }

  private static void answer(Waiting entry, SubmissionVerdict verdict) {
    try {
      entry.answer().complete(TransactionalSubmissions.verdict(entry.request(), verdict));
    } catch (RuntimeException refused) {
      entry.answer().completeExceptionally(refused);
    }
  }

  /**
   * One request must not fail the others: a batch that the database refused is retried request by
   * request. A batch whose
   * commit is in doubt is not retried: a retry could create duplicate tasks, and only the client
   * can decide that.
   */
  private void fail(List<Waiting> batch, Exception failed) {
    if (batch.size() == 1 || !DatabaseFaults.isRefusal(failed)) {
      batch.forEach(entry -> entry.answer().completeExceptionally(failed));
    } else {
      batch.stream().filter(entry -> !entry.answer().isDone())
          .forEach(entry -> submit(List.of(entry)));
    }
  }
}
