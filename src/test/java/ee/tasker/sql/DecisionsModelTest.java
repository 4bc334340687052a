package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.RunRecord;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import ee.tasker.testing.SqlWorker.Result;
import ee.tasker.testing.TaskerAssertions;
import ee.tasker.testing.TestDatabase;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * Random graphs of nested decisions, by handlers and by rules, with convergences of both kinds,
 * meet random choices, failures, operators and
 * cancels. After every command the steps that are there, and their edges, are those of a small
 * model in memory; in the end every promise has been
 * kept. A failure prints its seed.
 */
class DecisionsModelTest {
  enum Fate { OPEN, CREATED, NEVER }

  static final class Step {
    final String name;
    final List<Step> parents = new ArrayList<>();
    boolean isDecision;
    boolean hasRules;
    boolean isConvergence;
    boolean runsOnNone;
    /** What it chooses when it is made. */
    List<String> choice = List.of();

    Step(String name) {
      this.name = name;
    }
  }

  /** The rules once more, asked recursively and by name. */
  static final class Model {
    final Map<String, Step> steps = new LinkedHashMap<>();
    final Set<String> done = new LinkedHashSet<>();
    final Set<String> failed = new LinkedHashSet<>();
    /** Decisions that were made before a cancel request, with what they chose. */
    final Map<String, List<String>> made = new HashMap<>();
    final boolean continueOnError;
    boolean isCancelled;

    Model(boolean continueOnError) {
      this.continueOnError = continueOnError;
    }

    Dag randomGraph(Random random, int size) {
      Dag dag = Dag.of("n1");
      steps.put("n1", new Step("n1"));
      List<Step> order = new ArrayList<>(steps.values());
      for (int i = 2; i <= size; i++) {
        Step step = new Step("n" + i);
        int kind = random.nextInt(10);
        for (Step parent : order) {
          if (random.nextDouble() < 1.6 / i) {
            step.parents.add(parent);
          }
        }
        step.isDecision = kind < 4 && !step.parents.isEmpty();
        step.hasRules = step.isDecision && random.nextBoolean();
        step.isConvergence = kind >= 7 && !step.parents.isEmpty();
        step.runsOnNone = step.isConvergence && random.nextBoolean();
        order.add(step);
        steps.put(step.name, step);
      }
      Map<String, Integer> context = new TreeMap<>();
      for (Step step : order.subList(1, order.size())) {
        dag.step(step.name)
            .dependsOn(step.parents.stream().map(parent -> parent.name).toArray(String[]::new));
        if (step.isDecision) {
          List<List<String>> options = List.of(someBelow(step, random), someBelow(step, random),
              someBelow(step, random));
          int chosen = random.nextInt(3);
          step.choice = options.get(chosen);
          if (step.hasRules) {
            context.put(step.name, chosen);
            dag.decidedBy("{\"rules\": [{\"when\": \"$.context." + step.name + " == 0\", \"then\": "
                + json(options.get(0)) + "}, "
                + "{\"when\": \"$.context." + step.name + " == 1\", \"then\": "
                + json(options.get(1)) + "}], \"otherwise\": "
                + json(options.get(2)) + "}");
          } else {
            dag.decision();
          }
        } else if (step.runsOnNone) {
          dag.convergenceThatRuns();
        } else if (step.isConvergence) {
          dag.convergence();
        }
        if (!step.hasRules) {
          dag.maxAttempts(1);
        }
      }
      dag.context(
          context.entrySet().stream().map(each -> "\"" + each.getKey() + "\": " + each.getValue())
              .collect(Collectors.joining(", ", "{", "}")))
          .lifecycle("max_decision_depth", 16);
      return continueOnError ? dag.continueOnError() : dag;
    }

    private static String json(List<String> names) {
      return names.stream().map(name -> "\"" + name + "\"")
          .collect(Collectors.joining(", ", "[", "]"));
    }

    private boolean isBelow(Step step, Step above) {
      return step.parents.contains(above)
          || step.parents.stream().anyMatch(parent -> isBelow(parent, above));
    }

    private List<String> someBelow(Step decision, Random random) {
      List<String> names = new ArrayList<>();
      for (Step step : steps.values()) {
        boolean isChild = step.parents.contains(decision);
        if (isBelow(step, decision) && random.nextInt(10) < (isChild ? 6 : 1)) {
          names.add(step.name);
        }
      }
      Collections.shuffle(names, random);
      return names;
    }

    private boolean isGrown(Step step) {
      return step.parents.stream().anyMatch(parent -> parent.isDecision || isGrown(parent));
    }

    private boolean isChosen(Step step) {
      return made.values().stream().anyMatch(names -> names.contains(step.name));
    }

    Fate fate(Step step) {
      if (!isGrown(step)) {
        return Fate.CREATED;
      }
      if (step.parents.stream().anyMatch(parent -> fate(parent) == Fate.OPEN
          || parent.isDecision && fate(parent) == Fate.CREATED && !made.containsKey(parent.name))) {
        return Fate.OPEN;
      }
      List<Step> present = step.parents.stream()
          .filter(parent -> !parent.isDecision && fate(parent) == Fate.CREATED).toList();
      boolean follows = isChosen(step) || present.stream().anyMatch(this::isGrown);
      boolean converges = step.isConvergence
          && (!present.isEmpty() || step.runsOnNone && isReached(step));
      return follows || converges ? Fate.CREATED : Fate.NEVER;
    }

    /** From a step that is there, without passing a decision that is not. */
    private boolean isReached(Step step) {
      return step.parents.stream().anyMatch(
          parent -> fate(parent) == Fate.CREATED || !parent.isDecision && isReached(parent));
    }

    Set<String> created() {
      return steps.values().stream().filter(step -> fate(step) == Fate.CREATED)
          .map(step -> step.name)
          .collect(Collectors.toCollection(TreeSet::new));
    }

    Set<String> parentsThere(Step step) {
      return step.parents.stream().filter(parent -> fate(parent) == Fate.CREATED)
          .map(parent -> parent.name)
          .collect(Collectors.toCollection(TreeSet::new));
    }

    void finish(String name, List<String> choice) {
      done.add(name);
      failed.remove(name);
      Step step = steps.get(name);
      if (step.isDecision && !isCancelled) {
        made.put(name, choice);
      }
    }

    boolean mayStart() {
      return !isCancelled && (failed.isEmpty() || continueOnError);
    }

    /** Decisions by rules are made as soon as they can be. */
    void settle() {
      boolean goesOn = mayStart();
      while (goesOn) {
        goesOn = false;
        for (String name : created()) {
          Step step = steps.get(name);
          if (step.hasRules && !done.contains(name) && done.containsAll(parentsThere(step))) {
            finish(name, step.choice);
            goesOn = true;
            break;
          }
        }
      }
    }
  }

  @Property(tries = 40, shrinking = ShrinkingMode.OFF)
  void tasks_grow_as_the_model_says(@ForAll Random random) {
    TestDatabase.get().reset();
    Model model = new Model(random.nextInt(4) == 0);
    Dag graph = model.randomGraph(random, 4 + random.nextInt(14));
    int cancelAt = random.nextInt(5) == 0 ? random.nextInt(8) : -1;
    try (Sql sql = Sql.open(); SqlWorker worker = SqlWorker.open()) {
      Dag.Task task = graph.started();
      model.settle();
      Map<String, Claim> running = new LinkedHashMap<>();
      compare(sql, task, model);
      for (int turn = 0; turn < 200 && !isOver(sql, task); turn++) {
        if (turn == cancelAt) {
          sql.text("select tasker.request_cancel(?, 'ann', 'enough', 'allow_finish')", task.uuid());
          model.isCancelled = true;
          compare(sql, task, model);
          continue;
        }
        for (Claim claim : worker.claim(1 + random.nextInt(3))) {
          running.put(name(sql, claim), claim);
        }
        if (running.isEmpty()) {
          repair(sql, task, model, random);
          compare(sql, task, model);
          continue;
        }
        List<String> finishing = new ArrayList<>(running.keySet());
        Collections.shuffle(finishing, random);
        finishing = finishing.subList(0, 1 + random.nextInt(finishing.size()));
        List<Result> results = new ArrayList<>();
        for (String name : finishing) {
          results.add(result(model, name, running.remove(name), random));
        }
        worker.complete(random.nextInt(3), results);
        takeOver(sql, worker, task, running);
        model.settle();
        compare(sql, task, model);
      }
      assertThat(sql.text("select state from tasker.tasks where task_uuid = ?", task.uuid()))
          .isEqualTo(model.isCancelled ? "cancelled" : "complete");
      if (!model.isCancelled) {
        assertThat(model.done).containsExactlyInAnyOrderElementsOf(model.created());
      }
      RunRecord.replayed(DecisionsModelTest.class, TaskerAssertions.assertThatHistoryIsSound());
    }
  }

  private static boolean isOver(Sql sql, Dag.Task task) {
    return sql.isTrue("select completed_at is not null from tasker.tasks where task_uuid = ?",
        task.uuid());
  }

  private static String name(Sql sql, Claim claim) {
    return sql.text(
        "select n.name from tasker.workflow_steps s join tasker.named_steps n using (named_step_uuid) where s.workflow_step_uuid = ?",
        claim.step());
  }

  private static Result result(Model model, String name, Claim claim, Random random) {
    Step step = model.steps.get(name);
    int luck = random.nextInt(8);
    if (luck == 0) {
      model.failed.add(name);
      return claim.permanentFailure();
    }
    if (luck == 1 && step.isDecision) {
      model.failed.add(name);
      return claim.decided("nowhere");
    }
    model.finish(name, step.choice);
    return step.isDecision ? claim.decided(step.choice.toArray(String[]::new)) : claim.success();
  }

  /** The completion may have claimed successors for its caller. */
  private static void takeOver(Sql sql, SqlWorker worker, Dag.Task task,
      Map<String, Claim> running) {
    sql.rows(
        "select n.name, s.workflow_step_uuid, s.handoffs from tasker.workflow_steps s join tasker.named_steps n using (named_step_uuid) "
            + "where s.task_uuid = ? and s.state = 'in_progress' and s.leased_by = ?",
        task.uuid(), worker.uuid()).forEach(row -> {
          String name = (String) row.get("name");
          running.putIfAbsent(name,
              new Claim((java.util.UUID) row.get("workflow_step_uuid"), task.uuid(),
                  (Integer) row.get("handoffs"), null));
        });
  }

  private static void repair(Sql sql, Dag.Task task, Model model, Random random) {
    assertThat(model.failed)
        .as("nothing runs, nothing is to be claimed, and the task has not ended").isNotEmpty();
    String name = model.failed.iterator().next();
    Step step = model.steps.get(name);
    switch (random.nextInt(3)) {
      case 0 -> {
        assertThat(act(sql, task, name, "reset_for_retry", "{}")).isEqualTo("done");
        model.failed.remove(name);
      }
      case 1 -> {
        String data = step.isDecision
            ? "{\"result\": {}, \"decision\": " + Model.json(step.choice) + "}"
            : "{\"result\": {}}";
        assertThat(act(sql, task, name, "complete_manually", data)).isEqualTo("done");
        model.finish(name, step.choice);
      }
      default -> {
        assertThat(act(sql, task, name, "resolve_manually", "{}")).isEqualTo("done");
        model.finish(name, List.of());
      }
    }
    model.settle();
  }

  private static String act(Sql sql, Dag.Task task, String step, String action, String data) {
    return sql
        .object("select tasker.act_on_step(?, ?, ?, 'ann', 'by hand', ?)", task.uuid(),
            task.step(step), action, data)
        .getString("outcome");
  }

  private static void compare(Sql sql, Dag.Task task, Model model) {
    Map<String, Set<String>> parents = new TreeMap<>();
    Map<String, String> states = new TreeMap<>();
    sql.rows("""
        select n.name, s.state::text as state, p.name as parent
        from tasker.workflow_steps s
        join tasker.named_steps n using (named_step_uuid)
        left join tasker.workflow_step_edges e on e.to_step_uuid = s.workflow_step_uuid
        left join (tasker.workflow_steps ps join tasker.named_steps p using (named_step_uuid)) on ps.workflow_step_uuid = e.from_step_uuid
        where s.task_uuid = ?""", task.uuid()).forEach(row -> {
      Set<String> names = parents.computeIfAbsent((String) row.get("name"), key -> new TreeSet<>());
      states.put((String) row.get("name"), (String) row.get("state"));
      if (row.get("parent") != null) {
        names.add((String) row.get("parent"));
      }
    });
    assertThat(parents.keySet()).as("steps that are there, of %s", model.steps.keySet())
        .isEqualTo(model.created());
    parents.forEach((name, found) -> {
      Step step = model.steps.get(name);
      Set<String> expected = model.parentsThere(step);
      assertThat(found).as("parents of %s", name).containsAll(expected);
      Set<String> more = new TreeSet<>(found);
      more.removeAll(expected);
      // Beside them only a decision that chose it, or after which nothing else was left to wait
      // for.
      assertThat(more).as("further parents of %s", name).hasSizeLessThanOrEqualTo(1)
          .allSatisfy(
              decision -> assertThat(model.made.get(decision).contains(name) || expected.isEmpty())
                  .isTrue());
      boolean isReady = found.stream().allMatch(model.done::contains);
      if (model.done.contains(name)) {
        assertThat(states.get(name)).as(name).isIn("complete", "resolved_manually");
      } else if (model.failed.contains(name)) {
        assertThat(states.get(name)).as(name).isEqualTo("error");
      } else if (!isReady) {
        assertThat(states.get(name)).as(name).isIn("pending", "cancelled");
      } else if (model.mayStart()) {
        assertThat(states.get(name)).as(name).isIn("enqueued", "in_progress");
      }
    });
  }
}
