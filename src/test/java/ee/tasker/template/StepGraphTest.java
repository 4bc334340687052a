package ee.tasker.template;

import static ee.tasker.template.Templates.problemsOf;
import static ee.tasker.template.Templates.read;
import static ee.tasker.template.Templates.withSteps;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StepGraphTest {

  @Test
  void two_steps_of_one_name_are_refused_at_the_second() {
    assertThat(problemsOf(withSteps("""
        - {name: a, handler: {callable: h}}
        - {name: a, handler: {callable: h}}
        """))).containsExactly("6:10 steps[1].name: there is another step named \"a\" (steps[0])");
  }

  @Test
  void all_is_no_name_for_a_step() {
    assertThat(problemsOf(withSteps("- {name: ALL, handler: {callable: h}}\n"))).containsExactly(
        "5:10 steps[0].name: must not be ALL: environments use it for all steps");
  }

  @Test
  void an_unknown_dependency_is_refused_with_the_nearest_step() {
    assertThat(problemsOf(withSteps("""
        - {name: validate, handler: {callable: h}}
        - {name: b, handler: {callable: h}, dependencies: [validat, elsewhere]}
        """))).containsExactly(
        "6:52 steps[1].dependencies[0]: there is no step \"validat\"; did you mean \"validate\"?",
        "6:61 steps[1].dependencies[1]: there is no step \"elsewhere\"");
  }

  @Test
  void a_dependency_on_itself_or_given_twice_is_refused() {
    assertThat(problemsOf(withSteps("""
        - {name: a, handler: {callable: h}, dependencies: [a]}
        - {name: b, handler: {callable: h}, dependencies: [a, a]}
        """))).containsExactly(
        "5:52 steps[0].dependencies[0]: the step must not depend on itself",
        "6:55 steps[1].dependencies[1]: the dependency on \"a\" appears twice");
  }

  @Test
  void a_cycle_is_refused_and_named_from_its_first_step() {
    assertThat(problemsOf(withSteps("""
        - {name: start, handler: {callable: h}}
        - {name: outside, handler: {callable: h}, dependencies: [b]}
        - {name: a, handler: {callable: h}, dependencies: [start, c]}
        - {name: b, handler: {callable: h}, dependencies: [a]}
        - {name: c, handler: {callable: h}, dependencies: [b]}
        """))).containsExactly(
        "7:59 steps[2].dependencies[1]: steps must not depend on each other in a cycle: a -> c -> b -> a");
  }

  @Test
  void separate_cycles_are_each_named() {
    assertThat(problemsOf(withSteps("""
        - {name: a, handler: {callable: h}, dependencies: [b]}
        - {name: b, handler: {callable: h}, dependencies: [a]}
        - {name: x, handler: {callable: h}, dependencies: [y, a]}
        - {name: y, handler: {callable: h}, dependencies: [x]}
        """))).containsExactly(
        "5:52 steps[0].dependencies[0]: steps must not depend on each other in a cycle: a -> b -> a",
        "7:52 steps[2].dependencies[0]: steps must not depend on each other in a cycle: x -> y -> x");
  }

  @Test
  void a_decision_and_a_deferred_convergence_need_a_dependency() {
    assertThat(problemsOf(withSteps("""
        - {name: a, type: decision, handler: {callable: h}}
        - {name: b, type: deferred_convergence, handler: {callable: h}, dependencies: []}
        """))).containsExactly(
        "5:19 steps[0].type: a step of this type needs at least one dependency",
        "6:19 steps[1].type: a step of this type needs at least one dependency");
  }

  @Test
  void the_worker_of_a_batchable_step_must_be_a_batch_worker() {
    assertThat(problemsOf(withSteps("""
        - {name: a, type: batchable, handler: {callable: h}, batch_config: {worker_template: wroker}}
        - {name: b, type: batchable, handler: {callable: h}, batch_config: {worker_template: plain}}
        - {name: worker, type: batch_worker, handler: {callable: h}, dependencies: [a]}
        - {name: plain, handler: {callable: h}}
        """))).containsExactly(
        "5:86 steps[0].batch_config.worker_template: there is no step \"wroker\"; did you mean \"worker\"?",
        "6:3 steps[1]: a batchable step needs a batch_worker that depends on it",
        "6:86 steps[1].batch_config.worker_template: step \"plain\" is not of type batch_worker");
  }

  @Test
  void a_batchable_step_without_worker_and_a_worker_without_batchable_step_are_refused() {
    assertThat(problemsOf(withSteps("""
        - {name: a, type: batchable, handler: {callable: h}}
        - {name: b, type: batch_worker, handler: {callable: h}}
        """))).containsExactly(
        "5:3 steps[0]: a batchable step needs a batch_worker that depends on it",
        "6:3 steps[1]: a batch_worker must depend on a batchable step");
  }

  @Test
  void a_batch_config_may_stand_on_the_worker_itself() {
    read(withSteps("""
        - {name: a, type: batchable, handler: {callable: h}}
        - {name: b, type: batch_worker, handler: {callable: h}, dependencies: [a], batch_config: {worker_template: b}}
        """));
  }

  @Test
  void a_batch_config_belongs_to_no_other_step() {
    assertThat(problemsOf(withSteps("""
        - {name: a, type: batchable, handler: {callable: h}}
        - {name: b, type: batch_worker, handler: {callable: h}, dependencies: [a], batch_config: {worker_template: c}}
        - {name: x, type: batchable, handler: {callable: h}}
        - {name: c, type: batch_worker, handler: {callable: h}, dependencies: [x]}
        - {name: d, handler: {callable: h}, batch_config: {worker_template: c}}
        """))).containsExactly(
        "6:108 steps[1].batch_config.worker_template: on a batch_worker this must be the name of the step itself",
        "9:51 steps[4].batch_config: belongs only to steps of type batchable or batch_worker");
  }

  @Test
  void a_batchable_step_has_one_worker_which_depends_on_it_alone() {
    assertThat(problemsOf(withSteps("""
        - {name: a, type: batchable, handler: {callable: h}}
        - {name: b, type: batch_worker, handler: {callable: h}, dependencies: [a]}
        - {name: c, type: batch_worker, handler: {callable: h}, dependencies: [a]}
        - {name: d, type: batchable, handler: {callable: h}, batch_config: {worker_template: b}}
        - {name: e, type: batch_worker, handler: {callable: h}, dependencies: [d, a]}
        - {name: f, type: batch_worker, handler: {callable: h}, dependencies: [d]}
        - {name: b_0001, handler: {callable: h}}
        - {name: b_01, handler: {callable: h}}
        """))).containsExactly(
        "7:72 steps[2].dependencies[0]: step \"a\" has the batch_worker \"b\" already",
        "8:86 steps[3].batch_config.worker_template: the batch_worker that depends on this step is \"f\"",
        "9:72 steps[4].dependencies[0]: a batch_worker must depend on its batchable step and on nothing else",
        "9:75 steps[4].dependencies[1]: a batch_worker must depend on its batchable step and on nothing else",
        "11:10 steps[6].name: the workers of step \"b\" have such names");
  }

  @Test
  void items_stand_on_a_batchable_step_without_a_handler() {
    var template = read(withSteps("""
        - {name: a, type: batchable, batch_config: {worker_template: b, items: "$.context.rows[*]"}}
        - {name: b, type: batch_worker, handler: {callable: h}, dependencies: [a],
           batch_config: {worker_template: b, failure_strategy: isolate, tolerate: 3, parallelism: 1000}}
        """));

    assertThat(template.steps().get(0).batchConfig().get().batchSize()).isEqualTo(1);
    assertThat(problemsOf(withSteps("""
        - {name: a, type: batchable, handler: {callable: h}, batch_config: {worker_template: b, items: "$.context.rows[*]"}}
        - {name: b, type: batch_worker, handler: {callable: h}, dependencies: [a],
           batch_config: {worker_template: b, items: "$.context.rows[*]", tolerate: 3, parallelism: 1001}}
        - {name: c, type: batchable, batch_config: {worker_template: d}}
        - {name: d, type: batch_worker, handler: {callable: h}, dependencies: [c]}
        """))).containsExactly(
        "5:39 steps[0].handler: a batchable step with batch_config.items runs no handler, so it must not have this key",
        "7:46 steps[1].batch_config.items: belongs to the batchable step",
        "7:77 steps[1].batch_config.tolerate: belongs to failure_strategy isolate",
        "7:93 steps[1].batch_config.parallelism: must be a whole number between 1 and 1000, but is 1001",
        "8:3 steps[2].handler: is missing");
  }
}
