package ee.tasker.dispatch;

import java.util.List;

/** Runs the steps that this server has claimed. */
public interface StepReceiver {

  /**
   * Looks through steps that were claimed a moment ago.
   *
   * @return those that are to be run here; the others are accounted for
   */
  List<RunningStep> admit(List<RunningStep> claimed);

  /** Runs what was admitted, on threads of its own. */
  void start(List<RunningStep> admitted);
}
