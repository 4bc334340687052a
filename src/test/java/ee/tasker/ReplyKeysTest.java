package ee.tasker;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import ee.tasker.engine.model.Outcome;
import ee.tasker.engine.model.ResultVerdict;
import ee.tasker.engine.model.TaskState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The engine's words are spelled once: members of the replies of its functions in {@code
 * engine.reply}, states, outcomes and verdicts in
 * {@code engine.model}. A word that means something else in a file as well stands in the list of
 * exceptions, with its reason.
 */
class ReplyKeysTest {
  private static final Path SOURCES = Path.of("src", "main", "java", "ee", "tasker");
  private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\\\n]|\\\\.)*)\"");

  /**
   * Members of replies whose names are not also those of REST documents and of log lines in
   * general.
   */
  private static final Set<String> MEMBERS = Set.of("claimed_steps", "queued", "ended", "refused",
      "verdict", "verdicts",
      "next_retry_in_ms",
      "next_wake_in_ms", "force_in_ms", "replaces_task_uuid", "sqlstate");
  /** Verdicts on submissions. */
  private static final Set<String> VERDICTS = Set.of("created", "duplicate", "unknown_template",
      "already_ended");

  private static final Map<String, Set<String>> EXCEPTIONS = Map.ofEntries(
      // Reasons for dead letters, the states of their investigation, and those of approvals: words
      // of their own.
      Map.entry("rest/operation/DeadLettersResource.java",
          Set.of("permanent_failure", "pending", "cancelled")),
      Map.entry("rest/operation/ApprovalsResource.java", Set.of("cancelled")),
      // Members of documents that REST passes through.
      Map.entry("rest/http/Visibility.java", Set.of("error", "sqlstate")),
      Map.entry("rest/task/TaskBatchesResource.java", Set.of("verdicts", "replaces_task_uuid")),
      // The error of an attempt is a document as well.
      Map.entry("rest/task/TasksResource.java", Set.of("duplicate", "replaces_task_uuid", "error")),
      // Verdicts of bulk actions.
      Map.entry("rest/operation/BulkActionsResource.java", Set.of("refused")),
      // Names of fields of log lines.
      Map.entry("task/TransactionalSubmissions.java", Set.of("duplicate")),
      Map.entry("worker/ResultBatcher.java", Set.of("verdict")),
      // What became of a fire time.
      Map.entry("rest/task/SchedulesResource.java", Set.of("queued")),
      // The state of a delivery.
      Map.entry("rest/stream/WebhooksResource.java", Set.of("pending")),
      // A member of a result, and of a log line.
      Map.entry("handler/BatchResult.java", Set.of("error")),
      Map.entry("step/StepResult.java", Set.of("error")),
      Map.entry("remote/RemoteWorkers.java", Set.of("error")),
      // Members of requests and answers of workers over HTTP.
      Map.entry("rest/work/WorkerReader.java", Set.of("error")),
      Map.entry("rest/work/WorkersResource.java", Set.of("error", "verdicts")),
      Map.entry("worker/StepRunner.java", Set.of("error")),
      // What is to be installed.
      Map.entry("platform/sql/Routines.java", Set.of("pending")),
      // What an operator may not do, and the code of a problem: not results that were refused.
      Map.entry("platform/Refusals.java", Set.of("refused")),
      Map.entry("rest/http/FaultMapper.java", Set.of("refused")),
      // The verdict on a request with an idempotency key.
      Map.entry("request/KeyClaim.java", Set.of("verdict")),
      // Labels of a metric, which platform has without knowing the engine.
      Map.entry("platform/sql/Meters.java",
          Set.of("success", "retryable_failure", "permanent_failure", "cancelled")));

  /**
   * Who else reads members of JSON by their names. Each is the one place for its kind of document;
   * {@code rest} reads requests of clients, and documents that the database
   * makes for it, of which a caller may see a part.
   */
  private static final Map<String, String> READERS = Map.ofEntries(
      Map.entry("event.DomainEventFilter", "CloudEvents, some of which a listener wants"),
      Map.entry("event.DomainEventStream", "CloudEvents, which are sent on"),
      Map.entry("event.JakartaMessagingTopic", "CloudEvents, which are sent on with properties"),
      Map.entry("event.TopicPublisher", "the position in a CloudEvent"),
      Map.entry("event.Event", "an entry of the reply of get_events, which is sent on"),
      Map.entry("event.EventFilter", "the same entry"),
      Map.entry("event.Events", "the reply of get_events"),
      Map.entry("document.Envelope", "a sealed value"),
      Map.entry("document.SealedPlaces", "JSON Schemas, documents"),
      Map.entry("handler.BatchResult", "an entry of the result of a batch step"),
      Map.entry("handler.StepContext", "the context of a task"),
      Map.entry("insight.SystemMeters",
          "the reply of get_metrics_document: each member is a metric"),
      Map.entry("insight.TemplateMeters",
          "the reply of get_metric_totals: each metric is read at once"),
      Map.entry("operation.Approvals", "the form of an approval, which REST sends on"),
      Map.entry("operation.Erasure", "how many tasks were erased, for the log"),
      Map.entry("operation.ConcurrencyPolicies", "a document of a policy, which REST sends on"),
      Map.entry("operation.DeadLetters", "a page of dead letters, which REST sends on"),
      Map.entry("operation.Operations",
          "what an operator asks for, schemas of a template, replies that REST sends on"),
      Map.entry("operation.SavedViews", "replies about views"),
      Map.entry("operation.Signals",
          "schemas of a template, the tasks that get a signal, answers that REST sends on"),
      Map.entry("platform.BodySchema", "bodies of requests, by their schemas"),
      Map.entry("platform.Json", "how members are read"),
      Map.entry("platform.Members", "the same of bodies"),
      Map.entry("platform.sql.Routines", "the version in the manifest that the build made"),
      Map.entry("platform.Refusals", "replies with an outcome"),
      Map.entry("remote.RemoteWorkers", "checkpoints that a worker gives"),
      Map.entry("request.KeyClaim", "the reply of claim_idempotency_key"),
      Map.entry("schedule.FirePlan",
          "a schedule that is due, from which it makes the plan of its next fire time"),
      Map.entry("schedule.FirePlanner",
          "the template of a schedule, and a backfill, from which it makes the plan of its next fire times"),
      Map.entry("schedule.Schedules",
          "documents of schedules and their fires, which REST sends on"),
      Map.entry("schedule.Timings", "the timing in a document of a schedule"),
      Map.entry("security.Accounts",
          "the replies of get_user_access, get_key_access and get_session_access"),
      Map.entry("security.Sessions", "the reply of create_session"),
      Map.entry("security.Administration", "the reply of grant_access"),
      Map.entry("security.Grants", "grants, which these replies and tokens have"),
      Map.entry("step.ClaimedStep", "documents of claimed steps"),
      Map.entry("step.StepSeals", "the error of a result of this server"),
      Map.entry("step.StepSpec", "the reply of get_step_definitions"),
      Map.entry("task.QueuedRequests", "a request in its envelope"),
      Map.entry("task.SignalQueue", "schemas of a template, the tasks that get a signal"),
      Map.entry("task.TaskRequest", "requests"), Map.entry("task.TaskRequestReader", "requests"),
      Map.entry("template.SchemaCheck", "JSON Schemas"),
      Map.entry("template.Templates", "replies about templates, and their configuration"),
      Map.entry("worker.BatchPages", "the number of the last batch of a page"),
      Map.entry("worker.ClaimedStepContext", "results of ancestors by step"),
      Map.entry("worker.ResultBatcher", "the error of a result of this server"),
      Map.entry("worker.StepSpans", "the error of a result of this server"));

  private static final Set<String> READING = Set.of("get", "getString", "getInt", "getBoolean",
      "getJsonArray", "getJsonObject",
      "getJsonNumber", "getJsonString", "getOrDefault", "containsKey", "isNull");
  private static final Set<String> READING_HELPERS = Set.of("text", "uuid", "optionalUuid",
      "object");
  private static final Set<String> READING_MEMBERS = Set.of("isAbsent", "texts", "integer",
      "given");

  /** Whatever a member is called, also when its name is a common one. */
  @Test
  void members_of_replies_are_read_by_engine_reply_and_gateways_only() {
    Set<String> readers = new ClassFileImporter().importPaths("target/classes").stream()
        .filter(type -> type.getMethodCallsFromSelf().stream().anyMatch(ReplyKeysTest::readsMember))
        .map(type -> type.getName().replaceAll("^ee\\.tasker\\.|\\$.*", ""))
        .filter(name -> !name.matches("(engine\\.reply|rest)\\..*|.*Gateway"))
        .collect(Collectors.toCollection(TreeSet::new));

    assertThat(readers).as("classes that read members of JSON, each with its reason")
        .isEqualTo(new TreeSet<>(READERS.keySet()));
  }

  private static boolean readsMember(JavaMethodCall call) {
    String owner = call.getTargetOwner().getName();
    return owner.equals("jakarta.json.JsonObject") && READING.contains(call.getName())
        || owner.equals("ee.tasker.platform.Json") && READING_HELPERS.contains(call.getName())
        || owner.equals("ee.tasker.platform.Members") && READING_MEMBERS.contains(call.getName());
  }

  @Test
  void no_word_of_the_engine_is_spelled_outside_of_it() {
    Map<String, Set<String>> spelled = new TreeMap<>();
    literals().forEach((file, literals) -> {
      Set<String> found = new TreeSet<>(literals);
      found.retainAll(words());
      found.removeAll(EXCEPTIONS.getOrDefault(file, Set.of()));
      if (!file.startsWith("engine/") && !found.isEmpty()) {
        spelled.put(file, found);
      }
    });

    assertThat(spelled).as("words of the engine that engine.reply or engine.model has already")
        .isEmpty();
  }

  @Test
  void every_word_is_spelled_once_in_the_engines_own_types() {
    Map<String, Set<String>> places = new TreeMap<>();
    literals().forEach((file, literals) -> {
      if (file.startsWith("engine/")) {
        literals
            .forEach(literal -> places.computeIfAbsent(literal, word -> new TreeSet<>()).add(file));
      }
    });

    assertThat(places.keySet()).as("the members that this test watches for").containsAll(MEMBERS)
        .containsAll(VERDICTS);
    assertThat(places.values()).allMatch(files -> files.size() == 1);
  }

  @Test
  void every_exception_is_still_one() {
    Map<String, Set<String>> literals = literals();

    EXCEPTIONS.forEach((file, words) -> assertThat(literals.getOrDefault(file, Set.of())).as(file)
        .containsAll(words));
  }

  private static Set<String> words() {
    Set<String> words = new HashSet<>(MEMBERS);
    words.addAll(VERDICTS);
    words.addAll(TaskState.words());
    Arrays.stream(Outcome.values()).map(Outcome::word).forEach(words::add);
    Arrays.stream(ResultVerdict.values()).map(ResultVerdict::name).forEach(words::add);
    return words;
  }

  /** The string literals of each source, comments left out. */
  private static Map<String, Set<String>> literals() {
    try (Stream<Path> files = Files.walk(SOURCES)) {
      return files.filter(file -> file.toString().endsWith(".java"))
          .collect(Collectors.toMap(file -> SOURCES.relativize(file).toString().replace('\\', '/'),
              ReplyKeysTest::literalsOf));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Set<String> literalsOf(Path file) {
    try {
      Set<String> literals = new HashSet<>();
      for (String line : Files.readAllLines(file)) {
        if (!line.strip().startsWith("*") && !line.strip().startsWith("/")) {
          Matcher matcher = LITERAL.matcher(line);
          while (matcher.find()) {
            literals.add(matcher.group(1));
          }
        }
      }
      return literals;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
