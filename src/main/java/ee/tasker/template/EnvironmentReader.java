package ee.tasker.template;

import ee.tasker.template.model.EnvironmentOverrides;
import ee.tasker.template.model.Limits;
import ee.tasker.template.model.RetryOverride;
import ee.tasker.template.model.RetryPolicy;
import ee.tasker.template.model.StepOverride;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads {@code environments}: the overrides of each environment. */
final class EnvironmentReader {
  private record Override(StepOverride value, Optional<RetryReader> retry) {}

  private final Map<String, StepDraft> steps;

  private EnvironmentReader(Map<String, StepDraft> steps) {
    this.steps = steps;
  }

  static SortedMap<String, EnvironmentOverrides> read(Keys template, Map<String, StepDraft> steps) {
    var reader = new EnvironmentReader(steps);
    return template.find("environments").flatMap(Located::keys).map(reader::environments)
        .orElse(Collections.emptySortedMap());
  }

  private SortedMap<String, EnvironmentOverrides> environments(Keys keys) {
    SortedMap<String, EnvironmentOverrides> environments = new TreeMap<>();
    if (keys.entries().size() > Limits.ENVIRONMENTS) {
      keys.mapping().refuse("there must be at most " + Limits.ENVIRONMENTS + " environments");
      return environments;
    }
    keys.entries().forEach((name, environment) -> {
      if (name.isBlank() || name.length() > Limits.ENVIRONMENT_NAME || !NodeJson.storable(name)) {
        environment.refuse(
            "the name of an environment must have 1 to " + Limits.ENVIRONMENT_NAME + " characters");
      }
      if (environment.isNull()) {
        return;
      }
      environment.keys().ifPresent(inside -> {
        environments.put(name, new EnvironmentOverrides(overrides(inside)));
        inside.refuseOthers();
      });
    });
    return environments;
  }

  private List<StepOverride> overrides(Keys environment) {
    Map<String, Override> byName = new HashMap<>();
    List<StepOverride> inOrder = new ArrayList<>();
    environment.list("steps").forEach(element -> element.keys().ifPresent(keys -> {
      var name = name(keys, byName);
      var initialization = keys.find("handler").flatMap(Located::keys).map(handler -> {
        var entries = StepReader.initialization(handler);
        handler.refuseOthers();
        return entries;
      }).orElse(Collections.emptySortedMap());
      var options = StepOptionsForm.read(keys);
      var retry = RetryReader.read(keys);
      keys.refuseOthers();
      name.ifPresent(step -> {
        var override = new StepOverride(step, initialization, options,
            retry.map(RetryReader::given).orElse(RetryOverride.NOTHING));
        inOrder.add(override);
        byName.put(step, new Override(override, retry));
      });
    }));
    contradictions(byName);
    return inOrder;
  }

  /** The name of a step of the template, or ALL; each at most once. */
  private Optional<String> name(Keys keys, Map<String, Override> earlier) {
    return keys.require("name")
        .flatMap(place -> place.word(Limits.STEP_NAME)
            .flatMap(name -> !name.equals(StepOverride.ALL) && !steps.containsKey(name)
                ? place.refuse(
                    "there is no step \"" + name + "\"; it must be a step of this template or ALL")
                : earlier.containsKey(name)
                    ? place.refuse("this environment already overrides \"" + name + "\"")
                    : Optional.of(name)));
  }

  private void contradictions(Map<String, Override> overrides) {
    var forAll = Optional.ofNullable(overrides.get(StepOverride.ALL)).flatMap(Override::retry);
    if (overrides.values().stream().noneMatch(override -> override.retry().isPresent())) {
      return;
    }
    steps.forEach((name, step) -> {
      var forOne = Optional.ofNullable(overrides.get(name)).flatMap(Override::retry);
      var policy = apply(forAll, step.retry(), name);
      apply(forOne, policy, name);
    });
  }

  private static RetryPolicy apply(Optional<RetryReader> retry, RetryPolicy policy, String step) {
    return retry.map(given -> given.applyTo(policy, " (step " + step + ")")).orElse(policy);
  }
}
