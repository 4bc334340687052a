package ee.tasker.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.client.Operation;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class McpTest {
  private static final String TASK = "01a1fc6e-c2c5-70dd-8baf-9fc43ba29188";
  private static final String STEP = "01a1fc76-e8f1-7f50-a2a7-2f8e3c0f3a11";

  @TempDir
  private Path folder;

  private Program program;

  @BeforeEach
  void start() {
    program = new Program(folder);
    program.answer(Operation.GET_OPEN_API, 200, OpenApi.DOCUMENT.text());
  }

  @AfterEach
  void stop() {
    program.close();
  }

  /** The answers to these messages, in their order. */
  private List<JsonObject> ask(boolean allowsWrites, String... messages) {
    return ask("all", allowsWrites, messages);
  }

  private List<JsonObject> ask(String tools, boolean allowsWrites, String... messages) {
    List<String> arguments = new ArrayList<>(
        tools.isEmpty() ? List.of("mcp") : List.of("mcp", "--tools", tools));
    if (allowsWrites) {
      arguments.add("--allow-write");
    }
    assertThat(
        program.runWith(String.join("\n", messages) + "\n", arguments.toArray(String[]::new)))
        .as(program.err).isZero();
    return program.out.lines().map(line -> Json.createReader(new StringReader(line)).readObject())
        .toList();
  }

  private static String request(int id, String method, String parameters) {
    return "{\"jsonrpc\": \"2.0\", \"id\": " + id + ", \"method\": \"" + method + "\", \"params\": "
        + parameters + "}";
  }

  private static String call(String tool, String arguments) {
    return request(7, "tools/call",
        "{\"name\": \"" + tool + "\", \"arguments\": " + arguments + "}");
  }

  private static JsonObject content(JsonObject answer) {
    JsonObject result = answer.getJsonObject("result");
    assertThat(result.getBoolean("isError")).as(answer.toString()).isFalse();
    return result.getJsonObject("structuredContent");
  }

  private static String error(JsonObject answer) {
    JsonObject result = answer.getJsonObject("result");
    assertThat(result.getBoolean("isError")).as(answer.toString()).isTrue();
    return result.getJsonArray("content").getJsonObject(0).getString("text");
  }

  private List<Operation> sent() {
    return program.requests.stream().map(Program.Request::operation)
        .filter(operation -> operation != Operation.GET_OPEN_API).toList();
  }

  private static Set<String> names(JsonObject answer) {
    Set<String> names = new TreeSet<>();
    answer.getJsonObject("result").getJsonArray("tools").getValuesAs(JsonObject.class)
        .forEach(tool -> names.add(tool.getString("name")));
    return names;
  }

  private static Set<String> names(Set<Operation> operations) {
    Set<String> names = new TreeSet<>();
    operations.forEach(operation -> names.add(operation.name().toLowerCase(java.util.Locale.ROOT)));
    return names;
  }

  @Test
  void a_client_is_greeted_in_its_version_or_in_the_newest() {
    List<JsonObject> answers = ask(false,
        request(1, "initialize", "{\"protocolVersion\": \"2024-11-05\", \"capabilities\": {}}"),
        "{\"jsonrpc\": \"2.0\", \"method\": \"notifications/initialized\"}",
        request(2, "initialize", "{\"protocolVersion\": \"1999-01-01\"}"),
        request(3, "ping", "{}"));

    assertThat(answers).hasSize(3);
    assertThat(answers.get(0).getJsonObject("result").getString("protocolVersion"))
        .isEqualTo("2024-11-05");
    assertThat(answers.get(0).getJsonObject("result").getJsonObject("capabilities"))
        .containsKey("tools");
    assertThat(answers.get(1).getJsonObject("result").getString("protocolVersion"))
        .isEqualTo("2025-06-18");
    assertThat(answers.get(2)).containsEntry("id", Json.createValue(3)).containsEntry("result",
        JsonValue.EMPTY_JSON_OBJECT);
  }

  @Test
  void without_leave_there_are_only_tools_that_read() {
    JsonObject listed = ask(false, request(1, "tools/list", "{}")).get(0);

    assertThat(names(listed)).isEqualTo(names(Tools.READING));
    assertThat(listed.getJsonObject("result").getJsonArray("tools").getValuesAs(JsonObject.class))
        .allSatisfy(tool -> assertThat(tool.getJsonObject("annotations").getBoolean("readOnlyHint"))
            .isTrue());
    assertThat(
        ask(false, call("cancel_task", "{}")).get(0).getJsonObject("error").getString("message"))
        .contains("cancel_task");
    assertThat(sent()).isEmpty();
  }

  @Test
  void with_leave_there_are_actions_too_and_none_for_accounts_servers_and_workers() {
    Set<String> names = names(ask(true, request(1, "tools/list", "{}")).get(0));

    Set<Operation> all = new TreeSet<>(Tools.READING);
    all.addAll(Tools.WRITING);
    assertThat(names).isEqualTo(names(all))
        .noneMatch(name -> name
            .matches(".*(user|key|grant|change_server|claim_steps|retention_policy).*"));
    assertThat(Tools.READING).allMatch(Operation::onlyReads);
    assertThat(Tools.WRITING).noneMatch(Operation::onlyReads);
  }

  @Test
  void unless_groups_are_asked_for_there_are_the_ten_tools_that_matter() {
    JsonObject reading = ask("", false, request(1, "tools/list", "{}")).get(0);
    JsonObject acting = ask("", true, request(1, "tools/list", "{}")).get(0);
    JsonObject all = ask("all", false, request(1, "tools/list", "{}")).get(0);

    assertThat(names(reading)).hasSize(10).contains("list_tasks", "get_task", "diagnose_task",
        "list_steps", "get_template");
    assertThat(names(acting)).isEqualTo(names(Tools.BASIC)).hasSize(15);
    assertThat(reading.toString()).as("what every conversation carries").hasSizeLessThan(15_000);
    assertThat(all.toString().length()).isGreaterThan(2 * reading.toString().length());
  }

  @Test
  void groups_are_the_tags_of_the_interface() {
    assertThat(names(ask("schedules,dead-letters", false, request(1, "tools/list", "{}")).get(0)))
        .contains("list_schedules", "get_schedule", "list_dead_letters")
        .doesNotContain("list_tasks", "pause_schedule");
    assertThat(names(ask("basic,webhooks", true, request(1, "tools/list", "{}")).get(0)))
        .contains("list_tasks", "act_on_task", "list_webhooks", "ping_webhook");
    JsonObject refused = ask("", false, call("list_schedules", "{}")).get(0).getJsonObject("error");
    assertThat(refused.getString("message")).contains("there is no tool list_schedules",
        "--tools schedules");

    assertThat(program.runWith(request(1, "ping", "{}") + "\n", "mcp", "--tools", "basic,nonsense"))
        .isEqualTo(Exit.USAGE);
    assertThat(program.err).contains(
        "there is no group nonsense; there are all, analytics, approvals, basic, dead-letters");
  }

  @Test
  void long_documents_are_left_out_of_answers_unless_they_are_asked_for() {
    ask("", false, call("get_task", "{\"task_uuid\": \"" + TASK + "\"}"),
        call("get_task", "{\"task_uuid\": \"" + TASK + "\", \"max_document_bytes\": 100000}"),
        call("list_tasks", "{}"));

    assertThat(
        program.requests.stream().filter(request -> request.operation() != Operation.GET_OPEN_API)
            .map(request -> request.query().getOrDefault("max_document_bytes", List.of())))
        .containsExactly(List.of("8192"), List.of("100000"), List.of());
  }

  @Test
  void documents_are_resources_that_are_read_part_by_part() {
    program.answer(Operation.READ_STEP_DOCUMENT, 200,
        "{\"text\": \"[1, 2]\", \"next_offset\": null}");
    program.answer(Operation.READ_TASK_DOCUMENT, 200,
        "{\"text\": \"" + "x".repeat(16_384) + "\", \"next_offset\": 16384}");
    program.answer(Operation.GET_TEMPLATE, 200, "{\"source\": \"name: x\", \"configuration\": {}}");
    String read = "{\"uri\": \"tasker://%s\"}";
    List<JsonObject> answers = ask("", false, request(1, "initialize", "{}"),
        request(2, "resources/list", "{}"),
        request(3, "resources/templates/list", "{}"),
        request(4, "resources/read",
            read.formatted("tasks/" + TASK + "/steps/" + STEP + "/result?pointer=%2Frows%2F0")),
        request(5, "resources/read", read.formatted("templates/shop/x/1.0.0")),
        request(6, "resources/read", read.formatted("tasks/" + TASK + "/context")),
        request(7, "resources/read", read.formatted("tasks/" + TASK)),
        request(8, "resources/read", "{\"uri\": \"file:///etc/passwd\"}"),
        request(9, "resources/read", read.formatted("tasks/../context?offset=x")));

    assertThat(answers.get(0).getJsonObject("result").getJsonObject("capabilities"))
        .containsKeys("tools", "resources");
    assertThat(answers.get(1).getJsonObject("result").getJsonArray("resources")).isEmpty();
    assertThat(answers.get(2).getJsonObject("result").getJsonArray("resourceTemplates")
        .getValuesAs(JsonObject.class))
        .extracting(template -> template.getString("uriTemplate"))
        .containsExactly("tasker://tasks/{task_uuid}/{document}{?pointer,offset}",
            "tasker://tasks/{task_uuid}/steps/{step_uuid}/{document}{?pointer,offset}",
            "tasker://templates/{namespace}/{name}/{version}{?offset}");
    assertThat(contents(answers.get(3))).isEqualTo("[1, 2]");
    assertThat(program.requests.get(1).path())
        .isEqualTo("/v1/tasks/" + TASK + "/workflow_steps/" + STEP + "/documents/result");
    assertThat(program.requests.get(1).query()).containsEntry("pointer", List.of("/rows/0"));
    assertThat(contents(answers.get(4))).isEqualTo("name: x");
    assertThat(contents(answers.get(5))).startsWith("xxx")
        .endsWith("x\n… cut here: the rest has offset=16384");
    assertThat(program.requests.get(3).query()).containsEntry("limit", List.of("60000"))
        .containsEntry("offset", List.of("0"));
    assertThat(answers.get(6).getJsonObject("error").getString("message"))
        .contains("there is no resource", "tasker://templates/");
    assertThat(answers.get(7).getJsonObject("error").getInt("code")).isEqualTo(-32002);
    assertThat(answers.get(8).getJsonObject("error").getInt("code")).isEqualTo(-32002);
  }

  private static String contents(JsonObject answer) {
    assertThat(answer).containsKey("result");
    return answer.getJsonObject("result").getJsonArray("contents").getJsonObject(0)
        .getString("text");
  }

  @Test
  void a_tool_is_described_by_the_document() {
    JsonObject tools = ask(true, request(1, "tools/list", "{}")).get(0);
    List<JsonObject> all = tools.getJsonObject("result").getJsonArray("tools")
        .getValuesAs(JsonObject.class);

    assertThat(all).allSatisfy(tool -> {
      assertThat(tool.toString()).doesNotContain("$ref");
      assertThat(tool.getString("description")).isNotBlank();
      assertThat(tool.getJsonObject("inputSchema").getString("type")).isEqualTo("object");
    });
    JsonObject list = all.stream().filter(tool -> tool.getString("name").equals("list_tasks"))
        .findFirst().orElseThrow();
    JsonObject state = list.getJsonObject("inputSchema").getJsonObject("properties")
        .getJsonObject("state");
    assertThat(state.getJsonObject("items").getJsonArray("enum").getValuesAs(JsonString::getString))
        .contains("blocked_by_failures");
    JsonObject act = all.stream().filter(tool -> tool.getString("name").equals("act_on_task"))
        .findFirst().orElseThrow()
        .getJsonObject("inputSchema");
    assertThat(act.getJsonObject("properties").keySet())
        .contains("task_uuid", "action_type", "reason", "confirm")
        .doesNotContain("requested_by");
    assertThat(act.getJsonArray("required").getValuesAs(JsonString::getString))
        .containsExactlyInAnyOrder("task_uuid", "action_type",
            "reason");
  }

  @Test
  void a_tool_sends_its_arguments_to_where_they_belong() {
    List<JsonObject> answers = ask(false,
        call("list_tasks",
            "{\"state\": [\"error\", \"blocked_by_failures\"], \"limit\": 5, \"attribute\": [\"a:1\", \"b:2\"]}"),
        call("get_step", "{\"task_uuid\": \"" + TASK + "\", \"step_uuid\": \"" + STEP + "\"}"),
        call("validate_template", "{\"template\": \"name: x\\n\"}"));

    assertThat(content(answers.get(0))).containsKey("tasks");
    List<Program.Request> requests = program.requests.stream()
        .filter(request -> request.operation() != Operation.GET_OPEN_API).toList();
    assertThat(requests.get(0).query()).containsEntry("state", List.of("error,blocked_by_failures"))
        .containsEntry("limit", List.of("5"))
        .containsEntry("attribute", List.of("a:1", "b:2"));
    assertThat(requests.get(1).path()).isEqualTo("/v1/tasks/" + TASK + "/workflow_steps/" + STEP);
    assertThat(requests.get(2).body()).isEqualTo("name: x\n");
    assertThat(requests)
        .allSatisfy(request -> assertThat(request.authorization()).isEqualTo("ApiKey tkr_test"));
  }

  @Test
  void an_action_is_shown_first_and_done_when_it_is_confirmed() {
    String arguments = "{\"task_uuid\": \"" + TASK
        + "\", \"action_type\": \"retry\", \"reason\": \"the bank is back\"%s}";
    JsonObject preview = content(ask(true, call("act_on_task", arguments.formatted(""))).get(0));

    assertThat(preview.getBoolean("preview")).isTrue();
    assertThat(preview.getJsonObject("task").getString("task_uuid")).isNotEmpty();
    assertThat(sent()).containsExactly(Operation.GET_TASK);
    // The preview of another process confirms nothing.
    assertThat(error(ask(true,
        call("act_on_task",
            arguments.formatted(", \"confirm\": \"" + preview.getString("confirm") + "\"")))
        .get(0)))
        .contains("does not confirm anything");
    assertThat(sent()).containsExactly(Operation.GET_TASK);
  }

  @Test
  void a_confirmation_is_for_the_same_arguments_and_once() throws Exception {
    String arguments = "{\"task_uuid\": \"" + TASK + "\", \"step_uuid\": \"" + STEP
        + "\", \"action_type\": \"resolve_manually\", \"reason\": \"%s\"%s}";
    try (Dialogue dialogue = new Dialogue(program)) {
      String token = content(
          dialogue.ask(call("act_on_step", arguments.formatted("told by phone", ""))))
          .getString("confirm");
      String confirmed = ", \"confirm\": \"" + token + "\"";
      String other = content(
          dialogue.ask(call("act_on_step", arguments.formatted("told by phone", ""))))
          .getString("confirm");
      assertThat(error(
          dialogue.ask(call("act_on_step", arguments.formatted("another reason", confirmed)))))
          .contains("does not confirm");
      assertThat(
          error(dialogue.ask(call("act_on_step", arguments.formatted("told by phone", confirmed)))))
          .as("used up by the wrong call")
          .contains("does not confirm");
      assertThat(sent()).doesNotContain(Operation.ACT_ON_STEP);

      content(dialogue.ask(call("act_on_step",
          arguments.formatted("told by phone", ", \"confirm\": \"" + other + "\""))));
      assertThat(error(dialogue.ask(call("act_on_step",
          arguments.formatted("told by phone", ", \"confirm\": \"" + other + "\"")))))
          .contains("does not confirm");
    }
    List<Program.Request> acted = program.requests.stream()
        .filter(request -> request.operation() == Operation.ACT_ON_STEP).toList();
    assertThat(acted).hasSize(1);
    assertThat(acted.get(0).body()).contains("\"resolved_by\":\"ann\"");
    assertThat(OpenApi.DOCUMENT.complaints(Operation.ACT_ON_STEP, acted.get(0).body())).isEmpty();
  }

  @Test
  void a_template_is_validated_before_it_is_registered_and_a_cancel_says_who_asks()
      throws Exception {
    try (Dialogue dialogue = new Dialogue(program)) {
      JsonObject preview = content(
          dialogue.ask(call("register_template", "{\"template\": \"name: x\"}")));
      assertThat(preview).containsKey("validation");
      assertThat(sent()).containsExactly(Operation.VALIDATE_TEMPLATE);
      String cancel = "{\"task_uuid\": \"" + TASK + "\", \"reason\": \"not wanted\"%s}";
      String token = content(dialogue.ask(call("cancel_task", cancel.formatted(""))))
          .getString("confirm");
      content(
          dialogue.ask(call("cancel_task", cancel.formatted(", \"confirm\": \"" + token + "\""))));
    }
    assertThat(program.requests.get(program.requests.size() - 1).query())
        .containsEntry("requested_by", List.of("ann"))
        .containsEntry("reason", List.of("not wanted"));
  }

  @Test
  void batches_domain_events_and_webhooks_can_be_read() {
    List<JsonObject> answers = ask(false,
        call("list_steps",
            "{\"task_uuid\": \"" + TASK + "\", \"batch\": \"" + STEP + "\", \"state\": \"error\"}"),
        call("list_domain_events",
            "{\"namespace\": \"orders\", \"type\": \"tasker.task.failed\", \"with_error\": true}"),
        call("list_webhook_deliveries",
            "{\"webhook_uuid\": \"" + TASK + "\", \"state\": \"dead\"}"));

    answers.forEach(McpTest::content);
    assertThat(sent()).containsExactly(Operation.LIST_STEPS, Operation.LIST_DOMAIN_EVENTS,
        Operation.LIST_WEBHOOK_DELIVERIES);
    assertThat(program.requests.get(1).query()).containsEntry("batch", List.of(STEP))
        .containsEntry("state", List.of("error"));
    assertThat(program.requests.get(2).query()).containsEntry("with_error", List.of("true"));
  }

  @Test
  void a_delivery_is_shown_before_it_is_sent_again_and_the_request_says_who_asks()
      throws Exception {
    String retry = "{\"webhook_uuid\": \"" + TASK + "\", \"delivery_uuid\": \"" + STEP
        + "\", \"reason\": \"their server is back\"%s}";
    try (Dialogue dialogue = new Dialogue(program)) {
      JsonObject preview = content(
          dialogue.ask(call("retry_webhook_delivery", retry.formatted(""))));
      assertThat(preview).containsKey("delivery");
      assertThat(sent()).containsExactly(Operation.GET_WEBHOOK_DELIVERY);
      content(dialogue.ask(call("retry_webhook_delivery",
          retry.formatted(", \"confirm\": \"" + preview.getString("confirm") + "\""))));
    }
    Program.Request last = program.requests.get(program.requests.size() - 1);
    assertThat(last.operation()).isEqualTo(Operation.RETRY_WEBHOOK_DELIVERY);
    assertThat(last.body()).contains("\"requested_by\":\"ann\"");
    assertThat(OpenApi.DOCUMENT.complaints(Operation.RETRY_WEBHOOK_DELIVERY, last.body()))
        .isEmpty();
  }

  @Test
  void a_backfill_is_previewed_by_the_server() {
    JsonObject preview = content(ask(true, call("backfill_schedule",
        "{\"schedule_uuid\": \"" + TASK
            + "\", \"from\": \"2026-11-01T00:00:00Z\", \"to\": \"2026-11-02T00:00:00Z\", \"reason\": \"lost\"}"))
        .get(0));

    assertThat(preview).containsKeys("schedule", "backfill");
    assertThat(sent()).containsExactly(Operation.GET_SCHEDULE, Operation.BACKFILL_SCHEDULE);
    assertThat(program.requests.get(2).body()).contains("\"dry_run\":true");
  }

  @Test
  void a_bulk_action_is_confirmed_by_the_token_of_its_preview() {
    content(
        ask(true, call("preview_bulk_action",
            "{\"action_type\": \"retry\", \"reason\": \"r\", \"filter\": {\"namespace\": \"orders\"}}"))
            .get(0));

    assertThat(sent()).containsExactly(Operation.PREVIEW_BULK_ACTION);
    assertThat(
        OpenApi.DOCUMENT.complaints(Operation.PREVIEW_BULK_ACTION, program.requests.get(1).body()))
        .isEmpty();
  }

  @Test
  void wrong_arguments_send_nothing() {
    List<JsonObject> answers = ask(false, call("get_task", "{}"),
        call("get_task", "{\"task_uuid\": \"" + TASK + "\", \"colour\": 1}"),
        call("get_task", "{\"task_uuid\": \"..\"}"));

    assertThat(error(answers.get(0))).contains("task_uuid");
    assertThat(error(answers.get(1))).contains("colour");
    assertThat(error(answers.get(2))).contains("cannot be part of a path");
    assertThat(sent()).isEmpty();
  }

  @Test
  void a_problem_is_an_answer_and_not_the_end() {
    program.answer(Operation.GET_TASK, 404,
        "{\"type\": \"about:blank\", \"title\": \"Not found\", \"status\": 404, \"code\": \"task-not-found\", \"detail\": \"no such task\"}");

    List<JsonObject> answers = ask(false, call("get_task", "{\"task_uuid\": \"" + TASK + "\"}"),
        request(8, "ping", "{}"));

    assertThat(error(answers.get(0))).contains("task-not-found").contains("no such task");
    assertThat(answers.get(1).getInt("id")).isEqualTo(8);
  }

  @Test
  void what_is_no_request_is_answered_with_the_codes_of_json_rpc() {
    List<JsonObject> answers = ask(false, "{", "[]", "{\"jsonrpc\": \"2.0\", \"id\": 1}",
        request(2, "prompts/list", "{}"),
        call("no_tool", "{}"),
        "{\"jsonrpc\": \"2.0\", \"id\": 9, \"result\": {}}", "", request(3, "ping", "{}"));

    assertThat(answers).hasSize(6);
    assertThat(
        answers.stream().limit(5).map(answer -> answer.getJsonObject("error").getInt("code")))
        .containsExactly(-32700, -32600,
            -32600, -32601, -32602);
    assertThat(answers.get(0).get("id")).isEqualTo(JsonValue.NULL);
  }

  @Test
  void a_huge_answer_is_cut() {
    program.answer(Operation.GET_TASK, 200,
        "{\"context\": {\"text\": \"" + "x".repeat(1_000_000) + "\"}}");

    JsonObject result = ask(false, call("get_task", "{\"task_uuid\": \"" + TASK + "\"}")).get(0)
        .getJsonObject("result");

    assertThat(result.getJsonArray("content").getJsonObject(0).getString("text"))
        .hasSizeLessThan(Mcp.LONGEST_TEXT + 200)
        .contains("cut here");
    assertThat(result).doesNotContainKey("structuredContent");
  }

  @Test
  void a_server_that_is_not_there_is_told_at_once() {
    program.environment.put("TASKER_URL", "http://127.0.0.1:1");

    assertThat(program.runWith(request(1, "ping", "{}") + "\n", "mcp")).isEqualTo(Exit.UNREACHABLE);
    assertThat(program.out).isEmpty();
    assertThat(program.err).contains("127.0.0.1:1");
  }
}
