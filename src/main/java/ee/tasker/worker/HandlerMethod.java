package ee.tasker.worker;

import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Optional;

/**
 * A public method {@code StepOutcome name(StepContext)} of a handler, named by {@code
 * handler.method}.
 */
public record HandlerMethod(StepHandler handler, Method method) implements StepHandler {

  /** The handler itself for the default method, {@code call}. */
  public static Optional<StepHandler> of(StepHandler handler, String name) {
    if ("call".equals(name)) {
      return Optional.of(handler);
    }
    try {
      Method method = handler.getClass().getMethod(name, StepContext.class);
      // The class may be package-private.
      return method.trySetAccessible() && StepOutcome.class.isAssignableFrom(method.getReturnType())
          ? Optional.of(new HandlerMethod(handler, method)) : Optional.empty();
    } catch (NoSuchMethodException e) {
      return Optional.empty();
    }
  }

  @Override
  public boolean isTransactional() {
    return handler.isTransactional();
  }

  @Override
  public StepOutcome handle(StepContext step) throws Exception {
    try {
      return (StepOutcome) method.invoke(handler, step);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      if (e.getCause() instanceof Error cause) {
        throw cause;
      }
      throw e;
    }
  }
}
