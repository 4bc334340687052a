package ee.tasker.template.model;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A template with every default filled in. Immutable.
 *
 * @param reuse       when a task may reuse the identity of an earlier one
 * @param searchAttributes the context values by which tasks can be found
 * @param inputSchema JSON Schema of the context, as JSON text; empty accepts any context
 * @param metadata    a JSON object as text, ignored by the engine
 * @param steps       in document order, at least one; names are unique, dependencies exist and form
 *   no cycle
 * @param concurrency how many tasks, or steps of them, may be active
 * @param output      a mapping that makes the output of a task, as canonical JSON text; empty: the
 *   results of the leaves
 * @param sealsErrors whether the messages of errors are sealed
 */
public record TemplateDefinition(TemplateKey key, Optional<String> description,
    IdentityStrategy identityStrategy, IdentityReuse reuse, SearchAttributes searchAttributes,
    Optional<String> inputSchema, Lifecycle lifecycle, String metadata,
    SystemDependencies systemDependencies, List<DomainEvent> domainEvents,
    SortedMap<String, EnvironmentOverrides> environments, List<StepDefinition> steps,
    List<ConcurrencyPolicy> concurrency, Optional<String> output, boolean sealsErrors) {

  public TemplateDefinition {
    Checks.present(key, "key");
    Checks.present(description, "description");
    Checks.present(identityStrategy, "identity_strategy");
    Checks.present(reuse, "reuse");
    Checks.present(searchAttributes, "search_attributes");
    Checks.present(inputSchema, "input_schema");
    Checks.present(lifecycle, "lifecycle");
    Checks.present(metadata, "metadata");
    Checks.present(systemDependencies, "system_dependencies");
    Checks.present(domainEvents, "domain_events");
    Checks.present(environments, "environments");
    Checks.present(steps, "steps");
    domainEvents = List.copyOf(domainEvents);
    environments = Collections.unmodifiableSortedMap(new TreeMap<>(environments));
    steps = List.copyOf(steps);
    concurrency = ConcurrencyPolicy.distinct(concurrency, "concurrency");
    Checks.present(output, "output");
    holdTogether(steps, environments);
  }

  /**
   * The template for one environment: the overrides of {@code environment} applied, and no
   * overrides left. An unknown
   * environment changes nothing.
   */
  public TemplateDefinition forEnvironment(String environment) {
    var overrides = environments.getOrDefault(environment, new EnvironmentOverrides(List.of()));
    return new TemplateDefinition(key, description, identityStrategy, reuse, searchAttributes,
        inputSchema, lifecycle, metadata, systemDependencies, domainEvents,
        Collections.emptySortedMap(), overrides.applyTo(steps), concurrency, output,
        sealsErrors);
  }

  /** The namespaces of child tasks, without its own. */
  public Set<String> childNamespaces() {
    Set<String> namespaces = new TreeSet<>();
    steps.forEach(step -> step.waitFor().ifPresent(wait -> {
      if (wait instanceof StepWait.Child child) {
        child.namespace().filter(other -> !other.equals(key.namespace()))
            .ifPresent(namespaces::add);
      }
    }));
    return namespaces;
  }

  private static void holdTogether(List<StepDefinition> steps,
      Map<String, EnvironmentOverrides> environments) {
    Checks.require(!steps.isEmpty(), "steps must not be empty");
    Map<String, List<String>> dependencies = new LinkedHashMap<>();
    for (var step : steps) {
      Checks.require(dependencies.put(step.name(), step.dependencies()) == null,
          "steps must have unique names, but there are two of " + step.name());
    }
    for (var step : steps) {
      for (var parent : step.dependencies()) {
        Checks.require(dependencies.containsKey(parent),
            "step.dependencies of " + step.name() + " must exist, but there is no step " + parent);
      }
    }
    var cycles = DependencyCycles.find(dependencies);
    Checks.require(cycles.isEmpty(),
        "steps must not depend on each other in a cycle, as these do: " + cycles);
    environments.forEach((name, overrides) -> overrides.steps().forEach(override -> Checks.require(
        override.step().equals(StepOverride.ALL) || dependencies.containsKey(override.step()),
        "environments." + name + ".steps must exist, but there is no step " + override.step())));
  }
}
