package ee.tasker.tracing;

import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import ee.tasker.platform.Settings;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.Optional;

/**
 * The component's door. It finds out once whether this server makes spans, when it is first asked. Thread-safe; while it is off,
 * nothing here costs more than reading a field.
 */
@ApplicationScoped
public class Tracing {
  private static final Log LOG = Log.of(Tracing.class);
  private static final TraceSpan.Current NO_SCOPE = new NoSpan();
  private static final String API = "io.opentelemetry.api.OpenTelemetry";

  @Inject
  private Settings settings;

  @Inject
  private Instance<Object> beans;

  /** Null where there is none. */
  private SpanSource source;

  @PostConstruct
  void find() {
    // Some that are switched off make spans nevertheless, which nobody sends.
    source = settings.traces() ? find(beans) : null;
  }

  static SpanSource find(Instance<Object> beans) {
    try {
      Class.forName(API, false, Tracing.class.getClassLoader());
    } catch (ClassNotFoundException | LinkageError absent) {
      return null;
    }
    try {
      return OpenTelemetrySpans.find(beans);
    } catch (RuntimeException | LinkageError fault) {
      // Steps run without it.
      LOG.write(LogEvent.TRACING_FAILED, fault);
      return null;
    }
  }

  /** Whether spans are made at all. */
  public boolean isOn() {
    return source != null;
  }

  /**
   * Begins a span; whoever begins it ends it.
   *
   * @param traceParent what it is below, as the header {@code traceparent} has it; null for a trace of its own
   * @param attributes  strings and longs
   */
  public TraceSpan start(String name, String traceParent, Map<String, Object> attributes) {
    return source == null ? TraceSpan.NONE : source.start(name, traceParent, attributes);
  }

  /**
   * Closing it makes the trace context current again that this thread has now. Around a request: WildFly's filter for JAX-RS makes its span current on the thread that
   * begins a request and closes it on the thread that answers, so that the span of an asynchronous request would stay current on the first.
   */
  public TraceSpan.Current scope() {
    return source == null ? NO_SCOPE : source.scope();
  }

  /** Where this thread is in a trace, as the header {@code traceparent} has it. */
  public Optional<String> current() {
    return source == null ? Optional.empty() : Optional.ofNullable(source.current());
  }
}
