package ee.tasker.event;

import ee.tasker.engine.model.TaskState;
import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;

/**
 * One listener and a bounded buffer of the events not sent yet. Each event is sent after the previous one has completed, on
 * a thread of the executor and never on the reader's. Thread-safe.
 *
 * <p>The stream first catches up from its position at its own pace; {@code drained} reports when it can take more. Then it
 * receives events live. If its buffer fills up, or one event takes too long to send, the stream is cut off; the client can
 * resume from the last event that it received.
 */
final class EventStream {
  private static final Log LOG = Log.of(EventStream.class);
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
  /** The stream may end once everything below this bound has been sent: what moved the task there began before it. */
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

  /** The only task of this stream. */
  Optional<UUID> task() {
    return filter.taskUuid();
  }

  synchronized boolean isEnded() {
    return isEnded;
  }

  /** Nothing is queued and nothing is being sent. */
  synchronized boolean isDrained() {
    return waiting.isEmpty() && !isBusy;
  }

  synchronized void goLive() {
    isLive = true;
    if (task().isEmpty()) {
      // Gives a client that is cut off before the first event its position.
      waiting.add(Event.alive(position.from()));
      kick();
    }
  }

  /**
   * Sends a sign of life on the caller's thread, and with it the head of the response: on some servers the response filters run on the thread that
   * sends first, and they need the request. Everything else is sent on threads of the executor. To be called once, before anything else is sent.
   */
  void begin() {
    synchronized (this) {
      waiting.add(Event.signOfLife());
      isBusy = true;
      sendingSince = System.nanoTime();
    }
    sendWaiting();
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
      if (isEnded) {
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

  /**
   * Sends a keep-alive with the current position when nothing else is being sent.
   *
   * @return false when one event has taken longer than that and the stream was cut off
   */
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
      } catch (RuntimeException fault) {
        end(fault);
        return;
      }
      if (!sent.isDone()) {
        sent.whenComplete((done, fault) -> goOn(fault));
        return;
      }
      if (sent.isCompletedExceptionally()) {
        sent.whenComplete((done, fault) -> end(fault));
        return;
      }
    }
  }

  private void goOn(Throwable fault) {
    if (fault != null) {
      end(fault);
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

  /** A client that has disconnected is no fault of this server; anything else is reported. */
  private void end(Throwable fault) {
    boolean isGone = Stream.iterate(fault, Objects::nonNull, Throwable::getCause)
        .anyMatch(cause -> cause instanceof IOException || cause instanceof IllegalStateException);
    if (!isGone && !isEnded()) {
      LOG.write(LogEvent.STREAM_FAILED, fault, "task", task().orElse(null));
    }
    end();
  }

  /** Ends the stream once; later calls do nothing. */
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
      // A client that does not read may block even this call.
      executor.execute(sink::close);
    } catch (RejectedExecutionException stopping) {
      sink.close();
    }
  }

  /** The union of the tasks that the given streams filter on; null when one of them wants all. */
  static Collection<UUID> tasksOf(Collection<EventStream> streams) {
    List<EventFilter> filters = streams.stream().map(stream -> stream.filter).toList();
    return EventFilter.tasksOf(filters);
  }
}
