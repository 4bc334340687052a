package ee.tasker.event;

import ee.tasker.engine.model.TaskState;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * One who listens: what he has not been sent yet, in a buffer with a bound. Events are sent one after another, each when the one
 * before has gone out, on threads of the executor and never on that of the reader. Thread-safe.
 *
 * <p>First he catches up from where he was, at his own pace, and {@code drained} says when he can take more. Then he is told live;
 * when his buffer is full then, or one event takes too long, he is cut off, and can go on from the last event that he got.
 */
final class EventStream {
  private static final long NEVER = Long.MAX_VALUE;

  private final EventFilter filter;
  private final EventSink sink;
  private final int buffer;
  private final Executor executor;
  private final Runnable drained;
  private final Runnable ended;

  private final Deque<Event> waiting = new ArrayDeque<>();
  private Position position;
  private boolean isLive;
  private boolean isBusy;
  private boolean isClosing;
  private boolean isEnded;
  private long sendingSince;
  /** The stream may end when everything below this bound is told: what moved the task there began before it. */
  private long endsAt = NEVER;
  private String endState;

  /**
   * @param drained called when everything is sent
   * @param ended   called once, when nothing more will be sent
   */
  EventStream(EventFilter filter, Position position, EventSink sink, int buffer, Executor executor, Runnable drained, Runnable ended) {
    this.filter = filter;
    this.position = position;
    this.sink = sink;
    this.buffer = buffer;
    this.executor = executor;
    this.drained = drained;
    this.ended = ended;
  }

  synchronized Position position() {
    return position;
  }

  /** The only task that he wants to hear of. */
  Optional<UUID> task() {
    return filter.taskUuid();
  }

  synchronized boolean isEnded() {
    return isEnded;
  }

  /** Nothing is waiting and nothing on its way. */
  synchronized boolean isDrained() {
    return waiting.isEmpty() && !isBusy;
  }

  synchronized void goLive() {
    isLive = true;
    if (task().isEmpty()) {
      // Who is cut off before anything has happened knows where he was.
      waiting.add(Event.alive(position.from()));
      kick();
    }
  }

  /** The task had ended when the stream was opened. */
  synchronized void endsWith(String state, long horizon) {
    if (TaskState.terminalWords().contains(state)) {
      endState = state;
      endsAt = horizon;
    }
  }

  /** Takes what was read from his position on. @return false when he was cut off because his buffer is full */
  boolean take(Events.Batch batch) {
    synchronized (this) {
      if (isEnded) {
        return true;
      }
      batch.moves().stream().filter(filter::accepts).forEach(move -> {
        waiting.add(move.event());
        look(move, batch.horizon());
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

  private void look(Event.Move move, long horizon) {
    if ("task".equals(move.kind())) {
      boolean isEnd = TaskState.terminalWords().contains(move.toState());
      endState = isEnd ? move.toState() : null;
      endsAt = isEnd ? horizon : NEVER;
    }
  }

  /** Shows that the stream lives, and how far it is, when nothing else does. @return false when one event has taken longer than that and he was cut off */
  boolean beat(long longestNanos) {
    synchronized (this) {
      if (!isBusy || System.nanoTime() - sendingSince < longestNanos) {
        if (waiting.isEmpty() && !isBusy) {
          waiting.add(isLive ? Event.alive(position.from()) : Event.signOfLife());
          kick();
        }
        return true;
      }
    }
    end();
    return false;
  }

  private synchronized void kick() {
    if (!isBusy && !isEnded && (!waiting.isEmpty() || isClosing)) {
      isBusy = true;
      sendingSince = System.nanoTime();
      executor.execute(this::sendWaiting);
    }
  }

  private void sendWaiting() {
    for (Event next = next(); next != null; next = next()) {
      CompletableFuture<?> sent;
      try {
        sent = sink.send(next).toCompletableFuture();
      } catch (RuntimeException gone) {
        end();
        return;
      }
      if (!sent.isDone()) {
        sent.whenComplete((done, fault) -> goOn(fault));
        return;
      }
      if (sent.isCompletedExceptionally()) {
        end();
        return;
      }
    }
  }

  private void goOn(Throwable fault) {
    if (fault != null) {
      end();
    } else {
      executor.execute(this::sendWaiting);
    }
  }

  /** @return null when there is nothing to send for now */
  private Event next() {
    boolean isOver;
    synchronized (this) {
      Event next = isEnded ? null : waiting.poll();
      if (next != null) {
        sendingSince = System.nanoTime();
        return next;
      }
      isBusy = false;
      isOver = isClosing;
    }
    if (isOver) {
      end();
    } else {
      drained.run();
    }
    return null;
  }

  /** Ends it; once, whoever comes first. */
  void end() {
    synchronized (this) {
      if (isEnded) {
        return;
      }
      isEnded = true;
      waiting.clear();
    }
    ended.run();
    try {
      // Who does not read may keep even this waiting.
      executor.execute(sink::close);
    } catch (RejectedExecutionException stopping) {
      sink.close();
    }
  }

  /** The tasks that any of some streams wants to hear of; null when one of them wants all. */
  static Collection<UUID> tasksOf(Collection<EventStream> streams) {
    List<Optional<UUID>> tasks = streams.stream().map(EventStream::task).distinct().toList();
    return tasks.contains(Optional.<UUID>empty()) ? null : tasks.stream().map(Optional::get).toList();
  }
}
