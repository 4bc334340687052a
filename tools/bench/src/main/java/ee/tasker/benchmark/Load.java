package ee.tasker.benchmark;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/** Sends task requests in the ways that the phases need. */
final class Load {
  private final Servers servers;

  Load(Servers servers) {
    this.servers = servers;
  }

  /** What one connection does. */
  private interface Part {
    void run(Line line) throws IOException;
  }

  static String request(String name) {
    return request(name, "{\"number\":6}");
  }

  static String request(String name, String context) {
    return "{\"name\":\"" + name
        + "\",\"namespace\":\"benchmark\",\"version\":\"1.0.0\",\"context\":" + context + ","
        + "\"initiator\":\"benchmark\",\"source_system\":\"benchmark\",\"reason\":\"measuring\"}";
  }

  static void register(Servers servers, String yaml) throws IOException {
    try (Line line = servers.line(0)) {
      expect(line.post("/v1/templates", "application/yaml", yaml.getBytes(StandardCharsets.UTF_8)),
          200, 201);
    }
  }

  /** All tasks in arrays of {@code batch} requests. */
  void batches(String template, int tasks, int batch, int connections) throws IOException {
    batchesOf(request(template), tasks, batch, connections);
  }

  /** The same request, repeated, in arrays. */
  void batchesOf(String request, int tasks, int batch, int connections) throws IOException {
    AtomicInteger left = new AtomicInteger(tasks);
    parallel(Math.min(connections, (tasks + batch - 1) / batch), line -> {
      while (true) {
        int before = left.getAndUpdate(now -> Math.max(0, now - batch));
        if (before == 0) {
          return;
        }
        int size = Math.min(batch, before);
        byte[] body = ("[" + String.join(",", java.util.Collections.nCopies(size, request)) + "]")
            .getBytes(StandardCharsets.UTF_8);
        Line.Answer answer = line.post("/v1/tasks:batch", body);
        expect(answer, 207);
        if (!answer.text().contains("\"status\":201")) {
          throw new IOException("a batch was refused: " + answer.text());
        }
      }
    });
  }

  /** Each task by a request of its own. */
  void singles(String template, int tasks, int connections) throws IOException {
    byte[] body = request(template).getBytes(StandardCharsets.UTF_8);
    AtomicInteger left = new AtomicInteger(tasks);
    parallel(connections, line -> {
      while (left.getAndDecrement() > 0) {
        expect(line.post("/v1/tasks", body), 201);
      }
    });
  }

  /**
   * Requests that are authenticated, read, validated and refused: all of a submission but the
   * database.
   */
  void refused(String template, int requests, int connections) throws IOException {
    byte[] body = request(template, "{\"number\":\"six\"}").getBytes(StandardCharsets.UTF_8);
    AtomicInteger left = new AtomicInteger(requests);
    parallel(connections, line -> {
      while (left.getAndDecrement() > 0) {
        expect(line.post("/v1/tasks", body), 400);
      }
    });
  }

  /** One at a time; milliseconds from the request to the answer that the task is complete. */
  Samples oneAtATime(String template, int tasks) throws IOException {
    byte[] body = request(template).getBytes(StandardCharsets.UTF_8);
    double[] ms = new double[tasks];
    try (Line line = servers.line(0)) {
      for (int i = 0; i < tasks; i++) {
        long start = System.nanoTime();
        expectComplete(line.post("/v1/tasks?wait=30", body));
        ms[i] = (System.nanoTime() - start) / 1e6;
      }
    }
    return Samples.of(ms);
  }

  /**
   * A fixed rate per second, each waited for; milliseconds from when a request was due to its
   * response.
   */
  Samples atRate(String template, int rate, int seconds, int connections) throws IOException {
    byte[] body = request(template).getBytes(StandardCharsets.UTF_8);
    double[] ms = new double[rate * seconds];
    AtomicInteger next = new AtomicInteger();
    long start = System.nanoTime() + 50_000_000;
    parallel(connections, line -> {
      for (int i = next.getAndIncrement(); i < ms.length; i = next.getAndIncrement()) {
        long due = start + (long) (i * (1e9 / rate));
        await(due);
        expectComplete(line.post("/v1/tasks?wait=30", body));
        ms[i] = (System.nanoTime() - due) / 1e6;
      }
    });
    return Samples.of(ms);
  }

  /**
   * A fixed rate per second, without waiting for completion; milliseconds from when a request was
   * due to its response.
   */
  Samples postAtRate(String template, int rate, int seconds, int connections) throws IOException {
    Offered offered = offer(template, rate, seconds, connections);
    if (offered.refused() > 0) {
      throw new IOException("the server refused " + offered.refused() + " requests");
    }
    return offered.accepted();
  }

  /**
   * What came of requests at a fixed rate. @param accepted milliseconds from when each was due to
   * its 201
   */
  record Offered(Samples accepted, int refused, double seconds) {
  }

  /**
   * A fixed rate per second, without waiting for completion; a server that is busy may refuse a
   * request.
   */
  Offered offer(String template, int rate, int seconds, int connections) throws IOException {
    byte[] body = request(template).getBytes(StandardCharsets.UTF_8);
    int requests = rate * seconds;
    ConcurrentLinkedQueue<Double> accepted = new ConcurrentLinkedQueue<>();
    AtomicInteger next = new AtomicInteger();
    long start = System.nanoTime() + 50_000_000;
    parallel(connections, line -> {
      for (int i = next.getAndIncrement(); i < requests; i = next.getAndIncrement()) {
        long due = start + (long) (i * (1e9 / rate));
        await(due);
        Line.Answer answer = line.post("/v1/tasks", body);
        expect(answer, 201, 503);
        if (answer.status() == 201) {
          accepted.add((System.nanoTime() - due) / 1e6);
        }
      }
    });
    double elapsed = (System.nanoTime() - start) / 1e9;
    return new Offered(Samples.of(accepted), requests - accepted.size(), elapsed);
  }

  private static void await(long due) {
    for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
      LockSupport.parkNanos(wait);
    }
  }

  private void parallel(int connections, Part part) throws IOException {
    CountDownLatch done = new CountDownLatch(connections);
    AtomicReference<Exception> failure = new AtomicReference<>();
    for (int i = 0; i < connections; i++) {
      int number = i;
      Thread thread = new Thread(() -> {
        try (Line line = servers.line(number)) {
          part.run(line);
        } catch (IOException | RuntimeException e) {
          failure.compareAndSet(null, e);
        } finally {
          done.countDown();
        }
      }, "load-" + i);
      thread.setDaemon(true);
      thread.start();
    }
    try {
      done.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    if (failure.get() != null) {
      throw new IOException("a request failed: " + failure.get().getMessage(), failure.get());
    }
  }

  private static void expectComplete(Line.Answer answer) throws IOException {
    expect(answer, 201);
    if (!answer.text().contains("\"state\":\"complete\"")) {
      throw new IOException("a task did not complete: " + answer.text());
    }
  }

  private static void expect(Line.Answer answer, int... statuses) throws IOException {
    if (Arrays.stream(statuses).noneMatch(status -> status == answer.status())) {
      throw new IOException("the server answered " + answer.status() + ": " + answer.text());
    }
  }
}
