package ee.tasker.rest.http;

import ee.tasker.platform.Json;
import ee.tasker.platform.Members;
import ee.tasker.task.TaskRequest;
import ee.tasker.tracing.Tracing;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import java.util.UUID;

/** The correlation id and trace context of the current request, for the tasks that it creates. */
@RequestScoped
public class RequestTrace {
  static final String CORRELATION_ID = "X-Correlation-Id";
  static final String TRACE_PARENT = "traceparent";

  @Inject
  private HttpServletRequest request;

  @Inject
  private Tracing tracing;

  /**
   * Ids in the body take precedence over the headers. A header that is not a valid uuid or trace
   * context is ignored.
   */
  public TaskRequest onto(TaskRequest task, JsonObject document) {
    TaskRequest traced = task;
    Optional<UUID> correlationId = Optional.ofNullable(request.getHeader(CORRELATION_ID))
        .filter(Members::isUuid).map(UUID::fromString);
    if (correlationId.isPresent() && Json.text(document, "correlation_id").isEmpty()) {
      traced = traced.correlationId(correlationId.get());
    }
    // The server's own span of this request is a child of the span in the header.
    String traceParent = tracing.current().orElseGet(() -> request.getHeader(TRACE_PARENT));
    if (TaskRequest.isTraceParent(traceParent) && Json.text(document, "trace_parent").isEmpty()) {
      traced = traced.traceParent(traceParent);
    }
    return traced;
  }
}
