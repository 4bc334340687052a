package ee.tasker.tracing;

import java.util.Map;

/** Creates spans. */
interface SpanSource {

  /** @param traceParent the parent, as a {@code traceparent} header; null for a new trace */
  TraceSpan start(String name, String traceParent, Map<String, Object> attributes);

  /** The current span of this thread as a {@code traceparent} header; null when there is none. */
  String current();

  /**
   * Closing the scope restores this thread's present trace context, regardless of contexts left
   * current in between. The same thread
   * must close it.
   */
  TraceSpan.Current scope();
}
