package ee.tasker.cli;

import ee.tasker.client.Call;
import ee.tasker.client.Operation;
import ee.tasker.client.ProblemException;
import ee.tasker.client.TaskerClient;
import ee.tasker.client.UnreachableException;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Submits tasks and measures how long their answers take. With a rate, the time of a task counts
 * from when it was due, so that a slow
 * server is not spared by the client waiting for it.
 */
final class Bench {
  private static final int MOST_TASKS = 1_000_000;
  private static final int MOST_CONNECTIONS = 256;

  /** Cut off, busy with another request, too many. */
  private static final Set<Integer> PASSING = Set.of(408, 409, 429);

  private Bench() {}

  /**
   * One submission. @param end the state of the task, or the code of the refusal, or the kind of
   * the fault
   */
  private record Sample(String end, boolean accepted, long nanos) {
  }

  static int run(Invocation in) {
    int tasks = number(in, "--tasks", 1000, MOST_TASKS);
    int connections = Math.min(tasks, number(in, "--connections", 8, MOST_CONNECTIONS));
    OptionalLong rate = in.integer("--rate").isEmpty() ? OptionalLong.empty()
        : OptionalLong.of(number(in, "--rate", 1, 1_000_000));
    int wait = in.flag("--no-wait") ? 0 : 60;
    JsonObject request = TaskCommands.request(in);
    String run = in.text("--idempotency-key").orElseGet(() -> "bench-" + UUID.randomUUID());
    in.output().say(tasks + " tasks over " + connections + " connections"
        + (rate.isPresent() ? ", " + rate.getAsLong() + " due per second" : "")
        + "; their keys begin with " + run);

    TaskerClient client = in.client();
    AtomicInteger next = new AtomicInteger();
    long start = System.nanoTime();
    List<Sample> samples = together(connections, () -> {
      List<Sample> own = new ArrayList<>();
      for (int n = next.getAndIncrement(); n < tasks; n = next.getAndIncrement()) {
        long due = rate.isPresent() ? start + n * 1_000_000_000L / rate.getAsLong()
            : System.nanoTime();
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
          LockSupport.parkNanos(left);
        }
        JsonObject task = Json.createObjectBuilder(request).add("idempotency_key", run + "-" + n)
            .build();
        Call call = Call.of(Operation.SUBMIT_TASK).body(task).header("Idempotency-Key",
            run + "-" + n);
        if (wait > 0) {
          call.query("wait", wait).patience(Duration.ofSeconds(wait));
        }
        own.add(sample(client, call, due));
      }
      return own;
    });
    long took = System.nanoTime() - start;

    Map<String, Integer> ends = new TreeMap<>();
    samples.forEach(sample -> ends.merge(sample.end(), 1, Integer::sum));
    long accepted = samples.stream().filter(Sample::accepted).count();
    JsonObjectBuilder byEnd = Json.createObjectBuilder();
    ends.forEach(byEnd::add);
    JsonObjectBuilder answer = Json.createObjectBuilder().add("tasks", samples.size())
        .add("accepted", accepted).add("ends", byEnd)
        .add("seconds", rounded(took / 1e9))
        .add("tasks_per_second", rounded(accepted * 1e9 / took));
    long[] times = samples.stream().filter(Sample::accepted).mapToLong(Sample::nanos).sorted()
        .toArray();
    if (times.length > 0) {
      answer.add("milliseconds",
          Json.createObjectBuilder().add("p50", rounded(percentile(times, 50)))
              .add("p90", rounded(percentile(times, 90))).add("p99", rounded(percentile(times, 99)))
              .add("most", rounded(times[times.length - 1] / 1e6)));
    }
    in.print(answer.build());
    return accepted == samples.size() && (wait == 0 || ends.keySet().equals(Set.of("complete")))
        ? Exit.DONE : Exit.DIFFERS;
  }

  /**
   * @throws ProblemException if the next request would be refused for the same reason, which is no
   * measurement
   */
  private static Sample sample(TaskerClient client, Call call, long due) {
    try {
      String state = client.send(call).json().getString("state");
      return new Sample(state, true, System.nanoTime() - due);
    } catch (ProblemException e) {
      if (e.status() < 500 && !PASSING.contains(e.status())) {
        throw e;
      }
      return new Sample(e.code(), false, System.nanoTime() - due);
    } catch (UnreachableException e) {
      return new Sample("no-answer", false, System.nanoTime() - due);
    }
  }

  /** The samples of as many threads; what one of them cannot go on with ends the command. */
  private static List<Sample> together(int threads, Callable<List<Sample>> work) {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<List<Sample>>> parts = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        parts.add(pool.submit(work));
      }
      List<Sample> all = new ArrayList<>();
      for (Future<List<Sample>> part : parts) {
        all.addAll(part.get());
      }
      return all;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause
          : new IllegalStateException(e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }

  /**
   * @param sorted nanoseconds @return the smallest of them that as many percent do not exceed, in
   * milliseconds
   */
  static double percentile(long[] sorted, int percent) {
    return sorted[Math.max(0, (int) Math.ceil(sorted.length * percent / 100.0) - 1)] / 1e6;
  }

  private static BigDecimal rounded(double value) {
    return BigDecimal.valueOf(value).setScale(1, RoundingMode.HALF_UP);
  }

  private static int number(Invocation in, String option, int otherwise, int most) {
    long number = in.integer(option).orElse(otherwise);
    if (number < 1 || number > most) {
      throw new UsageException(option + " must be from 1 to " + most);
    }
    return (int) number;
  }
}
