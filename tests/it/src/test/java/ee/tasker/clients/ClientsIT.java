package ee.tasker.clients;

import static ee.tasker.testing.server.TaskerClient.quoted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ee.tasker.run.Login;
import ee.tasker.samples.SampleRunner;
import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Starts workers and clients in other languages as their users do. It runs only when it is asked
 * for, {@code -Dit.test=ClientsIT}, since
 * the product's build does not compile the client in TypeScript.
 */
@Tag("long")
@AgainstServer
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClientsIT {
  private static final Path CHECKOUT = Path.of(System.getProperty("tasker.checkout"));
  private static final List<String> HANDLERS = List.of("Echo", "Slow", "UntilCancelled", "Big",
      "Choosy");

  private final TaskerClient admin;
  private final List<UUID> tasks = new ArrayList<>();
  private String key;

  @TempDir
  private static Path folder;

  ClientsIT(TaskerClient admin) {
    this.admin = admin;
  }

  @BeforeAll
  void register_templates_and_make_a_key() throws IOException {
    assertThat(admin
        .postTemplate(Files.readString(Language.FOLDER.resolve("order_processing.yaml"))).status())
        .isBetween(200, 201);
    for (Language language : Language.values()) {
      for (String handler : HANDLERS) {
        template(language + "_" + handler.toLowerCase(java.util.Locale.ROOT), """
              - name: only
                handler: {callable: %s.%s}
                retry: {max_attempts: 3, backoff: none, backoff_base_ms: 100, max_backoff_ms: 100}
            """.formatted(language, handler));
      }
      template(language + "_drain", """
            - name: only
              handler: {callable: %s.Slow, initialization: {seconds: 2}}
          """.formatted(language));
      template(language + "_resume", """
            - name: first
              handler: {callable: testing.Echo}
            - name: second
              dependencies: [first]
              handler: {callable: testing.Echo}
            - name: only
              dependencies: [second]
              handler: {callable: %s.Resume}
              retry: {max_attempts: 3, backoff: none, backoff_base_ms: 100, max_backoff_ms: 100}
          """.formatted(language));
      template(language + "_batches", """
            - name: cut
              type: batchable
              handler: {callable: %1$s.Cut}
            - name: load
              type: batch_worker
              dependencies: [cut]
              handler: {callable: %1$s.Load}
              batch_config: {worker_template: load, parallelism: 2}
          """.formatted(language));
      template(language + "_limited", """
            - name: only
              handler: {callable: %s.Slow}
              retry: {max_attempts: 3, backoff: none, backoff_base_ms: 100, max_backoff_ms: 100}
              timeout_seconds: 1
          """.formatted(language));
    }
    template("three_languages", """
          - {name: java, handler: {callable: testing.Echo}}
          - name: python
            dependencies: [java]
            handler: {callable: python.Slow}
            retry: {max_attempts: 3, backoff: none, backoff_base_ms: 100, max_backoff_ms: 100}
          - name: typescript
            dependencies: [java, python]
            handler: {callable: typescript.Slow, initialization: {seconds: 0}}
        """);
    Answer created = admin.post("/v1/access/keys",
        quoted(
            "{'name': 'clients', 'grants': [{'role': 'worker'}, {'role': 'submitter'}, {'permission': 'templates:register'}]}"));
    assertThat(created.status()).as("%s", created).isEqualTo(201);
    key = created.text("key");
  }

  private void template(String name, String steps) {
    Answer answer = admin.postTemplate("""
        name: %s
        namespace_name: remote
        version: "1.0.0"
        identity_strategy: always_unique
        steps:
        """.formatted(name)
        + steps.indent(0).lines().map(line -> "  " + line + "\n").reduce("", String::concat));
    assertThat(answer.status()).as("%s", answer).isBetween(200, 201);
  }

  @AfterAll
  void every_task_has_ended_and_the_history_is_as_promised() {
    tasks.forEach(admin::awaitTerminalOrBlocked);
    assertThat(History.broken(admin)).isEmpty();
    assertThat(admin.sql(
        "select invariant, violations, examples from tasker.check_history() where violations > 0"))
        .isEmpty();
  }

  private ClientProcess program(Language language, String program, String... arguments) {
    List<String> command = new ArrayList<>(language.command(program));
    command.addAll(List.of(arguments));
    return ClientProcess.start(folder, command, admin.base(), key);
  }

  private ClientProcess worker(Language language, int capacity) {
    return program(language, language.live(), Integer.toString(capacity), language.toString())
        .ready();
  }

  private UUID submit(String template, String context) {
    UUID task = admin.submit("remote", template, quoted(context));
    tasks.add(task);
    return task;
  }

  private JsonObject only(UUID task) {
    return admin.steps(task).get("only");
  }

  private String ended(UUID task) {
    return admin.awaitTerminalOrBlocked(task).getString("state");
  }

  // ---- the work

  @ParameterizedTest
  @EnumSource
  void order_processing_ends_as_the_sample_in_java(Language language) throws Exception {
    language.require();
    Path cases = Files.createDirectories(folder.resolve(language + "/order_processing"));
    Files.copy(Language.FOLDER.resolve("order_processing.yaml"), cases.resolve("template.yaml"));
    try (Stream<Path> files = Files.list(CHECKOUT.resolve("samples/order_processing"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".json")).toList()) {
        Files.writeString(cases.resolve(file.getFileName()),
            Files.readString(file).replace("\"namespace\": \"ecommerce\"",
                "\"namespace\": \"shop\""));
      }
    }
    ClientProcess worker = program(language, "examples/order_processing").ready();
    try (worker) {
      List<SampleRunner.Outcome> outcomes = new SampleRunner(admin.base(), cases.getParent(), true,
          Login.FOR_TESTS.basic()).run();

      assertThat(outcomes).hasSize(9);
      assertThat(outcomes).as("%s", worker).filteredOn(outcome -> !outcome.ok()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void worker_waits_for_the_first_template_of_its_namespace(Language language) {
    language.require();
    String namespace = "later_" + language;
    try (ClientProcess worker = program(language, language.live(), "1", language.toString(), "call",
        namespace)) {
      worker.await("there is no template in namespace " + namespace + " yet");
      worker.ready();
      assertThat(admin.postTemplate("""
          name: echo
          namespace_name: %s
          version: "1.0.0"
          steps:
            - {name: only, handler: {callable: %s.Echo}}
          """.formatted(namespace, language)).status()).isEqualTo(201);

      UUID task = admin.submit(namespace, "echo", "{}");
      tasks.add(task);
      assertThat(ended(task)).isEqualTo("complete");
    }
  }

  @Test
  void workflow_of_three_languages_completes_although_a_worker_is_killed() {
    Language.PYTHON.require();
    Language.TYPESCRIPT.require();
    ClientProcess mortal = worker(Language.PYTHON, 1);
    ClientProcess typescript = worker(Language.TYPESCRIPT, 2);
    UUID task = submit("three_languages", "{'a': 1}");
    mortal.await("begun \\S+ 1");
    ClientProcess heir = worker(Language.PYTHON, 1);

    mortal.kill();

    try (typescript; heir) {
      assertThat(ended(task)).isEqualTo("complete");
      Map<String, JsonObject> steps = admin.steps(task);
      assertThat(steps.get("python").getJsonObject("result"))
          .isEqualTo(json("{'attempt': 2, 'language': 'python', 'parents': ['java']}"));
      assertThat(steps.get("typescript").getJsonObject("result"))
          .isEqualTo(
              json("{'attempt': 1, 'language': 'typescript', 'parents': ['java', 'python']}"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void step_of_a_killed_worker_goes_on_from_its_checkpoint_and_reads_results_of_all_ancestors(
      Language language) {
    language.require();
    UUID task = submit(language + "_resume", "{'a': 1}");
    ClientProcess first = worker(language, 1);
    first.await("saved \\S+ 1");
    first.kill();

    try (ClientProcess second = worker(language, 1)) {
      assertThat(ended(task)).as("%s", second).isEqualTo("complete");
      assertThat(only(task).getJsonObject("result"))
          .isEqualTo(json(
              "{'started_at': 7, 'row': 14, 'first': {'a': 1}, 'second': {'a': 1}, 'none': null}"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void cursors_of_a_handler_become_workers_that_find_them(Language language) {
    language.require();
    try (ClientProcess worker = worker(language, 4)) {
      UUID task = submit(language + "_batches", "{'total': 250}");

      assertThat(ended(task)).as("%s", worker).isEqualTo("complete");
      assertThat(admin.steps(task).get("load").getJsonObject("result").getJsonArray("results")
          .getValuesAs(JsonObject.class))
          .extracting(each -> each.getJsonObject("result"))
          .containsExactly(json("{'rows': 100, 'of': 3, 'total': 250}"),
              json("{'rows': 100, 'of': 3, 'total': 250}"),
              json("{'rows': 50, 'of': 3, 'total': 250}"));
      UUID none = submit(language + "_batches", "{'total': 0}");
      assertThat(ended(none)).as("%s", worker).isEqualTo("complete");
    }
  }

  private static JsonObject json(String text) {
    try (var reader = jakarta.json.Json.createReader(new java.io.StringReader(quoted(text)))) {
      return reader.readObject();
    }
  }

  @ParameterizedTest
  @EnumSource
  void many_steps_run_once_each(Language language) {
    language.require();
    try (ClientProcess worker = worker(language, 8)) {
      List<UUID> all = IntStream.range(0, 100)
          .mapToObj(i -> submit(language + "_echo", "{'n': " + i + "}")).toList();
      for (int i = 0; i < all.size(); i++) {
        assertThat(ended(all.get(i))).isEqualTo("complete");
        assertThat(only(all.get(i)).getJsonObject("result")).as("%s", worker)
            .isEqualTo(
                json("{'context': {'n': " + i + "}, 'results': {}, 'attempt': 1, 'name': 'only'}"));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void worker_that_was_frozen_over_its_lease_drops_what_is_stale_and_goes_on(Language language) {
    language.require();
    ClientProcess frozen = worker(language, 1);
    UUID task = submit(language + "_slow", "{}");
    frozen.await("begun \\S+ 1");
    frozen.signal("STOP");
    try (ClientProcess heir = worker(language, 1)) {
      heir.await("begun \\S+ 2");
      assertThat(ended(task)).isEqualTo("complete");
    } finally {
      frozen.signal("CONT");
    }
    try (frozen) {
      frozen.await("is lost: another attempt takes over");
      frozen.await("waited \\S+ lost");
      assertThat(only(task).getJsonObject("result").getInt("attempt")).isEqualTo(2);
      UUID following = submit(language + "_echo", "{}");
      assertThat(ended(following)).isEqualTo("complete");
    }
  }

  // ---- cancel, time-out, end

  @ParameterizedTest
  @EnumSource
  void cancel_is_told_to_the_handler_and_its_partial_result_kept(Language language) {
    language.require();
    try (ClientProcess worker = worker(language, 2)) {
      UUID task = submit(language + "_untilcancelled", "{}");
      worker.await("begun \\S+ 1");

      assertThat(admin.delete("/v1/tasks/" + task + "?policy=cancel_running&reason=test").status())
          .isEqualTo(200);

      worker.await("told cancel");
      assertThat(ended(task)).isEqualTo("cancelled");
      assertThat(admin.get(
          "/v1/tasks/" + task + "/workflow_steps/" + only(task).getString("step_uuid") + "/audit")
          .body())
          .contains("\"half\":1");
    }
  }

  @ParameterizedTest
  @EnumSource
  void handler_over_its_time_is_told_and_the_step_is_tried_again(Language language) {
    language.require();
    try (ClientProcess worker = worker(language, 2)) {
      UUID task = submit(language + "_limited", "{}");

      worker.await("waited \\S+ timeout");
      assertThat(ended(task)).isEqualTo("complete");
      assertThat(only(task).getInt("attempts")).isEqualTo(2);
      assertThat(admin.get(
          "/v1/tasks/" + task + "/workflow_steps/" + only(task).getString("step_uuid") + "/audit")
          .body())
          .contains("handler_timeout");
    }
  }

  @ParameterizedTest
  @EnumSource
  void sigterm_lets_the_running_step_end_and_the_worker_stops(Language language) {
    language.require();
    ClientProcess worker = worker(language, 1);
    UUID running = submit(language + "_drain", "{}");
    worker.await("begun \\S+ 1");
    UUID offered = submit(language + "_drain", "{}");

    assertThat(worker.terminate().exit()).as("%s", worker).isZero();

    assertThat(ended(running)).isEqualTo("complete");
    assertThat(only(running).getInt("attempts")).isEqualTo(1);
    assertThat(admin.get("/v1/workers/" + worker.await("ended (\\S+)")).text("health"))
        .isEqualTo("stopped");
    assertThat(only(offered).getString("state")).as("it has not been started")
        .isEqualTo("enqueued");
    try (ClientProcess heir = worker(language, 1)) {
      assertThat(ended(offered)).isEqualTo("complete");
      assertThat(only(offered).getInt("attempts")).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void worker_that_an_operator_drains_ends(Language language) {
    language.require();
    ClientProcess worker = worker(language, 1);

    assertThat(admin.delete("/v1/workers/" + worker.await("worker (\\S+) is registered")).status())
        .isEqualTo(200);

    assertThat(worker.exit()).as("%s", worker).isZero();
    worker.await("an operator drains the worker");
  }

  // ---- what is wrong

  @ParameterizedTest
  @EnumSource
  void wrong_key_and_missing_permission_end_the_program_with_the_reason(Language language) {
    language.require();
    List<String> command = new ArrayList<>(language.command(language.live()));
    command.addAll(List.of("1", language.toString()));

    ClientProcess wrong = ClientProcess.start(folder, command, admin.base(), "tkr_wrong");
    assertThat(wrong.exit()).isNotZero();
    assertThat(wrong.output()).contains("not-authenticated").doesNotContain("tkr_wrong");

    Answer reader = admin.post("/v1/access/keys",
        quoted("{'name': 'reader', 'grants': [{'role': 'viewer'}]}"));
    ClientProcess refused = ClientProcess.start(folder, command, admin.base(), reader.text("key"));
    assertThat(refused.exit()).isNotZero();
    assertThat(refused.output()).contains("not-permitted", "steps:work");
  }

  @ParameterizedTest
  @EnumSource
  void step_whose_handler_the_worker_lacks_after_all_is_declined_and_done_by_another(
      Language language) {
    language.require();
    try (ClientProcess lacking = program(language, language.live(), "1", language.toString(),
        "another_method").ready()) {
      UUID task = submit(language + "_echo", "{}");
      lacking.await("declined, because there is no such handler");
      try (ClientProcess able = worker(language, 1)) {
        assertThat(ended(task)).isEqualTo("complete");
        assertThat(only(task).getInt("attempts")).isEqualTo(1);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void worker_that_lies_gets_no_more_than_its_capacity_and_cannot_submit_the_step_of_another(
      Language language) {
    language.require();
    try (ClientProcess honest = worker(language, 1)) {
      // Until it is cancelled, so that the liar alone has room for the others, however long it
      // takes to start.
      UUID held = submit(language + "_untilcancelled", "{}");
      String step = honest.await("begun (\\S+) 1");
      List<UUID> others = IntStream.range(0, 5).mapToObj(i -> submit(language + "_echo", "{}"))
          .toList();

      ClientProcess liar = program(language, language.live(), "lie", step, language.toString());

      assertThat(liar.await("held \\d+ verdict \\w+")).isEqualTo("held 2 verdict stale");
      assertThat(admin.delete("/v1/tasks/" + held + "?policy=cancel_running&reason=test").status())
          .isEqualTo(200);
      assertThat(ended(held)).as("by its worker, not by the liar's success").isEqualTo("cancelled");
      assertThat(admin.get(
          "/v1/tasks/" + held + "/workflow_steps/" + only(held).getString("step_uuid") + "/audit")
          .body())
          .contains("\"half\":1").doesNotContain("stolen");
      others.forEach(each -> assertThat(ended(each)).isEqualTo("complete"));
      assertThat(liar.exit()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource
  void result_that_is_too_long_fails_the_step_and_not_the_others(Language language) {
    language.require();
    try (ClientProcess worker = worker(language, 4)) {
      List<UUID> all = Stream.of(2_000_000, 10, 1_000_000, 20_000_000)
          .map(length -> submit(language + "_big", "{'length': " + length + "}"))
          .toList();

      assertThat(all.stream().map(this::ended)).as("%s", worker)
          .containsExactly("blocked_by_failures", "complete", "complete", "blocked_by_failures");
      for (int tooLong : new int[]{0, 3}) {
        assertThat(only(all.get(tooLong)).getInt("attempts")).isEqualTo(1);
        assertThat(only(all.get(tooLong)).getJsonObject("error").getString("type"))
            .isEqualTo("result_not_storable");
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void failure_has_the_type_the_message_and_the_details_that_the_handler_gave(Language language) {
    language.require();
    try (ClientProcess worker = worker(language, 1)) {
      UUID task = submit(language + "_choosy", "{'amount': -1}");

      assertThat(ended(task)).isEqualTo("blocked_by_failures");
      JsonObject error = only(task).getJsonObject("error");
      assertThat(error.getString("type") + ": " + error.getString("message"))
          .isEqualTo("Negative: the amount is negative");
      assertThat(error.getJsonObject("details").getInt("amount")).isEqualTo(-1);
    }
  }

  // ---- documents

  /**
   * Every block that is named in its first line is a file; programs run in their order, the worker
   * beside them.
   */
  @ParameterizedTest
  @EnumSource
  void examples_of_the_readme_run_as_they_are(Language language) throws Exception {
    language.require();
    String readme = Files.readString(Language.FOLDER.resolve(language.folder).resolve("README.md"));
    Map<String, String> blocks = new LinkedHashMap<>();
    String expected = "";
    List<MatchResult> found = Pattern.compile("(?ms)^```(\\w*)\\n(.*?)^```$").matcher(readme)
        .results().toList();
    for (MatchResult block : found) {
      if (block.group(1).isEmpty()) {
        expected = block.group(2);
      } else {
        blocks.put(block.group(2).lines().findFirst().orElseThrow().replaceAll("^(#|//) ", ""),
            block.group(2));
      }
    }
    String source = language == Language.PYTHON ? ".py" : ".ts";
    assertThat(blocks.keySet()).containsExactly("template.yaml", "worker" + source,
        "submit" + source);
    Path place = Files.createDirectory(folder.resolve("readme-" + language));
    for (Map.Entry<String, String> block : blocks.entrySet()) {
      Files.writeString(place.resolve(block.getKey()), block.getValue());
    }
    assertThat(admin.postTemplate(blocks.get("template.yaml")).status()).isBetween(200, 201);
    if (language == Language.TYPESCRIPT) {
      compile(place);
    }

    String compiled = language == Language.PYTHON ? ".py" : ".js";
    try (
        ClientProcess worker = ClientProcess
            .start(place, List.of(language.executable(), "worker" + compiled), admin.base(), key)
            .ready()) {
      ClientProcess client = ClientProcess.start(place,
          List.of(language.executable(), "submit" + compiled), admin.base(), key);

      assertThat(client.exit()).as("%s\n%s", client, worker).isZero();
      assertThat(client.output()).isEqualTo(expected);
    }
  }

  /**
   * Each request of docs/workers.md that has its answer beside it runs as it stands, and is
   * answered with the members that are shown.
   */
  @Test
  void requests_of_the_protocol_are_answered_as_the_document_shows() throws Exception {
    assumeTrue(Language.isThere("curl"), "there is no curl on this machine");
    String name = "documented_" + UUID.randomUUID().toString().substring(0, 8);
    assertThat(admin.postTemplate("""
        name: %s
        namespace_name: orders
        version: "1.0.0"
        identity_strategy: always_unique
        steps:
          - {name: validate, handler: {callable: orders.Price}}
          - {name: price, dependencies: [validate], handler: {callable: orders.Price}}
          - {name: ship, dependencies: [price], handler: {callable: orders.Ship}}
        """.formatted(name)).status()).isEqualTo(201);
    TaskerClient caller = admin.with(Map.of("Authorization", "Bearer " + key));
    List<MatchResult> requests = Pattern.compile("(?ms)^```\\n(curl .*?)\\n(\\{.*?)\\n```$")
        .matcher(Files.readString(CHECKOUT.resolve("docs/workers.md"))).results().toList();
    assertThat(requests).hasSize(3);
    String variables = "";
    for (MatchResult request : requests) {
      ClientProcess shell = ClientProcess.start(folder, List.of("sh", "-c",
          "curl() { command curl -sS -H \"Authorization: Bearer $TASKER_KEY\" \"$@\"; }\nBASE=$TASKER_URL\n"
              + variables
              + request.group(1)),
          admin.base(), key);
      assertThat(shell.exit()).as("%s", shell).isZero();
      JsonObject answer = json(shell.output());
      assertThat(answer.keySet()).as("%s", shell).isEqualTo(json(request.group(2)).keySet());
      if (answer.containsKey("worker_uuid")) {
        String worker = "/v1/workers/" + answer.getString("worker_uuid");
        tasks.add(admin.submit("orders", name, "{}"));
        JsonObject step = caller.post(worker + "/claims", quoted("{'wait_seconds': 20}"))
            .list("steps").get(0);
        for (int done = 0; done < 2; done++) {
          step = caller.post(worker + "/results",
              quoted("{'results': [{'step_uuid': '" + step.getString("step_uuid")
                  + "', 'handoff': 1, 'outcome': 'success', 'result': {'n': 1}}], 'claims': {}}"))
              .list("steps").get(0);
        }
        variables = "WORKER=" + answer.getString("worker_uuid") + "\nSTEP="
            + step.getString("step_uuid") + "\n";
      } else if (answer.containsKey("verdicts")) {
        assertThat(answer.getJsonArray("verdicts").getJsonObject(0).getString("verdict"))
            .isEqualTo("saved");
      } else {
        assertThat(answer.getJsonObject("results").keySet()).containsExactlyInAnyOrder("validate",
            "price");
      }
    }
    String ship = variables.lines().toList().get(1).substring("STEP=".length());
    caller.post(
        "/v1/workers/" + variables.lines().toList().get(0).substring("WORKER=".length())
            + "/results",
        quoted("{'results': [{'step_uuid': '" + ship + "', 'handoff': 1, 'outcome': 'success'}]}"));
  }

  /**
   * As a project that has installed the package would: with the compiler of the client, and
   * strictly.
   */
  private void compile(Path place) throws IOException {
    Path typescript = Language.FOLDER.resolve("typescript");
    Path modules = Files.createDirectories(place.resolve("node_modules"));
    Map<String, Path> links = Map.of("tasker-ee", typescript, "@types",
        typescript.resolve("node_modules/@types"), "undici-types",
        typescript.resolve("node_modules/undici-types"));
    for (Map.Entry<String, Path> link : links.entrySet()) {
      Files.createSymbolicLink(modules.resolve(link.getKey()), link.getValue());
    }
    Files.writeString(place.resolve("package.json"), "{\"type\": \"module\"}");
    Files.writeString(place.resolve("tsconfig.json"),
        """
        {"compilerOptions": {"target": "ES2022", "module": "NodeNext", "moduleResolution": "NodeNext", "strict": true,
          "noUncheckedIndexedAccess": true, "types": ["node"]}, "files": ["worker.ts", "submit.ts"]}""");
    ClientProcess compiler = ClientProcess.start(place,
        List.of("node", typescript.resolve("node_modules/typescript/bin/tsc").toString(), "-p",
            place.toString()),
        admin.base(), key);
    assertThat(compiler.exit()).as("%s", compiler).isZero();
  }
}
