package ee.tasker.dispatch;

import ee.tasker.engine.reply.ClaimReply;
import ee.tasker.engine.reply.EngineReply;
import ee.tasker.message.StepDispatcher;
import ee.tasker.message.WorkNotifier;
import ee.tasker.platform.DatabaseFaults;
import ee.tasker.platform.Json;
import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.config.Role;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.sql.Meters;
import ee.tasker.platform.thread.StartSequence;
import ee.tasker.platform.thread.WebContext;
import ee.tasker.step.ClaimedStep;
import ee.tasker.step.Steps;
import ee.tasker.step.model.StepKey;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/**
 * The only protocol by which this server claims steps, whichever call claims them: it reserves
 * permits, makes the call,
 * notifies the components that the reply concerns, releases unused permits, and passes the claimed
 * steps to the worker. A
 * call whose reply was lost may have claimed steps: {@link OrphanedClaims} releases them.
 * Thread-safe.
 */
@ApplicationScoped
public class ClaimProtocol implements StepDispatcher {
  private static final Log LOG = Log.of(ClaimProtocol.class);

  /** A call that may claim steps; committed when it returns. */
  @FunctionalInterface
  public interface Call<R extends EngineReply> {

    /**
     * @param limit      how many steps it may claim
     * @param fromQueues whether it may claim from the queues as well
     */
    R make(int limit, boolean fromQueues);
  }

  /** @param steps for the caller to run, or to pass to {@link #start} */
  public record Claimed<R extends EngineReply>(R reply, List<RunningStep> steps) {
  }

  /**
   * The permits of one call.
   *
   * @param limit    how many permits the call may use
   * @param ended    number of steps whose results it submits
   * @param retained permits of those steps that remain after a reduction of the capacity
   */
  private record Reservation(int limit, int ended, int retained, boolean fromQueues) {
  }

  private Permits permits;
  private RunningSteps running;
  private QueueHint hint;
  private StepReceiver receiver;
  private BooleanSupplier takesFromOutsideQueues;
  private Function<JsonArray, List<ClaimedStep>> reader;
  private Consumer<EngineReply> committed;
  private Runnable claimOutcomeUnknown;
  private Consumer<Stream<RunningStep>> release;
  private Consumer<List<StepKey>> giveBack;

  @Inject
  void connect(Permits permits, RunningSteps running, QueueHint hint, StepReceiver receiver,
      Steps steps, WorkNotifier workNotifier, OrphanedClaims orphanedClaims,
      UnstartedSteps unstarted, Settings settings, LiveSettings live, WebContext web,
      StartSequence start, Meters meters) {
    // Outside the queues the call could return steps of any namespace, so a server limited to some
    // namespaces claims none
    // there. Before the web application has started no handler can run.
    connect(permits, running, hint, receiver,
        () -> live.has(Role.WORKER) && settings.worker().namespaces().isEmpty() && web.isStarted()
            && !start.isWaiting(),
        claimedSteps -> read(steps, meters, claimedSteps), workNotifier::committed,
        orphanedClaims::expect, unstarted::release, steps::release);
  }

  void connect(Permits permits, RunningSteps running, QueueHint hint, StepReceiver receiver,
      BooleanSupplier takesFromOutsideQueues, Function<JsonArray, List<ClaimedStep>> reader,
      Consumer<EngineReply> committed, Runnable claimOutcomeUnknown,
      Consumer<Stream<RunningStep>> release, Consumer<List<StepKey>> giveBack) {
    this.permits = permits;
    this.running = running;
    this.hint = hint;
    this.receiver = receiver;
    this.takesFromOutsideQueues = takesFromOutsideQueues;
    this.reader = reader;
    this.committed = committed;
    this.claimOutcomeUnknown = claimOutcomeUnknown;
    this.release = release;
    this.giveBack = giveBack;
  }

  @Override
  public <R extends EngineReply> R call(int most, IntFunction<R> call) {
    int limit = takesFromOutsideQueues.getAsBoolean() ? permits.reserve(most) : 0;
    Claimed<R> claimed = make(new Reservation(limit, 0, 0, false),
        (permitted, fromQueues) -> call.apply(permitted));
    start(claimed.steps());
    return claimed.reply();
  }

  /**
   * Claims once from the queues.
   *
   * @return false when no permit was available and nothing was called
   */
  boolean claimFromQueues(int most, IntFunction<ClaimReply> call) {
    int limit = permits.reserve(most);
    if (limit == 0) {
      return false;
    }
    hint.take();
    start(make(new Reservation(limit, 0, 0, true), (permitted, fromQueues) -> call.apply(permitted))
        .steps());
    return true;
  }

  /**
   * Makes a call that submits the results of {@code ended} steps. It may claim one step for each
   * that ended and up to
   * {@code most} more if permits are available, from the queues too when they may have steps. With
   * 0 it claims only what follows the steps that ended: for a call behind which no other steps may
   * wait. When the call fails the steps keep their permits.
   */
  public <R extends EngineReply> Claimed<R> submit(int ended, int most, Call<R> call) {
    int retained = permits.retain(ended);
    int limit = retained + permits.reserveShare(most);
    boolean takesOn = permits.takesOn();
    return make(new Reservation(limit, ended, retained, takesOn && most > 0 && hint.take()),
        (permitted, fromQueues) -> call.make(takesOn ? permitted : 0, fromQueues));
  }

  /**
   * The caller has recorded the result of one step in its own transaction, or the database has
   * refused it.
   */
  public void recorded(StepKey key, EngineReply reply) {
    running.remove(key);
    notifyCommitted(reply);
    permits.release(1);
  }

  /** Passes claimed steps to the worker; releases them when it cannot run them. */
  public void start(List<RunningStep> claimed) {
    if (!claimed.isEmpty()) {
      try {
        receiver.start(claimed);
      } catch (Exception fault) {
        release(claimed, fault);
      }
    }
  }

  private <R extends EngineReply> Claimed<R> make(Reservation reservation, Call<R> call) {
    R reply;
    try {
      reply = call.make(reservation.limit(), reservation.fromQueues());
    } catch (Exception | Error fault) {
      undo(reservation);
      if (reservation.limit() > 0 && !DatabaseFaults.isRefusal(fault)) {
        claimOutcomeUnknown.run();
      }
      throw fault;
    }
    // From now on: what follows calls the database, and while that is away the check for orphaned
    // claims would take these for such.
    List<StepKey> keys = reply.claimedSteps().stream()
        .map(step -> ClaimedStep.key(step.asJsonObject())).toList();
    running.arriving(keys);
    try {
      permits.release(reservation.limit() - keys.size());
      if (reservation.fromQueues() && keys.size() >= reservation.limit()) {
        // The queues may have more steps than there were permits.
        hint.set();
      }
      notifyCommitted(reply);
      return new Claimed<>(reply, accept(reply.claimedSteps()));
    } finally {
      running.arrived(keys);
    }
  }

  private void undo(Reservation reservation) {
    permits.release(reservation.limit() - reservation.retained());
    permits.reacquire(reservation.ended() - reservation.retained());
    if (reservation.fromQueues()) {
      hint.set();
    }
  }

  /** A failed notification is covered by the fallback poller; the claimed steps run in any case. */
  private void notifyCommitted(EngineReply reply) {
    try {
      committed.accept(reply);
    } catch (Exception fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "notify");
    }
  }

  private List<RunningStep> accept(JsonArray reply) {
    if (reply.isEmpty()) {
      return List.of();
    }
    JsonArray claimedSteps = withoutLeftOut(reply);
    List<ClaimedStep> read;
    try {
      read = reader.apply(claimedSteps);
    } catch (Exception fault) {
      permits.release(claimedSteps.size());
      claimOutcomeUnknown.run();
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "get_step_definitions", "steps",
          claimedSteps.size());
      return List.of();
    }
    List<RunningStep> steps = new ArrayList<>(read.size());
    for (ClaimedStep claimedStep : read) {
      RunningStep step = new RunningStep(claimedStep);
      running.add(step);
      steps.add(step);
    }
    try {
      return receiver.admit(steps);
    } catch (Exception fault) {
      release(steps, fault);
      return List.of();
    }
  }

  /** The first step of a reply has its documents always, so that each call makes progress. */
  private JsonArray withoutLeftOut(JsonArray reply) {
    List<StepKey> leftOut = reply.getValuesAs(JsonObject.class).stream()
        .filter(ClaimedStep::isLeftOut).map(ClaimedStep::key).toList();
    if (leftOut.isEmpty()) {
      return reply;
    }
    permits.release(leftOut.size());
    try {
      giveBack.accept(leftOut);
    } catch (Exception fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "release_steps", "steps", leftOut.size());
      claimOutcomeUnknown.run();
    }
    hint.set();
    JsonArrayBuilder whole = Json.build().createArrayBuilder();
    reply.getValuesAs(JsonObject.class).stream().filter(step -> !ClaimedStep.isLeftOut(step))
        .forEach(whole::add);
    return whole.build();
  }

  private void release(List<RunningStep> steps, Exception fault) {
    LOG.write(LogEvent.CALL_FAILED, fault, "call", "dispatch", "steps", steps.size());
    try {
      release.accept(steps.stream());
    } catch (Exception lost) {
      LOG.write(LogEvent.CALL_FAILED, lost, "call", "release_steps", "steps", steps.size());
      claimOutcomeUnknown.run();
    }
  }

  private static List<ClaimedStep> read(Steps steps, Meters meters, JsonArray claimedSteps) {
    if (!steps.knows(claimedSteps)) {
      steps.learn(claimedSteps);
    }
    List<ClaimedStep> read = steps.read(claimedSteps);
    meters.stepsClaimed(read.size());
    return read;
  }
}
