package ee.tasker.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.client.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the program prints and how it ends. */
class TaskerTest {
  private static final String TASK = "01a1fc6e-c2c5-70dd-8baf-9fc43ba29188";

  @TempDir
  private Path folder;
  private Program tasker;

  @BeforeEach
  void start() {
    tasker = new Program(folder.resolve("tasker"));
  }

  @AfterEach
  void close() {
    tasker.close();
  }

  @ParameterizedTest
  @CsvSource({"404,task-not-found,3", "409,task-already-ended,4", "422,idempotency-key-reused,4",
    "400,invalid-request,5",
    "413,body-too-large,5",
    "401,not-authenticated,6", "429,too-many-failures,6", "403,not-permitted,7",
    "500,internal-error,1"})
  void refusal_ends_with_its_status_and_the_server_s_words(int http, String code, int exit) {
    tasker.answer(Operation.GET_TASK, http,
        "{\"title\":\"Refused\",\"status\":" + http + ",\"detail\":\"the reason\",\"code\":\""
            + code
            + "\",\"violations\":[{\"field\":\"name\",\"message\":\"must be a string\"}]}");

    assertThat(tasker.run("task", "get", TASK)).isEqualTo(exit);
    assertThat(tasker.err)
        .startsWith("tasker: Refused: the reason (" + code + ")\n  name: must be a string\n")
        .doesNotContain("\tat ");
    assertThat(tasker.out).isEmpty();
  }

  @Test
  void server_that_is_away_is_unreachable() {
    tasker.close();

    assertThat(tasker.run("task", "get", TASK)).isEqualTo(Exit.UNREACHABLE);
    assertThat(tasker.err).contains("Cannot reach " + tasker.url()).doesNotContain("\tat ",
        "tkr_test");
  }

  @Test
  void debug_shows_where_an_error_comes_from() {
    tasker.close();

    assertThat(tasker.run("--debug", "task", "get", TASK)).isEqualTo(Exit.UNREACHABLE);
    assertThat(tasker.err).contains("\tat ee.tasker.client");
  }

  /** One problem for each: what follows from a word that does not exist is not complained of. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"tsk list|There is no command \"tsk\"|task",
    "task lst|There is no command \"task lst\"|list",
    "why|There is no command \"why\"|task why", "nonsense list|There is no command \"nonsense\"|",
    "task dignose x|There is no command \"task dignose\"|diagnose",
    "task list --stat error|Unknown option --stat|--state",
    "task list --colour red|Unknown option --colour|",
    "task cancel --reasn x|Unknown option --reasn|--reason",
    "task get --wat 3|Unknown option --wat|--wait", "task list -x|Unknown option -x|",
    "task list --z|Unknown option --z|",
    "task submit a/b --contex={}|Unknown option --contex|--context"})
  void typo_is_told_alone_with_what_is_a_typo_away(String line, String problem, String meant) {
    assertThat(tasker.run(line.split(" "))).isEqualTo(Exit.USAGE);

    assertThat(tasker.err.lines().filter(each -> !each.startsWith("See: ")))
        .containsExactlyElementsOf(
            meant == null ? List.of("tasker: " + problem)
                : List.of("tasker: " + problem, "Did you mean " + meant + "?"));
    assertThat(tasker.requests).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    "task get xyz|TASK must be a UUID, or the beginning of one with 4 digits or more, not \"xyz\"",
    "task get 01a|TASK must be a UUID, or the beginning of one with 4 digits or more, not \"01a\"",
    "task list --correlation-id 01a1fc6e|--correlation-id must be a UUID, not \"01a1fc6e\"",
    "task list --limit x|--limit must be a whole number, not \"x\"",
    "task list --timeout x|--timeout must be at least 1 second, a whole number, not \"x\"",
    "template validate no-such-file|Cannot read the file no-such-file: it does not exist",
    "task get " + TASK + " extra|\"extra\" is one argument too many",
    "task signal " + TASK + " paid 1 --payload 2|PAYLOAD and --payload exclude each other"})
  void messages_name_what_was_typed_and_no_class_of_the_program(String line, String message) {
    assertThat(tasker.run(line.split(" "))).isEqualTo(Exit.USAGE);

    assertThat(tasker.err).startsWith("tasker: " + message + "\n")
        .doesNotContainPattern("[a-z]Exception|java\\.");
    assertThat(tasker.requests).isEmpty();
  }

  @Test
  void fault_of_the_program_is_told_without_its_class() {
    tasker.answer(Operation.LIST_TASKS, 200,
        "{\"tasks\":[{\"task_uuid\":\"t\"}],\"next\":\"" + TASK + "\"}");

    assertThat(tasker.run("task", "list", "--all")).isEqualTo(Exit.FAULT);
    assertThat(tasker.err)
        .isEqualTo("tasker: internal error: the server answers the same page again, after " + TASK
            + "; --debug shows where\n");
  }

  @Test
  void beginning_of_a_uuid_stands_for_the_only_task_that_has_it() {
    String found = "{\"tasks\":[{\"task_uuid\":\"" + TASK
        + "\"},{\"task_uuid\":\"%s\"}],\"next\":null}";
    tasker.answer(Operation.LIST_TASKS, 200,
        found.formatted("01a1fc6e-c2c6-70dd-8baf-9fc43ba29188"));

    assertThat(tasker.run("task", "get", "01A1FC6E-c2c5", "-o", "json")).as(tasker.err).isZero();
    assertThat(tasker.requests.get(0).query()).containsExactlyInAnyOrderEntriesOf(
        Map.of("order", List.of("oldest"), "limit", List.of("2"),
            "cursor", List.of("01a1fc6e-c2c4-ffff-ffff-ffffffffffff"),
            "created_before",
            List.of(Instant.ofEpochMilli(0x01a1fc6ec2c5L).plusSeconds(1).toString())));
    assertThat(tasker.requests.get(1).path()).isEqualTo("/v1/tasks/" + TASK);

    assertThat(tasker.run("task", "get", "01a1fc6e")).isEqualTo(Exit.USAGE);
    assertThat(tasker.err).isEqualTo("tasker: More than one task begins with 01a1fc6e: " + TASK
        + ", 01a1fc6e-c2c6-70dd-8baf-9fc43ba29188; give more of it\n");
    assertThat(tasker.run("task", "cancel", "01a1fc6d", "-m", "x")).isEqualTo(Exit.NOT_FOUND);
    assertThat(tasker.requests).extracting(Program.Request::operation)
        .doesNotContain(Operation.CANCEL_TASK);
    assertThat(tasker.run("task", "get", "ffff")).as("of no year that the server takes")
        .isEqualTo(Exit.NOT_FOUND);
    assertThat(tasker.requests.get(tasker.requests.size() - 1).query())
        .containsEntry("created_before", List.of("9999-12-01T00:00:00Z"));
  }

  @Test
  void beginnings_of_other_uuids_are_looked_up_in_their_lists() {
    tasker.answer(Operation.LIST_SCHEDULES, 200,
        "{\"schedules\":[{\"schedule_uuid\":\"" + TASK
            + "\"},{\"schedule_uuid\":\"01a1fd00-0000-7000-8000-000000000001\"}],\"next\":null}");
    tasker.answer(Operation.LIST_WEBHOOK_DELIVERIES, 200,
        "{\"deliveries\":[{\"delivery_uuid\":\"" + TASK + "\"}],\"next\":null}");

    assertThat(tasker.run("schedule", "get", "01a1fc6e")).as(tasker.err).isZero();
    assertThat(tasker.run("webhook", "delivery", TASK, "01a1")).as(tasker.err).isZero();
    assertThat(tasker.requests).extracting(Program.Request::path).contains("/v1/schedules/" + TASK,
        "/v1/webhooks/" + TASK + "/deliveries/" + TASK);
    assertThat(tasker.run("schedule", "get", "01a1f")).isEqualTo(Exit.USAGE);
    assertThat(tasker.run("grant", "revoke", "01a1f")).isEqualTo(Exit.USAGE);
    assertThat(tasker.err).contains("GRANT must be a whole UUID");
  }

  @Test
  void last_is_the_task_that_was_submitted_from_here() throws IOException {
    assertThat(tasker.run("task", "get", "--last")).isEqualTo(Exit.USAGE);
    assertThat(tasker.err).contains("no task was submitted from here to " + tasker.url());
    tasker.answer(Operation.SUBMIT_TASK, 201,
        "{\"task_uuid\":\"" + TASK + "\",\"state\":\"pending\"}");
    assertThat(tasker.run("task", "submit", "a/b")).isZero();
    tasker.requests.clear();

    assertThat(tasker.run("-o", "json", "task", "get", "--last")).as(tasker.err).isZero();
    assertThat(tasker.run("step", "get", TASK, "--last", "-o", "json"))
        .as("the step after the task").isZero();
    assertThat(tasker.requests).extracting(Program.Request::path).containsExactly(
        "/v1/tasks/" + TASK,
        "/v1/tasks/" + TASK + "/workflow_steps/" + TASK);
    try (Program other = new Program(folder.resolve("tasker"))) {
      assertThat(other.run("task", "get", "--last")).as("of another server").isEqualTo(Exit.USAGE);
    }
    assertThat(PosixFilePermissions
        .toString(Files.getPosixFilePermissions(folder.resolve("tasker/last-tasks.json"))))
        .isEqualTo("rw-------");
  }

  @Test
  void task_tells_what_steps_wait_for_and_why_they_failed() {
    String step = "{\"step_uuid\":\"%s\",\"name\":\"%s\",\"state\":\"%s\",\"attempts\":1,\"max_attempts\":3}";
    String one = step.formatted("s1", "charge", "error");
    String two = step.formatted("s2", "mail", "pending");
    String three = step.formatted("s3", "check", "complete");
    tasker.answer(Operation.GET_TASK, 200,
        "{\"task_uuid\":\"" + TASK + "\",\"state\":\"blocked_by_failures\",\"steps\":[" + one + ","
            + two + "," + three + "]}");
    tasker.answer(Operation.DIAGNOSE_TASK, 200,
        "{\"waiting\":[{\"step_uuid\":\"s1\",\"name\":\"charge\",\"sentence\":\"failed permanently\"},"
            + "{\"step_uuid\":\"s2\",\"name\":\"mail\",\"sentence\":\"waits for charge\"}]}");
    tasker.answer(Operation.LIST_STEPS, 200,
        "{\"steps\":[{\"step_uuid\":\"s1\",\"state\":\"error\",\"error\":{\"type\":\"Declined\",\"message\":\"no cover\"}}]}");

    assertThat(tasker.run("task", "get", TASK)).isZero();
    assertThat(tasker.out).contains("STEP    STATE     ATTEMPTS  OF  WHY",
        "charge  error            1   3  failed permanently: Declined: no cover",
        "mail    pending          1   3  waits for charge", "check   complete         1   3\n");
    tasker.requests.clear();
    tasker.run("task", "get", TASK, "-o", "json");
    assertThat(tasker.out).doesNotContain("why");
    assertThat(tasker.requests).as("a program gets the answer as it is").hasSize(1);
    tasker.answer(Operation.DIAGNOSE_TASK, 403,
        "{\"title\":\"Not permitted\",\"status\":403,\"code\":\"not-permitted\"}");
    assertThat(tasker.run("task", "get", TASK)).as("what may not be read is left out").isZero();
    assertThat(tasker.out).contains("Declined: no cover");
  }

  @Test
  void history_has_the_errors_and_what_was_waited_for() {
    tasker.answer(Operation.GET_TASK_HISTORY, 200, "{\"entries\":["
        + "{\"at\":\"2026-11-21T04:56:06Z\",\"kind\":\"step\",\"step\":\"charge\",\"from_state\":\"pending\",\"to_state\":\"enqueued\"},"
        + "{\"at\":\"2026-11-21T04:56:06Z\",\"kind\":\"result\",\"step\":\"charge\",\"attempt\":1,\"outcome\":\"retryable_failure\","
        + "\"error\":{\"type\":\"Timeout\",\"message\":\"no answer\"}},"
        + "{\"at\":\"2026-11-21T04:56:07Z\",\"kind\":\"wait_armed\",\"step\":\"mail\",\"wait\":\"signal\",\"signal\":\"paid\",\"due_at\":\"2026-11-22T00:00:00Z\"}]}");

    assertThat(tasker.run("task", "history", TASK)).isZero();
    assertThat(tasker.out).contains("pending -> enqueued", "retryable_failure: Timeout: no answer",
        "waits for signal paid until 2026-11-22T00:00:00Z");
  }

  @ParameterizedTest
  @CsvSource({"200", "120", "100", "80", "60", "40"})
  void table_fits_the_terminal(int width) {
    String row = "{\"task_uuid\":\"01a1fc6e-c2c5-70d%d-8baf-9fc43ba29188\",\"namespace\":\"payments_of_the_south\",\"name\":\"a_long_name_of_a_template\","
        + "\"state\":\"blocked_by_failures\",\"completion_percentage\":50.00,\"created_at\":\"2026-11-21T04:56:06.743269+00:00\"}";
    tasker.answer(Operation.LIST_TASKS, 200,
        "{\"tasks\":[" + row.formatted(1) + "," + row.formatted(2) + "],\"next\":null}");
    tasker.environment.put("COLUMNS", Integer.toString(width));
    tasker.environment.put("NO_COLOR", "1");

    assertThat(tasker.onTerminal().run("task", "list")).isZero();

    assertThat(tasker.out.lines()).hasSize(3)
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(width));
    String id = tasker.out.lines().toList().get(1).split(" ")[0];
    assertThat("01a1fc6e-c2c5-70d1-8baf-9fc43ba29188")
        .as("its beginning, which is enough for the next command").startsWith(id);
    assertThat(id).as("and not that of the other")
        .isNotEqualTo(tasker.out.lines().toList().get(2).split(" ")[0]);
    assertThat(tasker.err.contains("Left out, because the terminal is narrow: "))
        .isEqualTo(width < 100);
    tasker.run("task", "list", "-o", "wide");
    assertThat(tasker.out).contains("a_long_name_of_a_template",
        "2026-11-21T04:56:06.743269+00:00");
  }

  @Test
  void template_in_a_file_is_drawn_or_told_to_be_invalid() throws IOException {
    Path file = Files.writeString(folder.resolve("template.yaml"), "name: x");
    tasker.answer(Operation.VALIDATE_TEMPLATE, 200,
        "{\"valid\":true,\"problems\":[],\"template\":{\"steps\":[{\"name\":\"one\"},"
            + "{\"name\":\"two\",\"dependencies\":[\"one\"]}]}}");
    assertThat(tasker.run("template", "graph", file.toString(), "--as", "mermaid")).isZero();
    assertThat(tasker.out).contains("one", "two", "-->");

    tasker.answer(Operation.VALIDATE_TEMPLATE, 200,
        "{\"valid\":false,\"problems\":[{\"line\":3,\"column\":10,\"path\":\"version\",\"message\":\"must be a string\"}]}");
    assertThat(tasker.run("template", "graph", file.toString())).isEqualTo(Exit.INVALID);
    assertThat(tasker.out).contains("invalid", "must be a string");
  }

  @Test
  void payload_of_a_signal_follows_its_name() {
    tasker.run("task", "signal", TASK, "paid", "{\"amount\": 12}", "--signal-id", "p-1");
    tasker.run("task", "signal", TASK, "paid", "--payload", "null");

    assertThat(tasker.requests).extracting(Program.Request::body).containsExactly(
        "{\"payload\":{\"amount\":12},\"signal_id\":\"p-1\"}",
        "{\"payload\":null}");
  }

  @Test
  void why_and_diagnose_are_other_words_for_diagnosis() {
    for (String word : List.of("why", "diagnose", "diagnosis")) {
      assertThat(tasker.run("task", word, TASK)).isZero();
    }
    assertThat(tasker.requests).extracting(Program.Request::operation)
        .containsOnly(Operation.DIAGNOSE_TASK).hasSize(3);
  }

  @ParameterizedTest
  @CsvSource({"bash,40000", "zsh,40000", "fish,140000"})
  void script_of_completion_is_small(String shell, int most) {
    assertThat(tasker.run("completion", shell)).isZero();

    assertThat(tasker.out).hasSizeLessThan(most).contains("submit-many", "context");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|',
      value = {"task get", "task get not-a-uuid", "task lst", "task", "nonsense",
        "task list --limit x", "task list --limit 0",
        "task list -o xml",
        "task get " + TASK + " --no-such-option", "task cancel " + TASK, "bulk retry -m x --yes",
        "bulk retry -n a -m x", "task erase " + TASK + " -m x",
        "task erase-many -n a --attribute b --value c -m x --yes --dry-run", "task submit",
        "task submit a/b/c",
        "task submit a/b --context 7", "task submit a/b --context {",
        "task submit a/b --context @no-such-file", "task submit a/b --set x",
        "policy limit " + TASK + " many -m x",
        "retention set -m x", "grant add operator", "grant add @orders --user " + TASK,
        "task list --url ftp://x", "completion csh",
        "task list --profile no-such-one"})
  void wrong_command_line_is_told_and_nothing_is_sent(String line) {
    assertThat(tasker.run(line.split(" "))).isEqualTo(Exit.USAGE);
    assertThat(tasker.err).startsWith("tasker: ").doesNotContain("\tat ");
    assertThat(tasker.requests).isEmpty();
  }

  @Test
  void forms_of_output_show_the_same_answer() {
    String answer = "{\"tasks\":[{\"task_uuid\":\"" + TASK
        + "\",\"namespace\":\"a\",\"name\":\"yes\",\"state\":\"complete\",\"completion_percentage\":100.00,"
        + "\"created_at\":\"2026-11-21T04:56:06.743269+00:00\",\"version\":\"1.0.0\"}],\"next\":null}";
    tasker.answer(Operation.LIST_TASKS, 200, answer);

    tasker.run("task", "list");
    assertThat(tasker.out).isEqualTo(
        "TASK                                  NAMESPACE  NAME  STATE     DONE %  CREATED\n" + TASK
            + "  a          yes   complete  100.00  2026-11-21T04:56:06Z\n");
    tasker.run("-o", "wide", "task", "list");
    assertThat(tasker.out).contains("VERSION", "1.0.0", "2026-11-21T04:56:06.743269+00:00");
    tasker.run("task", "list", "-o", "json");
    assertThat(Text.parse(tasker.out, "output")).isEqualTo(Text.parse(answer, "answer"));
    tasker.environment.put("TASKER_OUTPUT", "yaml");
    tasker.run("task", "list");
    assertThat(tasker.out).startsWith(
        "tasks:\n  - task_uuid: \"" + TASK + "\"\n    namespace: a\n    name: \"yes\"\n");
  }

  @Test
  void list_reads_as_many_pages_as_are_asked_for() {
    tasker.answer(Operation.LIST_TASKS, 200,
        "{\"tasks\":[{\"task_uuid\":\"t\"}],\"next\":\"" + TASK + "\"}");

    assertThat(tasker.run("task", "list", "--limit", "1")).isZero();
    assertThat(tasker.err).isEqualTo("There are more: --all, or --cursor " + TASK + "\n");
    assertThat(tasker.requests).singleElement()
        .satisfies(request -> assertThat(request.query()).hasToString("{limit=[1]}"));

    // A server that does not go on is noticed.
    assertThat(tasker.run("task", "list", "--all")).isEqualTo(Exit.FAULT);
    assertThat(tasker.requests).hasSize(3);
    assertThat(tasker.requests.get(2).query().get("cursor")).containsExactly(TASK);
  }

  @Test
  void colours_are_for_terminals_that_want_them() {
    tasker.answer(Operation.LIST_TASKS, 200,
        "{\"tasks\":[{\"task_uuid\":\"t\",\"state\":\"error\"}],\"next\":null}");
    tasker.run("task", "list");
    assertThat(tasker.out).doesNotContain("\u001B");
    tasker.onTerminal().run("task", "list");
    assertThat(tasker.out).contains("\u001B[31merror\u001B[0m");
    tasker.run("task", "list", "--no-color");
    assertThat(tasker.out).doesNotContain("\u001B");
    tasker.environment.put("NO_COLOR", "1");
    tasker.run("task", "list");
    assertThat(tasker.out).doesNotContain("\u001B");
  }

  @Test
  void text_of_others_cannot_steer_the_terminal() {
    tasker.answer(Operation.LIST_TASKS, 200,
        "{\"tasks\":[{\"task_uuid\":\"t\",\"name\":\"\\u001b[2Jgone\\u202e\"}],\"next\":null}");

    tasker.run("task", "list");

    assertThat(tasker.out).contains("\uFFFD[2Jgone\uFFFD").doesNotContain("\u001B", "\u202E");
  }

  @ParameterizedTest
  @CsvSource({"complete,0", "resolved_manually,0", "blocked_by_failures,10", "error,10",
    "cancelled,10", "steps_in_process,11"})
  void waiting_ends_with_what_became_of_the_task(String state, int exit) {
    tasker.answer(Operation.GET_TASK, 200,
        "{\"task_uuid\":\"" + TASK + "\",\"namespace\":\"a\",\"state\":\"" + state + "\"}");

    assertThat(tasker.run("task", "wait", TASK, "--for", "0")).isEqualTo(exit);
  }

  @Test
  void submit_makes_the_context_of_its_parts() {
    tasker.run("task", "submit", "linear/sequence:1.2.0-rc", "--context", "{\"a\": 1, \"b\": 2}",
        "--set", "b=true", "--set", "c=some text",
        "--set", "d={\"e\":[]}",
        "--tag", "x", "--tag", "y", "--parent", TASK);

    assertThat(tasker.requests.get(0).body())
        .isEqualTo("{\"namespace\":\"linear\",\"name\":\"sequence\",\"version\":\"1.2.0-rc\","
            + "\"context\":{\"a\":1,\"b\":true,\"c\":\"some text\",\"d\":{\"e\":[]}},\"tags\":[\"x\",\"y\"],\"parent_task_uuid\":\""
            + TASK
            + "\"}");
  }

  @Test
  void bulk_action_asks_on_a_terminal() {
    tasker.onTerminal();

    assertThat(tasker.runWith("n\n", "bulk", "cancel", "-n", "a", "-m", "x")).isZero();
    assertThat(tasker.requests).extracting(Program.Request::operation)
        .containsExactly(Operation.PREVIEW_BULK_ACTION);
    assertThat(tasker.err).contains("Really cancel 7 tasks?");
    assertThat(tasker.runWith("y\n", "bulk", "cancel", "-n", "a", "-m", "x")).isZero();
    assertThat(tasker.requests).extracting(Program.Request::operation)
        .endsWith(Operation.RUN_BULK_ACTION);
  }

  @Test
  void erasure_asks_on_a_terminal() {
    tasker.onTerminal();

    assertThat(tasker.runWith("n\n", "task", "erase", TASK, "-m", "x")).isZero();
    assertThat(tasker.requests).isEmpty();
    assertThat(tasker.err).contains("Really erase the documents of task " + TASK + "?");
    assertThat(tasker.runWith("y\n", "task", "erase", TASK, "-m", "x", "--children", "false"))
        .isZero();
    assertThat(tasker.requests).extracting(Program.Request::operation)
        .containsExactly(Operation.ERASE_TASK);
    assertThat(tasker.requests.get(0).body()).contains("\"reason\":\"x\"",
        "\"children\":false");
  }

  @Test
  void erasure_of_many_counts_asks_and_goes_on_to_the_last_slice() {
    String slice = "{\"outcome\":\"done\",\"erased\":2,\"tasks\":3,\"skipped\":[],\"forks\":[],";
    tasker.answer(Operation.ERASE_TASKS, 200,
        "{\"outcome\":\"counted\",\"count\":5,\"erasable\":4,\"more\":false}",
        slice + "\"more\":true,\"next\":\"" + TASK + "\"}",
        slice + "\"more\":false,\"next\":null}");
    tasker.onTerminal();

    assertThat(tasker.runWith("y\n", "task", "erase-many", "-n", "a", "--attribute", "b",
        "--value", "c", "-m", "x", "--idempotency-key", "k")).isZero();

    assertThat(tasker.err).contains("Really erase the documents of 4 tasks?");
    assertThat(tasker.requests).hasSize(3);
    assertThat(tasker.requests.get(0).body()).contains("\"dry_run\":true");
    assertThat(tasker.requests.get(1).body()).doesNotContain("dry_run", "cursor");
    assertThat(tasker.requests.get(2).body()).contains("\"cursor\":\"" + TASK + "\"");
    assertThat(tasker.requests).extracting(Program.Request::key).endsWith("k-0", "k-1")
        .doesNotContain("k");
    assertThat(tasker.out).contains("erased", "4", "tasks", "6");
  }

  @Test
  void some_refused_of_many_differ() {
    tasker.answer(Operation.SUBMIT_TASKS, 207,
        "{\"verdicts\":[{\"status\":201},{\"status\":404}]}");

    assertThat(tasker.runWith("[{},{}]", "task", "submit-many", "-")).isEqualTo(Exit.DIFFERS);
  }

  @Test
  void invalid_template_is_told_with_line_and_column() {
    tasker.answer(Operation.VALIDATE_TEMPLATE, 200,
        "{\"valid\":false,\"problems\":[{\"line\":3,\"column\":10,\"path\":\"version\",\"message\":\"must be a string\"}]}");

    assertThat(tasker.runWith("name: x", "template", "validate", "-")).isEqualTo(Exit.INVALID);
    assertThat(tasker.out).contains("-: invalid").contains("3      10  version  must be a string");
  }

  @Test
  void of_many_templates_each_is_registered_with_a_key_of_its_own() throws IOException {
    List<String> files = List.of(
        Files.writeString(folder.resolve("x.yaml"), "name: x\n").toString(),
        Files.writeString(folder.resolve("y.yaml"), "name: y\n").toString());

    tasker.run("template", "register", files.get(0), "--idempotency-key", "k");
    tasker.run("template", "register", files.get(0), files.get(1), "--idempotency-key", "k");

    assertThat(tasker.requests).extracting(Program.Request::key)
        .containsExactly("k", "k-0", "k-1");
  }

  @Test
  void templates_differ_by_values_and_not_by_the_order_of_members() throws IOException {
    Path file = Files.writeString(folder.resolve("template.yaml"), "name: x");
    tasker.answer(Operation.GET_TEMPLATE, 200,
        "{\"configuration\":{\"steps\":[{\"b\":1,\"a\":2}],\"name\":\"x\"},\"source\":null}");
    tasker.answer(Operation.VALIDATE_TEMPLATE, 200,
        "{\"valid\":true,\"problems\":[],\"template\":{\"name\":\"x\",\"steps\":[{\"a\":2,\"b\":1}]}}");

    assertThat(tasker.run("template", "diff", "a/x:1.0.0", file.toString())).as(tasker.out)
        .isZero();

    tasker.answer(Operation.VALIDATE_TEMPLATE, 200,
        "{\"valid\":true,\"problems\":[],\"template\":{\"name\":\"x\",\"steps\":[{\"a\":3,\"b\":1}]}}");
    assertThat(tasker.run("template", "diff", "a/x:1.0.0", file.toString()))
        .isEqualTo(Exit.DIFFERS);
    assertThat(tasker.out).contains("-  - a: 2\n+  - a: 3\n");
  }

  @Test
  void template_whose_version_is_taken_is_compared_by_its_text() throws IOException {
    Path file = Files.writeString(folder.resolve("template.yaml"), "name: x\nversion: 2\n");
    tasker.answer(Operation.GET_TEMPLATE, 200,
        "{\"configuration\":{},\"source\":\"name: x\\nversion: 1\\n\"}");
    tasker.answer(Operation.VALIDATE_TEMPLATE, 200,
        "{\"valid\":false,\"problems\":[{\"line\":1,\"column\":1,\"path\":\"version\",\"message\":\"is registered with other content\"}]}");

    assertThat(tasker.run("template", "diff", "a/x:1.0.0", file.toString()))
        .isEqualTo(Exit.DIFFERS);
    assertThat(tasker.out).contains(" name: x\n-version: 1\n+version: 2\n");
    assertThat(tasker.err).contains("is registered with other content");
  }

  @Test
  void decision_by_an_operator_chooses_steps_or_none() {
    tasker.run("step", "complete", TASK, TASK, "--result", "1", "-m", "x", "--decision", "ship",
        "--decision", "notify");
    tasker.run("step", "complete", TASK, TASK, "--result", "1", "-m", "x", "--decide-none");

    assertThat(tasker.requests).extracting(Program.Request::body).satisfiesExactly(
        body -> assertThat(body)
            .contains("\"completion_data\":{\"result\":1,\"decision\":[\"ship\",\"notify\"]}"),
        body -> assertThat(body).contains("\"completion_data\":{\"result\":1,\"decision\":[]}"));
  }

  @Test
  void login_checks_before_it_stores_and_keeps_secrets_from_others() throws IOException {
    tasker.environment.remove("TASKER_KEY");
    tasker.answer(Operation.GET_ME, 401,
        "{\"title\":\"Not authenticated\",\"status\":401,\"code\":\"not-authenticated\"}");
    assertThat(tasker.runWith("tkr_wrong\n", "login", "--stdin")).isEqualTo(Exit.NOT_AUTHENTICATED);
    assertThat(folder.resolve("tasker")).doesNotExist();

    tasker.answer(Operation.GET_ME, 200,
        "{\"kind\":\"key\",\"name\":\"intake\",\"permissions\":[]}");
    assertThat(tasker.runWith("tkr_right\n", "login", "--stdin")).isZero();

    assertThat(tasker.out + tasker.err).doesNotContain("tkr_right");
    assertThat(
        PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("tasker"))))
        .isEqualTo("rwx------");
    assertThat(PosixFilePermissions
        .toString(Files.getPosixFilePermissions(folder.resolve("tasker/profiles.json"))))
        .isEqualTo("rw-------");
    tasker.environment.remove("TASKER_URL");
    assertThat(tasker.run("whoami")).isZero();
    assertThat(tasker.requests).extracting(Program.Request::authorization).last()
        .isEqualTo("ApiKey tkr_right");

    assertThat(tasker.run("logout")).isZero();
    assertThat(Files.readString(folder.resolve("tasker/profiles.json")))
        .doesNotContain("tkr_right");
  }

  @Test
  void file_with_keys_that_others_may_read_is_refused() throws IOException {
    tasker.environment.remove("TASKER_KEY");
    tasker.runWith("tkr_right\n", "login", "--stdin");
    Files.setPosixFilePermissions(folder.resolve("tasker/profiles.json"),
        PosixFilePermissions.fromString("rw-r-----"));

    assertThat(tasker.run("whoami")).isEqualTo(Exit.USAGE);
    assertThat(tasker.err).contains("chmod 600");
  }

  @Test
  void credentials_of_a_profile_go_to_no_other_server() {
    tasker.environment.remove("TASKER_KEY");
    tasker.runWith("tkr_right\n", "login", "--stdin");
    try (Program other = new Program(folder.resolve("other"))) {
      tasker.run("whoami", "--url", other.url());

      assertThat(other.requests).singleElement()
          .satisfies(request -> assertThat(request.authorization()).isNull());
    }
  }

  @Test
  void environment_goes_before_the_profile() {
    tasker.environment.remove("TASKER_KEY");
    tasker.runWith("tkr_right\n", "login", "--stdin");
    tasker.environment.put("TASKER_USER", "ann");
    tasker.environment.put("TASKER_PASSWORD", "secret");

    tasker.run("whoami");

    assertThat(tasker.requests).extracting(Program.Request::authorization).last()
        .isEqualTo("Basic YW5uOnNlY3JldA==");
  }

  @Test
  void created_key_has_the_user_s_permissions_and_replaces_the_password() throws IOException {
    tasker.environment.remove("TASKER_KEY");
    tasker.answer(Operation.GET_ME, 200,
        "{\"kind\":\"user\",\"name\":\"ann\",\"permissions\":[\"tasks:read\",\"operator in orders\"]}");
    tasker.answer(Operation.CREATE_KEY, 201,
        "{\"key_uuid\":\"k\",\"name\":\"laptop\",\"key\":\"tkr_new\"}");

    assertThat(tasker.runWith("my password\n", "login", "--user", "ann", "--stdin", "--create-key",
        "laptop", "--expires-in-days", "2"))
        .isZero();

    assertThat(tasker.requests).extracting(Program.Request::body).last().isEqualTo(
        "{\"name\":\"laptop\",\"grants\":[{\"permission\":\"tasks:read\"},{\"role\":\"operator\",\"namespace\":\"orders\"}],\"expires_in_seconds\":172800}");
    assertThat(Files.readString(folder.resolve("tasker/profiles.json"))).contains("tkr_new")
        .doesNotContain("my password");
  }

  @Test
  void watch_prints_a_line_for_each_transition_and_ends_with_the_task() {
    tasker.answer(Operation.GET_TASK, 200,
        "{\"task_uuid\":\"" + TASK + "\",\"namespace\":\"a\",\"state\":\"error\",\"steps\":[]}");

    assertThat(tasker.run("task", "watch", TASK)).isEqualTo(Exit.TASK_FAILED);
    assertThat(tasker.out)
        .isEqualTo("2026-11-21T04:56:53Z  t  task  pending\nTask " + TASK + " is error\n");
  }

  @Test
  void watch_draws_on_a_terminal() {
    tasker.answer(Operation.GET_TASK, 200,
        "{\"task_uuid\":\"" + TASK
            + "\",\"namespace\":\"a\",\"name\":\"b\",\"version\":\"1.0.0\",\"state\":\"complete\","
            + "\"steps\":[{\"name\":\"one\",\"state\":\"complete\"},{\"name\":\"two\",\"state\":\"complete\"}]}");
    tasker.answer(Operation.GET_TEMPLATE, 200,
        "{\"configuration\":{\"steps\":[{\"name\":\"one\"},{\"name\":\"two\",\"dependencies\":[\"one\"]}]}}");
    tasker.environment.put("NO_COLOR", "1");

    assertThat(tasker.onTerminal().run("task", "watch", TASK)).isZero();
    assertThat(tasker.out.replaceAll("\u001B\\[[0-9]*[A-Z]|\r", ""))
        .contains(
            "a/b:1.0.0\n✔  one  complete\n✔  two  complete\n██████████████████████████████ 2/2 steps  complete");
  }

  @Test
  void completions_know_commands_options_and_values() {
    assertThat(tasker.run("completion", "bash")).isZero();
    assertThat(tasker.out).contains("complete -o default -F _complete_tasker", "submit-many",
        "--created-after");
    assertThat(tasker.run("completion", "zsh")).isZero();
    assertThat(tasker.out).startsWith("#compdef tasker");
    assertThat(tasker.run("completion", "fish")).isZero();
    assertThat(tasker.out)
        .contains(
            "-n '__tasker_in task list' -l state -s s -x -a 'pending ");
  }

  @Test
  void help_of_every_command_can_be_printed() {
    for (var command : Commands.all()) {
      String[] words = (command.getKey() + " --help").split(" ");
      assertThat(tasker.run(words)).as(command.getKey()).isZero();
      assertThat(tasker.out).contains("Usage: tasker " + command.getKey());
    }
  }
}
