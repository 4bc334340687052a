package ee.tasker.faults;

import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Submits tasks to servers that may be down, like a client: each task has its own identity, and is
 * submitted again, to any
 * server, until one confirms that it exists. Some tasks have no identity: only the client may
 * duplicate those.
 */
final class Load {
  /** With this template every request is a new task, including a repeated one. */
  private static final String UNIQUE = "unique";
  private static final List<String> TEMPLATES = List.of("line", UNIQUE, "diamond", "fan", "slow",
      "routed", "parent", "waiting", "saga",
      "loop", "approving", "limited", "unserved");
  private static final int BATCH = 10;

  private final Cluster cluster;
  private final String round;
  private final Random random;
  private final Map<Integer, UUID> accepted = new HashMap<>();
  private final AtomicBoolean struck = new AtomicBoolean();
  /** Requests that were repeated and whose template treats each as a new task. */
  private final Set<Integer> doubledByClient = new HashSet<>();
  /** The number of responses by status. */
  private final Map<Integer, Integer> answers = new TreeMap<>();
  private int resubmissions;

  Load(Cluster cluster, String round, Random random) {
    this.cluster = cluster;
    this.round = round;
    this.random = random;
  }

  /** Submits at least that many tasks, then continues slowly until the fault is over. */
  CompletableFuture<Void> begin(int tasks) {
    return CompletableFuture.runAsync(() -> {
      int submitted = 0;
      while (submitted < tasks || !struck.get()) {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < BATCH; i++) {
          numbers.add(submitted++);
        }
        submit(numbers);
        pause(submitted < tasks ? 20 : 500);
      }
    });
  }

  /** The fault is over. */
  void struck() {
    struck.set(true);
  }

  private void submit(List<Integer> numbers) {
    List<Integer> open = new ArrayList<>(numbers);
    long end = System.nanoTime() + Duration.ofMinutes(5).toNanos();
    for (int attempt = 0; !open.isEmpty(); attempt++) {
      if (System.nanoTime() > end) {
        throw new AssertionError(
            "no server accepted " + open + " of " + round + " within 5 minutes");
      }
      Node node = cluster.node(random.nextInt(cluster.nodes().size()));
      try {
        Answer answer = node.client()
            .send(node.client().request("/v1/tasks:batch").timeout(Duration.ofSeconds(15))
                .header("Content-Type", "application/json")
                .POST(java.net.http.HttpRequest.BodyPublishers.ofString(requests(open))));
        answers.merge(answer.status(), 1, Integer::sum);
        if (answer.status() == 207) {
          note(open, answer);
        }
      } catch (RuntimeException notReachable) {
        pause(50);
      }
      open.removeIf(accepted::containsKey);
      if (!open.isEmpty()) {
        resubmissions++;
        open.stream().filter(number -> UNIQUE.equals(template(number)))
            .forEach(doubledByClient::add);
      }
    }
  }

  private void note(List<Integer> numbers, Answer answer) {
    List<JsonObject> verdicts = answer.list("verdicts");
    for (int i = 0; i < verdicts.size(); i++) {
      if (verdicts.get(i).containsKey("task_uuid")) {
        accepted.put(numbers.get(i), UUID.fromString(verdicts.get(i).getString("task_uuid")));
      }
    }
  }

  private String requests(List<Integer> numbers) {
    JsonArrayBuilder requests = Json.createArrayBuilder();
    for (int number : numbers) {
      JsonObjectBuilder context = Json.createObjectBuilder().add("round", round).add("number",
          number);
      requests
          .add(Json.createObjectBuilder().add("namespace", "faults").add("name", template(number))
              .add("version", "1.0.0").add("source_system", round).add("context", context));
    }
    return requests.build().toString();
  }

  private static String template(int number) {
    return TEMPLATES.get(number % TEMPLATES.size());
  }

  private static void pause(long ms) {
    TaskerClient.pause(Duration.ofMillis(ms));
  }

  /** The promises: the task by the number of its request. */
  Map<Integer, UUID> accepted() {
    return accepted;
  }

  Set<Integer> doubledByClient() {
    return doubledByClient;
  }

  Map<Integer, Integer> answers() {
    return answers;
  }

  int resubmissions() {
    return resubmissions;
  }

  String round() {
    return round;
  }
}
