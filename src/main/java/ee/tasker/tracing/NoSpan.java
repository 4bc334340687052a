package ee.tasker.tracing;

/** Does nothing and allocates nothing. */
final class NoSpan implements TraceSpan, TraceSpan.Current {

  @Override
  public Current makeCurrent() {
    return this;
  }

  @Override
  public String traceParent() {
    return null;
  }

  @Override
  public String traceId() {
    return null;
  }

  @Override
  public void threw(Throwable fault) {
    // Tracing is off.
  }

  @Override
  public void end(String outcome) {
    // Tracing is off.
  }

  @Override
  public void fail(String outcome, String errorType, String message) {
    // Tracing is off.
  }

  @Override
  public void close() {
    // It was never current.
  }
}
