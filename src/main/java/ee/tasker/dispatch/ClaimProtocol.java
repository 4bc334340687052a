package ee.tasker.dispatch;

import ee.tasker.engine.reply.EngineReply;
import ee.tasker.message.StepDispatcher;
import ee.tasker.platform.DatabaseFaults;
import ee.tasker.platform.Json;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.step.ClaimedStep;
import ee.tasker.step.model.StepKey;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

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

  private Permits permits;
  private RunningSteps running;
  private QueueHint hint;
  private StepReceiver receiver;
  private StepSource source;
  private UnstartedSteps unstarted;

  @Inject
  void connect(Permits permits, RunningSteps running, QueueHint hint, StepReceiver receiver,
      StepSource source, UnstartedSteps unstarted) {
    this.permits = permits;
    this.running = running;
    this.hint = hint;
    this.receiver = receiver;
    this.source = source;
    this.unstarted = unstarted;
  }

  @Override
  public <R extends EngineReply> R call(int most, IntFunction<R> call) {
    Permits.Reservation reservation = permits.take(source.isOpenBesideQueues() ? most : 0);
    Claimed<R> claimed = make(reservation, false,
        (permitted, fromQueues) -> call.apply(permitted));
    start(claimed.steps());
    return claimed.reply();
  }

  /**
   * Claims once from the queues.
   *
   * @return false when no permit was available and nothing was called
   */
  boolean claimFromQueues(int most) {
    Permits.Reservation reservation = permits.take(most);
    if (reservation.limit() == 0) {
      return false;
    }
    hint.take();
    start(make(reservation, true, (permitted, fromQueues) -> source.claim(permitted)).steps());
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
    Permits.Reservation reservation = permits.passOn(ended, most);
    boolean takesOn = permits.takesOn();
    return make(reservation, takesOn && most > 0 && hint.take(),
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

  private <R extends EngineReply> Claimed<R> make(Permits.Reservation reservation,
      boolean fromQueues, Call<R> call) {
    R reply;
    try {
      reply = call.make(reservation.limit(), fromQueues);
    } catch (Exception | Error fault) {
      reservation.giveBack();
      if (fromQueues) {
        hint.set();
      }
      if (reservation.limit() > 0 && !DatabaseFaults.isRefusal(fault)) {
        source.claimOutcomeUnknown();
      }
      throw fault;
    }
    // From now on: what follows calls the database, and while that is away the check for orphaned
    // claims would take these for such.
    List<StepKey> keys = reply.claimedSteps().stream()
        .map(step -> ClaimedStep.key(step.asJsonObject())).toList();
    running.arriving(keys);
    try {
      reservation.settle(keys.size());
      if (fromQueues && keys.size() >= reservation.limit()) {
        // The queues may have more steps than there were permits.
        hint.set();
      }
      notifyCommitted(reply);
      return new Claimed<>(reply, accept(reply.claimedSteps()));
    } finally {
      running.arrived(keys);
    }
  }

  /** A failed notification is covered by the fallback poller; the claimed steps run in any case. */
  private void notifyCommitted(EngineReply reply) {
    try {
      source.committed(reply);
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
      read = source.read(claimedSteps);
    } catch (Exception fault) {
      permits.release(claimedSteps.size());
      source.claimOutcomeUnknown();
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
      source.release(leftOut);
    } catch (Exception fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "release_steps", "steps", leftOut.size());
      source.claimOutcomeUnknown();
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
      unstarted.release(steps.stream());
    } catch (Exception lost) {
      LOG.write(LogEvent.CALL_FAILED, lost, "call", "release_steps", "steps", steps.size());
      source.claimOutcomeUnknown();
    }
  }
}
