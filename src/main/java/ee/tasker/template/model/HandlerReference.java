package ee.tasker.template.model;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The handler of a step, and its configuration.
 *
 * @param callable       the handler's name, 1 to 500 characters
 * @param method         {@code call} unless the template says otherwise
 * @param resolver       what finds the handler; empty for the ordinary lookup by name
 * @param initialization configuration: top-level key to JSON text
 */
public record HandlerReference(String callable, String method, Optional<String> resolver,
    SortedMap<String, String> initialization) {
  public static final String DEFAULT_METHOD = "call";

  public HandlerReference {
    Checks.text(callable, "handler.callable", Limits.CALLABLE);
    Checks.text(method, "handler.method", Limits.METHOD);
    Checks.present(resolver, "handler.resolver");
    resolver.ifPresent(name -> Checks.text(name, "handler.resolver", Limits.RESOLVER));
    Checks.present(initialization, "handler.initialization");
    initialization = Collections.unmodifiableSortedMap(new TreeMap<>(initialization));
  }

  /** The same handler with configuration keys replaced or added. */
  HandlerReference withInitialization(Map<String, String> replaced) {
    var merged = new TreeMap<>(initialization);
    merged.putAll(replaced);
    return new HandlerReference(callable, method, resolver, merged);
  }
}
