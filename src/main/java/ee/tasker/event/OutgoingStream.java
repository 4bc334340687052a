package ee.tasker.event;

import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * One listener and the events that are not sent yet. Each event is sent after the previous one has
 * completed, on a thread of the executor and
 * never on the reader's. Subclasses add to {@code waiting} and call {@code kick}, in the monitor of
 * this object. Thread-safe.
 */
abstract class OutgoingStream {
  private static final Log LOG = Log.of(OutgoingStream.class);

  private final EventSink sink;
  private final Executor executor;
  private final Runnable drained;
  private final Runnable ended;

  /** Guarded by this object's monitor, as the other fields. */
  protected final Deque<Event> waiting = new ArrayDeque<>();
  /** The stream ends when everything has been sent. */
  protected boolean isClosing;
  private final AtomicBoolean isChecking = new AtomicBoolean();
  private boolean isBusy;
  private boolean isEnded;
  private long sendingSince;

  /**
   * @param drained called when everything is sent
   * @param ended   called once, when nothing more will be sent
   */
  OutgoingStream(EventSink sink, Executor executor, Runnable drained, Runnable ended) {
    this.sink = sink;
    this.executor = executor;
    this.drained = drained;
    this.ended = ended;
  }

  /** The only task of this stream. */
  Optional<UUID> task() {
    return Optional.empty();
  }

  /** The stream has caught up, and from now on gets events as they come. */
  abstract void goLive();

  /** Asks again whether the caller may have the stream, and what it may see; may take long. */
  protected abstract boolean isStillPermitted();

  /**
   * Ends the stream when the caller has lost the right to it. May take long; does nothing while an
   * earlier check is under way.
   */
  void recheck() {
    if (isChecking.compareAndSet(false, true)) {
      try {
        if (!isStillPermitted()) {
          end();
        }
      } catch (RuntimeException fault) {
        LOG.write(LogEvent.CALL_FAILED, fault, "call", "permissions of a stream");
      } finally {
        isChecking.set(false);
      }
    }
  }

  /** What is sent when nothing else is. */
  protected abstract Event heartbeat();

  synchronized boolean isEnded() {
    return isEnded;
  }

  /** Nothing is queued and nothing is being sent. */
  synchronized boolean isDrained() {
    return waiting.isEmpty() && !isBusy;
  }

  /**
   * Sends a sign of life on the caller's thread, and with it the head of the response: on some
   * servers the response filters run on the thread that
   * sends first, and they need the request. Everything else is sent on threads of the executor. To
   * be called once, before anything else is sent.
   */
  void begin() {
    synchronized (this) {
      waiting.add(Event.signOfLife());
      isBusy = true;
      sendingSince = System.nanoTime();
    }
    sendWaiting();
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
          waiting.add(heartbeat());
          kick();
        }
        return true;
      }
    }
    end();
    return false;
  }

  protected synchronized void kick() {
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
}
