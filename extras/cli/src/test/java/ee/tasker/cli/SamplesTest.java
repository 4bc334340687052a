package ee.tasker.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.client.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code tasker samples}; CliIT runs it against a server. */
class SamplesTest {
  private static final String TASK = "01a1fc6e-0001-7000-8000-000000000001";

  @TempDir
  private Path folder;

  private Program program;

  @BeforeEach
  void make_a_sample() throws IOException {
    Path sample = Files.createDirectories(folder.resolve("samples/adding"));
    Files.writeString(sample.resolve("template.yaml"), "name: adding\n");
    Files.writeString(sample.resolve("request.json"), "{\"name\": \"adding\"}");
    Files.writeString(sample.resolve("expected.json"),
        "{\"state\": \"complete\", \"steps\": {\"a\": {\"state\": \"complete\", \"result\": 3}}}");
    program = new Program(folder.resolve("configuration"))
        .answer(Operation.REGISTER_TEMPLATE, 201, "{}")
        .answer(Operation.SUBMIT_TASK, 201, "{\"task_uuid\": \"" + TASK + "\"}")
        .answer(Operation.GET_TASK, 200,
            "{\"task_uuid\": \"" + TASK + "\", \"state\": \"complete\"}");
    steps("3");
  }

  private void steps(String result) {
    program.answer(Operation.LIST_STEPS, 200,
        "{\"steps\": [{\"name\": \"a\", \"state\": \"complete\", \"attempts\": 1, \"result\": "
            + result + "}], \"next\": null}");
  }

  @AfterEach
  void stop() {
    program.close();
  }

  private int samples(String... further) {
    String[] arguments = new String[2 + further.length];
    arguments[0] = "samples";
    arguments[1] = folder.resolve("samples").toString();
    System.arraycopy(further, 0, arguments, 2, further.length);
    return program.run(arguments);
  }

  @Test
  void cases_that_end_as_expected_are_listed_and_counted() {
    assertThat(samples()).as("%s", program.err).isEqualTo(Exit.DONE);

    assertThat(program.out)
        .isEqualToNormalizingNewlines("ok   adding\n1 cases, 1 as expected, 0 not\n");
    assertThat(program.requests).extracting(Program.Request::operation)
        .startsWith(Operation.REGISTER_TEMPLATE, Operation.SUBMIT_TASK);
    assertThat(program.requests).extracting(Program.Request::authorization)
        .containsOnly("ApiKey tkr_test");
  }

  @Test
  void a_case_that_ends_otherwise_is_told_with_its_difference() {
    steps("4");

    assertThat(samples("--no-register")).isEqualTo(Exit.DIFFERS);

    assertThat(program.out).contains("FAIL adding").contains("expected 3")
        .contains("1 cases, 0 as expected, 1 not");
    assertThat(program.requests).extracting(Program.Request::operation)
        .doesNotContain(Operation.REGISTER_TEMPLATE);
    assertThat(samples("-o", "json")).isEqualTo(Exit.DIFFERS);
    assertThat(Text.parse(program.out, "output").asJsonObject().getJsonArray("cases")
        .getJsonObject(0).getBoolean("ok")).isFalse();
  }

  @Test
  void a_signal_is_sent_when_the_step_waits_for_it() throws IOException {
    Files.writeString(folder.resolve("samples/adding/expected.json"), """
        {"state": "complete", "signals": {"a": {"name": "paid", "signal_id": "p-1", "payload": {"amount": 3}}},
         "steps": {"a": {"state": "complete", "result": 3}}}""");
    program
        .answer(Operation.DIAGNOSE_TASK, 200,
            "{\"waiting\": [{\"name\": \"a\", \"cause\": \"signal\"}]}")
        .answer(Operation.SEND_SIGNAL, 201, "{\"outcome\": \"accepted\"}");

    assertThat(samples()).as("%s", program.err).isEqualTo(Exit.DONE);

    assertThat(program.requests).filteredOn(request -> request.operation() == Operation.SEND_SIGNAL)
        .singleElement().satisfies(sent -> {
          assertThat(sent.path()).endsWith("/v1/tasks/" + TASK + "/signals/paid");
          assertThat(Text.parse(sent.body(), "body")).isEqualTo(
              Text.parse("{\"signal_id\": \"p-1\", \"payload\": {\"amount\": 3}}", "body"));
        });
  }

  @Test
  void a_signal_that_is_refused_is_the_difference_of_its_case() throws IOException {
    Files.writeString(folder.resolve("samples/adding/expected.json"), """
        {"state": "complete", "signals": {"a": {"name": "paid", "payload": 3}}, "steps": {}}""");
    program
        .answer(Operation.DIAGNOSE_TASK, 200,
            "{\"waiting\": [{\"name\": \"a\", \"cause\": \"signal\"}]}")
        .answer(Operation.SEND_SIGNAL, 409,
            "{\"title\": \"x\", \"status\": 409, \"code\": \"signal-not-known\", \"detail\": \"x\"}");

    assertThat(samples()).isEqualTo(Exit.DIFFERS);

    assertThat(program.out).contains("FAIL adding").contains("signal of a")
        .contains("signal-not-known");
  }

  @Test
  void nothing_to_run_and_a_wrong_key_are_no_success() {
    assertThat(samples("--only", "nothing")).isEqualTo(Exit.DIFFERS);
    assertThat(program.run("samples", folder.resolve("none").toString())).isEqualTo(Exit.USAGE);
    program.answer(Operation.REGISTER_TEMPLATE, 401,
        "{\"title\": \"x\", \"status\": 401, \"code\": \"not-authenticated\", \"detail\": \"x\"}");
    assertThat(samples()).isEqualTo(Exit.NOT_AUTHENTICATED);
  }
}
