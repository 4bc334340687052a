package ee.tasker.webhook;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import ee.tasker.platform.Json;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/**
 * A receiver of webhooks that behaves as the test says, and keeps what it was sent. Thread-safe.
 */
public final class Receiver implements AutoCloseable {
  /** What a call had, and what was answered: 0 for a connection that was closed instead. */
  public record Call(String id, String timestamp, String signature, String attempt, byte[] body,
      int answer) {
    public JsonObject event() {
      return Json.parseObject(new String(body, StandardCharsets.UTF_8));
    }
  }

  private final HttpServer http;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Call> calls = new CopyOnWriteArrayList<>();

  /**
   * @param behaviour the status for an event, from its document and how many calls there were
   * before; 0 closes the connection
   */
  public Receiver(Function<JsonObject, Integer> behaviour) {
    try {
      http = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    http.setExecutor(threads);
    http.createContext("/", exchange -> take(exchange, behaviour));
    http.start();
  }

  private void take(HttpExchange exchange, Function<JsonObject, Integer> behaviour)
      throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    int status = behaviour.apply(Json.parseObject(new String(body, StandardCharsets.UTF_8)));
    var headers = exchange.getRequestHeaders();
    calls.add(new Call(headers.getFirst("webhook-id"), headers.getFirst("webhook-timestamp"),
        headers.getFirst("webhook-signature"), headers.getFirst("tasker-attempt"), body, status));
    if (status > 0) {
      exchange.getResponseHeaders().add("Location", "http://127.0.0.1:1/");
      byte[] answer = ("seen " + calls.size()).getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(status, status == 204 ? -1 : answer.length);
      if (status != 204) {
        exchange.getResponseBody().write(answer);
      }
    }
    exchange.close();
  }

  public String url() {
    return "http://127.0.0.1:" + http.getAddress().getPort() + "/in";
  }

  public List<Call> calls() {
    return calls;
  }

  public List<Call> accepted() {
    return calls.stream().filter(call -> call.answer() >= 200 && call.answer() < 300).toList();
  }

  @Override
  public void close() {
    http.stop(0);
    threads.shutdownNow();
  }
}
