package ee.tasker.event;

import ee.tasker.engine.model.TaskState;
import ee.tasker.platform.Recheck;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executor;

/**
 * A stream of transitions, with a bounded buffer of the events not sent yet. Thread-safe.
 *
 * <p>The stream first catches up from its position at its own pace; {@code drained} reports when it
 * can take more. Then it
 * receives events live. If its buffer fills up, or one event takes too long to send, the stream is
 * cut off; the client can
 * resume from the last event that it received.
 */
final class EventStream extends OutgoingStream {
  private static final long NEVER = Long.MAX_VALUE;

  private final EventFilter filter;
  private final Recheck<?> permission;
  private final int buffer;
  private final ReadSpan span = new ReadSpan();

  private Position position;
  private boolean isLive;
  /**
   * The stream may end once everything below this bound has been sent: what moved the task there
   * began before it.
   */
  private long endsAt = NEVER;
  private String endState;

  /**
   * @param permission whether the listener may have these events
   * @param drained    called when everything is sent
   * @param ended      called once, when nothing more will be sent
   */
  EventStream(EventFilter filter, Recheck<?> permission, Position position, EventSink sink,
      int buffer, Executor executor, Runnable drained, Runnable ended) {
    super(sink, executor, drained, ended);
    this.filter = filter;
    this.permission = permission;
    this.position = position;
    this.buffer = buffer;
  }

  synchronized Position position() {
    return position;
  }

  /** How much a read covers while it catches up. */
  ReadSpan span() {
    return span;
  }

  @Override
  Optional<UUID> task() {
    return filter.taskUuid();
  }

  @Override
  protected boolean isStillPermitted() {
    return !(permission.now() instanceof Recheck.Outcome.Withdrawn<?>);
  }

  @Override
  protected Event heartbeat() {
    return isLive ? Event.alive(position.from()) : Event.signOfLife();
  }

  @Override
  synchronized void goLive() {
    isLive = true;
    if (task().isEmpty()) {
      // Gives a client that is cut off before the first event its position.
      waiting.add(Event.alive(position.from()));
      kick();
    }
  }

  /** The task had ended before the stream was opened. */
  synchronized void endsWith(String state, long horizon) {
    if (TaskState.terminalWords().contains(state)) {
      endState = state;
      endsAt = horizon;
    }
  }

  /**
   * Adds events read from the stream's position.
   *
   * @return false when the stream was cut off because its buffer is full
   */
  boolean take(Events.Batch batch) {
    synchronized (this) {
      if (isEnded()) {
        return true;
      }
      batch.moves().stream().filter(filter::accepts).forEach(move -> {
        waiting.add(move.event());
        inspect(move, batch.horizon());
      });
      position = Position.at(batch.until());
      if (batch.until() >= endsAt && task().isPresent() && !isClosing) {
        waiting.add(Event.end(task().get(), endState, batch.until()));
        isClosing = true;
      }
      if (!isLive || waiting.size() <= buffer) {
        kick();
        return true;
      }
    }
    end();
    return false;
  }

  private void inspect(Event.Move move, long horizon) {
    if ("task".equals(move.kind())) {
      boolean isEnd = TaskState.terminalWords().contains(move.toState());
      endState = isEnd ? move.toState() : null;
      endsAt = isEnd ? horizon : NEVER;
    }
  }

  /** The union of the tasks that the given streams filter on; null when one of them wants all. */
  static Collection<UUID> tasksOf(Collection<EventStream> streams) {
    List<EventFilter> filters = streams.stream().map(stream -> stream.filter).toList();
    return EventFilter.tasksOf(filters);
  }
}
