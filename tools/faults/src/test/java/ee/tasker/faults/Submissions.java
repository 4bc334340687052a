package ee.tasker.faults;

import ee.tasker.testing.server.TaskerClient;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Requests for tasks that carry their number, with the key by which each may be sent again. */
final class Submissions {
  private Submissions() {}

  /** A task of three steps one after the other. */
  static HttpRequest.Builder line(int number, URI server) {
    return post("/v1/tasks", number, server, line(number));
  }

  /** The same for as many tasks in one request, which are numbered on. */
  static HttpRequest.Builder lines(int each, int number, URI server) {
    return each == 1 ? line(number, server)
        : post("/v1/tasks:batch", number, server,
            IntStream.range(number * each, (number + 1) * each).mapToObj(Submissions::line)
                .collect(Collectors.joining(",", "[", "]")));
  }

  /** @param request the task, as JSON */
  static HttpRequest.Builder task(int number, URI server, String request) {
    return post("/v1/tasks", number, server, request);
  }

  private static String line(int number) {
    return TaskerClient.taskRequest("rolling", "line", "{'number': " + number + "}");
  }

  private static HttpRequest.Builder post(String path, int number, URI server, String body) {
    return HttpRequest.newBuilder(server.resolve(path)).header("Content-Type", "application/json")
        .header("Idempotency-Key", "request-" + number)
        .POST(HttpRequest.BodyPublishers.ofString(body));
  }
}
