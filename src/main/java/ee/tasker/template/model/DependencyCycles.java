package ee.tasker.template.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds dependency cycles. Linear in steps and dependencies, and without recursion, so that a chain
 * of a million steps is
 * safe.
 */
public final class DependencyCycles {
  private DependencyCycles() {}

  /**
   * Cycles that share no step, at least one when there is any. Each starts with its first step in
   * the order of the map and
   * follows the dependencies; the last step depends on the first.
   *
   * @param dependencies step to the steps it depends on; names that are not keys are ignored
   */
  public static List<List<String>> find(Map<String, ? extends Collection<String>> dependencies) {
    var stuck = stuckSteps(dependencies);
    Map<String, Integer> positions = new HashMap<>();
    stuck.keySet().forEach(step -> positions.put(step, positions.size()));
    List<List<String>> cycles = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (var start : stuck.keySet()) {
      Set<String> walk = new LinkedHashSet<>();
      var step = start;
      while (seen.add(step)) {
        walk.add(step);
        step = stuck.get(step);
      }
      if (walk.contains(step)) {
        cycles.add(startingWithTheFirst(cutBefore(step, walk), positions));
      }
    }
    return cycles;
  }

  /**
   * The remainder once all steps that can be ordered are removed: step to one dependency that also
   * remains.
   */
  private static Map<String, String> stuckSteps(
      Map<String, ? extends Collection<String>> dependencies) {
    Map<String, List<String>> children = new HashMap<>();
    Map<String, Integer> open = new HashMap<>();
    dependencies.forEach(
        (step, parents) -> parents.stream().filter(dependencies::containsKey).forEach(parent -> {
          children.computeIfAbsent(parent, key -> new ArrayList<>()).add(step);
          open.merge(step, 1, Integer::sum);
        }));
    var satisfied = new ArrayDeque<String>();
    dependencies.keySet().stream().filter(step -> !open.containsKey(step)).forEach(satisfied::add);
    while (!satisfied.isEmpty()) {
      for (var child : children.getOrDefault(satisfied.remove(), List.of())) {
        if (open.merge(child, -1, Integer::sum) == 0) {
          open.remove(child);
          satisfied.add(child);
        }
      }
    }
    Map<String, String> stuck = new LinkedHashMap<>();
    dependencies.forEach((step, parents) -> {
      if (open.containsKey(step)) {
        stuck.put(step, parents.stream().filter(open::containsKey).findFirst().orElseThrow());
      }
    });
    return stuck;
  }

  private static List<String> cutBefore(String first, Set<String> walk) {
    return walk.stream().dropWhile(step -> !step.equals(first)).toList();
  }

  private static List<String> startingWithTheFirst(List<String> cycle,
      Map<String, Integer> positions) {
    var rotated = new ArrayList<>(cycle);
    int first = cycle.indexOf(Collections.min(cycle, Comparator.comparing(positions::get)));
    Collections.rotate(rotated, -first);
    return List.copyOf(rotated);
  }
}
