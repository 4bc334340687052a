package ee.tasker.template;

import static ee.tasker.template.Templates.read;
import static ee.tasker.template.Templates.withKeys;
import static ee.tasker.template.Templates.withSteps;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TemplateJsonTest {

  @Test
  void the_normal_form_has_every_key_and_every_default() {
    assertThat(TemplateJson.toJson(read(withKeys(""))).toString()).isEqualTo(
        """
        {"namespace_name":"shop","name":"order","version":"1.0.0","description":null,"identity_strategy":"strict",\
        "input_schema":null,"lifecycle":{"max_duration_minutes":null,"max_waiting_for_dependencies_minutes":null,\
        "max_waiting_for_retry_minutes":null,"max_steps_in_process_minutes":null,"staleness_action":"dlq",\
        "auto_fail_on_timeout":false,"auto_dlq_on_timeout":false,"on_step_error":"stop","sla_minutes":null},\
        "metadata":{},"system_dependencies":{"primary":"default","secondary":[]},"domain_events":[],"environments":{},\
        "steps":[{"name":"only","description":null,"type":"standard","handler":{"callable":"h","method":"call",\
        "resolver":null,"initialization":{}},"dependencies":[],"system_dependency":null,"retry":{"retryable":true,\
        "max_attempts":3,"backoff":"exponential","backoff_base_ms":1000,"max_backoff_ms":60000},\
        "timeout_seconds":null,"publishes_events":[],"batch_config":null,"result_schema":null}]}""");
  }

  @Test
  void the_normal_form_has_what_was_written() {
    var json = TemplateJson.toJson(read(withSteps("""
        - {name: a, type: batchable, handler: {callable: h, initialization: {z: 1, b: [~, 0x10]}},
           batch_config: {worker_template: b, batch_size: 5}}
        - {name: b, type: batch_worker, handler: {callable: h}, dependencies: [a], publishes_events: [{name: e, payload: {of: $.results.b}}]}
        environments: {prod: {steps: [{name: ALL, retry: {backoff: none}}]}}
        """)));

    var steps = json.getJsonArray("steps");
    assertThat(
        steps.getJsonObject(0).getJsonObject("handler").getJsonObject("initialization").toString())
        .isEqualTo("{\"b\":[null,16],\"z\":1}");
    assertThat(steps.getJsonObject(0).getJsonObject("batch_config").toString())
        .isEqualTo("{\"batch_size\":5,"
            + "\"parallelism\":10,\"cursor_field\":\"id\",\"worker_template\":\"b\",\"failure_strategy\":\"continue_on_failure\"}");
    assertThat(steps.getJsonObject(1).getJsonArray("publishes_events").toString())
        .isEqualTo("[{\"name\":\"e\","
            + "\"description\":null,\"condition\":\"success\",\"schema\":null,\"delivery_mode\":\"durable\",\"payload\":{\"of\":\"$.results.b\"}}]");
    assertThat(json.getJsonObject("environments").toString())
        .isEqualTo("{\"prod\":{\"steps\":[{\"name\":\"ALL\","
            + "\"handler\":{\"initialization\":{}},\"timeout_seconds\":null,\"retry\":{\"backoff\":\"none\"}}]}}");
  }

  @Test
  void spelled_out_defaults_comments_and_key_order_do_not_change_the_hash() {
    var brief = read(withSteps("- {name: a, handler: {callable: h}}\n"));
    var wordy = read("""
        # the same
        steps:
        - timeout_seconds: ~
          handler: {initialization: {}, method: call, callable: "h"}   # the default method
          retry: {max_backoff_ms: 60000, max_attempts: 3}
          name: a
          type: standard
        version: "1.0.0"
        lifecycle: {on_step_error: stop, staleness_action: dlq}
        identity_strategy: strict
        namespace_name: shop
        name: order
        """);

    assertThat(TemplateJson.contentHash(wordy)).isEqualTo(TemplateJson.contentHash(brief));
  }

  @Test
  void the_hash_does_not_depend_on_the_server_or_the_day() {
    var template = read(withKeys("metadata: {ü: \"\\t\\\\\\\"\\u0001/\", n: 1.50, e: 1e3}\n"));

    assertThat(template.metadata())
        .isEqualTo("{\"e\":1000,\"n\":1.50,\"ü\":\"\\t\\\\\\\"\\u0001/\"}");
    assertThat(TemplateJson.contentHash(template))
        .isEqualTo("5d1a9796b5d2c637f772ce3157bdd7ce6f04e976cf950f62aba5e7ea0c1707fb");
  }

  @Test
  void the_order_of_steps_is_content() {
    var template = read(
        withSteps("- {name: a, handler: {callable: h}}\n- {name: b, handler: {callable: h}}\n"));
    var turned = read(
        withSteps("- {name: b, handler: {callable: h}}\n- {name: a, handler: {callable: h}}\n"));

    assertThat(TemplateJson.contentHash(turned)).isNotEqualTo(TemplateJson.contentHash(template));
  }
}
