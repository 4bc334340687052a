package ee.tasker.template;

import ee.tasker.template.StepDraft.Named;
import ee.tasker.template.model.DependencyCycles;
import ee.tasker.template.model.StepType;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Checks across steps: names, dependencies, cycles, batches. Near-linear in steps and dependencies.
 */
final class StepGraphCheck {
  private static final int MAX_NAMES_IN_CYCLE = 40;
  private static final Pattern NUMBERED = Pattern.compile("(.*)_[0-9]{3,7}", Pattern.DOTALL);

  private final List<StepDraft> steps;
  private final Map<String, StepDraft> byName = new LinkedHashMap<>();

  private StepGraphCheck(List<StepDraft> steps) {
    this.steps = steps;
  }

  /** Reports problems and returns the steps by name, the first where two share a name. */
  static Map<String, StepDraft> check(List<StepDraft> steps) {
    var check = new StepGraphCheck(steps);
    check.names();
    check.dependencies();
    check.cycles();
    check.batches();
    check.numberedNames();
    check.decisions();
    check.signals();
    return check.byName;
  }

  private void names() {
    for (var step : steps) {
      step.name().ifPresent(named -> {
        var other = byName.putIfAbsent(named.name(), step);
        if (other != null) {
          named.place().refuse("there is another step named \"" + named.name() + "\" ("
              + other.where().path() + ")");
        }
      });
    }
  }

  private void dependencies() {
    for (var step : steps) {
      step.dependencies().forEach((parent, place) -> {
        if (!byName.containsKey(parent)) {
          place.refuse("there is no step \"" + parent + "\"" + suggestion(place, parent));
        }
      });
    }
  }

  private String suggestion(Located place, String name) {
    return place.problems().suggestion(name, byName.keySet());
  }

  private void cycles() {
    Map<String, Set<String>> graph = new LinkedHashMap<>();
    byName.forEach((name, step) -> graph.put(name, step.dependencies().keySet()));
    for (var cycle : DependencyCycles.find(graph)) {
      var next = cycle.get(1 % cycle.size());
      byName.get(cycle.get(0)).dependencies().get(next)
          .refuse("steps must not depend on each other in a cycle: "
              + arrows(cycle));
    }
  }

  /** {@code a -> b -> a}: a depends on b, b on a. */
  private static String arrows(List<String> cycle) {
    var first = cycle.subList(0, Math.min(cycle.size(), MAX_NAMES_IN_CYCLE));
    var left = cycle.size() - first.size();
    return String.join(" -> ", first) + (left == 0 ? "" : " -> … " + left + " more …") + " -> "
        + cycle.get(0);
  }

  /** A decision chooses among the steps that depend on it, directly or through others. */
  private void decisions() {
    if (steps.stream().allMatch(step -> step.choices().isEmpty())) {
      return;
    }
    Map<String, Set<String>> children = new HashMap<>();
    byName.forEach((name, step) -> step.dependencies().keySet()
        .forEach(
            parent -> children.computeIfAbsent(parent, key -> new LinkedHashSet<>()).add(name)));
    for (var step : steps) {
      if (step.choices().isEmpty()) {
        continue;
      }
      var downstream = downstream(step.label(), children);
      for (var choice : step.choices()) {
        if (!byName.containsKey(choice.name())) {
          choice.place().refuse("there is no step \"" + choice.name() + "\""
              + suggestion(choice.place(), choice.name()));
        } else if (!downstream.contains(choice.name())) {
          choice.place().refuse("step \"" + choice.name() + "\" does not depend on this decision");
        }
      }
    }
  }

  /**
   * Who sends a signal names no step: its payload is checked before a step takes it, so that a name
   * has one schema.
   */
  private void signals() {
    Map<String, StepDraft.SignalDraft> bySignal = new HashMap<>();
    for (var step : steps) {
      step.signal().ifPresent(signal -> {
        var other = bySignal.putIfAbsent(signal.name().name(), signal);
        if (other != null && !other.schema().equals(signal.schema())) {
          signal.schemaPlace().orElse(signal.name().place())
              .refuse("steps that wait for the same signal must have the same schema; "
                  + other.name().place().path() + " has another one");
        }
      });
    }
  }

  private static Set<String> downstream(String name, Map<String, Set<String>> children) {
    Set<String> found = new HashSet<>();
    Deque<String> open = new ArrayDeque<>(List.of(name));
    while (!open.isEmpty()) {
      children.getOrDefault(open.pop(), Set.of()).stream().filter(found::add).forEach(open::push);
    }
    found.remove(name);
    return found;
  }

  /** Each batchable step has one batch_worker, which depends on it alone. */
  private void batches() {
    Map<String, StepDraft> workers = new HashMap<>();
    Set<String> workersInUse = new HashSet<>();
    for (var step : steps) {
      step.worker().ifPresent(worker -> nameOfWorker(step, worker));
      if (step.is(StepType.BATCH_WORKER)) {
        step.dependencies().forEach((parent, place) -> {
          if (!byName.containsKey(parent)) {
            return;
          }
          if (!byName.get(parent).is(StepType.BATCHABLE) || step.dependencies().size() > 1) {
            place.refuse("a batch_worker must depend on its batchable step and on nothing else");
          } else if (workers.putIfAbsent(parent, step) != null) {
            place.refuse("step \"" + parent + "\" has the batch_worker \""
                + workers.get(parent).label() + "\" already");
          }
          workersInUse.add(step.label());
        });
      }
    }
    for (var step : steps) {
      if (step.is(StepType.BATCHABLE) && !workers.containsKey(step.label())) {
        step.where().refuse("a batchable step needs a batch_worker that depends on it");
      }
      if (step.is(StepType.BATCHABLE) && workers.containsKey(step.label())) {
        step.worker()
            .filter(worker -> byName.containsKey(worker.name())
                && byName.get(worker.name()).is(StepType.BATCH_WORKER)
                && byName.get(worker.name()) != workers.get(step.label()))
            .ifPresent(worker -> worker.place()
                .refuse("the batch_worker that depends on this step is \""
                    + workers.get(step.label()).label() + "\""));
      }
      if (step.is(StepType.BATCH_WORKER) && !workersInUse.contains(step.label())) {
        step.where().refuse("a batch_worker must depend on a batchable step");
      }
    }
  }

  /**
   * The names of the workers of a step: its own, an underscore, and a number of three digits or
   * more.
   */
  private void numberedNames() {
    byName.forEach((name, step) -> {
      var numbered = NUMBERED.matcher(name);
      var worker = numbered.matches() ? byName.get(numbered.group(1)) : null;
      if (worker != null && worker.is(StepType.BATCH_WORKER)) {
        step.name().ifPresent(named -> named.place()
            .refuse("the workers of step \"" + worker.label() + "\" have such names"));
      }
    });
  }

  private void nameOfWorker(StepDraft step, Named worker) {
    var target = byName.get(worker.name());
    if (target == null) {
      worker.place().refuse(
          "there is no step \"" + worker.name() + "\"" + suggestion(worker.place(), worker.name()));
    } else if (!target.is(StepType.BATCH_WORKER)) {
      worker.place().refuse("step \"" + worker.name() + "\" is not of type batch_worker");
    } else if (step.is(StepType.BATCH_WORKER) && target != step) {
      worker.place().refuse("on a batch_worker this must be the name of the step itself");
    }
  }
}
