package ee.tasker.cli.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.test.Tasker;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Templates in the shapes of those that tasker-core and its example applications have. What their
 * loader reads is registered afterwards.
 */
class CoreTemplateTest {
  /** The example applications. */
  private static final String APPLICATION = """
      # Orders of the shop
      name: order_processing
      namespace_name: shop-eu
      version: "1.0"
      loaded_from: /app/config/tasks/order.yaml
      task_handler:
        callable: Orders::OrderTaskHandler
        initialization: {timeout_seconds: 120}
      metadata: {author: Shop, tags: ["namespace:shop"], blog_post: post_01}
      steps:
        # First of all
        - name: validate_cart
          description: Checks the cart
          handler: {callable: Orders::ValidateCart, initialization: {}}
          system_dependency: null
          retry: {retryable: true, limit: 3, backoff: exponential, initial_delay: 2, max_delay: 30}
          lifecycle: {max_steps_in_process_minutes: 120, max_retries: 3, backoff_multiplier: 2.0}
          result_schema: {type: object, required: [total]}
        - name: charge_card
          dependencies: [validate_cart, validate_cart]
          handler: {callable: Orders::ChargeCard, retries: 5}
          retry: {max_attempts: 200, backoff_base_ms: 90000}
          timeout_seconds: 0
      environments:
        test:
          steps:
            - {name: ALL, timeout_seconds: 10, retry: {limit: 2}}
            - {name: gone, timeout_seconds: 5}
            - {name: charge_card, handler: {callable: X, initialization: {sandbox: true}}}
          variables: {a: 1}
      """;
  private static final String DECISION = """
      name: approval
      namespace_name: lending
      version: 1.0.0
      identity_strategy: strict
      lifecycle: {max_duration_minutes: 30, max_waiting_for_retry_minutes: 2, notify: ops}
      steps:
        - {name: route, type: decision, dependencies: [check], handler: {callable: Route}}
        - {name: check, handler: {callable: Check, method: validate, resolver: explicit_mapping}}
        - {name: yes, dependencies: [route], handler: {callable: Yes}}
        - {name: no, dependencies: [route], handler: {callable: No}}
        - {name: end, type: deferred, dependencies: [yes, no], handler: {callable: End}}
      """;
  private static final String BATCH = """
      name: import
      namespace_name: shop
      version: 2.1.0
      steps:
        - name: analyze
          type: batchable
          handler: {callable: Analyze}
          batch_config: {batch_size: 100, parallelism: 5000, cursor_field: id, worker_template: load, failure_strategy: fail_fast, checkpoint_interval: 5}
        - {name: load, type: batch_worker, depends_on: [analyze], handler: {callable: Load}}
        - {name: report, type: deferred_convergence, dependencies: [load], handler: {callable: Report}}
      """;
  private static final String EVENTS = """
      name: events
      namespace_name: payments
      version: 0.1.0
      domain_events:
        - {name: paid, description: Paid, schema: {type: object}, version: 2}
        - {name: paid}
      input_schema: {$schema: "http://json-schema.org/draft-07/schema#", type: object}
      steps:
        - name: pay
          handler: {callable: Pay}
          publishes_events:
            - {name: paid, condition: success, delivery_mode: durable, publisher: shop.PaymentPublisher, schema: {type: object, required: [id], properties: {id: {type: string, pattern: "^A"}}}}
      """;

  static List<String> templates() {
    return List.of(APPLICATION, DECISION, BATCH, EVENTS);
  }

  @ParameterizedTest
  @MethodSource("templates")
  void what_the_original_reads_is_registered(String text) {
    try (Tasker tasker = Tasker.open()) {
      for (boolean keepsBehaviour : new boolean[]{false, true}) {
        Conversion converted = CoreTemplate.convert(text, keepsBehaviour);
        tasker.workflow(converted.templates().get(0).text()
            .replaceFirst("name: ", "name: keep_" + keepsBehaviour + "_")).submit("{}");
        assertThat(converted.isIncomplete()).isFalse();
      }
    }
  }

  @Test
  void every_key_without_effect_is_told() {
    Conversion converted = CoreTemplate.convert(APPLICATION, false);

    assertThat(converted.findings()).extracting(Finding::where).contains("namespace_name",
        "version", "loaded_from", "task_handler", "steps[0].retry.limit",
        "steps[0].retry.initial_delay", "steps[0].retry.max_delay", "steps[0].lifecycle",
        "steps[0].lifecycle.max_steps_in_process_minutes", "steps[1].dependencies",
        "steps[1].handler.retries", "steps[1].retry.max_attempts", "steps[1].timeout_seconds",
        "environments.test.variables", "environments.test.steps[1].name",
        "environments.test.steps[2].handler.callable", "environments.test.steps[0].retry.limit",
        "lifecycle", "steps");
    assertThat(CoreTemplate.convert(EVENTS, false).findings()).extracting(Finding::where).contains(
        "domain_events[0].version", "domain_events[1].name", "input_schema.$schema",
        "steps[0].publishes_events[0].publisher",
        "steps[0].publishes_events[0].schema.properties.id.pattern");
    assertThat(CoreTemplate.convert(BATCH, false).findings()).extracting(Finding::where)
        .contains("steps[0].batch_config.parallelism",
            "steps[0].batch_config.checkpoint_interval", "steps[1].name");
    assertThat(CoreTemplate.convert(DECISION, false).findings()).extracting(Finding::where)
        .contains("steps[4].type", "lifecycle.notify");
  }

  @Test
  void values_are_in_the_units_of_their_new_keys_and_comments_stay() {
    assertThat(CoreTemplate.convert(APPLICATION, false).templates().get(0).text())
        .contains("# Orders of the shop\n", "# First of all\n", "namespace_name: shop_eu",
            "version: \"1.0.0\"", "max_attempts: 3", "backoff_base_ms: 2000",
            "max_backoff_ms: 30000", "max_attempts: 100", "max_backoff_ms: 90000",
            "max_steps_in_process_minutes: 120", "dependencies: [validate_cart]")
        .doesNotContain("task_handler", "limit:", "initial_delay", "max_delay",
            "timeout_seconds: 0");
  }

  @Test
  void behaviour_of_the_original_is_kept_on_request() {
    String text = CoreTemplate.convert(APPLICATION, true).templates().get(0).text();

    assertThat(text).contains("on_step_error: continue", "result_schemas:")
        .doesNotContain("result_schema:");
  }

  @Test
  void keys_that_the_format_has_in_no_such_place_are_left_out() {
    String text = CoreTemplate.convert("""
        name: all
        namespace_name: shop
        version: 1.0.0
        zzz: 1
        identity_strategy: strict
        lifecycle: {sla_minutes: 3, zzz: 2}
        domain_events: [{name: sold, zzz: 3}]
        steps:
          - name: sell
            handler: {callable: Sell, method: call, zzz: 4}
            retry: {max_attempts: 2, on_worker_lost: fail, zzz: 5}
            queue_timeout_seconds: 60
            publishes_events: [{name: sold, delivery_mode: fast, zzz: 6}]
            batch_config: {worker_template: w, parallelism: 2, zzz: 7}
            zzz: 8
        environments:
          test:
            zzz: 9
            steps: [{name: sell, timeout_seconds: 5, queue_timeout_seconds: 1, zzz: 10}]
        """, false).templates().get(0).text();

    assertThat(text).doesNotContain("zzz")
        .contains("identity_strategy: strict", "sla_minutes: 3", "method: call", "max_attempts: 2",
            "on_worker_lost: fail", "queue_timeout_seconds: 60", "delivery_mode: fast",
            "parallelism: 2", "timeout_seconds: 5")
        .doesNotContain("queue_timeout_seconds: 1");
  }

  @Test
  void converted_template_is_not_changed_again() {
    for (String text : templates()) {
      String once = CoreTemplate.convert(text, false).templates().get(0).text();
      assertThat(CoreTemplate.convert(once, false).templates().get(0).text()).isEqualTo(once);
    }
  }

  @Test
  void what_cannot_be_registered_is_missing() {
    Map<String, String> broken = Map.of("version: 1.0.0", "version: latest",
        "namespace_name: lending", "namespace_name: " + "n".repeat(30), "name: approval",
        "name: " + "a".repeat(65), "name: no,", "name: yes,");
    broken.forEach((right, wrong) -> assertThat(
        CoreTemplate.convert(DECISION.replace(right, wrong), false).isIncomplete()).as(wrong)
        .isTrue());
    assertThat(CoreTemplate.convert(DECISION.replace("{name: check,",
        "{composition: {steps: []}, name: check,"), false).isIncomplete()).isTrue();
  }

  @Test
  void what_is_no_template_is_refused_with_the_reason() {
    assertThatThrownBy(() -> CoreTemplate.convert("a: [1", false))
        .isInstanceOf(UnreadableException.class).hasMessageContaining("not YAML");
    assertThatThrownBy(() -> CoreTemplate.convert("name: x", false))
        .isInstanceOf(UnreadableException.class).hasMessageContaining("no template");
    assertThatThrownBy(() -> CoreTemplate.convert("[".repeat(5_000), false))
        .isInstanceOf(UnreadableException.class);
    assertThatThrownBy(() -> CoreTemplate.convert("name: " + "x".repeat(1 << 20), false))
        .isInstanceOf(UnreadableException.class).hasMessageContaining("characters");
  }
}
