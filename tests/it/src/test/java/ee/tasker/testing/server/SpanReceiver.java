package ee.tasker.testing.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;

/** Takes what servers export by OTLP over HTTP, and keeps the spans. Thread-safe. */
public final class SpanReceiver implements AutoCloseable {
  private final HttpServer http;
  private final List<Received> spans = new CopyOnWriteArrayList<>();
  private final AtomicInteger requests = new AtomicInteger();

  /** Ids in hexadecimal digits; attributes that are numbers as text. */
  public record Received(String name, String trace, String id, String parent, boolean isServer,
      boolean isError, String message, Map<String, String> attributes, List<String> events) {

    static Received of(Span span) {
      return new Received(span.getName(), hex(span.getTraceId().toByteArray()),
          hex(span.getSpanId().toByteArray()), hex(span.getParentSpanId().toByteArray()),
          span.getKind() == Span.SpanKind.SPAN_KIND_SERVER,
          span.getStatus().getCode() == Status.StatusCode.STATUS_CODE_ERROR,
          span.getStatus().getMessage(),
          span.getAttributesList().stream()
              .collect(Collectors.toMap(KeyValue::getKey, Received::text)),
          span.getEventsList().stream().map(Span.Event::getName).toList());
    }

    private static String text(KeyValue attribute) {
      return attribute.getValue().hasStringValue() ? attribute.getValue().getStringValue()
          : Long.toString(attribute.getValue().getIntValue());
    }

    private static String hex(byte[] id) {
      return HexFormat.of().formatHex(id);
    }
  }

  public SpanReceiver() {
    try {
      http = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    http.createContext("/", this::take);
    http.start();
  }

  private void take(HttpExchange exchange) throws IOException {
    requests.incrementAndGet();
    try (exchange; InputStream body = exchange.getRequestBody()) {
      if (exchange.getRequestURI().getPath().equals("/v1/traces")) {
        boolean isPacked = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
        ExportTraceServiceRequest.parseFrom(isPacked ? new GZIPInputStream(body) : body)
            .getResourceSpansList().forEach(
                resource -> resource.getScopeSpansList().forEach(
                    scope -> scope.getSpansList().forEach(span -> spans.add(Received.of(span)))));
      }
      exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
      exchange.sendResponseHeaders(200, -1);
    }
  }

  /**
   * What a server has to be told so that it exports to here, soon, over and above being switched
   * on.
   */
  public Map<String, String> environment() {
    return Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:" + http.getAddress().getPort(),
        "OTEL_EXPORTER_OTLP_PROTOCOL",
        "http/protobuf",
        "OTEL_BSP_SCHEDULE_DELAY", "100", "OTEL_METRICS_EXPORTER", "none", "OTEL_LOGS_EXPORTER",
        "none");
  }

  /** Those of a trace so far. */
  public List<Received> of(String trace) {
    return spans.stream().filter(span -> span.trace().equals(trace)).toList();
  }

  /** The number of requests received. */
  public int requests() {
    return requests.get();
  }

  @Override
  public void close() {
    http.stop(0);
  }
}
