package ee.tasker.faults;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.ServerKind;
import ee.tasker.testing.Reports;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.ModelMoves;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * One namespace makes all the {@link Noise} that it may. Another namespace submits ordinary tasks at
 * a fixed rate to the same two servers. It must not notice more than that the machine has less time: no request of it fails, and its 99th percentile,
 * from when a request is due to the end of its task,
 * stays below five times what it was alone. Health answers, and an operator cancels and pauses what
 * is noisy.
 *
 * <p>{@code ./mvnw verify -Pfaults -Dit.test=NoisyNeighbour -Dneighbour.seconds=600
 * -Dneighbour.rate=100}, with {@code -P<server>} on another.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NoisyNeighbour {
  private static final int SECONDS = Integer.getInteger("neighbour.seconds", 600);
  private static final int ALONE_SECONDS = Integer.getInteger("neighbour.alone-seconds",
      Math.max(10, Math.min(60, SECONDS / 2)));
  private static final double RATE = Double
      .parseDouble(System.getProperty("neighbour.rate", "100"));
  private static final int MOST = Integer.MAX_VALUE;
  private static final double MOST_TIMES = 5;
  /** Below this the machine's own pauses decide, and not the neighbour. */
  private static final Duration LEAST = Duration.ofMillis(20);
  private static final Duration OPERATOR_WITHIN = Duration.ofSeconds(15);
  private static final Duration HEALTH_WITHIN = Duration.ofSeconds(10);

  private final Pair pair = new Pair(Map.of());
  private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
      .connectTimeout(Duration.ofSeconds(5))
      .build();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<String> healthProblems = new CopyOnWriteArrayList<>();
  private final List<Integer> cancels = new ArrayList<>();
  private Noise noise;
  private volatile boolean ends;

  @BeforeAll
  void start() {
    pair.start(TestServer.warWith("noisy-neighbour.war", unchanged -> unchanged));
    pair.client(0).register("/testing/templates.yaml");
  }

  @AfterAll
  void stop() {
    ends = true;
    if (noise != null) {
      noise.close();
    }
    threads.shutdownNow();
    pair.close();
  }

  @Test
  void a_namespace_that_sends_the_worst_it_may_stops_no_other() throws Exception {
    warmUp();
    SteadyLoad alone = ordinary();
    await(Duration.ofSeconds(ALONE_SECONDS));
    alone.stop();

    noise = new Noise(servers(), pair.client(0)).begin();
    List<Future<?>> watching = new ArrayList<>();
    IntStream.range(0, pair.size())
        .forEach(server -> watching.add(threads.submit(() -> watchHealth(server))));
    SteadyLoad beside = ordinary();
    await(Duration.ofSeconds(SECONDS / 2));
    operatorCancels();
    await(Duration.ofSeconds(SECONDS / 4));
    operatorPauses();
    await(Duration.ofSeconds(SECONDS - SECONDS / 2 - SECONDS / 4));
    beside.stop();
    noise.end();
    ends = true;
    for (Future<?> each : watching) {
      each.get(1, TimeUnit.MINUTES);
    }

    report(alone, beside);
    assertThat(beside.refusals()).as("requests of the neighbour that failed").isEmpty();
    assertThat(healthProblems).as("answers of health").isEmpty();
    assertThat(noise.faults()).as("faults of the servers: " + noise.answers()).isEmpty();
    assertThat(beside.percentile(0.99)).as("the 99th percentile beside the noise")
        .isLessThan(Duration.ofNanos(
            (long) (MOST_TIMES * Math.max(LEAST.toNanos(), alone.percentile(0.99).toNanos()))));
    TaskerClient tasker = pair.tasker();
    assertThat(tasker.sql(
        """
        select t.state, count(*) from tasker.tasks t join tasker.named_tasks n using (named_task_uuid)
        join tasker.task_namespaces s using (task_namespace_uuid) where s.name = 'testing' and t.state <> 'complete' group by 1"""))
        .isEmpty();
    // Tasks that are paused wake from time to time; what is due of them comes after the noise.
    operatorResumes();
    String broken = "select invariant, violations, examples::text from tasker.check_history("
        + "p_quiet_for => '1 second') where violations > 0";
    List<Object> latest = new ArrayList<>();
    try {
      TaskerClient.until("every promise is kept", Duration.ofMinutes(3), () -> {
        latest.clear();
        latest.addAll(tasker.sql(broken));
        return latest.isEmpty();
      });
    } finally {
      System.out.println("promises that are broken at the end: " + latest);
    }
    assertThat(History.broken(tasker)).isEmpty();
    ModelMoves moves = ModelMoves.of(tasker);
    System.out.println(moves.sentence());
    assertThat(moves.unknown()).isEmpty();
  }

  private List<URI> servers() {
    return IntStream.range(0, pair.size()).mapToObj(pair::base).toList();
  }

  private SteadyLoad ordinary() {
    return new SteadyLoad(servers(), RATE,
        (number, server) -> HttpRequest.newBuilder(server.resolve("/v1/tasks?wait=14"))
            .header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(
                TaskerClient.taskRequest("testing", "hello", "{\"n\": " + number + "}"))),
        (number, answer) -> answer.statusCode() < 300 && answer.body().contains("\"complete\""))
        .begin(MOST);
  }

  private void warmUp() throws Exception {
    SteadyLoad load = ordinary();
    await(Duration.ofSeconds(Math.min(20, SECONDS)));
    load.stop();
  }

  private HttpRequest.Builder request(int server, String path, Duration within) {
    return HttpRequest.newBuilder(pair.base(server).resolve(path)).timeout(within)
        .header("Authorization", ee.tasker.run.Login.FOR_TESTS.basic());
  }

  private void watchHealth(int server) {
    while (!ends) {
      for (String path : List.of("/health/live", "/health/ready")) {
        try {
          HttpResponse<String> answer = http.send(request(server, path, HEALTH_WITHIN).build(),
              HttpResponse.BodyHandlers.ofString());
          if (answer.statusCode() != 200) {
            healthProblems
                .add(server + " " + path + " " + answer.statusCode() + " " + answer.body());
          }
        } catch (IOException lost) {
          healthProblems.add(server + " " + path + " " + lost);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return;
        }
      }
      TaskerClient.pause(Duration.ofSeconds(1));
    }
  }

  /** What has just ended answers that it has; what is locked says so. An operator never waits. */
  private void operatorCancels() {
    String task = noise.latestTask().orElseThrow();
    TaskerClient.until("the noisy task is cancelled", OPERATOR_WITHIN.multipliedBy(2), () -> {
      long begin = System.nanoTime();
      Answer answer = pair.client(1).delete("/v1/tasks/" + task);
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).as("DELETE: " + answer)
          .isLessThan(OPERATOR_WITHIN);
      cancels.add(answer.status());
      return answer.status() < 300 || answer.status() == 409;
    });
  }

  private void operatorPauses() {
    long begin = System.nanoTime();
    Answer answer = pair.client(0).post("/v1/pauses",
        "{\"namespace\": \"noisy\", \"requested_by\": \"operator\", \"reason\": \"too loud\"}");
    assertThat(answer.status()).as(answer::body).isEqualTo(200);
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(OPERATOR_WITHIN);
    assertThat(pair.client(1).get("/v1/pauses").body()).contains("noisy");
  }

  private void operatorResumes() {
    Answer answer = pair.client(1)
        .delete("/v1/pauses?namespace=noisy&requested_by=operator&reason=quiet");
    assertThat(answer.status()).as(answer::body).isEqualTo(200);
  }

  private static void await(Duration time) throws Exception {
    CompletableFuture.runAsync(() -> {},
        CompletableFuture.delayedExecutor(time.toMillis(), TimeUnit.MILLISECONDS)).get();
  }

  private void report(SteadyLoad alone, SteadyLoad beside) throws IOException {
    StringBuilder table = new StringBuilder(
        "| Server | | Seconds | Requests/s | P50 | P99 | Longest | Failed |\n|---|---|---|---|---|---|---|---|\n");
    row(table, "alone", ALONE_SECONDS, alone);
    row(table, "beside the noise", SECONDS, beside);
    System.out.println(
        table + "noise: " + noise.answers() + "\ncancels of one of its tasks: " + cancels
            + "\nwhen the neighbour failed: " + beside.moments());
    Reports.write("neighbour.md",
        table + "\n" + noise.answers() + "\n");
  }

  private static void row(StringBuilder table, String what, int seconds, SteadyLoad load) {
    table.append(
        String.format(Locale.ROOT, "| %s | %s | %d | %.0f of %.0f | %d ms | %d ms | %d ms | %d |%n",
            ServerKind.from(System.getProperties()).title(), what, seconds, load.achievedRate(),
            RATE, load.percentile(0.5).toMillis(), load.percentile(0.99).toMillis(),
            load.longestWait().toMillis(),
            load.refusals().values().stream().mapToInt(Integer::intValue).sum()));
  }
}
