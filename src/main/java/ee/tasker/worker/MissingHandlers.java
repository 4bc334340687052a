package ee.tasker.worker;

import ee.tasker.dispatch.OrphanedClaims;
import ee.tasker.dispatch.Permits;
import ee.tasker.dispatch.RunningStep;
import ee.tasker.dispatch.RunningSteps;
import ee.tasker.message.WorkNotifier;
import ee.tasker.platform.Json;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.step.Steps;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Declines claimed steps that this server cannot run: the bean lacks the method, or the resolver
 * finds no handler. They
 * wait in the database for a worker that has the handler, and this server is offered no more steps
 * of those handlers.
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
   * Declines the steps and releases the permits of those that have not started. For a step that a
   * thread has started, the
   * caller releases the permit.
   */
  void decline(List<RunningStep> lacking) {
    if (lacking.isEmpty()) {
      return;
    }
    try {
      if (steps.decline(lacking.stream().map(step -> step.claimedStep().key()).toList())
          .hasQueued()) {
        workNotifier.stepsQueued();
      }
    } catch (Exception fault) {
      // In the database this server still holds them; OrphanedClaims releases them.
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "decline_steps", "steps", lacking.size());
      orphanedClaims.expect();
    }
    leave(lacking);
  }

  private void leave(List<RunningStep> gone) {
    // Another thread, for example a drain, may have released the step meanwhile, and its permit
    // with it.
    List<RunningStep> ours = gone.stream().filter(RunningStep::release).toList();
    ours.forEach(step -> running.remove(step.claimedStep().key()));
    permits.release(ours.size());
    LOG.write(LogEvent.HANDLER_MISSING, "steps", gone.size(), "handlers",
        Json.build()
            .createArrayBuilder(
                gone.stream().map(step -> step.claimedStep().definition().handler())
                    .collect(Collectors.toCollection(TreeSet::new)))
            .build());
  }
}
