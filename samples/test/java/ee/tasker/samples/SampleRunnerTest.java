package ee.tasker.samples;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against a server that answers as the real one does, with tasks that were run on paper. */
class SampleRunnerTest {
  private static final Path SAMPLES = Path.of("samples");

  static {
    // Before the server's class is loaded: otherwise each answer waits 40 ms for the
    // acknowledgement of its headers.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private final PaperEngine engine = new PaperEngine(SAMPLES);
  private final Map<JsonObject, UUID> known = new HashMap<>();
  private final Set<String> registered = new TreeSet<>();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/app/v1/tasks", exchange -> answer(exchange));
    server.createContext("/app/v1/templates", exchange -> {
      registered.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
      answer(exchange, 201, "{}");
    });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void samples_that_come_out_as_they_say_are_ok_and_again_when_posted_again() throws Exception {
    List<SampleRunner.Outcome> first = runner(true)
        .run(name -> name.endsWith("_refund") || isStrict(name));
    List<SampleRunner.Outcome> second = runner(true).run(SampleRunnerTest::isStrict);

    assertThat(first).hasSize(19)
        .allSatisfy(outcome -> assertThat(outcome.differences()).isEmpty());
    assertThat(second).hasSize(7).allMatch(SampleRunner.Outcome::ok);
    assertThat(registered).as("templates").hasSize(30);
  }

  @Test
  void a_task_with_another_outcome_is_reported_with_its_difference() throws Exception {
    server.removeContext("/app/v1/tasks");
    server.createContext("/app/v1/tasks", exchange -> answer(exchange, 503, "{'code': 'busy'}"));

    List<SampleRunner.Outcome> outcomes = runner(false).run("linear"::equals);

    assertThat(outcomes).hasSize(3).noneMatch(SampleRunner.Outcome::ok);
    assertThat(outcomes.get(0).differences()).singleElement().asString().contains("503", "busy");
    assertThat(registered).isEmpty();
  }

  private static boolean isStrict(String sample) {
    return sample.equals("user_registration");
  }

  private SampleRunner runner(boolean isRegistering) {
    URI base = URI.create("http://localhost:" + server.getAddress().getPort() + "/app/");
    return new SampleRunner(base, SAMPLES, isRegistering, null);
  }

  private void answer(HttpExchange exchange) throws IOException {
    String[] path = exchange.getRequestURI().getPath().split("/");
    if (exchange.getRequestMethod().equals("POST")) {
      JsonObject request = Json
          .createReader(new ByteArrayInputStream(exchange.getRequestBody().readAllBytes()))
          .readObject();
      boolean isDuplicate = known.containsKey(request);
      UUID uuid = isDuplicate ? known.get(request) : submit(request);
      answer(exchange, isDuplicate ? 409 : 201, "{'task_uuid': '" + uuid + "'}");
      return;
    }
    PaperEngine.Task task = engine.task(UUID.fromString(path[4])).orElseThrow();
    if (path.length > 5) {
      send(exchange, 200, "{\"steps\": " + task.steps() + ", \"next\": null}");
    } else {
      answer(exchange, 200, "{'state': '%s', 'correlation_id': '%s', 'parent_correlation_id': '%s'}"
          .formatted(task.state(), task.correlationId(), task.parentCorrelationId()));
    }
  }

  private UUID submit(JsonObject request) throws IOException {
    SampleCase sampleCase = SampleCase.in(SAMPLES).stream()
        .filter(each -> each.request().equals(request))
        .findFirst()
        .orElseThrow();
    try {
      UUID uuid = engine.run(sampleCase).uuid();
      if (sampleCase.isStrict()) {
        known.put(request, uuid);
      }
      return uuid;
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static void answer(HttpExchange exchange, int status, String json) throws IOException {
    send(exchange, status, json.replace('\'', '"'));
  }

  private static void send(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }
}
