package ee.tasker.dispatch;

import ee.tasker.step.Steps;
import ee.tasker.step.model.StepKey;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.List;
import java.util.stream.Stream;

/** Gives back what was claimed and has not begun, so that it is offered again at once. */
@ApplicationScoped
public class UnstartedSteps {
  @Inject
  private Steps steps;

  @Inject
  private Permits permits;

  @Inject
  private RunningSteps running;

  /**
   * @return how many of these had not begun
   * @throws RuntimeException when the database could not be told; they are not begun here in any case
   */
  public int giveBack(Stream<RunningStep> candidates) {
    List<StepKey> released = candidates.filter(RunningStep::release).map(step -> step.claimedStep().key()).toList();
    released.forEach(running::remove);
    try {
      if (!released.isEmpty()) {
        steps.release(released);
      }
    } finally {
      permits.release(released.size());
    }
    return released.size();
  }
}
