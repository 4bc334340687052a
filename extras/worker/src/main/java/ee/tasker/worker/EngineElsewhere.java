package ee.tasker.worker;

import ee.tasker.engine.reply.EndedTask;
import ee.tasker.message.ChangeListener;
import ee.tasker.message.EndListener;
import ee.tasker.message.Orchestrator;
import ee.tasker.message.PollListener;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * What an application does not have: the orchestrator, streams of events, callers that wait for a
 * task and workers over HTTP are in the servers of Tasker EE, which the database or its
 * notifications tell.
 */
@ApplicationScoped
class EngineElsewhere implements Orchestrator, EndListener, ChangeListener, PollListener {
  @Override
  public void workArrived() {
    // The notification goes to the servers.
  }

  @Override
  public void dueIn(Duration delay) {
    // The servers read what is due.
  }

  @Override
  public void tasksEnded(List<EndedTask> ended) {
    // Nothing here waits for tasks.
  }

  @Override
  public boolean isAwaited(UUID taskUuid) {
    return false;
  }

  @Override
  public void changed() {
    // There are no subscribers.
  }

  @Override
  public void offersQueued() {
    // No worker over HTTP asks here.
  }
}
