package ee.tasker.test;

import ee.tasker.handler.HandlerResolver;
import ee.tasker.handler.Handles;
import ee.tasker.handler.StepHandler;
import ee.tasker.step.StepSpec;
import ee.tasker.worker.HandlerMethod;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/** Handlers and resolvers by name. */
final class Handlers {
  private final Map<String, StepHandler> handlers = new TreeMap<>();
  private final Map<String, HandlerResolver> resolvers = new TreeMap<>();

  void add(String callable, StepHandler handler) {
    handlers.put(callable, Objects.requireNonNull(handler, "handler"));
  }

  void add(StepHandler handler) {
    add(handler.getClass().getName(), handler);
    Handles names = handler.getClass().getAnnotation(Handles.class);
    if (names != null) {
      for (String name : names.value()) {
        add(name, handler);
      }
    } else if (handler.getClass().isSynthetic()) {
      throw new IllegalArgumentException("a lambda has no name: use with(callable, handler)");
    }
  }

  void add(String name, HandlerResolver resolver) {
    resolvers.put(name, Objects.requireNonNull(resolver, "resolver"));
  }

  Optional<StepHandler> find(StepSpec step) {
    Optional<StepHandler> found = step.resolver().isPresent()
        ? Optional.ofNullable(resolvers.get(step.resolver().get()))
            .flatMap(resolver -> resolver.resolve(step.callable()))
        : Optional.ofNullable(handlers.get(step.callable()));
    return found.flatMap(handler -> HandlerMethod.of(handler, step.method()));
  }
}
