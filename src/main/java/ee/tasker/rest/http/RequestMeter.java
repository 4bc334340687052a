package ee.tasker.rest.http;

import ee.tasker.platform.sql.Meters;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Counts one request when its answer is complete, also if another thread completes it.
 */
final class RequestMeter implements AsyncListener {
  private static final int FAULT = 500;

  private final Meters meters;
  private final HttpServletRequest request;
  private final HttpServletResponse answer;
  private final String method;
  private final long began = System.nanoTime();

  /** What answers the request, or lets another thread do so. */
  @FunctionalInterface
  interface Answering {
    void run() throws IOException, ServletException;
  }

  RequestMeter(Meters meters, HttpServletRequest request, HttpServletResponse answer) {
    this.meters = meters;
    this.request = request;
    this.answer = answer;
    this.method = request.getMethod();
  }

  void around(Answering answering) throws IOException, ServletException {
    boolean hasReturned = false;
    try {
      answering.run();
      hasReturned = true;
    } finally {
      if (!hasReturned) {
        count(FAULT);
      } else if (!isAwaited()) {
        count(answer.getStatus());
      }
    }
  }

  private boolean isAwaited() {
    if (!request.isAsyncStarted()) {
      return false;
    }
    try {
      request.getAsyncContext().addListener(this);
      return true;
    } catch (IllegalStateException completedMeanwhile) {
      return false;
    }
  }

  private void count(int status) {
    meters.requestAnswered(method, status, began);
  }

  @Override
  public void onComplete(AsyncEvent event) {
    count(answer.getStatus());
  }

  /** The completion follows. */
  @Override
  public void onTimeout(AsyncEvent event) {
  }

  /** The completion follows. */
  @Override
  public void onError(AsyncEvent event) {
  }

  /** Listeners of the earlier context are not told of the completion of a new one. */
  @Override
  public void onStartAsync(AsyncEvent event) {
    event.getAsyncContext().addListener(this);
  }
}
