package ee.tasker.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import ee.tasker.client.Operation;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/**
 * The program in this process, with a server that answers as the OpenAPI document says, or as the
 * test does.
 */
final class Program implements AutoCloseable {

  /** A request that the server got, for this operation. */
  record Request(Operation operation, String path, Map<String, List<String>> query, String body,
      String authorization, String key) {
  }

  final List<Request> requests = new CopyOnWriteArrayList<>();
  final Map<Operation, String> answers = new HashMap<>();
  private final Map<Operation, Queue<String>> next = new HashMap<>();
  final Map<Operation, Integer> statuses = new HashMap<>();
  final Map<String, String> environment = new HashMap<>();
  String out = "";
  String err = "";
  private final HttpServer server;
  private boolean interactive;

  Program(Path configuration) {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(Executors.newCachedThreadPool(task -> {
      Thread thread = new Thread(task);
      thread.setDaemon(true);
      return thread;
    }));
    server.createContext("/", this::handle);
    server.start();
    environment.put("TASKER_CONFIG_DIR", configuration.toString());
    environment.put("TASKER_URL", url());
    environment.put("TASKER_KEY", "tkr_test");
    environment.put("TASKER_BY", "ann");
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  Program onTerminal() {
    interactive = true;
    return this;
  }

  /** The last of the answers stays. */
  Program answer(Operation operation, int status, String json, String... further) {
    answers.put(operation, json);
    next.put(operation, new ConcurrentLinkedQueue<>(List.of(further)));
    statuses.put(operation, status);
    return this;
  }

  int run(String... arguments) {
    return runWith("", arguments);
  }

  int runWith(String input, String... arguments) {
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    ByteArrayOutputStream complained = new ByteArrayOutputStream();
    Terminal terminal = new Terminal(
        new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
        new PrintStream(written, true, StandardCharsets.UTF_8),
        new PrintStream(complained, true, StandardCharsets.UTF_8), environment, interactive);
    int status = new Tasker(terminal).run(arguments);
    out = written.toString(StandardCharsets.UTF_8);
    err = complained.toString(StandardCharsets.UTF_8);
    return status;
  }

  private void handle(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    Operation operation = OpenApi.DOCUMENT.operation(exchange.getRequestMethod(),
        exchange.getRequestURI().getRawPath());
    Map<String, List<String>> query = new HashMap<>();
    String raw = exchange.getRequestURI().getRawQuery();
    for (String pair : raw == null ? new String[0] : raw.split("&")) {
      String[] parts = pair.split("=", 2);
      query.computeIfAbsent(parts[0], none -> new ArrayList<>())
          .add(URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
    }
    requests.add(
        new Request(operation, exchange.getRequestURI().getRawPath(), query, body,
            exchange.getRequestHeaders().getFirst("Authorization"),
            exchange.getRequestHeaders().getFirst("Idempotency-Key")));
    boolean stream = operation == Operation.STREAM_EVENTS
        || operation == Operation.STREAM_TASK_EVENTS
        || operation == Operation.STREAM_DOMAIN_EVENTS;
    int status = statuses.getOrDefault(operation, 200);
    String answer = answers.containsKey(operation) ? answers.get(operation)
        : stream
            ? "id: 1\nevent: task\ndata: {\"task_uuid\":\"t\",\"to_state\":\"pending\",\"at\":\"2026-11-21T04:56:53Z\"}\n\nid: 2\nevent: end\ndata: {\"state\":\"complete\"}\n\n"
            : OpenApi.DOCUMENT.answer(operation);
    if (next.containsKey(operation) && !next.get(operation).isEmpty()) {
      answers.put(operation, next.get(operation).remove());
    }
    byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type",
        status >= 400 ? "application/problem+json"
            : stream ? "text/event-stream" : "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
