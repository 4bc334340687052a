package ee.tasker.tracing;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import jakarta.enterprise.inject.Instance;
import java.util.Map;

/**
 * Spans from the server's OpenTelemetry. The only class that refers to OpenTelemetry types; loaded
 * only when they are
 * present.
 */
final class OpenTelemetrySpans implements SpanSource {
  private static final String OUTCOME = "tasker.outcome";
  /** Names from OpenTelemetry's semantic conventions. */
  private static final String ERROR_TYPE = "error.type";

  private final Tracer tracer;

  private OpenTelemetrySpans(Tracer tracer) {
    this.tracer = tracer;
  }

  /** @return null when the server has no OpenTelemetry or has it disabled */
  static SpanSource find(Instance<Object> beans) {
    Instance<OpenTelemetry> offered = beans.select(OpenTelemetry.class);
    if (!offered.isResolvable()) {
      return null;
    }
    Tracer tracer = offered.get().getTracer("ee.tasker");
    // A disabled OpenTelemetry creates spans without an identity. This span is never ended, and so
    // never exported.
    boolean isOn = tracer.spanBuilder("tasker").setNoParent().startSpan().getSpanContext()
        .isValid();
    return isOn ? new OpenTelemetrySpans(tracer) : null;
  }

  @Override
  public TraceSpan start(String name, String traceParent, Map<String, Object> attributes) {
    SpanBuilder builder = tracer.spanBuilder(name).setParent(below(traceParent));
    attributes.forEach((key, value) -> {
      if (value instanceof Long number) {
        builder.setAttribute(key, number);
      } else {
        builder.setAttribute(key, value.toString());
      }
    });
    return new Started(builder.startSpan());
  }

  /** The span must not inherit the parent that happens to be current on this thread. */
  private static Context below(String traceParent) {
    if (traceParent == null) {
      return Context.root();
    }
    SpanContext parent = SpanContext.createFromRemoteParent(
        traceParent.substring(3, 35), traceParent.substring(36, 52),
        TraceFlags.fromHex(traceParent, 53), TraceState.getDefault());
    return Context.root().with(Span.wrap(parent));
  }

  @Override
  public String current() {
    return header(Span.current().getSpanContext());
  }

  @Override
  public TraceSpan.Current scope() {
    Context before = Context.current();
    return () -> {
      if (Context.current() != before) {
        // Its own scope stays open: it replaces one that was left open.
        before.makeCurrent();
      }
    };
  }

  private static String header(SpanContext context) {
    return context.isValid() ? "00-" + context.getTraceId() + "-" + context.getSpanId() + "-"
        + context.getTraceFlags().asHex() : null;
  }

  private record Started(Span span) implements TraceSpan {

    @Override
    public Current makeCurrent() {
      return span.makeCurrent()::close;
    }

    @Override
    public String traceParent() {
      return header(span.getSpanContext());
    }

    @Override
    public String traceId() {
      return span.getSpanContext().getTraceId();
    }

    @Override
    public void threw(Throwable fault) {
      span.recordException(fault);
    }

    @Override
    public void end(String outcome) {
      span.setAttribute(OUTCOME, outcome);
      span.end();
    }

    @Override
    public void fail(String outcome, String errorType, String message) {
      span.setAttribute(ERROR_TYPE, errorType);
      span.setStatus(StatusCode.ERROR, message);
      end(outcome);
    }
  }
}
