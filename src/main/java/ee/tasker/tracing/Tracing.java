package ee.tasker.tracing;

import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.Optional;

/**
 * The component's facade. The first use determines once whether this server creates spans.
 * Thread-safe; while tracing is
 * off, each method only reads a field.
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

  /** Null without tracing. */
  private SpanSource source;

  @PostConstruct
  void find() {
    // Some disabled implementations still create spans, which are never exported.
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
      // Steps run without tracing.
      LOG.write(LogEvent.TRACING_FAILED, fault);
      return null;
    }
  }

  /** Whether this server creates spans. */
  public boolean isOn() {
    return source != null;
  }

  /**
   * Starts a span; the caller ends it.
   *
   * @param traceParent the parent, as a {@code traceparent} header; null for a new trace
   * @param attributes  strings and longs
   */
  public TraceSpan start(String name, String traceParent, Map<String, Object> attributes) {
    return source == null ? TraceSpan.NONE : source.start(name, traceParent, attributes);
  }

  /**
   * Closing the scope restores this thread's present trace context. For requests: WildFly's JAX-RS
   * filter makes its span
   * current on the thread that begins a request and closes it on the thread that answers, so the
   * span of an asynchronous
   * request would stay current on the first thread.
   */
  public TraceSpan.Current scope() {
    return source == null ? NO_SCOPE : source.scope();
  }

  /** The current span context of this thread as a {@code traceparent} header. */
  public Optional<String> current() {
    return source == null ? Optional.empty() : Optional.ofNullable(source.current());
  }
}
