package ee.tasker.template;

import ee.tasker.template.model.BatchConfig;
import ee.tasker.template.model.CompensateWhen;
import ee.tasker.template.model.Compensation;
import ee.tasker.template.model.ConcurrencyPolicy;
import ee.tasker.template.model.DomainEvent;
import ee.tasker.template.model.EnvironmentOverrides;
import ee.tasker.template.model.EventDeclaration;
import ee.tasker.template.model.HandlerReference;
import ee.tasker.template.model.IdentityReuse;
import ee.tasker.template.model.Lifecycle;
import ee.tasker.template.model.OnFailure;
import ee.tasker.template.model.OnNone;
import ee.tasker.template.model.RetryOverride;
import ee.tasker.template.model.RetryPolicy;
import ee.tasker.template.model.StepDefinition;
import ee.tasker.template.model.StepOverride;
import ee.tasker.template.model.StepWait;
import ee.tasker.template.model.SystemDependencies;
import ee.tasker.template.model.TemplateDefinition;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * The normal form of a template: JSON with the keys of the YAML and the defaults filled in, except
 * of rare keys, which are left out; steps in the order of the file. {@link
 * TemplateReader#readNormalForm} reads it back to the same definition.
 */
public final class TemplateJson {
  private TemplateJson() {}

  /** The normal form. */
  public static JsonObject toJson(TemplateDefinition template) {
    return content(template).build();
  }

  /**
   * SHA-256, in hex, over the normal form with sorted keys: comments, whitespace, the order of keys
   * and explicit defaults
   * do not matter, everything else does (including the order of steps and of a list).
   *
   * <p>A later version may add keys to the normal form. To compare with a template stored by an
   * earlier one, read its
   * normal form again and hash that.
   */
  public static String contentHash(TemplateDefinition template) {
    try {
      var canonical = CanonicalJson.write(content(template).build());
      return HexFormat.of().formatHex(
          MessageDigest.getInstance("SHA-256").digest(canonical.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java platform has SHA-256", impossible);
    }
  }

  private static JsonObjectBuilder content(TemplateDefinition template) {
    var environments = JsonText.object();
    template.environments()
        .forEach((name, overrides) -> environments.add(name, environment(overrides)));
    var content = JsonText.object()
        .add("namespace_name", template.key().namespace())
        .add("name", template.key().name())
        .add("version", template.key().version())
        .add("description", text(template.description()))
        .add("identity_strategy", word(template.identityStrategy()))
        .add("input_schema", json(template.inputSchema()))
        .add("lifecycle", lifecycle(template.lifecycle()))
        .add("metadata", JsonText.parse(template.metadata()))
        .add("system_dependencies", systems(template.systemDependencies()))
        .add("domain_events", list(template.domainEvents(), TemplateJson::domainEvent))
        .add("environments", environments)
        .add("steps", list(template.steps(), TemplateJson::step));
    if (template.reuse() != IdentityReuse.NEVER) {
      content.add("reuse", word(template.reuse()));
    }
    template.output().ifPresent(mapping -> content.add("output", JsonText.parse(mapping)));
    if (template.sealsErrors()) {
      content.add("seal_errors", true);
    }
    if (!template.searchAttributes().isEmpty()) {
      var paths = JsonText.object();
      template.searchAttributes().paths().forEach(paths::add);
      content.add("search_attributes", paths);
    }
    concurrency(content, template.concurrency());
    return content;
  }

  private static JsonObjectBuilder lifecycle(Lifecycle lifecycle) {
    var json = JsonText.object()
        .add("max_duration_minutes", number(lifecycle.maxDurationMinutes()))
        .add("max_waiting_for_dependencies_minutes",
            number(lifecycle.maxWaitingForDependenciesMinutes()))
        .add("max_waiting_for_retry_minutes", number(lifecycle.maxWaitingForRetryMinutes()))
        .add("max_steps_in_process_minutes", number(lifecycle.maxStepsInProcessMinutes()))
        .add("staleness_action", word(lifecycle.stalenessAction()))
        .add("auto_fail_on_timeout", lifecycle.autoFailOnTimeout())
        .add("auto_dlq_on_timeout", lifecycle.autoDlqOnTimeout())
        .add("on_step_error", word(lifecycle.onStepError()))
        .add("sla_minutes", number(lifecycle.slaMinutes()));
    lifecycle.cancelGraceSeconds().ifPresent(seconds -> json.add("cancel_grace_seconds", seconds));
    lifecycle.unservedSeconds().ifPresent(seconds -> json.add("unserved_seconds", seconds));
    lifecycle.retentionDays().ifPresent(days -> json.add("retention_days", days));
    lifecycle.maxStepsPerDecision().ifPresent(steps -> json.add("max_steps_per_decision", steps));
    lifecycle.maxDecisionDepth().ifPresent(depth -> json.add("max_decision_depth", depth));
    lifecycle.maxChildDepth().ifPresent(depth -> json.add("max_child_depth", depth));
    lifecycle.maxBatchesPerStep().ifPresent(batches -> json.add("max_batches_per_step", batches));
    lifecycle.maxDuration().ifPresent(
        text -> json.add("max_duration", text).add("on_timeout", word(lifecycle.onTimeout())));
    if (lifecycle.onFailure() != OnFailure.BLOCK) {
      json.add("on_failure", word(lifecycle.onFailure()));
    }
    if (!lifecycle.publishesEvents().isEmpty()) {
      json.add("publishes_events",
          texts(lifecycle.publishesEvents().stream().sorted().map(TemplateJson::word).toList()));
    }
    return json;
  }

  private static JsonObjectBuilder systems(SystemDependencies systems) {
    return JsonText.object().add("primary", systems.primary()).add("secondary",
        texts(systems.secondary()));
  }

  private static JsonObjectBuilder domainEvent(DomainEvent event) {
    return JsonText.object()
        .add("name", event.name())
        .add("description", text(event.description()))
        .add("schema", json(event.schema()));
  }

  private static JsonObjectBuilder environment(EnvironmentOverrides overrides) {
    return JsonText.object().add("steps", list(overrides.steps(), TemplateJson::override));
  }

  private static JsonObjectBuilder override(StepOverride override) {
    var content = JsonText.object().add("name", override.step()).add("handler",
        JsonText.object().add("initialization", object(override.initialization())));
    return StepOptionsForm.write(override.options(), content)
        .add("retry", retry(override.retry()));
  }

  private static void concurrency(JsonObjectBuilder owner, List<ConcurrencyPolicy> policies) {
    if (!policies.isEmpty()) {
      owner.add("concurrency", list(policies, policy -> JsonText.object()
          .add("limit", policy.limit())
          .add("key", text(policy.key()))
          .add("counts", word(policy.counts()))
          .add("when_full", word(policy.whenFull()))));
    }
  }

  private static JsonObjectBuilder step(StepDefinition step) {
    var content = JsonText.object()
        .add("name", step.name())
        .add("description", text(step.description()))
        .add("type", word(step.type()))
        .add("handler",
            step.handler().<JsonValue>map(handler -> handler(handler).build())
                .orElse(JsonValue.NULL))
        .add("dependencies", texts(step.dependencies()))
        .add("system_dependency", text(step.systemDependency()))
        .add("retry",
            step.handler().isPresent() || step.waitFor().orElse(null) instanceof StepWait.Child
                ? retry(step.retry()).build()
                : JsonValue.NULL);
    StepOptionsForm.write(step.options(), content)
        .add("publishes_events", list(step.publishesEvents(), TemplateJson::event))
        .add("batch_config",
            step.batchConfig().<JsonValue>map(batch -> batch(batch).build()).orElse(JsonValue.NULL))
        .add("result_schema", json(step.resultSchema()));
    step.rules().ifPresent(rules -> content
        .add("rules",
            list(rules.rules(),
                rule -> JsonText.object().add("when", JsonText.string(rule.when())).add("then",
                    texts(rule.then()))))
        .add("otherwise", texts(rules.otherwise())));
    if (step.onNone() != OnNone.SKIP) {
      content.add("on_none", word(step.onNone()));
    }
    step.waitFor().ifPresent(wait -> {
      if (wait instanceof StepWait.Timer timer) {
        content.add("wait", wait(timer));
      } else if (wait instanceof StepWait.Signal signal) {
        content.add("signal", signal(signal));
      } else if (wait instanceof StepWait.Approval approval) {
        content.add("approval", approval(approval));
      } else if (wait instanceof StepWait.Child child) {
        content.add("task", child(child));
      }
    });
    step.queueTimeoutSeconds().ifPresent(seconds -> content.add("queue_timeout_seconds", seconds));
    step.compensation()
        .ifPresent(compensation -> content.add("compensation", compensation(compensation)));
    concurrency(content, step.concurrency());
    return content;
  }

  private static JsonObjectBuilder compensation(Compensation compensation) {
    var json = JsonText.object()
        .add("handler", handler(compensation.handler()))
        .add("retry", retry(compensation.retry()))
        .add("timeout_seconds", number(compensation.timeoutSeconds()));
    if (compensation.when() != CompensateWhen.COMPLETE) {
      json.add("when", word(compensation.when()));
    }
    return json;
  }

  /** Only what was given: register_template stores it as it is. */
  private static JsonObjectBuilder wait(StepWait.Timer timer) {
    var json = JsonText.object();
    timer.duration().ifPresent(text -> json.add("for", text));
    timer.until().ifPresent(path -> json.add("until", JsonText.string(path)));
    return json;
  }

  private static JsonObjectBuilder signal(StepWait.Signal signal) {
    var json = JsonText.object().add("name", signal.name());
    signal.schema().ifPresent(schema -> json.add("schema", JsonText.parse(schema)));
    signal.timeout().ifPresent(text -> json.add("timeout", text));
    signal.defaultValue().ifPresent(value -> json.add("on_timeout", JsonText.parse(value)));
    return json;
  }

  private static JsonObjectBuilder approval(StepWait.Approval approval) {
    var json = JsonText.object().add("title", JsonText.parse(approval.title()));
    approval.description().ifPresent(text -> json.add("description", JsonText.string(text)));
    approval.show().ifPresent(mapping -> json.add("show", JsonText.parse(mapping)));
    approval.form().ifPresent(schema -> json.add("form", JsonText.parse(schema)));
    json.add("candidates", candidates(approval.candidates())).add("due",
        JsonText.string(approval.due()));
    approval.escalateTo().ifPresent(to -> {
      var escalation = candidates(to.candidates());
      if (to.replaces()) {
        escalation.add("replace", true);
      }
      to.due().ifPresent(text -> escalation.add("due", text));
      json.add("escalate_to", escalation);
    });
    approval.onDue().ifPresent(decision -> json.add("on_due", JsonText.parse(decision)));
    if (approval.onReject() != StepWait.OnReject.RESULT) {
      json.add("on_reject", word(approval.onReject()));
    }
    approval.claimFor().ifPresent(text -> json.add("claim_for", text));
    return approval.fourEyes() ? json.add("four_eyes", true) : json;
  }

  private static JsonObjectBuilder candidates(StepWait.Candidates candidates) {
    var json = JsonText.object();
    if (!candidates.roles().isEmpty()) {
      json.add("roles", texts(candidates.roles()));
    }
    return candidates.users().isEmpty() ? json : json.add("users", texts(candidates.users()));
  }

  private static JsonObjectBuilder child(StepWait.Child child) {
    var json = JsonText.object().add("name", child.name()).add("context",
        JsonText.parse(child.context()));
    child.namespace().ifPresent(text -> json.add("namespace", text));
    child.version().ifPresent(text -> json.add("version", text));
    child.priority().ifPresent(points -> json.add("priority", points));
    return json;
  }

  private static JsonObjectBuilder handler(HandlerReference handler) {
    return JsonText.object()
        .add("callable", handler.callable())
        .add("method", handler.method())
        .add("resolver", text(handler.resolver()))
        .add("initialization", object(handler.initialization()));
  }

  private static JsonObjectBuilder retry(RetryPolicy retry) {
    var json = JsonText.object()
        .add("retryable", retry.retryable())
        .add("max_attempts", retry.maxAttempts())
        .add("backoff", word(retry.backoff()))
        .add("backoff_base_ms", retry.backoffBaseMs())
        .add("max_backoff_ms", retry.maxBackoffMs());
    return retry.onWorkerLost() == RetryPolicy.DEFAULT.onWorkerLost() ? json
        : json.add("on_worker_lost", word(retry.onWorkerLost()));
  }

  private static JsonObjectBuilder retry(RetryOverride retry) {
    var given = JsonText.object();
    retry.retryable().ifPresent(value -> given.add("retryable", value));
    retry.maxAttempts().ifPresent(value -> given.add("max_attempts", value));
    retry.backoff().ifPresent(value -> given.add("backoff", word(value)));
    retry.backoffBaseMs().ifPresent(value -> given.add("backoff_base_ms", value));
    retry.maxBackoffMs().ifPresent(value -> given.add("max_backoff_ms", value));
    retry.onWorkerLost().ifPresent(value -> given.add("on_worker_lost", word(value)));
    return given;
  }

  private static JsonObjectBuilder event(EventDeclaration event) {
    var json = JsonText.object()
        .add("name", event.name())
        .add("description", text(event.description()))
        .add("condition", word(event.condition()))
        .add("schema", json(event.schema()))
        .add("delivery_mode", word(event.deliveryMode()));
    event.payload().ifPresent(mapping -> json.add("payload", JsonText.parse(mapping)));
    return json;
  }

  private static JsonObjectBuilder batch(BatchConfig batch) {
    var json = JsonText.object()
        .add("batch_size", batch.batchSize())
        .add("parallelism", batch.parallelism())
        .add("cursor_field", batch.cursorField())
        .add("worker_template", batch.workerTemplate())
        .add("failure_strategy", word(batch.failureStrategy()));
    batch.items().ifPresent(path -> json.add("items", path));
    batch.tolerate().ifPresent(workers -> json.add("tolerate", workers));
    return json;
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static JsonValue text(Optional<String> value) {
    return value.<JsonValue>map(JsonText::string).orElse(JsonValue.NULL);
  }

  private static JsonValue json(Optional<String> value) {
    return value.map(JsonText::parse).orElse(JsonValue.NULL);
  }

  static JsonValue number(OptionalInt value) {
    return value.isPresent() ? JsonText.number(BigDecimal.valueOf(value.getAsInt()))
        : JsonValue.NULL;
  }

  private static JsonObjectBuilder object(Map<String, String> entries) {
    var object = JsonText.object();
    entries.forEach((key, value) -> object.add(key, JsonText.parse(value)));
    return object;
  }

  private static JsonArray texts(Collection<String> values) {
    var array = JsonText.array();
    values.forEach(array::add);
    return array.build();
  }

  private static <T> JsonArray list(Collection<T> values, Function<T, JsonObjectBuilder> form) {
    var array = JsonText.array();
    values.forEach(value -> array.add(form.apply(value)));
    return array.build();
  }
}
