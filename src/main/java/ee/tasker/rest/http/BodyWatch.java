package ee.tasker.rest.http;

import ee.tasker.platform.config.Settings;
import ee.tasker.platform.thread.EngineThreads;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.io.InputStream;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Checks once a second for threads that wait for the rest of a request body whose time is over, and
 * interrupts them.
 * Thread-safe.
 */
@ApplicationScoped
public class BodyWatch {
  private static final long CHECK_EVERY_MS = 1_000;

  private final Set<TimedBody> waiting = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean started = new AtomicBoolean();

  @Inject
  private EngineThreads threads;

  @Inject
  private Settings settings;

  /** @param length the request's content length, or -1 */
  TimedBody timed(InputStream body, long length) {
    if (started.compareAndSet(false, true)) {
      threads.timers().scheduleAtFixedRate(this::check, CHECK_EVERY_MS, CHECK_EVERY_MS,
          TimeUnit.MILLISECONDS);
    }
    return new TimedBody(body, length, settings.bodyPace(), this, System::nanoTime);
  }

  /** A thread is reading the body. */
  void add(TimedBody body) {
    waiting.add(body);
  }

  void remove(TimedBody body) {
    waiting.remove(body);
  }

  void check() {
    waiting.forEach(TimedBody::interruptIfLate);
  }
}
