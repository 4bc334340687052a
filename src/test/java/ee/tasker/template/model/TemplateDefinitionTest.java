package ee.tasker.template.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Every existing definition is consistent. */
class TemplateDefinitionTest {

  private static StepDefinition step(String name, String... dependencies) {
    return step(name, StepType.STANDARD, dependencies);
  }

  private static StepDefinition step(String name, StepType type, String... dependencies) {
    return new StepDefinition(name, Optional.empty(), type,
        Optional
            .of(new HandlerReference("h", "call", Optional.empty(), Collections.emptySortedMap())),
        List.of(dependencies), Optional.empty(), RetryPolicy.DEFAULT, StepOptions.NONE,
        OptionalInt.empty(), List.of(), Optional.empty(), Optional.empty(), List.of(),
        Optional.empty(), Optional.empty(), OnNone.SKIP, Optional.empty());
  }

  private static TemplateDefinition template(StepDefinition... steps) {
    return new TemplateDefinition(new TemplateKey("shop", "order", "1.0.0"), Optional.empty(),
        IdentityStrategy.STRICT, IdentityReuse.NEVER, SearchAttributes.NONE, Optional.empty(),
        Lifecycle.DEFAULT, "{}", SystemDependencies.DEFAULT, List.of(),
        Collections.emptySortedMap(),
        List.of(steps), List.of(), Optional.empty(), false);
  }

  @Test
  void a_template_has_at_least_one_step() {
    assertThatThrownBy(() -> template()).isInstanceOf(IllegalArgumentException.class)
        .hasMessage("steps must not be empty");
  }

  @Test
  void step_names_are_unique() {
    assertThatThrownBy(() -> template(step("a"), step("a")))
        .hasMessage("steps must have unique names, but there are two of a");
  }

  @Test
  void dependencies_exist() {
    assertThatThrownBy(() -> template(step("a", "b")))
        .hasMessage("step.dependencies of a must exist, but there is no step b");
  }

  @Test
  void dependencies_form_no_cycle() {
    assertThatThrownBy(() -> template(step("a", "b"), step("b", "a")))
        .hasMessage("steps must not depend on each other in a cycle, as these do: [[a, b]]");
  }

  @Test
  void a_decision_has_a_dependency() {
    assertThatThrownBy(() -> step("a", StepType.DECISION))
        .hasMessageContaining("its type is DECISION");
  }

  @Test
  void the_first_attempt_needs_no_permission() {
    assertThat(
        new RetryPolicy(false, 0, BackoffKind.NONE, 1, 1, OnWorkerLost.RESCHEDULE).maxAttempts())
        .isZero();
    assertThatThrownBy(
        () -> new RetryPolicy(true, 101, BackoffKind.NONE, 1, 1, OnWorkerLost.RESCHEDULE))
        .hasMessage("max_attempts must be between 0 and 100, but is 101");
    assertThatThrownBy(
        () -> new RetryPolicy(true, 1, BackoffKind.NONE, 2, 1, OnWorkerLost.RESCHEDULE))
        .hasMessage("max_backoff_ms 1 must not be less than backoff_base_ms 2");
  }

  @Test
  void policies_have_a_pointer_and_count_nothing_twice() {
    var one = new ConcurrencyPolicy(1, Optional.of("/a"), LimitedUnit.STEPS, WhenFull.QUEUE);
    assertThatThrownBy(
        () -> new ConcurrencyPolicy(0, Optional.empty(), LimitedUnit.TASKS, WhenFull.QUEUE))
        .hasMessage("concurrency.limit must be between 1 and 1000000, but is 0");
    assertThatThrownBy(
        () -> new ConcurrencyPolicy(1, Optional.of("a"), LimitedUnit.TASKS, WhenFull.QUEUE))
        .hasMessage("concurrency.key must be a JSON pointer such as /customer_id");
    assertThat(ConcurrencyPolicy.isPointer("/a~1b/~0/")).isTrue();
    assertThat(ConcurrencyPolicy.isPointer("/~2")).isFalse();
    assertThatThrownBy(
        () -> ConcurrencyPolicy.distinct(List.of(one,
            new ConcurrencyPolicy(2, one.key(), LimitedUnit.STEPS, WhenFull.FAIL_FAST)), "c"))
        .hasMessage("c must not count the same by the same key twice");
    assertThat(ConcurrencyPolicy.distinct(
        List.of(one, new ConcurrencyPolicy(2, one.key(), LimitedUnit.TASKS, WhenFull.QUEUE)), "c"))
        .hasSize(2);
  }

  @Test
  void collections_cannot_be_changed_from_outside() {
    var environments = new TreeMap<String, EnvironmentOverrides>();
    var template = new TemplateDefinition(new TemplateKey("shop", "order", "1.0.0"),
        Optional.empty(), IdentityStrategy.STRICT, IdentityReuse.NEVER, SearchAttributes.NONE,
        Optional.empty(), Lifecycle.DEFAULT, "{}",
        SystemDependencies.DEFAULT, List.of(),
        environments, List.of(step("a")), List.of(), Optional.empty(), false);

    environments.put("late", new EnvironmentOverrides(List.of()));

    assertThat(template.environments()).isEmpty();
    assertThatThrownBy(() -> template.steps().clear())
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(
        () -> template.steps().get(0).handler().orElseThrow().initialization().put("a", "1"))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void a_key_reads_like_a_coordinate() {
    assertThat(new TemplateKey("shop", "order", "1.0.0")).hasToString("shop/order:1.0.0");
  }
}
