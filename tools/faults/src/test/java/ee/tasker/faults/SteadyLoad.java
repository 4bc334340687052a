package ee.tasker.faults;

import ee.tasker.run.Login;
import ee.tasker.testing.server.TaskerClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A fixed rate of requests to the servers in turn, independent of the responses; each is sent
 * again, to the next server,
 * until a response counts. A wait is measured from the moment a request was due, so that requests
 * behind a slow one wait
 * with it.
 */
final class SteadyLoad {
  /** The body for a number; the same each time. */
  interface Requests {
    HttpRequest.Builder request(int number, URI server);
  }

  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(15);
  private static final Pattern PROBLEM = Pattern.compile("urn:tasker:problem:([a-z-]+)");
  private static final long PAUSE_MS = 50;
  private static final int MOST_UNDER_WAY = 300;

  private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
      .connectTimeout(Duration.ofSeconds(2))
      .build();
  private final Executor later = CompletableFuture.delayedExecutor(PAUSE_MS, TimeUnit.MILLISECONDS);
  private final List<URI> servers;
  private final double rate;
  private final Requests requests;
  private final BiPredicate<Integer, HttpResponse<String>> isAnswer;
  private final Semaphore free = new Semaphore(MOST_UNDER_WAY);
  private final Map<Integer, HttpResponse<String>> answers = new ConcurrentHashMap<>();
  private final Map<String, Integer> refusals = new ConcurrentSkipListMap<>();
  private final List<String> faults = new CopyOnWriteArrayList<>();
  /** Refusals by the second in which they arrived. */
  private final Map<String, Integer> moments = new ConcurrentSkipListMap<>();
  private final long start = System.nanoTime();
  private volatile long lastBegunNanos;
  private final Map<Integer, String> unanswered = new ConcurrentHashMap<>();
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger sentAgain = new AtomicInteger();
  private final AtomicLong longestWaitNanos = new AtomicLong();
  private final Queue<Long> waits = new ConcurrentLinkedQueue<>();
  private volatile int allowed = Integer.MAX_VALUE;
  private volatile boolean stopped;
  private CompletableFuture<Void> sending;

  /** @param isAnswer whether this answers the request of that number; if not, it is sent again */
  SteadyLoad(List<URI> servers, double rate, Requests requests,
      BiPredicate<Integer, HttpResponse<String>> isAnswer) {
    this.servers = servers;
    this.rate = rate;
    this.requests = requests;
    this.isAnswer = isAnswer;
  }

  /** Runs until {@link #stop}, or until that many requests have begun. */
  SteadyLoad begin(int most) {
    sending = CompletableFuture.runAsync(() -> {
      long first = System.nanoTime();
      for (int number = 0; number < most && !stopped; number++) {
        first += heldBefore(number);
        long due = first + (long) (number * 1e9 / rate);
        TaskerClient.pause(Duration.ofNanos(Math.max(0, due - System.nanoTime())));
        free.acquireUninterruptibly();
        begun.incrementAndGet();
        lastBegunNanos = System.nanoTime();
        send(number, number, due, System.nanoTime());
      }
    });
    return this;
  }

  /** The total number that may begin; those behind the limit wait without counting as late. */
  void allow(int number) {
    allowed = number;
  }

  private long heldBefore(int number) {
    long begin = System.nanoTime();
    while (number >= allowed && !stopped) {
      TaskerClient.pause(Duration.ofMillis(10));
    }
    return number >= allowed ? 0 : System.nanoTime() - begin;
  }

  /** Sends nothing new, and returns when every request has its answer. */
  void stop() throws Exception {
    stopped = true;
    awaitEnd();
  }

  /** Returns when everything has been sent and answered. */
  void awaitEnd() throws Exception {
    sending.get(1, TimeUnit.HOURS);
    TaskerClient.until("every request is answered", PATIENCE.multipliedBy(2),
        () -> free.availablePermits() == MOST_UNDER_WAY);
    if (!unanswered.isEmpty()) {
      throw new AssertionError(
          "within " + PATIENCE + " no server answered " + unanswered.size() + " of " + begun + ": "
              + unanswered.entrySet().iterator().next() + ", " + refusals);
    }
  }

  private void send(int number, int turn, long due, long begin) {
    URI server = servers.get(turn % servers.size());
    HttpRequest request = requests.request(number, server).timeout(ANSWER_WITHIN)
        .header("Authorization", Login.FOR_TESTS.basic()).build();
    http.sendAsync(request, HttpResponse.BodyHandlers.ofString()).whenComplete((answer, lost) -> {
      if (lost == null && isAnswer.test(number, answer)) {
        answers.put(number, answer);
        long wait = System.nanoTime() - due;
        longestWaitNanos.accumulateAndGet(wait, Math::max);
        waits.add(wait);
        free.release();
        return;
      }
      String refusal = lost == null ? statusOf(answer) : causeOf(lost);
      if (lost == null && answer.statusCode() == 500) {
        faults.add(answer.body());
      }
      refusals.merge(refusal, 1, Integer::sum);
      moments.merge(String.format("%03d %s", (System.nanoTime() - start) / 1_000_000_000, refusal),
          1, Integer::sum);
      if (System.nanoTime() - begin > PATIENCE.toNanos()) {
        unanswered.put(number, refusal);
        free.release();
      } else {
        sentAgain.incrementAndGet();
        later.execute(() -> send(number, turn + 1, due, begin));
      }
    });
  }

  /** With its code if the application answered, and not the server in its place. */
  private static String statusOf(HttpResponse<String> answer) {
    Matcher problem = PROBLEM.matcher(answer.body());
    return answer.statusCode() + (problem.find() ? " " + problem.group(1) : "");
  }

  private static String causeOf(Throwable lost) {
    Throwable cause = lost;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause.getClass().getSimpleName();
  }

  /** How many have been begun so far. */
  int begun() {
    return begun.get();
  }

  /**
   * How many began per second: less than requested if the servers, or the machine, could not keep
   * up.
   */
  double achievedRate() {
    return begun() * 1e9 / (lastBegunNanos - start);
  }

  /** The answer to each request. */
  Map<Integer, HttpResponse<String>> answers() {
    return answers;
  }

  /** Responses that did not count, by status and problem code, or by how the connection ended. */
  Map<String, Integer> refusals() {
    return refusals;
  }

  /** The same by the second of the load. */
  Map<String, Integer> moments() {
    return moments;
  }

  /** The servers' reports of their own faults; each has the id of a line in their log. */
  List<String> faults() {
    return List.copyOf(faults);
  }

  int sentAgain() {
    return sentAgain.get();
  }

  /** The wait that this share of the answered requests did not exceed. */
  Duration percentile(double share) {
    long[] sorted = waits.stream().mapToLong(Long::longValue).sorted().toArray();
    return Duration.ofNanos(sorted.length == 0 ? 0
        : sorted[(int) Math.min(sorted.length - 1, Math.ceil(share * sorted.length))]);
  }

  Duration longestWait() {
    return Duration.ofNanos(longestWaitNanos.get());
  }
}
