package ee.tasker.task;

import ee.tasker.message.WorkNotifier;
import ee.tasker.platform.AfterCommit;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonValue;
import jakarta.transaction.Transactional;
import java.util.UUID;

/** The transactions of {@link TaskSignals}. */
@ApplicationScoped
@Transactional
public class TransactionalSignals implements TaskSignals {
  @Inject
  private SignalQueue queue;

  @Inject
  private WorkNotifier workNotifier;

  @Inject
  private AfterCommit afterCommit;

  @Override
  public void send(UUID task, String name, JsonValue payload) {
    send(task, name, payload, null);
  }

  @Override
  public void send(UUID task, String name, JsonValue payload, String signalId) {
    queue.queue(task, name, payload, signalId, null);
    afterCommit.run(workNotifier::orchestrationQueued);
  }

  @Override
  public int sendByCorrelation(UUID correlationId, String name, JsonValue payload, String signalId,
      int limit) {
    int tasks = queue.queueByCorrelation(correlationId, name, payload, signalId, limit, null);
    afterCommit.run(workNotifier::orchestrationQueued);
    return tasks;
  }
}
