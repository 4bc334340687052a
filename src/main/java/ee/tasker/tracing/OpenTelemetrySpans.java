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

/** Spans by the server's OpenTelemetry. The one class that names it, loaded only where it is there. */
final class OpenTelemetrySpans implements SpanSource {
  private static final String OUTCOME = "tasker.outcome";
  /** As the conventions of OpenTelemetry have it. */
  private static final String ERROR_TYPE = "error.type";

  private final Tracer tracer;

  private OpenTelemetrySpans(Tracer tracer) {
    this.tracer = tracer;
  }

  /** @return null when the server has none, or has it switched off */
  static SpanSource find(Instance<Object> beans) {
    Instance<OpenTelemetry> offered = beans.select(OpenTelemetry.class);
    if (!offered.isResolvable()) {
      return null;
    }
    Tracer tracer = offered.get().getTracer("ee.tasker");
    // One that is switched off makes spans without identity. This one is never ended, and so never sent.
    boolean isOn = tracer.spanBuilder("tasker").setNoParent().startSpan().getSpanContext().isValid();
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

  /** Never below whatever the thread was at when it was sent here. */
  private static Context below(String traceParent) {
    if (traceParent == null) {
      return Context.root();
    }
    SpanContext parent = SpanContext.createFromRemoteParent(
        traceParent.substring(3, 35), traceParent.substring(36, 52), TraceFlags.fromHex(traceParent, 53), TraceState.getDefault());
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
        // Its own scope stays open: it takes the place of one that was left open.
        before.makeCurrent();
      }
    };
  }

  private static String header(SpanContext context) {
    return context.isValid() ? "00-" + context.getTraceId() + "-" + context.getSpanId() + "-" + context.getTraceFlags().asHex() : null;
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
