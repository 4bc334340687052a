package ee.tasker.cli.convert;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** The steps of a template, and how they follow from each other. */
final class StepFlow {
  private final Map<String, StepDraft> steps = new LinkedHashMap<>();
  private final StepNames names;

  StepFlow(StepNames names) {
    this.names = names;
  }

  Map<String, StepDraft> steps() {
    return steps;
  }

  /** How many decisions follow from each other at most. */
  int decisionDepth() {
    // Each step comes after those that it depends on.
    Map<String, Integer> depths = new HashMap<>();
    steps.forEach((name, step) -> depths.put(name,
        step.dependencies().stream().mapToInt(parent -> depths.getOrDefault(parent, 0)).max()
            .orElse(0) + (step.isDecision() ? 1 : 0)));
    return depths.values().stream().mapToInt(depth -> depth).max().orElse(0);
  }

  private StepDraft named(String name) {
    return new StepDraft(names.unique(name));
  }

  /**
   * Lets a step follow from all ways that arrive, and adds it to the template.
   *
   * @param canSkip whether everything arrives here that the decision of a choice can choose
   */
  void append(StepDraft step, List<Exit> arriving, Predicate<Exit> canSkip) {
    List<Exit> exits = arriving;
    boolean runsAlways = false;
    if (exits.isEmpty() && step.isDecision()) {
      exits = List.of(new Exit(nothing("begin"), null));
    }
    if (exits.size() > 1 && exits.stream().anyMatch(Exit::isChoice)
        && !isOneDecision(exits)) {
      boolean skips = canSkip(exits, canSkip);
      if (skips) {
        exits = exits.stream().filter(exit -> !exit.isChoice()).toList();
        runsAlways = true;
      } else {
        exits = exits.stream().map(exit -> exit.isChoice() ? passing(exit) : exit).toList();
      }
    }
    boolean isConditional = exits.stream()
        .anyMatch(exit -> exit.isChoice() || exit.step().isConditional());
    boolean joins = runsAlways || exits.size() > 1 && isConditional && !isOneDecision(exits);
    if (joins && !step.canJoin()) {
      StepDraft join = named(step.name() + "_join").put("wait", Map.of("for", "PT0S"));
      join(join, exits, runsAlways);
      exits = List.of(new Exit(join, null));
    } else if (joins) {
      join(step, exits, runsAlways);
    }
    for (Exit exit : exits) {
      step.dependsOn(exit.step().name());
      if (exit.isChoice()) {
        exit.step().leads(exit.option(), step.name());
      }
    }
    if (isConditional || exits.stream().anyMatch(exit -> exit.step().isConditional())) {
      step.conditional();
    }
    steps.put(step.name(), step);
  }

  /**
   * Whether "on_none: run" is the same as a step for the way without one: the engine runs a join
   * without parents if it is reached from something that is there past no other decision. So one
   * decision skips, all else comes from it, and some of that past no other decision.
   */
  private boolean canSkip(List<Exit> exits, Predicate<Exit> leadsHere) {
    List<Exit> choices = exits.stream().filter(Exit::isChoice).toList();
    List<StepDraft> others = exits.stream().filter(exit -> !exit.isChoice()).map(Exit::step)
        .toList();
    StepDraft decision = choices.get(0).step();
    return choices.stream().allMatch(exit -> exit.step() == decision && leadsHere.test(exit))
        && others.stream().allMatch(step -> comesFrom(step, decision, new HashSet<>()))
        && others.stream().anyMatch(step -> isBranch(step, decision, new HashSet<>()));
  }

  /** Whether all that leads to a step goes through the decision. */
  private boolean comesFrom(StepDraft step, StepDraft decision, Set<StepDraft> seen) {
    return step == decision || !seen.add(step)
        || !step.dependencies().isEmpty() && step.dependencies().stream()
            .allMatch(parent -> comesFrom(steps.get(parent), decision, seen));
  }

  /** Whether a step follows from the decision past no other one. */
  private boolean isBranch(StepDraft step, StepDraft decision, Set<StepDraft> seen) {
    return step == decision || !step.isDecision() && seen.add(step)
        && step.dependencies().stream()
            .anyMatch(parent -> isBranch(steps.get(parent), decision, seen));
  }

  private void join(StepDraft step, List<Exit> exits, boolean runsAlways) {
    step.put("type", "deferred_convergence");
    if (runsAlways) {
      step.put("on_none", "run");
    }
    exits.forEach(exit -> step.dependsOn(exit.step().name()));
    step.conditional();
    steps.put(step.name(), step);
  }

  private static boolean isOneDecision(List<Exit> exits) {
    return exits.stream().allMatch(Exit::isChoice)
        && exits.stream().map(Exit::step).distinct().count() == 1;
  }

  /** A step that does nothing, for a way without one. */
  private Exit passing(Exit exit) {
    StepDraft step = nothing(exit.step().name() + "_way_" + (exit.option() + 1));
    step.dependsOn(exit.step().name());
    exit.step().leads(exit.option(), step.name());
    step.conditional();
    return new Exit(step, null);
  }

  private StepDraft nothing(String name) {
    StepDraft step = named(name).put("wait", Map.of("for", "PT0S"));
    steps.put(step.name(), step);
    return step;
  }
}
