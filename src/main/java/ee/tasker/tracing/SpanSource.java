package ee.tasker.tracing;

import java.util.Map;

/** What makes spans. */
interface SpanSource {

  /** @param traceParent what it is below, as the header {@code traceparent} has it; null for a trace of its own */
  TraceSpan start(String name, String traceParent, Map<String, Object> attributes);

  /** The current span of this thread, as the header {@code traceparent} has it; null when there is none. */
  String current();

  /** Closing it makes the trace context current again that this thread has now, whatever was left current meanwhile. To be closed by the same thread. */
  TraceSpan.Current scope();
}
