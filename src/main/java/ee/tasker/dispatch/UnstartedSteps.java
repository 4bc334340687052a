package ee.tasker.dispatch;

import ee.tasker.step.model.StepKey;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.List;
import java.util.stream.Stream;

/** Releases claimed steps that have not started, so that they are offered again at once. */
@ApplicationScoped
public class UnstartedSteps {
  private StepSource source;
  private Permits permits;
  private RunningSteps running;

  @Inject
  void connect(StepSource source, Permits permits, RunningSteps running) {
    this.source = source;
    this.permits = permits;
    this.running = running;
  }

  /**
   * @return how many of the candidates had not started
   * @throws RuntimeException when the database call fails; the steps do not start here in any case
   */
  public int release(Stream<RunningStep> candidates) {
    List<StepKey> released = candidates.filter(RunningStep::release)
        .map(step -> step.claimedStep().key()).toList();
    released.forEach(running::remove);
    try {
      if (!released.isEmpty()) {
        source.release(released);
      }
    } finally {
      permits.release(released.size());
    }
    return released.size();
  }
}
