package ee.tasker.clients;

import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The least that speaks the protocol for workers: one thread, which submits the results of all
 * steps that it holds and gets the next
 * ones in the same request. It measures the server and not a client, and does not survive a lost
 * answer.
 */
final class LeanWorker implements AutoCloseable {
  private final TaskerClient client;
  private final String path;
  private final int capacity;
  private final Thread thread = new Thread(this::work, "lean-worker");
  private volatile boolean isStopping;

  LeanWorker(TaskerClient client, String handler, int capacity) {
    this.client = client;
    this.capacity = capacity;
    String uuid = UUID.randomUUID().toString();
    this.path = "/v1/workers/" + uuid;
    expectSuccess(client.post("/v1/workers", TaskerClient.quoted("{'worker_uuid': '" + uuid
        + "', 'name': 'lean', 'namespaces': ['remote'], 'handlers': ['" + handler
        + "'], 'capacity': " + capacity
        + ", 'heartbeat_seconds': 300}")));
    thread.start();
  }

  private void work() {
    List<JsonObject> steps = List.of();
    while (!isStopping) {
      steps = steps.isEmpty() ? ask("/claims", "{\"max\":" + capacity + ",\"wait_seconds\":20}")
          : ask("/results", steps.stream().map(LeanWorker::result)
              .collect(Collectors.joining(",", "{\"results\":[",
                  "],\"claims\":{\"max\":" + capacity + "}}")));
    }
  }

  private static String result(JsonObject step) {
    return "{\"step_uuid\":\"" + step.getString("step_uuid") + "\",\"handoff\":"
        + step.getInt("handoff")
        + ",\"outcome\":\"success\",\"result\":{},\"execution_time_ms\":0}";
  }

  private List<JsonObject> ask(String what, String body) {
    return expectSuccess(
        client.send(client.request(path + what).header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))))
        .list("steps");
  }

  private static Answer expectSuccess(Answer answer) {
    if (answer.status() / 100 != 2) {
      throw new AssertionError("a worker was refused: " + answer);
    }
    return answer;
  }

  /** Drains it, which ends the request that waits. */
  @Override
  public void close() {
    isStopping = true;
    client.delete(path);
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
