package ee.tasker.protection;

import ee.tasker.testing.Sql;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Two or more sessions that begin at the same moment: they spin until all are there, which a lock
 * would not give, and yield, in case one waits for the processor of another.
 */
final class Race implements AutoCloseable {
  private final List<Sql> lanes;

  Race(int lanes) {
    this.lanes = java.util.stream.IntStream.range(0, lanes).mapToObj(lane -> Sql.open()).toList();
  }

  /**
   * Runs each of the works in its own session, from the same moment on, and returns what they gave
   * in their order.
   */
  @SafeVarargs
  final <T> List<T> run(Function<Sql, ? extends T>... works) {
    AtomicInteger ready = new AtomicInteger();
    List<CompletableFuture<T>> futures = java.util.stream.IntStream.range(0, works.length)
        .mapToObj(lane -> {
          CompletableFuture<T> future = new CompletableFuture<>();
          Thread thread = new Thread(() -> {
            ready.incrementAndGet();
            while (ready.get() < works.length) {
              Thread.yield();
            }
            try {
              future.complete(works[lane].apply(lanes.get(lane)));
            } catch (RuntimeException | Error e) {
              future.completeExceptionally(e);
            }
          }, "race-" + lane);
          thread.setDaemon(true);
          thread.start();
          return future;
        }).toList();
    return futures.stream().map(future -> {
      try {
        return future.get(30, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        throw e.getCause() instanceof RuntimeException problem ? problem
            : new IllegalStateException(e.getCause());
      } catch (InterruptedException | TimeoutException e) {
        throw new IllegalStateException("a lane of the race did not come to its end", e);
      }
    }).toList();
  }

  @Override
  public void close() {
    lanes.forEach(Sql::close);
  }
}
