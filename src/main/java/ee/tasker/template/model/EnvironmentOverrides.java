package ee.tasker.template.model;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The overrides of one environment. Those of {@link StepOverride#ALL} are applied first and those
 * of a named step after
 * them, regardless of their order in the file.
 *
 * @param steps each step at most once
 */
public record EnvironmentOverrides(List<StepOverride> steps) {
  public EnvironmentOverrides {
    Checks.present(steps, "environments.steps");
    steps = List.copyOf(steps);
    long names = steps.stream().map(StepOverride::step).distinct().count();
    Checks.require(names == steps.size(), "environments.steps must not name a step twice");
  }

  List<StepDefinition> applyTo(List<StepDefinition> definitions) {
    Map<String, StepOverride> byName = new LinkedHashMap<>();
    steps.forEach(override -> byName.put(override.step(), override));
    var forAll = byName.get(StepOverride.ALL);
    return definitions.stream()
        .map(step -> forAll == null ? step : forAll.applyTo(step))
        .map(step -> byName.containsKey(step.name()) ? byName.get(step.name()).applyTo(step) : step)
        .toList();
  }
}
