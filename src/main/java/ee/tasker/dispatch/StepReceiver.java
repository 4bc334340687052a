package ee.tasker.dispatch;

import java.util.List;

/** Runs the steps that this server has claimed. */
public interface StepReceiver {

  /**
   * Checks newly claimed steps.
   *
   * @return the steps to run here; it has declined the others
   */
  List<RunningStep> admit(List<RunningStep> claimed);

  /** Runs the admitted steps on the receiver's own threads. */
  void start(List<RunningStep> admitted);
}
