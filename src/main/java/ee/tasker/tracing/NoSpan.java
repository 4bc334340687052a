package ee.tasker.tracing;

/** Does nothing, and makes nothing that would have to be collected. */
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
    // Nobody asked.
  }

  @Override
  public void end(String outcome) {
    // Nobody asked.
  }

  @Override
  public void fail(String outcome, String errorType, String message) {
    // Nobody asked.
  }

  @Override
  public void close() {
    // It was never current.
  }
}
