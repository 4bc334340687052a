package ee.tasker.template;

import ee.tasker.template.StepDraft.Named;
import ee.tasker.template.model.DependencyCycles;
import ee.tasker.template.model.StepType;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks across steps: names, dependencies, cycles, batches. Near-linear in steps and dependencies. */
final class StepGraphCheck {
  /** Comparing with thousands of names is slow, and so many mistakes usually have one cause. */
  private static final int MAX_SUGGESTIONS = 20;
  private static final int MAX_NAMES_IN_CYCLE = 40;

  private final List<StepDraft> steps;
  private final Map<String, StepDraft> byName = new LinkedHashMap<>();
  private int suggestions;

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
    return check.byName;
  }

  private void names() {
    for (var step : steps) {
      step.name().ifPresent(named -> {
        var other = byName.putIfAbsent(named.name(), step);
        if (other != null) {
          named.place().refuse("there is another step named \"" + named.name() + "\" (" + other.where().path() + ")");
        }
      });
    }
  }

  private void dependencies() {
    for (var step : steps) {
      step.dependencies().forEach((parent, place) -> {
        if (!byName.containsKey(parent)) {
          place.refuse("there is no step \"" + parent + "\"" + suggestion(parent));
        }
      });
    }
  }

  private String suggestion(String name) {
    return suggestions++ < MAX_SUGGESTIONS ? Spelling.suggestion(name, byName.keySet()) : "";
  }

  private void cycles() {
    Map<String, Set<String>> graph = new LinkedHashMap<>();
    byName.forEach((name, step) -> graph.put(name, step.dependencies().keySet()));
    for (var cycle : DependencyCycles.find(graph)) {
      var next = cycle.get(1 % cycle.size());
      byName.get(cycle.get(0)).dependencies().get(next).refuse("steps must not depend on each other in a cycle: "
          + arrows(cycle));
    }
  }

  /** {@code a -> b -> a}: a depends on b, b on a. */
  private static String arrows(List<String> cycle) {
    var first = cycle.subList(0, Math.min(cycle.size(), MAX_NAMES_IN_CYCLE));
    var left = cycle.size() - first.size();
    return String.join(" -> ", first) + (left == 0 ? "" : " -> … " + left + " more …") + " -> " + cycle.get(0);
  }

  private void batches() {
    Set<String> withWorker = new HashSet<>();
    Set<String> workersInUse = new HashSet<>();
    for (var step : steps) {
      step.worker().ifPresent(worker -> {
        nameOfWorker(step, worker);
        if (step.is(StepType.BATCHABLE)) {
          withWorker.add(step.label());
          workersInUse.add(worker.name());
        }
      });
      if (step.is(StepType.BATCH_WORKER)) {
        withWorker.addAll(step.dependencies().keySet());
        step.dependencies().keySet().stream()
            .filter(parent -> byName.containsKey(parent) && byName.get(parent).is(StepType.BATCHABLE))
            .forEach(parent -> workersInUse.add(step.label()));
      }
    }
    for (var step : steps) {
      if (step.is(StepType.BATCHABLE) && !withWorker.contains(step.label())) {
        step.where().refuse("a batchable step needs a batch_worker: name it in batch_config.worker_template, or let it"
            + " depend on this step");
      }
      if (step.is(StepType.BATCH_WORKER) && !workersInUse.contains(step.label())) {
        step.where().refuse("no batchable step makes this batch_worker: name it in the batch_config.worker_template of"
            + " one, or let it depend on one");
      }
    }
  }

  private void nameOfWorker(StepDraft step, Named worker) {
    var target = byName.get(worker.name());
    if (target == null) {
      worker.place().refuse("there is no step \"" + worker.name() + "\"" + suggestion(worker.name()));
    } else if (!target.is(StepType.BATCH_WORKER)) {
      worker.place().refuse("step \"" + worker.name() + "\" is not of type batch_worker");
    } else if (step.is(StepType.BATCH_WORKER) && target != step) {
      worker.place().refuse("on a batch_worker this must be the name of the step itself");
    }
  }
}
