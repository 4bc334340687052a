package ee.tasker.template;

import static ee.tasker.template.Templates.problemsOf;
import static ee.tasker.template.Templates.read;
import static ee.tasker.template.Templates.withKeys;
import static ee.tasker.template.Templates.withSteps;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TemplateKeysTest {

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      namespace: shop                                   | unknown key "namespace"; did you mean "namespace_name"?
      task_handler: {callable: Order}                   | unknown key "task_handler"; leave it out: each step names its handler
      steps: [{name: a, lifecycle: {x: 1}}]             | unknown key "lifecycle"; it belongs to the template, beside "steps"; for a step there is "timeout_seconds"
      steps: [{name: a, retry: {initial_delay: 5}}]     | unknown key "initial_delay"; did you mean "backoff_base_ms"? It counts milliseconds
      steps: [{name: a, retry: {max_delay: 5}}]         | unknown key "max_delay"; did you mean "max_backoff_ms"? It counts milliseconds
      steps: [{name: a, retry: {limit: 5}}]             | unknown key "limit"; did you mean "max_attempts"? It counts the first attempt too
      environments: {prod: {steps: [{name: a, retry: {limit: 5}}]}} | unknown key "limit"; did you mean "max_attempts"? It counts the first attempt too
      """)
  void keys_of_other_formats_are_refused_with_what_to_write_instead(String yaml, String message) {
    assertThat(problemsOf(yaml))
        .anySatisfy(problem -> assertThat(problem).endsWith(": " + message));
  }

  @Test
  void unknown_keys_are_refused_everywhere_with_what_was_probably_meant() {
    assertThat(problemsOf("""
        name: order
        namespace_name: shop
        version: 1.0.0
        descripton: typo
        lifecycle:
          slaMinutes: 3
        system_dependencies: {primry: x}
        domain_events:
        - {name: e, schem: {}}
        steps:
        - name: a
          priority: 5
          handler: {callable: h, init: {}}
          retry:
            max-attempts: 3
            initial_delay: 7
          publishes_events:
          - {name: e, delivery: fast}
        - name: b
          type: batch_worker
          dependencies: [c]
          handler: {callable: h}
        - name: c
          type: batchable
          handler: {callable: h}
          batch_config: {worker_template: b, batchsize: 1}
        environments:
          prod:
            step: []
            steps:
            - {name: a, timeout_second: 3, handler: {callable: x}}
        """)).containsExactly(
        "4:1 descripton: unknown key \"descripton\"; did you mean \"description\"?",
        "6:3 lifecycle.slaMinutes: unknown key \"slaMinutes\"; did you mean \"sla_minutes\"?",
        "7:23 system_dependencies.primry: unknown key \"primry\"; did you mean \"primary\"?",
        "9:13 domain_events[0].schem: unknown key \"schem\"; did you mean \"schema\"?",
        "12:3 steps[0].priority: unknown key \"priority\"",
        "13:26 steps[0].handler.init: unknown key \"init\"",
        "15:5 steps[0].retry.max-attempts: unknown key \"max-attempts\"; did you mean \"max_attempts\"?",
        "16:5 steps[0].retry.initial_delay: unknown key \"initial_delay\"; did you mean \"backoff_base_ms\"? It counts milliseconds",
        "18:15 steps[0].publishes_events[0].delivery: unknown key \"delivery\"",
        "26:38 steps[2].batch_config.batchsize: unknown key \"batchsize\"; did you mean \"batch_size\"?",
        "29:5 environments.prod.step: unknown key \"step\"",
        "31:17 environments.prod.steps[0].timeout_second: unknown key \"timeout_second\"; did you mean \"timeout_seconds\"?",
        "31:46 environments.prod.steps[0].handler.callable: unknown key \"callable\"");
  }

  @Test
  void missing_keys_are_reported_at_the_mapping_that_lacks_them() {
    assertThat(problemsOf("description: x\nsteps:\n- name:\n- handler: {}\n- 5\n")).containsExactly(
        "1:1 name: is missing",
        "1:1 namespace_name: is missing",
        "1:1 version: is missing",
        "3:3 steps[0].name: is missing",
        "3:3 steps[0].handler: is missing",
        "4:3 steps[1].name: is missing",
        "4:12 steps[1].handler.callable: is missing",
        "5:3 steps[2]: must be a mapping, but is the number 5");
  }

  @Test
  void a_template_needs_a_step() {
    assertThat(problemsOf(Templates.HEAD + "steps: []\n"))
        .containsExactly("4:8 steps: must have at least one step");
  }

  @Test
  void values_of_the_wrong_type_are_refused_with_what_they_are() {
    assertThat(problemsOf("""
        name: [order]
        namespace_name: true
        version: 1.0
        description: 7
        lifecycle: soon
        metadata: {author: 1, tags: x}
        steps:
        - name: 12
          handler: h
          dependencies: a
          retry: {retryable: "true", max_attempts: "3", backoff: 2}
          timeout_seconds: 1.5
          result_schema: 3
        """)).containsExactly(
        "1:7 name: must be a string, but is a list",
        "2:17 namespace_name: must be a string, but is true; put it in quotes",
        "3:10 version: must be a string, but is the number 1.0; put it in quotes",
        "4:14 description: must be a string, but is the number 7; put it in quotes",
        "5:12 lifecycle: must be a mapping, but is the string \"soon\"",
        "6:20 metadata.author: must be a string, but is the number 1; put it in quotes",
        "6:29 metadata.tags: must be a list, but is the string \"x\"",
        "8:9 steps[0].name: must be a string, but is the number 12; put it in quotes",
        "9:12 steps[0].handler: must be a mapping, but is the string \"h\"",
        "10:17 steps[0].dependencies: must be a list, but is the string \"a\"",
        "11:22 steps[0].retry.retryable: must be true or false, but is the string \"true\"",
        "11:44 steps[0].retry.max_attempts: must be a whole number between 0 and 100, but is the string \"3\"",
        "11:58 steps[0].retry.backoff: must be one of exponential, linear, fibonacci, none, but is \"2\"",
        "12:20 steps[0].timeout_seconds: must be a whole number between 1 and 86400, but is the number 1.5",
        "13:18 steps[0].result_schema: is not a valid JSON Schema: Value is [integer] but should be [object, boolean]");
  }

  @Test
  void numbers_out_of_range_are_refused_with_the_range() {
    assertThat(problemsOf("""
        name: order
        namespace_name: shop
        version: 1.0.0
        lifecycle:
          max_duration_minutes: 43201
          max_waiting_for_retry_minutes: 10081
          sla_minutes: 0
        steps:
        - name: a
          handler: {callable: h}
          retry: {max_attempts: 101, backoff_base_ms: 0, max_backoff_ms: 99999999999999999999}
          timeout_seconds: 86401
        """)).containsExactly(
        "5:25 lifecycle.max_duration_minutes: must be a whole number between 1 and 43200, but is 43201",
        "6:34 lifecycle.max_waiting_for_retry_minutes: must be a whole number between 1 and 10080, but is 10081",
        "7:16 lifecycle.sla_minutes: must be a whole number between 1 and 43200, but is 0",
        "11:25 steps[0].retry.max_attempts: must be a whole number between 0 and 100, but is 101",
        "11:47 steps[0].retry.backoff_base_ms: must be a whole number between 1 and 3600000, but is 0",
        "11:66 steps[0].retry.max_backoff_ms: must be a whole number between 1 and 86400000, but is 99999999999999999999",
        "12:20 steps[0].timeout_seconds: must be a whole number between 1 and 86400, but is 86401");
  }

  @Test
  void a_time_limit_is_a_duration_and_says_how_the_task_ends() {
    String template = """
        name: order
        namespace_name: shop
        version: 1.0.0
        lifecycle: {%s}
        steps:
        - {name: a, handler: {callable: h}}
        """;
    assertThat(problemsOf(template.formatted("max_duration: 3 hours"))).singleElement().asString()
        .startsWith(
            "4:27 lifecycle.max_duration: must be a duration of ISO 8601 of at most ten years");
    assertThat(problemsOf(template.formatted("max_duration: PT0S")))
        .containsExactly("4:27 lifecycle.max_duration: must be longer than zero");
    assertThat(problemsOf(template.formatted("max_duration: P11Y"))).singleElement().asString()
        .contains("at most ten years");
    assertThat(problemsOf(template.formatted("on_timeout: fail")))
        .containsExactly("4:25 lifecycle.on_timeout: needs a max_duration beside it");
    assertThat(problemsOf(template.formatted("max_duration: PT1H, on_timeout: explode")))
        .singleElement().asString()
        .startsWith("4:45 lifecycle.on_timeout: must be one of fail, cancel");
  }

  @Test
  void a_backoff_cap_below_the_base_is_refused() {
    assertThat(problemsOf(withSteps("""
        - {name: a, handler: {callable: h}, retry: {backoff_base_ms: 500, max_backoff_ms: 499}}
        - {name: b, handler: {callable: h}, retry: {backoff_base_ms: 60001}}
        """))).containsExactly(
        "5:83 steps[0].retry.max_backoff_ms: max_backoff_ms 499 must not be less than backoff_base_ms 500",
        "6:62 steps[1].retry.backoff_base_ms: max_backoff_ms 60000 must not be less than backoff_base_ms 60001");
  }

  @Test
  void a_word_that_is_not_one_of_the_words_is_refused_with_the_nearest() {
    assertThat(
        problemsOf(withKeys("identity_strategy: strickt\nlifecycle: {on_step_error: halt}\n")))
        .containsExactly(
            "4:20 identity_strategy: must be one of strict, caller_provided, always_unique, but is \"strickt\""
                + "; did you mean \"strict\"?",
            "5:28 lifecycle.on_step_error: must be one of stop, continue, but is \"halt\"");
    assertThat(problemsOf(withKeys("reuse: after_fail\n"))).containsExactly(
        "4:8 reuse: must be one of never, after_failure, after_end, but is \"after_fail\"; did you mean \"after_failure\"?");
  }

  @Test
  void search_attributes_have_names_and_paths() {
    String path = ": must be a path in the context, members with dots between them such as customer.id; a member begins with a letter or an"
        + " underscore and has letters, digits, underscores and hyphens, but this is ";
    String name = ": the name of a search attribute must be a small letter and at most 62 small letters, digits and underscores";

    assertThat(read(withKeys(
        "search_attributes:\n  order: order_id\n  customer: customer.main-id.x_1\n  none: null\n"))
        .searchAttributes()
        .paths())
        .containsExactly(java.util.Map.entry("customer", "customer.main-id.x_1"),
            java.util.Map.entry("order", "order_id"));
    assertThat(read(withKeys("search_attributes: {}\n")).searchAttributes().isEmpty()).isTrue();
    assertThat(problemsOf(withKeys("search_attributes: [order]\n")))
        .containsExactly("4:20 search_attributes: must be a mapping, but is a list");
    assertThat(problemsOf(withKeys(
        "search_attributes:\n  Order: order_id\n  order: items.0\n  a: ''\n  b: x..y\n  c: 7\n  d: /order\n")))
        .containsExactly(
            "5:10 search_attributes.Order" + name,
            "6:10 search_attributes.order" + path + "\"items.0\"",
            "7:6 search_attributes.a" + path + "\"\"",
            "8:6 search_attributes.b" + path + "\"x..y\"",
            "9:6 search_attributes.c: must be a string, but is the number 7; put it in quotes",
            "10:6 search_attributes.d" + path + "\"/order\"");
    assertThat(problemsOf(withKeys("search_attributes:\n  " + "a".repeat(64) + ": x\n"))).hasSize(1)
        .first().asString().endsWith(name);
    assertThat(problemsOf(
        withKeys("search_attributes: {a: x, b: x, c: x, d: x, e: x, f: x, g: x, h: x, i: x}\n")))
        .containsExactly(
            "4:20 search_attributes: there must be at most 8 search attributes, but there are 9");
    assertThat(problemsOf(withKeys("attributes: {order: order_id}\n"))).hasSize(1).first()
        .asString()
        .endsWith("unknown key \"attributes\"; did you mean \"search_attributes\"?");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0", "1.2.3", "1.0.0-rc.1", "10.20.30-alpha-x", "1.0.0-0a",
    "1.0.0-123456789a"})
  void a_semantic_version_is_accepted(String version) {
    assertThat(read(withKeys("").replace("1.0.0", "'" + version + "'")).key().version())
        .isEqualTo(version);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "1.0", "1.0.0.0", "v1.0.0", "01.0.0", "1.0.0-", "1.0.0-01",
    "1.0.0+build", "1.0.0-a..b",
    "1.0.0-1234567890a"})
  void any_other_version_is_refused(String version) {
    assertThat(problemsOf(withKeys("").replace("1.0.0", "'" + version + "'"))).containsExactly(
        "3:10 version: must be a semantic version such as 1.0.0 or 1.2.3-rc.1 with at most 16 characters, but is \""
            + version + "\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1shop", "_shop", "my-shop", "shöp", "a23456789012345678901234567890"})
  void a_namespace_that_cannot_name_a_queue_is_refused(String namespace) {
    assertThat(problemsOf(withKeys("").replace("shop", namespace))).singleElement().asString()
        .startsWith(
            "2:17 namespace_name: must begin with a letter and have at most 29 letters, digits and underscores");
  }

  @ParameterizedTest
  @CsvSource({"name: order, 64, 1:7 name", "callable: h, 500, 5:36 steps[0].handler.callable",
    "name: only, 128, 5:10 steps[0].name"})
  void a_name_may_be_so_long_and_no_longer(String before, int length, String place) {
    var key = before.substring(0, before.indexOf(' ') + 1);
    read(withKeys("").replace(before, key + "x".repeat(length)));

    assertThat(problemsOf(withKeys("").replace(before, key + "x".repeat(length + 1))))
        .containsExactly(
            place + ": must have at most " + length + " characters, but has " + (length + 1));
  }

  @Test
  void a_name_must_not_be_blank_nor_have_control_characters() {
    assertThat(problemsOf(withSteps("- {name: ' ', handler: {callable: \"a\\nb\"}}\n")))
        .containsExactly(
            "5:10 steps[0].name: must not be blank",
            "5:35 steps[0].handler.callable: must not contain control characters");
  }

  @Test
  void concurrency_policies_are_checked_key_by_key() {
    assertThat(problemsOf(withKeys(
        "concurrency:\n- {limit: 0}\n- {limt: 3}\n- {limit: 2, key: customer}\n- {limit: 1, counts: users}\n"))
        .stream().map(problem -> problem.substring(problem.indexOf(' ') + 1)).toList())
        .containsExactly(
            "concurrency[0].limit: must be a whole number between 1 and 1000000, but is 0",
            "concurrency[1].limit: is missing",
            "concurrency[1].limt: unknown key \"limt\"; did you mean \"limit\"?",
            "concurrency[2].key: must be a JSON pointer into the task's context, such as /customer_id, but is \"customer\"",
            "concurrency[3].counts: must be one of tasks, steps, but is \"users\"");
    assertThat(problemsOf(withSteps(
        "- name: a\n  handler: {callable: h}\n  concurrency: [{limit: 1, counts: tasks}]\n"
            + "- name: b\n  handler: {callable: h}\n  concurrency: [{limit: 1}, {limit: 2, when_full: fail_fast}]\n")))
        .containsExactly(
            "7:36 steps[0].concurrency[0].counts: a policy of a step counts steps; one that counts tasks belongs to the template",
            "10:29 steps[1].concurrency[1]: an earlier policy counts the same by the same key");
    assertThat(problemsOf(
        withKeys(
            "concurrency: [{limit: 1, key: /a}, {limit: 1, key: /b}, {limit: 1, key: /c}, {limit: 1, key: /d}, {limit: 1}]\n")))
        .hasSize(1).first().asString().endsWith("there must be at most 4 policies");
    assertThat(read(withKeys("concurrency: [{limit: 1, key: /a}, {limit: 9, counts: steps}]\n"))
        .concurrency()).hasSize(2);
  }

  @Test
  void problems_come_in_the_order_of_the_text() {
    assertThat(problemsOf("steps:\n- {name: a, b: c}\nzzz: 1\nname: 5\n")).containsExactly(
        "1:1 namespace_name: is missing",
        "1:1 version: is missing",
        "2:3 steps[0].handler: is missing",
        "2:13 steps[0].b: unknown key \"b\"",
        "3:1 zzz: unknown key \"zzz\"",
        "4:7 name: must be a string, but is the number 5; put it in quotes");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a/b", "/", "a\\b", ".", ".."})
  void a_name_that_no_address_can_carry_is_refused(String name) {
    assertThat(problemsOf("name: '" + name
        + "'\nnamespace_name: shop\nversion: 1.0.0\nsteps: [{name: a, handler: {callable: h}}]"))
        .singleElement().asString()
        .contains(
            "name: must have no slash, backslash or control character and be neither . nor ..");
  }
}
