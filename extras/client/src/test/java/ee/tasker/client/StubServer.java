package ee.tasker.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/** Gives prepared answers, one after the other, and keeps what it was asked. */
final class StubServer implements AutoCloseable {

  /** @param key the header Idempotency-Key */
  record Asked(String method, String target, String body, String authorization, String key,
      String lastEventId) {
  }

  @FunctionalInterface
  interface Answer {
    void give(HttpExchange exchange) throws IOException;
  }

  final List<Asked> asked = new CopyOnWriteArrayList<>();
  private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
  private final HttpServer server;

  StubServer() {
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
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  StubServer then(int status, String json, String... headers) {
    return then(exchange -> {
      exchange.getResponseHeaders().add("Content-Type",
          status < 400 ? "application/json" : "application/problem+json");
      for (int i = 0; i < headers.length; i += 2) {
        exchange.getResponseHeaders().add(headers[i], headers[i + 1]);
      }
      byte[] body = json.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
      exchange.close();
    });
  }

  /** Takes the request and breaks the connection instead of an answer. */
  StubServer thenBreak() {
    return then(exchange -> {
      exchange.getResponseHeaders().add("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, 1000);
      exchange.getResponseBody().write('{');
      exchange.close();
    });
  }

  StubServer then(Answer answer) {
    answers.add(answer);
    return this;
  }

  private void handle(HttpExchange exchange) throws IOException {
    asked.add(new Asked(exchange.getRequestMethod(), exchange.getRequestURI().toString(),
        new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8),
        exchange.getRequestHeaders().getFirst("Authorization"),
        exchange.getRequestHeaders().getFirst("Idempotency-Key"),
        exchange.getRequestHeaders().getFirst("Last-Event-ID")));
    Answer answer = answers.poll();
    if (answer == null) {
      exchange.sendResponseHeaders(599, -1);
      exchange.close();
    } else {
      answer.give(exchange);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
