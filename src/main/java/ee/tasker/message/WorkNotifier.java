package ee.tasker.message;

import ee.tasker.platform.LiveSettings;
import ee.tasker.platform.Role;
import ee.tasker.platform.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;

/**
 * Spreads the word that there is something to do: to this server at once, to the others by one notification for many.
 * Called after a commit. With {@code tasker.notify.enabled=false} nobody is told and the poller finds everything.
 */
@ApplicationScoped
public class WorkNotifier {
  static final String STEPS = "steps";
  static final String ORCHESTRATION = "orchestration";
  static final String CANCEL = "cancel";

  @Inject
  private Settings settings;

  @Inject
  private LiveSettings live;

  @Inject
  private Instance<StepDispatcher> stepDispatcher;

  @Inject
  private Instance<Orchestrator> orchestrator;

  @Inject
  private Instance<ChangeListener> changeListener;

  @Inject
  private PeerNotifier notifier;

  /** Tasks or steps have moved, and nobody else needs to hear of it. */
  public void changed() {
    changeListener.get().changed();
  }

  /** Steps were put on queues. */
  public void stepsQueued() {
    changed();
    if (settings.events()) {
      wakeWorker();
      notifier.tell(STEPS);
    }
  }

  /** Results were submitted for an orchestrator, or tasks came in that nobody has started. */
  public void orchestrationQueued() {
    changed();
    if (settings.events()) {
      wakeOrchestrator();
      notifier.tell(ORCHESTRATION);
    }
  }

  /** Running steps are asked to stop. */
  public void cancelRequested() {
    changed();
    if (settings.events()) {
      tellOfCancel();
      notifier.tell(CANCEL);
    }
  }

  void received(String what) {
    changed();
    if (STEPS.equals(what)) {
      wakeWorker();
    } else if (CANCEL.equals(what)) {
      tellOfCancel();
    } else {
      wakeOrchestrator();
      wakeWorker();
    }
  }

  private void tellOfCancel() {
    if (live.has(Role.WORKER)) {
      stepDispatcher.get().cancelRequested();
    }
  }

  private void wakeWorker() {
    if (live.has(Role.WORKER)) {
      stepDispatcher.get().stepsQueued();
    }
  }

  private void wakeOrchestrator() {
    if (live.has(Role.ORCHESTRATOR)) {
      orchestrator.get().workArrived();
    }
  }
}
