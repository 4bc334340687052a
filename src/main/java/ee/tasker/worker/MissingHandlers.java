package ee.tasker.worker;

import ee.tasker.dispatch.OrphanedClaims;
import ee.tasker.dispatch.Permits;
import ee.tasker.dispatch.RunningStep;
import ee.tasker.dispatch.RunningSteps;
import ee.tasker.message.WorkNotifier;
import ee.tasker.platform.Json;
import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import ee.tasker.step.Steps;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Gives back steps that this server was given and has no handler for, as long as another server has it: while a new version
 * of an application replaces the old one, or applications share a database. The database decides which; it gives this
 * server no more steps of those handlers.
 */
@ApplicationScoped
class MissingHandlers {
  private static final Log LOG = Log.of(MissingHandlers.class);

  @Inject
  private Steps steps;

  @Inject
  private Permits permits;

  @Inject
  private RunningSteps running;

  @Inject
  private OrphanedClaims orphanedClaims;

  @Inject
  private WorkNotifier workNotifier;

  /**
   * Gives back what another server can run. Steps that have not begun stop counting as busy; of one that a thread has begun
   * and ended, the caller sees to that.
   *
   * @return those that no server has the handler of, which this one is to fail
   */
  List<RunningStep> giveBack(List<RunningStep> lacking) {
    if (lacking.isEmpty()) {
      return List.of();
    }
    Set<UUID> unserved = new HashSet<>();
    try {
      JsonObject reply = steps.decline(lacking.stream().map(step -> step.claimedStep().key()).toList());
      reply.getJsonArray("unserved").getValuesAs(JsonString.class).forEach(uuid -> unserved.add(UUID.fromString(uuid.getString())));
      if (!reply.getJsonArray("queued").isEmpty()) {
        workNotifier.stepsQueued();
      }
    } catch (Exception fault) {
      // The database still holds them for this server, which gives back what it does not know of.
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "decline_steps", "steps", lacking.size());
      orphanedClaims.expect();
    }
    List<RunningStep> toFail = new ArrayList<>();
    List<RunningStep> gone = new ArrayList<>();
    lacking.forEach(step -> (unserved.contains(step.claimedStep().key().stepUuid()) ? toFail : gone).add(step));
    toFail.forEach(RunningStep::markUnserved);
    leave(gone);
    return toFail;
  }

  private void leave(List<RunningStep> gone) {
    if (gone.isEmpty()) {
      return;
    }
    // One that has ended otherwise meanwhile, as a drain does it, is accounted for there.
    List<RunningStep> ours = gone.stream().filter(RunningStep::release).toList();
    ours.forEach(step -> running.remove(step.claimedStep().key()));
    permits.release(ours.size());
    LOG.write(LogEvent.HANDLER_ELSEWHERE, "steps", gone.size(), "handlers",
        Json.build()
            .createArrayBuilder(
                gone.stream().map(step -> step.claimedStep().definition().handler()).collect(Collectors.toCollection(TreeSet::new)))
            .build());
  }
}
