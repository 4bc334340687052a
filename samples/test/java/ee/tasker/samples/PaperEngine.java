package ee.tasker.samples;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import ee.tasker.handler.Handles;
import ee.tasker.handler.PermanentStepException;
import ee.tasker.handler.RetryableStepException;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.customersuccess.ExecuteRefundWorkflow;
import ee.tasker.samples.customersuccess.RefundStarter;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * Runs a sample without a database or a server, one step after the other: attempts, yields,
 * time-outs, dependencies and the two
 * ways to go on after an error, and nothing else. It shows that templates, handlers and
 * expectations of the samples fit
 * together; it says nothing about the engine.
 */
final class PaperEngine {
  /** Looked for once: that takes longer than any sample. */
  private static final List<Class<?>> HANDLERS = handlerTypes();

  private final Path folder;
  private final Map<String, StepHandler> handlers = new HashMap<>();
  private final Map<UUID, Task> tasks = new LinkedHashMap<>();
  private final Map<String, UUID> tasksByKey = new HashMap<>();

  /** A task that is terminal or blocked; {@code steps} in the form of the REST answer. */
  record Task(UUID uuid, UUID correlationId, UUID parentCorrelationId, String state,
      JsonArray steps) {
  }

  PaperEngine(Path folder) {
    this.folder = folder;
    HANDLERS
        .forEach(type -> handlers.put(type.getAnnotation(Handles.class).value()[0], handler(type)));
  }

  Optional<Task> task(UUID uuid) {
    return Optional.ofNullable(tasks.get(uuid));
  }

  Task run(SampleCase sampleCase) throws IOException, InterruptedException {
    return run(sampleCase.template(), sampleCase.request().getJsonObject("context"), null);
  }

  private Task run(Path template, JsonObject context, UUID parent)
      throws IOException, InterruptedException {
    Load yaml = new Load(LoadSettings.builder().build());
    JsonObject definition = json(yaml.loadFromString(Files.readString(template))).asJsonObject();
    Map<String, Step> steps = new LinkedHashMap<>();
    for (JsonObject step : definition.getJsonArray("steps").getValuesAs(JsonObject.class)) {
      steps.put(step.getString("name"), new Step(step));
    }
    boolean isStopping = !definition.containsKey("lifecycle")
        || !definition.getJsonObject("lifecycle").getString("on_step_error", "stop")
            .equals("continue");
    UUID uuid = UUID.randomUUID();
    UUID correlationId = UUID.randomUUID();
    for (Optional<Step> ready = ready(steps); ready.isPresent(); ready = ready(steps)) {
      if (isStopping && steps.values().stream().anyMatch(step -> step.state.equals("error"))) {
        break;
      }
      runStep(ready.get(), steps, uuid, correlationId, context);
    }
    boolean isComplete = steps.values().stream().allMatch(step -> step.state.equals("complete"));
    JsonArrayBuilder answer = Json.createArrayBuilder();
    steps.values().forEach(step -> answer.add(step.answer()));
    Task task = new Task(uuid, correlationId, parent,
        isComplete ? "complete" : "blocked_by_failures", answer.build());
    tasks.put(uuid, task);
    return task;
  }

  private static Optional<Step> ready(Map<String, Step> steps) {
    return steps.values().stream()
        .filter(step -> step.state.equals("pending"))
        .filter(step -> step.parents.stream()
            .allMatch(parent -> steps.get(parent).state.equals("complete")))
        .findFirst();
  }

  private void runStep(Step step, Map<String, Step> steps, UUID task, UUID correlationId,
      JsonObject context)
      throws InterruptedException {
    StepStub stub = StepStub.named(step.name)
        .ofTask(task, correlationId)
        .context(context)
        .config(step.config);
    steps.values().stream()
        .filter(other -> other.state.equals("complete"))
        .forEach(other -> stub.result(other.name, other.result));
    while (!Set.of("complete", "error").contains(step.state)) {
      step.attempts++;
      StepOutcome outcome = attempt(step, stub.attempt(step.attempts, step.maxAttempts));
      while (outcome instanceof StepOutcome.Yield yield) {
        yield.checkpoint().ifPresent(stub::checkpointed);
        outcome = attempt(step, stub);
      }
      step.accept(outcome);
    }
  }

  private StepOutcome attempt(Step step, StepStub stub) throws InterruptedException {
    StepHandler handler = handlers.get(step.callable);
    if (handler == null) {
      return StepOutcome.permanent("handler_not_found", "there is no handler " + step.callable);
    }
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<StepOutcome> outcome = thread.submit(() -> call(handler, step.method, stub));
      return outcome.get(step.timeoutSeconds, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      return StepOutcome.retryable("handler_timeout",
          "no outcome after " + step.timeoutSeconds + " s");
    } catch (ExecutionException e) {
      return outcome(
          e.getCause() instanceof InvocationTargetException call ? call.getCause() : e.getCause());
    } finally {
      thread.shutdownNow();
    }
  }

  private static StepOutcome call(StepHandler handler, String method, StepStub stub)
      throws Exception {
    return method.equals("call")
        ? handler.handle(stub)
        : (StepOutcome) handler.getClass().getMethod(method, StepContext.class).invoke(handler,
            stub);
  }

  private static StepOutcome outcome(Throwable thrown) {
    if (thrown instanceof PermanentStepException permanent) {
      return StepOutcome.permanent(permanent.errorType(), permanent.getMessage());
    }
    if (thrown instanceof RetryableStepException retryable) {
      return StepOutcome.retryable(retryable.errorType(), retryable.getMessage());
    }
    return StepOutcome.retryable("UnexpectedError", thrown.toString());
  }

  private static List<Class<?>> handlerTypes() {
    List<Class<?>> types = new ArrayList<>();
    new ClassFileImporter().importPackages("ee.tasker.samples").stream()
        .filter(type -> type.isAnnotatedWith(Handles.class))
        .forEach(type -> types.add(type.reflect()));
    return List.copyOf(types);
  }

  private StepHandler handler(Class<?> type) {
    try {
      return type == ExecuteRefundWorkflow.class
          ? new ExecuteRefundWorkflow(this::startRefund)
          : (StepHandler) type.getConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(type + " needs a public constructor without arguments", e);
    }
  }

  private RefundStarter.StartedRefund startRefund(JsonObject context, UUID correlationId,
      String key) {
    UUID known = tasksByKey.get(key);
    if (known != null) {
      return new RefundStarter.StartedRefund(known, true);
    }
    try {
      Task refund = run(folder.resolve("payments_refund/template.yaml"), context, correlationId);
      tasksByKey.put(key, refund.uuid());
      return new RefundStarter.StartedRefund(refund.uuid(), false);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static JsonValue json(Object yaml) {
    if (yaml instanceof Map<?, ?> map) {
      JsonObjectBuilder object = Json.createObjectBuilder();
      map.forEach((key, value) -> object.add((String) key, json(value)));
      return object.build();
    }
    if (yaml instanceof List<?> list) {
      JsonArrayBuilder array = Json.createArrayBuilder();
      list.forEach(value -> array.add(json(value)));
      return array.build();
    }
    if (yaml instanceof Integer number) {
      return Json.createValue(number);
    }
    if (yaml instanceof Boolean flag) {
      return flag ? JsonValue.TRUE : JsonValue.FALSE;
    }
    return Json.createValue((String) yaml);
  }

  private static final class Step {
    private final String name;
    private final List<String> parents;
    private final String callable;
    private final String method;
    private final JsonObject config;
    private final int maxAttempts;
    private final boolean isRetryable;
    private final int timeoutSeconds;
    private String state = "pending";
    private int attempts;
    private JsonValue result = JsonValue.NULL;
    private String error = "";

    Step(JsonObject definition) {
      name = definition.getString("name");
      parents = definition.getOrDefault("dependencies", JsonValue.EMPTY_JSON_ARRAY).asJsonArray()
          .stream()
          .map(parent -> ((JsonString) parent).getString())
          .toList();
      JsonObject handler = definition.getJsonObject("handler");
      callable = handler.getString("callable");
      method = handler.getString("method", "call");
      config = handler.getOrDefault("initialization", JsonValue.EMPTY_JSON_OBJECT).asJsonObject();
      JsonObject retry = definition.getOrDefault("retry", JsonValue.EMPTY_JSON_OBJECT)
          .asJsonObject();
      maxAttempts = retry.getInt("max_attempts", 3);
      isRetryable = retry.getBoolean("retryable", true);
      timeoutSeconds = definition.getInt("timeout_seconds", 60);
    }

    void accept(StepOutcome outcome) {
      if (outcome instanceof StepOutcome.Success success) {
        state = "complete";
        result = success.result();
      } else if (outcome instanceof StepOutcome.RetryableFailure failure) {
        error = failure.errorType() + ": " + failure.message();
        state = isRetryable && attempts < maxAttempts ? "waiting_for_retry" : "error";
      } else if (outcome instanceof StepOutcome.PermanentFailure failure) {
        error = failure.errorType() + ": " + failure.message();
        state = "error";
      } else {
        throw new IllegalStateException("no sample is cancelled");
      }
    }

    JsonObject answer() {
      return Json.createObjectBuilder()
          .add("name", name)
          .add("state", state)
          .add("attempts", attempts)
          .add("result", result)
          .add("error", error)
          .build();
    }
  }
}
