package ee.tasker.template;

import static ee.tasker.template.Templates.problemsOf;
import static ee.tasker.template.Templates.read;
import static ee.tasker.template.Templates.readStep;
import static ee.tasker.template.Templates.withKeys;
import static ee.tasker.template.Templates.withSteps;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.template.model.BackoffKind;
import ee.tasker.template.model.DeliveryMode;
import ee.tasker.template.model.EventCondition;
import ee.tasker.template.model.FailureStrategy;
import ee.tasker.template.model.IdentityReuse;
import ee.tasker.template.model.IdentityStrategy;
import ee.tasker.template.model.Lifecycle;
import ee.tasker.template.model.OnFailure;
import ee.tasker.template.model.OnStepError;
import ee.tasker.template.model.OnWorkerLost;
import ee.tasker.template.model.PublishedLifecycle;
import ee.tasker.template.model.RetryPolicy;
import ee.tasker.template.model.StalenessAction;
import ee.tasker.template.model.StepDefinition;
import ee.tasker.template.model.StepType;
import ee.tasker.template.model.SystemDependencies;
import ee.tasker.template.model.TemplateKey;
import ee.tasker.template.model.TimeoutAction;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class TemplateReaderTest {

  @Test
  void a_template_of_one_step_gets_every_default() {
    var template = read(withKeys(""));

    assertThat(template.key()).isEqualTo(new TemplateKey("shop", "order", "1.0.0"));
    assertThat(template.description()).isEmpty();
    assertThat(template.identityStrategy()).isEqualTo(IdentityStrategy.STRICT);
    assertThat(template.reuse()).isEqualTo(IdentityReuse.NEVER);
    assertThat(template.searchAttributes().isEmpty()).isTrue();
    assertThat(template.inputSchema()).isEmpty();
    assertThat(template.lifecycle()).isEqualTo(Lifecycle.DEFAULT);
    assertThat(template.metadata()).isEqualTo("{}");
    assertThat(template.systemDependencies())
        .isEqualTo(new SystemDependencies("default", List.of()));
    assertThat(template.domainEvents()).isEmpty();
    assertThat(template.environments()).isEmpty();
    var step = template.steps().get(0);
    assertThat(step.type()).isEqualTo(StepType.STANDARD);
    assertThat(step.handler().orElseThrow().method()).isEqualTo("call");
    assertThat(step.handler().orElseThrow().resolver()).isEmpty();
    assertThat(step.handler().orElseThrow().initialization()).isEmpty();
    assertThat(step.dependencies()).isEmpty();
    assertThat(step.retry()).isEqualTo(
        new RetryPolicy(true, 3, BackoffKind.EXPONENTIAL, 1_000, 60_000, OnWorkerLost.RESCHEDULE));
    assertThat(step.options().timeoutSeconds()).isEmpty();
  }

  @Test
  void every_key_of_a_template_is_read() {
    var template = read(withKeys("""
        description: Takes an order
        identity_strategy: caller_provided
        reuse: after_failure
        search_attributes: {order: order_id, customer: customer.id}
        input_schema: {type: object, required: [id]}
        metadata: {author: ann, tags: [a, b], notes: free}
        system_dependencies: {primary: db, secondary: [mail]}
        lifecycle:
          max_duration_minutes: 43200
          max_waiting_for_dependencies_minutes: 10080
          max_waiting_for_retry_minutes: 2
          max_steps_in_process_minutes: 3
          staleness_action: error
          publishes_events: [approvals, tasks]
          auto_fail_on_timeout: true
          auto_dlq_on_timeout: true
          on_step_error: continue
          sla_minutes: 15
          unserved_seconds: 3600
          retention_days: 90
          max_steps_per_decision: 7
          max_decision_depth: 2
          max_batches_per_step: 9
          max_duration: P1DT2H
          on_timeout: cancel
        domain_events:
        - {name: order.taken, description: It is ours, schema: {type: object}}
        """));

    assertThat(template.description()).hasValue("Takes an order");
    assertThat(template.identityStrategy()).isEqualTo(IdentityStrategy.CALLER_PROVIDED);
    assertThat(template.reuse()).isEqualTo(IdentityReuse.AFTER_FAILURE);
    assertThat(template.searchAttributes().paths()).containsExactly(
        java.util.Map.entry("customer", "customer.id"), java.util.Map.entry("order", "order_id"));
    assertThat(template.inputSchema()).hasValue("{\"required\":[\"id\"],\"type\":\"object\"}");
    assertThat(template.metadata())
        .isEqualTo("{\"author\":\"ann\",\"notes\":\"free\",\"tags\":[\"a\",\"b\"]}");
    assertThat(template.systemDependencies())
        .isEqualTo(new SystemDependencies("db", List.of("mail")));
    assertThat(template.lifecycle()).isEqualTo(new Lifecycle(OptionalInt.of(43_200),
        OptionalInt.of(10_080), OptionalInt.of(2), OptionalInt.of(3), StalenessAction.ERROR, true,
        true, OnStepError.CONTINUE, OptionalInt.of(15), OptionalInt.empty(), OptionalInt.of(3600),
        OptionalInt.of(90), OptionalInt.of(7), OptionalInt.of(2), OptionalInt.of(9),
        OptionalInt.empty(), Optional.of("P1DT2H"), TimeoutAction.CANCEL, OnFailure.BLOCK,
        java.util.Set.of(PublishedLifecycle.TASKS, PublishedLifecycle.APPROVALS)));
    assertThat(template.domainEvents()).singleElement().satisfies(event -> {
      assertThat(event.name()).isEqualTo("order.taken");
      assertThat(event.schema()).hasValue("{\"type\":\"object\"}");
    });
  }

  @Test
  void every_key_of_a_step_is_read() {
    var step = readStep("""
        - name: charge
          description: Takes the money
          type: standard
          handler: {callable: shop.Charge, method: capture, resolver: rules, initialization: {rate: 1.50, on: true}}
          system_dependency: bank
          retry: {retryable: false, max_attempts: 0, backoff: linear, backoff_base_ms: 1, max_backoff_ms: 1}
          timeout_seconds: 86400
          publishes_events:
          - {name: charged, condition: always, delivery_mode: broadcast, payload: {total: $.context.total}, schema: true}
          result_schema: {type: object}
        """);

    assertThat(step.handler().orElseThrow().method()).isEqualTo("capture");
    assertThat(step.handler().orElseThrow().resolver()).hasValue("rules");
    assertThat(step.handler().orElseThrow().initialization())
        .isEqualTo(Map.of("rate", "1.50", "on", "true"));
    assertThat(step.systemDependency()).hasValue("bank");
    assertThat(step.retry())
        .isEqualTo(new RetryPolicy(false, 0, BackoffKind.LINEAR, 1, 1, OnWorkerLost.RESCHEDULE));
    assertThat(step.options().timeoutSeconds()).hasValue(86_400);
    assertThat(step.publishesEvents()).singleElement().satisfies(event -> {
      assertThat(event.condition()).isEqualTo(EventCondition.ALWAYS);
      assertThat(event.deliveryMode()).isEqualTo(DeliveryMode.BROADCAST);
      assertThat(event.payload()).hasValue("{\"total\":\"$.context.total\"}");
    });
    assertThat(step.resultSchema()).hasValue("{\"type\":\"object\"}");
  }

  @Test
  void the_two_old_names_of_keys_are_understood() {
    var template = read(withSteps("""
        - {name: a, handler: {callable: h}}
        - {name: b, handler: {callable: h}, depends_on: [a], step_type: decision}
        """));

    assertThat(template.steps().get(1).dependencies()).containsExactly("a");
    assertThat(template.steps().get(1).type()).isEqualTo(StepType.DECISION);
  }

  @Test
  void a_key_and_its_old_name_together_are_refused() {
    assertThat(problemsOf(withSteps("""
        - {name: a, handler: {callable: h}}
        - name: b
          handler: {callable: h}
          dependencies: [a]
          depends_on: [a]
        """))).containsExactly(
        "9:3 steps[1].depends_on: means the same as \"dependencies\"; give only one of them");
  }

  @Test
  void json_is_read_like_yaml() {
    var json = "{\n\t\"name\": \"order\", \"namespace_name\": \"shop\", \"version\": \"1.0.0\",\n"
        + "\t\"description\": \"\\u00fcber \\ud83d\\ude00 \\/\",\n"
        + "\t\"steps\": [{\"name\": \"only\", \"handler\": {\"callable\": \"h\"}}]\n}";

    assertThat(read(json).description()).hasValue("über 😀 /");
    assertThat(read(json).steps()).isEqualTo(read(withKeys("")).steps());
  }

  @Test
  void a_value_of_null_counts_as_absent() {
    var step = readStep("""
        - name: a
          handler: {callable: h, initialization: ~}
          dependencies:
          system_dependency:
          retry: {max_attempts: ~}
          timeout_seconds: null
        """);

    assertThat(step).isEqualTo(readStep("- {name: a, handler: {callable: h}}\n"));
  }

  @Test
  void an_alias_stands_for_what_it_refers_to() {
    var template = read(withSteps("""
        - {name: a, handler: {callable: h}, retry: &patient {max_attempts: 9}}
        - {name: b, handler: {callable: h}, retry: *patient}
        """));

    assertThat(template.steps()).extracting(step -> step.retry().maxAttempts()).containsExactly(9,
        9);
  }

  @Test
  void steps_keep_the_order_of_the_file() {
    var template = read(withSteps("""
        - {name: z, handler: {callable: h}, dependencies: [m, a]}
        - {name: a, handler: {callable: h}}
        - {name: m, handler: {callable: h}}
        """));

    assertThat(template.steps()).extracting(StepDefinition::name).containsExactly("z", "a", "m");
    assertThat(template.steps().get(0).dependencies()).containsExactly("m", "a");
  }

  @Test
  void steps_that_grow_are_read_with_their_defaults() {
    var template = read(withSteps("""
        - {name: cut, type: batchable, handler: {callable: h}, batch_config: {worker_template: part}}
        - {name: part, type: batch_worker, handler: {callable: h}, dependencies: [cut]}
        - {name: route, type: decision, handler: {callable: h}, dependencies: [cut]}
        - {name: join, type: deferred_convergence, handler: {callable: h}, dependencies: [route]}
        """));

    assertThat(template.steps().get(0).batchConfig()).hasValueSatisfying(batch -> {
      assertThat(batch.batchSize()).isEqualTo(1_000);
      assertThat(batch.parallelism()).isEqualTo(10);
      assertThat(batch.cursorField()).isEqualTo("id");
      assertThat(batch.failureStrategy()).isEqualTo(FailureStrategy.CONTINUE_ON_FAILURE);
    });
  }
}
