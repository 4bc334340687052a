package ee.tasker.message;

import ee.tasker.engine.reply.EndedTask;
import ee.tasker.engine.reply.EngineReply;
import ee.tasker.platform.LiveSettings;
import ee.tasker.platform.Role;
import ee.tasker.platform.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import java.util.List;

/**
 * Spreads the word that there is something to do: to this server at once, to the others by one notification for many.
 * Called after a commit. With {@code tasker.notify.enabled=false} no server is notified, and the fallback poller finds all work.
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
  private Instance<QueueListener> queueListener;

  @Inject
  private Instance<CancelListener> cancelListener;

  @Inject
  private Instance<EndListener> endListener;

  @Inject
  private Instance<Orchestrator> orchestrator;

  @Inject
  private Instance<ChangeListener> changeListener;

  @Inject
  private PeerNotifier notifier;

  /** A call of the engine was committed: tells all whom its reply concerns, here and on other servers. */
  public void committed(EngineReply reply) {
    tasksEnded(reply.ended());
    if (reply.hasMoved()) {
      changed();
      if (!live.has(Role.ORCHESTRATOR) || reply.hasPending()) {
        orchestrationQueued();
      }
    }
    if (reply.hasQueued()) {
      stepsQueued();
    }
    reply.nextRetryIn().ifPresent(delay -> orchestrator.get().dueIn(delay));
  }

  /** Tasks have come to rest; only this server is told. */
  public void tasksEnded(List<EndedTask> ended) {
    if (!ended.isEmpty()) {
      endListener.get().tasksEnded(ended);
    }
  }

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
      cancelListener.get().cancelRequested();
    }
  }

  private void wakeWorker() {
    if (live.has(Role.WORKER)) {
      queueListener.get().stepsQueued();
    }
  }

  private void wakeOrchestrator() {
    if (live.has(Role.ORCHESTRATOR)) {
      orchestrator.get().workArrived();
    }
  }
}
