package ee.tasker.rest.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ee.tasker.platform.Problem;
import ee.tasker.platform.config.Settings.BodyPace;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TimedBodyTest {
  private static final BodyPace PACE = new BodyPace(Duration.ofSeconds(10), 100);

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
  private final BodyWatch watch = new BodyWatch();

  private TimedBody timed(InputStream body, long length) {
    return new TimedBody(body, length, PACE, watch, now::get);
  }

  private void pass(double seconds) {
    now.addAndGet((long) (seconds * 1_000_000_000));
  }

  /** One byte per read, after the given seconds. */
  private InputStream dropsEvery(double seconds, int count) {
    return new ByteArrayInputStream(new byte[count]) {
      @Override
      public synchronized int read(byte[] target, int from, int most) {
        pass(seconds);
        return super.read(target, from, Math.min(1, most));
      }
    };
  }

  @Test
  void body_that_trickles_is_refused_when_its_time_is_over() {
    TimedBody body = timed(dropsEvery(1, 1_000), 1_000);

    Problem late = catchThrowableOfType(Problem.class, body::readAllBytes);

    assertThat(late.status()).isEqualTo(408);
    assertThat(late.code()).isEqualTo("request-timeout");
    assertThat(late.getMessage()).contains("11 bytes in 11 s", "10 s", "100 bytes");
    assertThat(catchThrowable(body::read)).as("and stays so").isInstanceOf(Problem.class);
    assertThat(body.finish(1_000_000)).isFalse();
  }

  @Test
  void long_body_that_keeps_the_least_rate_is_read_to_its_end_however_long_it_takes()
      throws IOException {
    assertThat(timed(dropsEvery(0.01, 100_000), 100_000).readAllBytes()).hasSize(100_000);
    assertThat(catchThrowable(timed(dropsEvery(0.0115, 100_000), 100_000)::readAllBytes))
        .isInstanceOf(Problem.class);
  }

  @Test
  void body_that_is_whole_when_its_time_is_over_is_taken() throws IOException {
    assertThat(timed(dropsEvery(11, 1), 1).readNBytes(1)).hasSize(1);
  }

  @Test
  void read_that_does_not_come_back_is_interrupted_and_the_thread_is_not_afterwards()
      throws Exception {
    try (PipedOutputStream nothingMore = new PipedOutputStream();
        InputStream silent = new PipedInputStream(nothingMore)) {
      TimedBody body = timed(silent, 1_000);
      CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
      CompletableFuture<Throwable> refused = CompletableFuture.supplyAsync(() -> {
        Throwable thrown = catchThrowable(body::read);
        interrupted.complete(Thread.currentThread().isInterrupted());
        return thrown;
      });
      watch.check();
      assertThat(refused).as("in its time").isNotDone();
      pass(11);

      // Only a thread that reads already can be interrupted.
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (!refused.isDone() && System.nanoTime() < end) {
        watch.check();
        Thread.onSpinWait();
      }

      assertThat(refused.get(10, TimeUnit.SECONDS)).isInstanceOfSatisfying(Problem.class,
          problem -> assertThat(problem.status()).isEqualTo(408));
      assertThat(interrupted.get(10, TimeUnit.SECONDS)).isFalse();
    }
  }

  @Test
  void time_out_of_the_server_is_one_too_and_another_fault_is_not() {
    assertThat(
        catchThrowable(timed(failing(new IOException(new SocketTimeoutException("x"))), 5)::read))
        .isInstanceOf(Problem.class);
    assertThat(catchThrowable(timed(failing(new EOFException("x")), 5)::read))
        .isInstanceOf(EOFException.class);
  }

  private static InputStream failing(IOException fault) {
    return new InputStream() {
      @Override
      public int read() throws IOException {
        throw fault;
      }
    };
  }

  @Test
  void what_is_left_of_a_body_that_was_begun_is_taken_and_of_another_only_what_has_arrived()
      throws IOException {
    TimedBody begun = timed(new ByteArrayInputStream(new byte[50_000]), 50_000);
    begun.read();
    assertThat(begun.finish(100_000)).isTrue();

    TimedBody tooLong = timed(new ByteArrayInputStream(new byte[50_000]), 50_000);
    tooLong.read();
    assertThat(tooLong.finish(20_000)).isFalse();

    assertThat(timed(new ByteArrayInputStream(new byte[300]), 300).finish(1_000)).isTrue();
    TimedBody underWay = timed(new ByteArrayInputStream(new byte[300]) {
      @Override
      public synchronized int read(byte[] target, int from, int most) {
        assertThat(available()).as("no read that waits").isPositive();
        return super.read(target, from, most);
      }
    }, 50_000);
    assertThat(underWay.finish(100_000)).isFalse();
  }
}
