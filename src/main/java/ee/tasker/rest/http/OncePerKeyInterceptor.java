package ee.tasker.rest.http;

import ee.tasker.platform.Problem;
import ee.tasker.request.IdempotentResponse;
import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import jakarta.ws.rs.core.Response;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Executes requests with an {@code Idempotency-Key} once; for methods that return a text or a
 * {@link Response}.
 */
@OncePerKey
@Interceptor
@Priority(Interceptor.Priority.APPLICATION)
public class OncePerKeyInterceptor {

  @Inject
  private RequestKeys keys;

  @Inject
  private Visibility visibility;

  @AroundInvoke
  Object answerOnce(InvocationContext method) throws Exception {
    if (!keys.isKeyed()) {
      return method.proceed();
    }
    String body = takeBody(method);
    boolean isResponse = Response.class.isAssignableFrom(method.getMethod().getReturnType());
    Visibility.Content content = method.getMethod().getAnnotation(OncePerKey.class).shows();
    AtomicReference<String> first = new AtomicReference<>();
    IdempotentResponse answer = keys.answerOnce(body, () -> {
      IdempotentResponse whole = kept(method.proceed());
      first.set(whole.body());
      return IdempotentResponse.done(whole.status(), whole.location(),
          Visibility.stored(content, whole.body()));
    });
    String shown = answer.isReplay() ? visibility.again(content, answer.body()) : first.get();
    if (!isResponse) {
      return shown;
    }
    Response.ResponseBuilder response = Response.status(answer.status()).entity(shown);
    answer.location().ifPresent(location -> response.header(Locations.HEADER, location));
    return response.build();
  }

  /** Reads the body for the method, which can read it again. */
  private String takeBody(InvocationContext method) {
    Object[] arguments = method.getParameters();
    for (int i = 0; i < arguments.length; i++) {
      if (arguments[i] instanceof InputStream stream) {
        String body = keys.read(stream);
        arguments[i] = new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8));
        method.setParameters(arguments);
        return body;
      }
    }
    return "";
  }

  private static IdempotentResponse kept(Object answer) {
    if (!(answer instanceof Response response)) {
      return IdempotentResponse.done(200, Optional.empty(), (String) answer);
    }
    if (response.getStatus() >= 300) {
      throw Problem.of(500, "internal-error", "an answer that refuses is thrown, not returned");
    }
    return IdempotentResponse.done(response.getStatus(),
        Optional.ofNullable(response.getHeaderString(Locations.HEADER)),
        (String) response.getEntity());
  }
}
