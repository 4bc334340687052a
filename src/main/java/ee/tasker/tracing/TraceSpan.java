package ee.tasker.tracing;

/** A span that was begun. Thread-safe, but for {@link #makeCurrent}; only the first end counts. */
public interface TraceSpan {
  /** Of a server that makes none. */
  TraceSpan NONE = new NoSpan();

  /** Until it is closed, what this thread does belongs to the span. To be closed by the same thread. */
  Current makeCurrent();

  /** Its place as the header {@code traceparent} has it; null when there is none. */
  String traceParent();

  /** Its trace id; null when there is none. */
  String traceId();

  /** Notes an exception; it does not end the span. */
  void threw(Throwable fault);

  /** Ends well. */
  void end(String outcome);

  /** Ends with an error. */
  void fail(String outcome, String errorType, String message);

  /** The time in which a span is the current one of a thread. */
  interface Current extends AutoCloseable {
    @Override
    void close();
  }
}
