package ee.tasker.rest.http;

import ee.tasker.platform.Problem;
import ee.tasker.platform.config.Settings.BodyPace;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * A request body that must arrive in time. The limit starts fixed and grows with every byte that
 * arrives, so that a long
 * body over a slow line is read to its end, and one that trickles in is not. A check between two
 * reads detects a trickle; a
 * blocked read is {@linkplain #interruptIfLate interrupted}. Read by one thread at a time, watched
 * by another.
 */
final class TimedBody extends InputStream {
  private static final int CHUNK = 8_192;

  private final InputStream body;
  private final long length;
  private final BodyPace pace;
  private final BodyWatch watch;
  private final LongSupplier nanoTime;
  private final long begin;
  private volatile long received;
  private boolean begun;
  private boolean ended;
  private boolean refused;
  /**
   * The thread that waits for more data, null between two reads; guarded by this, like {@code
   * interrupted}.
   */
  private Thread reader;
  private boolean interrupted;

  /** @param length the request's content length, or -1 */
  TimedBody(InputStream body, long length, BodyPace pace, BodyWatch watch, LongSupplier nanoTime) {
    this.body = body;
    this.length = length;
    this.pace = pace;
    this.watch = watch;
    this.nanoTime = nanoTime;
    begin = nanoTime.getAsLong();
  }

  private boolean isLate() {
    long allowed = pace.timeout().toNanos()
        + TimeUnit.SECONDS.toNanos(1) * received / pace.bytesPerSecond();
    return nanoTime.getAsLong() - begin > allowed;
  }

  /** Interrupts the thread that waits for this body, if its time is over. */
  synchronized void interruptIfLate() {
    if (reader != null && !interrupted && isLate()) {
      interrupted = true;
      reader.interrupt();
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  /** @throws Problem 408 request-timeout */
  @Override
  public int read(byte[] target, int from, int most) throws IOException {
    if (refused) {
      throw late();
    }
    int count;
    beginRead();
    try {
      count = body.read(target, from, most);
    } catch (IOException e) {
      if (endRead() || isTimeout(e)) {
        refused = true;
        throw late();
      }
      throw e;
    } finally {
      endRead();
    }
    begun = true;
    if (count < 0) {
      ended = true;
      return count;
    }
    received += count;
    if (isLate() && !hasAll()) {
      refused = true;
      throw late();
    }
    return count;
  }

  private void beginRead() {
    synchronized (this) {
      reader = Thread.currentThread();
    }
    watch.add(this);
  }

  /** @return whether the read was interrupted; clears the thread's interrupt flag */
  private boolean endRead() {
    watch.remove(this);
    synchronized (this) {
      reader = null;
      if (interrupted) {
        Thread.interrupted();
      }
      return interrupted;
    }
  }

  private static boolean isTimeout(Throwable fault) {
    for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
      if (cause instanceof InterruptedIOException || cause instanceof TimeoutException) {
        return true;
      }
    }
    return false;
  }

  private Problem late() {
    return Problem.of(408, "request-timeout",
        "the body arrived too slowly: " + received + " bytes in "
            + TimeUnit.NANOSECONDS.toSeconds(nanoTime.getAsLong() - begin)
            + " s; the limit is " + pace.timeout().toSeconds()
            + " s, and one second more for every " + pace.bytesPerSecond()
            + " bytes that have arrived");
  }

  @Override
  public int available() throws IOException {
    return body.available();
  }

  private boolean hasAll() {
    return ended || received == length;
  }

  /**
   * Drains the rest of the body, so that the connection can be reused: all of it, within its time,
   * if the application has
   * begun to read it, otherwise only what has arrived.
   *
   * @param most bytes to read
   * @return whether the body is fully drained
   */
  boolean finish(long most) {
    byte[] chunk = new byte[CHUNK];
    long left = most;
    boolean mayWait = begun;
    try {
      while (!hasAll() && !refused && left > 0 && (mayWait || body.available() > 0)) {
        left -= Math.max(0, read(chunk, 0, (int) Math.min(CHUNK, left)));
      }
    } catch (IOException | Problem broken) {
      return false;
    }
    return hasAll();
  }

  @Override
  public void close() throws IOException {
    body.close();
  }
}
