package ee.tasker.cli.convert;

import ee.tasker.cli.convert.Finding.Kind;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * A template of tasker-core, and of its example applications for Rails, Bun and FastAPI. Its loader
 * ignores keys that it does not know; here each is translated, moved or left out, and told.
 */
public final class CoreTemplate {
  private static final String IGNORED = "tasker-core ignores it";
  private static final Set<String> DECLARED_EVENT = Set.of("name", "description", "schema");
  /** What schemas of events may say: docs/events.md. */
  private static final Set<String> EVENT_SCHEMA = Set.of("type", "enum", "const", "required",
      "properties", "additionalProperties", "items", "minItems", "maxItems", "minimum", "maximum",
      "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "$schema", "$id",
      "$comment", "title", "description", "default", "examples", "deprecated", "readOnly",
      "writeOnly", "format");
  private static final String DRAFT = "https://json-schema.org/draft/2020-12/schema";
  private static final Pattern SHORT_VERSION = Pattern
      .compile("v?(0|[1-9][0-9]*)(?:\\.(0|[1-9][0-9]*))?(?:\\.(0|[1-9][0-9]*))?");
  private static final Pattern VERSION = Pattern
      .compile("(0|[1-9][0-9]*)(\\.(0|[1-9][0-9]*)){2}(-[0-9A-Za-z.-]+)?");
  private static final int DESCRIPTION = 255;

  private final YamlMapping template;
  private final boolean keepsBehaviour;
  private final List<Finding> findings = new ArrayList<>();
  private final Set<String> steps = new HashSet<>();

  private CoreTemplate(YamlMapping template, boolean keepsBehaviour) {
    this.template = template;
    this.keepsBehaviour = keepsBehaviour;
  }

  /**
   * @param keepsBehaviour whether keys that have an effect here and none in the original are
   *   written so that they have none here either
   * @throws UnreadableException if it is no template
   */
  public static Conversion convert(String text, boolean keepsBehaviour) {
    CoreTemplate core = new CoreTemplate(YamlMapping.parse(text), keepsBehaviour);
    if (!isTemplate(core.template)) {
      throw new UnreadableException("it is no template: a mapping with name and steps");
    }
    core.convert();
    return new Conversion(List.of(new Conversion.Template(
        core.template.text("name").orElse("template"), core.template.text())), core.findings);
  }

  /** @throws UnreadableException if it is no YAML */
  public static boolean isTemplate(String text) {
    return YamlMapping.read(text).filter(CoreTemplate::isTemplate).isPresent();
  }

  private static boolean isTemplate(YamlMapping mapping) {
    return mapping.has("name") && !mapping.mappings("steps").isEmpty();
  }

  private void convert() {
    identity();
    leaveOut(template, "task_handler", "each step names its handler");
    leaveOut(template, "loaded_from", "the directory of templates is a setting");
    keepOnly(template, TemplateKeys.ofTemplate());
    describe(template);
    template.mapping("lifecycle")
        .ifPresent(lifecycle -> keepOnly(lifecycle, TemplateKeys.of("lifecycle")));
    Set<String> events = new HashSet<>();
    for (YamlMapping event : template.mappings("domain_events")) {
      keepOnly(event, DECLARED_EVENT);
      event.mapping("schema").ifPresent(this::eventSchema);
      describe(event);
      if (!events.add(event.text("name").orElse(""))) {
        found(Kind.LEFT_OUT, event, "name", "the event is declared twice", "");
        template.removeElement("domain_events", event);
      }
    }
    template.mapping("input_schema").ifPresent(this::schema);
    for (YamlMapping step : template.mappings("steps")) {
      String name = step.text("name").orElse("");
      if (!steps.add(name)) {
        found(Kind.MISSING, step, "name", "there is another step \"" + name + "\"",
            "steps are told apart by their names: give it another one");
      }
    }
    template.mappings("steps").forEach(this::step);
    template.mapping("environments").ifPresent(environments -> environments.keys()
        .forEach(name -> environments.mapping(name).ifPresent(this::environment)));
    behaviour();
  }

  private void identity() {
    String version = template.text("version").orElse("");
    Matcher shortened = SHORT_VERSION.matcher(version);
    if (version.isEmpty() || !VERSION.matcher(version).matches() && !shortened.matches()) {
      found(Kind.MISSING, template, "version", "\"" + version + "\" is no semantic version",
          "give it one, such as 1.0.0");
    } else if (!VERSION.matcher(version).matches()) {
      String full = shortened.group(1) + "." + Optional.ofNullable(shortened.group(2)).orElse("0")
          + "." + Optional.ofNullable(shortened.group(3)).orElse("0");
      found(Kind.CHANGED, template, "version", version + " is now " + full, "");
      template.put("version", full);
    }
    String namespace = template.text("namespace_name").orElse("");
    String fitting = namespace.replaceAll("[^A-Za-z0-9_]", "_");
    if (!fitting.matches("[A-Za-z][A-Za-z0-9_]{0,28}")) {
      found(Kind.MISSING, template, "namespace_name",
          "\"" + namespace + "\" cannot be the name of a namespace",
          "a letter, and at most 28 letters, digits and underscores");
    } else if (!fitting.equals(namespace)) {
      found(Kind.CHANGED, template, "namespace_name", namespace + " is now " + fitting,
          "use that in requests, too");
      template.put("namespace_name", fitting);
    }
    if (template.text("name").orElse("").length() > 64) {
      found(Kind.MISSING, template, "name", "has more than 64 characters", "shorten it");
    }
  }

  private void step(YamlMapping step) {
    if (step.has("composition")) {
      found(Kind.MISSING, step, "composition", "no handler is composed of capabilities here",
          "write a handler, or a decision with rules");
      step.remove("composition");
    }
    String type = step.has("type") ? "type" : "step_type";
    if (step.text(type).filter("deferred"::equals).isPresent()) {
      found(Kind.CHANGED, step, type, "deferred is called deferred_convergence", "");
      step.put(type, "deferred_convergence");
    }
    String parents = step.has("dependencies") ? "dependencies" : "depends_on";
    Set<String> seen = new HashSet<>();
    if (step.get(parents).orElse(null) instanceof SequenceNode list
        && list.getValue().removeIf(
            parent -> parent instanceof ScalarNode name && !seen.add(name.getValue()))) {
      found(Kind.CHANGED, step, parents, "a dependency appeared twice", "");
    }
    lifecycleOf(step);
    step.mapping("handler").ifPresent(handler -> keepOnly(handler, TemplateKeys.of("handler")));
    step.mapping("retry").ifPresent(this::retry);
    timeout(step);
    step.mapping("batch_config").ifPresent(batch -> {
      keepOnly(batch, TemplateKeys.of("batch_config"));
      clamp(batch, "batch_size", 1, 100_000);
      clamp(batch, "parallelism", 1, 1_000);
    });
    for (YamlMapping event : step.mappings("publishes_events")) {
      if (event.has("publisher")) {
        found(Kind.WRITE, event, "publisher", "no class builds the data of an event",
            "the data are the result of the step, or a mapping under payload");
        event.remove("publisher");
      }
      keepOnly(event, TemplateKeys.of("publishes_events"));
      event.mapping("schema").ifPresent(this::eventSchema);
      describe(event);
    }
    step.mapping("result_schema").ifPresent(this::schema);
    describe(step);
    keepOnly(step, TemplateKeys.of("step"));
  }

  /** Example applications put it beside the step, where nothing reads it. */
  private void lifecycleOf(YamlMapping step) {
    Optional<YamlMapping> given = step.mapping("lifecycle");
    if (given.isEmpty()) {
      return;
    }
    OptionalLong limit = whole(given.get(), "max_steps_in_process_minutes");
    if (limit.isPresent()) {
      YamlMapping whole = template.makeMapping("lifecycle", "steps");
      long most = Math.max(limit.getAsLong(),
          whole(whole, "max_steps_in_process_minutes").orElse(0));
      whole.put("max_steps_in_process_minutes", Math.min(Math.max(most, 1), 10_080));
      found(Kind.CHANGED, given.get(), "max_steps_in_process_minutes",
          "is one of the template, the longest of its steps",
          "timeout_seconds limits an attempt of a step");
    }
    whole(given.get(), "max_retries").ifPresent(retries -> {
      YamlMapping retry = step.makeMapping("retry", "");
      if (!retry.has("max_attempts") && !retry.has("limit")) {
        retry.put("max_attempts", retries + 1);
        found(Kind.DIFFERS, given.get(), "max_retries", "is retry.max_attempts, one more; "
            + IGNORED, "");
      }
    });
    found(Kind.LEFT_OUT, step, "lifecycle", IGNORED + " in a step",
        "it belongs to the template");
    step.remove("lifecycle");
  }

  private void retry(YamlMapping retry) {
    if (retry.has("limit")) {
      if (retry.has("max_attempts")) {
        leaveOut(retry, "limit", "max_attempts counts");
      } else {
        found(Kind.DIFFERS, retry, "limit",
            "is max_attempts and counts here; " + IGNORED + " and makes 3 attempts", "");
        retry.remove("max_attempts");
        retry.rename("limit", "max_attempts");
      }
    }
    seconds(retry, "initial_delay", "backoff_base_ms");
    seconds(retry, "max_delay", "max_backoff_ms");
    clamp(retry, "max_attempts", 0, 100);
    clamp(retry, "backoff_base_ms", 1, 3_600_000);
    clamp(retry, "max_backoff_ms", 1, 86_400_000);
    long base = whole(retry, "backoff_base_ms").orElse(1_000);
    if (base > whole(retry, "max_backoff_ms").orElse(60_000)) {
      found(Kind.CHANGED, retry, "max_backoff_ms", "is not less than backoff_base_ms, " + base, "");
      retry.put("max_backoff_ms", base);
    }
    keepOnly(retry, TemplateKeys.of("retry"));
  }

  private void seconds(YamlMapping retry, String key, String milliseconds) {
    Optional<BigDecimal> given = retry.number(key);
    if (given.isEmpty() || retry.has(milliseconds)) {
      leaveOut(retry, key, milliseconds + " counts");
      return;
    }
    found(Kind.CHANGED, retry, key, "is " + milliseconds + ", in milliseconds; " + IGNORED, "");
    retry.remove(milliseconds);
    retry.rename(key, milliseconds);
    retry.put(milliseconds, given.get().movePointRight(3).min(BigDecimal.valueOf(86_400_000))
        .max(BigDecimal.ONE).longValue());
  }

  private void timeout(YamlMapping step) {
    if (whole(step, "timeout_seconds").orElse(1) < 1) {
      leaveOut(step, "timeout_seconds", "an attempt without a limit has no such key");
    }
    clamp(step, "timeout_seconds", 1, 86_400);
  }

  private void environment(YamlMapping environment) {
    keepOnly(environment, Set.of("steps"));
    Set<String> seen = new HashSet<>();
    for (YamlMapping step : environment.mappings("steps")) {
      String name = step.text("name").orElse("");
      if (!name.equals("ALL") && !steps.contains(name) || !seen.add(name)) {
        found(Kind.LEFT_OUT, step, "name",
            steps.contains(name) ? "the environment names the step twice"
                : "there is no step \"" + name + "\"",
            "");
        environment.removeElement("steps", step);
        continue;
      }
      keepOnly(step, TemplateKeys.of("environment"));
      step.mapping("handler").ifPresent(handler -> keepOnly(handler, Set.of("initialization")));
      step.mapping("retry").ifPresent(this::retry);
      timeout(step);
    }
  }

  /** What behaves differently without a key of its own; docs/migrating-from-tasker-core.md. */
  private void behaviour() {
    boolean hasSchemas = false;
    for (YamlMapping step : template.mappings("steps")) {
      if (!step.has("result_schema")) {
        continue;
      }
      hasSchemas = true;
      if (keepsBehaviour) {
        found(Kind.CHANGED, step, "result_schema",
            "is in metadata, where nothing enforces it, as in the original", "");
        Node schema = step.remove("result_schema").orElseThrow();
        template.makeMapping("metadata", "steps").makeMapping("result_schemas", "")
            .put(step.text("name").orElse(""), schema);
      }
    }
    if (hasSchemas && !keepsBehaviour) {
      found(Kind.DIFFERS, template, "steps",
          "a result that violates result_schema fails its step; in the original the schema only"
              + " generates types",
          "--keep-behaviour moves the schemas to metadata");
    }
    boolean stops = !template.mapping("lifecycle").flatMap(given -> given.text("on_step_error"))
        .isPresent();
    if (stops && keepsBehaviour) {
      template.makeMapping("lifecycle", "steps").put("on_step_error", "continue");
      found(Kind.CHANGED, template, "lifecycle",
          "on_step_error: continue, so that branches beside a failed step go on", "");
    } else if (stops && template.mappings("steps").size() > 1) {
      found(Kind.DIFFERS, template, "lifecycle",
          "after a step has failed no other one starts",
          "on_step_error: continue, or --keep-behaviour, lets other branches go on");
    }
    template.mappings("steps").stream()
        .filter(step -> step.text("type").or(() -> step.text("step_type"))
            .filter("batch_worker"::equals).isPresent())
        .forEach(step -> found(Kind.DIFFERS, step, "name",
            "what follows sees one result of the batch, and no step per worker such as "
                + step.text("name").orElse("") + "_001; no batches are an empty list, without a"
                + " placeholder _000",
            "docs/batches.md"));
  }

  private void describe(YamlMapping mapping) {
    mapping.text("description").filter(text -> text.length() > DESCRIPTION).ifPresent(text -> {
      found(Kind.CHANGED, mapping, "description", "has only its first " + DESCRIPTION
          + " characters", "");
      mapping.put("description", text.substring(0, DESCRIPTION - 1) + "…");
    });
  }

  private void schema(YamlMapping schema) {
    schema.text("$schema").filter(draft -> !draft.equals(DRAFT)).ifPresent(draft -> {
      found(Kind.CHANGED, schema, "$schema", draft + " is read as draft 2020-12", "");
      schema.remove("$schema");
    });
  }

  /** The database checks events in the transaction of a result, and knows some keywords only. */
  private void eventSchema(YamlMapping schema) {
    schema(schema);
    for (String key : schema.keys()) {
      if (!EVENT_SCHEMA.contains(key)
          || key.equals("additionalProperties") && schema.mapping(key).isPresent()) {
        found(Kind.DIFFERS, schema, key, "is not checked in schemas of events", "");
        schema.remove(key);
      }
    }
    schema.mapping("items").ifPresent(this::eventSchema);
    schema.mapping("properties").ifPresent(properties -> properties.keys()
        .forEach(name -> properties.mapping(name).ifPresent(this::eventSchema)));
  }

  private void leaveOut(YamlMapping mapping, String key, String instead) {
    if (mapping.has(key)) {
      found(Kind.LEFT_OUT, mapping, key, IGNORED, instead);
    }
    mapping.remove(key);
  }

  private void keepOnly(YamlMapping mapping, Set<String> known) {
    for (String key : mapping.keys()) {
      if (!known.contains(key)) {
        leaveOut(mapping, key, "");
      }
    }
  }

  private void clamp(YamlMapping mapping, String key, long least, long most) {
    whole(mapping, key).ifPresent(number -> {
      long fitting = Math.max(least, Math.min(most, number));
      if (fitting != number) {
        found(Kind.DIFFERS, mapping, key,
            "is " + fitting + " and not " + number + ": " + least + " to " + most, "");
        mapping.put(key, fitting);
      }
    });
  }

  private static OptionalLong whole(YamlMapping mapping, String key) {
    return mapping.number(key).map(number -> OptionalLong.of(number.longValue()))
        .orElse(OptionalLong.empty());
  }

  private void found(Kind kind, YamlMapping mapping, String key, String message, String instead) {
    findings.add(new Finding(kind, mapping.path(key), mapping.line(key), message, instead));
  }
}
