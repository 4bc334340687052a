package ee.tasker.cli;

import ee.tasker.client.Call;
import ee.tasker.client.Operation;
import ee.tasker.client.ProblemException;
import ee.tasker.client.Reply;
import ee.tasker.client.TaskerClient;
import ee.tasker.samples.SampleRunner;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Submits the requests of a folder of samples, and compares the tasks with what is expected. */
final class Samples {
  /** What the runner asks for. */
  private static final Map<Pattern, Operation> OPERATIONS = Map.of(
      Pattern.compile("POST /v1/templates"), Operation.REGISTER_TEMPLATE,
      Pattern.compile("POST /v1/tasks"), Operation.SUBMIT_TASK,
      Pattern.compile("GET /v1/tasks/(?<taskUuid>[^/]+)"), Operation.GET_TASK,
      Pattern.compile("GET /v1/tasks/(?<taskUuid>[^/]+)/workflow_steps"), Operation.LIST_STEPS,
      Pattern.compile("GET /v1/tasks/(?<taskUuid>[^/]+)/diagnosis"), Operation.DIAGNOSE_TASK,
      Pattern.compile("POST /v1/tasks/(?<taskUuid>[^/]+)/signals/(?<signal>[^/]+)"),
      Operation.SEND_SIGNAL, Pattern.compile("GET /v1/approvals"), Operation.LIST_APPROVALS,
      Pattern.compile("POST /v1/approvals/(?<approvalUuid>[^/]+)/decide"),
      Operation.DECIDE_APPROVAL);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

  private Samples() {}

  static int run(Invocation in) {
    Path folder = Path.of(in.text("FOLDER").orElse("samples"));
    if (!Files.isDirectory(folder)) {
      throw new UsageException("There is no folder " + folder);
    }
    String only = in.text("--only").orElse("");
    TaskerClient client = in.client();
    List<SampleRunner.Outcome> outcomes;
    try {
      outcomes = new SampleRunner(
          (method, path, type, body) -> send(client, method, path, type, body), folder,
          !in.flag("--no-register"))
          .run(sample -> only.isEmpty() || only.equals(sample));
    } catch (IOException e) {
      throw new UsageException(e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
    boolean isAsExpected;
    if (in.output().isForPrograms()) {
      JsonArrayBuilder cases = Json.createArrayBuilder();
      outcomes.forEach(outcome -> cases.add(
          Json.createObjectBuilder().add("sample", outcome.sample()).add("case", outcome.caseName())
              .add("ok", outcome.ok())
              .add("differences", Json.createArrayBuilder(outcome.differences()))));
      in.print(Json.createObjectBuilder().add("cases", cases).build());
      isAsExpected = !outcomes.isEmpty() && outcomes.stream().allMatch(SampleRunner.Outcome::ok);
    } else {
      isAsExpected = SampleRunner.report(outcomes, in.terminal().out());
    }
    return isAsExpected ? Exit.DONE : Exit.DIFFERS;
  }

  /** A refusal is an answer like others: the sample may expect it. */
  private static SampleRunner.Answer send(TaskerClient client, String method, String path,
      String type, String body) {
    String asked = method + " " + path;
    try {
      Reply reply = client.send(call(asked, type, body));
      return new SampleRunner.Answer(asked, reply.status(), reply.text());
    } catch (ProblemException e) {
      if (e.status() == 401) {
        throw e;
      }
      return new SampleRunner.Answer(asked, e.status(), e.problem().toString());
    }
  }

  private static Call call(String asked, String type, String body) {
    String[] parts = asked.split("\\?", 2);
    for (Map.Entry<Pattern, Operation> each : OPERATIONS.entrySet()) {
      Matcher found = each.getKey().matcher(parts[0]);
      if (!found.matches()) {
        continue;
      }
      Call call = Call.of(each.getValue()).patience(LONGEST_WAIT);
      if (each.getKey().pattern().contains("taskUuid")) {
        call.path("task_uuid", found.group("taskUuid"));
      } else if (each.getKey().pattern().contains("approvalUuid")) {
        call.path("approval_uuid", found.group("approvalUuid"));
      }
      if (each.getKey().pattern().contains("<signal>")) {
        call.path("name", found.group("signal"));
      }
      for (String parameter : parts.length > 1 ? parts[1].split("&") : new String[0]) {
        String[] pair = parameter.split("=", 2);
        call.query(pair[0], URLDecoder.decode(pair[1], StandardCharsets.UTF_8));
      }
      return body == null ? call : call.body(type, body);
    }
    throw new IllegalStateException("no operation: " + asked);
  }
}
