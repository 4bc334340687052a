package ee.tasker.worker;

import ee.tasker.handler.HandlerResolver;
import ee.tasker.handler.Handles;
import ee.tasker.handler.StepHandler;
import ee.tasker.step.StepSpec;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds the code for a step: the bean that {@code handler.callable} names by {@link Handles} or by
 * its class, or the
 * handler that the resolver named by {@code handler.resolver} returns. Two beans with one name stop
 * the deployment.
 */
@ApplicationScoped
public class HandlerRegistry {
  private final Map<String, Found<StepHandler>> handlers = new HashMap<>();
  private final Map<String, Found<HandlerResolver>> resolvers = new HashMap<>();

  @Inject
  @Any
  private Instance<StepHandler> handlerBeans;

  @Inject
  @Any
  private Instance<HandlerResolver> resolverBeans;

  /** A bean and its declared class; the class of the instance may be a proxy. */
  record Found<T>(T bean, Class<?> type) {
  }

  @PostConstruct
  void collect() {
    collect(handlerBeans, handlers);
    collect(resolverBeans, resolvers);
  }

  private static <T> void collect(Instance<T> beans, Map<String, Found<T>> byName) {
    for (Instance.Handle<T> handle : beans.handles()) {
      Class<?> type = handle.getBean().getBeanClass();
      Found<T> found = new Found<>(handle.get(), type);
      add(byName, type.getName(), found);
      Handles names = type.getAnnotation(Handles.class);
      if (names != null) {
        for (String name : names.value()) {
          add(byName, name, found);
        }
      }
    }
  }

  static <T> void add(Map<String, Found<T>> byName, String name, Found<T> found) {
    Found<T> other = byName.putIfAbsent(name, found);
    // One bean may register one name twice: @Handles can repeat the name of its class.
    if (other != null && other.bean() != found.bean()) {
      throw new IllegalStateException(
          "two beans claim the name " + name + ": " + other.type().getName() + " and "
              + found.type().getName());
    }
  }

  /** The handler of a step, ready to be called; empty when this server has none. */
  Optional<StepHandler> find(StepSpec step) {
    return handler(step).flatMap(handler -> HandlerMethod.of(handler, step.method()));
  }

  /**
   * Whether this server has a handler for a step, as far as it can tell without calling a resolver.
   */
  boolean has(StepSpec step) {
    if (step.resolver().isPresent()) {
      return resolvers.containsKey(step.resolver().get());
    }
    Found<StepHandler> handler = handlers.get(step.callable());
    return handler != null && HandlerMethod.of(handler.bean(), step.method()).isPresent();
  }

  private Optional<StepHandler> handler(StepSpec step) {
    if (step.resolver().isPresent()) {
      return Optional.ofNullable(resolvers.get(step.resolver().get()))
          .flatMap(resolver -> resolver.bean().resolve(step.callable()));
    }
    return Optional.ofNullable(handlers.get(step.callable())).map(Found::bean);
  }

  /** All names that a template can use as {@code handler.callable}. */
  public Set<String> names() {
    return new TreeSet<>(handlers.keySet());
  }

  /** All names that a template can use as {@code handler.resolver}. */
  Set<String> resolverNames() {
    return new TreeSet<>(resolvers.keySet());
  }
}
