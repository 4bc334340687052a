package ee.tasker.message;

import ee.tasker.engine.reply.ActionReply;
import ee.tasker.engine.reply.EndedTask;
import ee.tasker.engine.reply.EngineReply;
import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.config.Role;
import ee.tasker.platform.config.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import java.util.List;

/**
 * Notifies the components of this server of new work at once, and the other servers by one
 * coalesced notification. Called
 * after a commit. With {@code tasker.notify.enabled=false} no server is notified, and the fallback
 * poller finds all work.
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
  private Instance<PollListener> pollListener;

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

  /**
   * A call of the engine was committed: notifies every component that its reply concerns, here and
   * on other servers.
   */
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

  /** An action on tasks or steps, or a signal, was committed. */
  public void acted(ActionReply reply) {
    tasksEnded(reply.ended());
    if (reply.hasQueued()) {
      stepsQueued();
    }
  }

  /** Tasks have become terminal or blocked; notifies this server only. */
  public void tasksEnded(List<EndedTask> ended) {
    if (!ended.isEmpty()) {
      endListener.get().tasksEnded(ended);
    }
  }

  /** Tasks or steps have moved; notifies the subscribers of this server only. */
  public void changed() {
    changeListener.get().changed();
  }

  /** Steps were put on queues. */
  public void stepsQueued() {
    changed();
    if (settings.events()) {
      wakeWorker();
      notifier.notifyPeers(STEPS);
    }
  }

  /** Results were submitted for an orchestrator, or tasks were created and not started. */
  public void orchestrationQueued() {
    changed();
    if (settings.events()) {
      wakeOrchestrator();
      notifier.notifyPeers(ORCHESTRATION);
    }
  }

  /** Running steps have cancel requests. */
  public void cancelRequested() {
    changed();
    if (settings.events()) {
      notifyCancel();
      notifier.notifyPeers(CANCEL);
    }
  }

  void received(String what) {
    changed();
    if (STEPS.equals(what)) {
      wakeWorker();
    } else if (CANCEL.equals(what)) {
      notifyCancel();
    } else {
      wakeOrchestrator();
      wakeWorker();
    }
  }

  private void notifyCancel() {
    if (live.has(Role.WORKER)) {
      cancelListener.get().cancelRequested();
    }
  }

  private void wakeWorker() {
    if (live.has(Role.WORKER)) {
      queueListener.get().stepsQueued();
    }
    pollListener.get().offersQueued();
  }

  private void wakeOrchestrator() {
    if (live.has(Role.ORCHESTRATOR)) {
      orchestrator.get().workArrived();
    }
  }
}
