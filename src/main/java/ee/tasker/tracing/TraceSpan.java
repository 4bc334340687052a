package ee.tasker.tracing;

/** A started span. Thread-safe, except for {@link #makeCurrent}; only the first end counts. */
public interface TraceSpan {
  /** The span of a server without tracing. */
  TraceSpan NONE = new NoSpan();

  /**
   * Makes the span current on this thread until the scope is closed. The same thread must close it.
   */
  Current makeCurrent();

  /** Its span context as a {@code traceparent} header; null when there is none. */
  String traceParent();

  /** Its trace id; null when there is none. */
  String traceId();

  /** Records an exception; does not end the span. */
  void threw(Throwable fault);

  /** Ends the span successfully. */
  void end(String outcome);

  /** Ends the span with an error. */
  void fail(String outcome, String errorType, String message);

  /** The period in which a span is current on a thread. */
  interface Current extends AutoCloseable {
    @Override
    void close();
  }
}
