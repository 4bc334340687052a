package ee.tasker.template;

import ee.tasker.platform.Json;
import ee.tasker.platform.Refusals;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.template.model.TemplateDefinition;
import ee.tasker.template.model.TemplateKey;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.transaction.Transactional;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** The component's facade: registers, validates and finds templates. Thread-safe. */
@ApplicationScoped
public class Templates {
  private static final Log LOG = Log.of(Templates.class);

  private final Map<TemplateKey, KnownTemplate> byKey = new ConcurrentHashMap<>();
  private final Map<UUID, KnownTemplate> byUuid = new ConcurrentHashMap<>();
  private final Map<List<String>, TemplateKey> latest = new ConcurrentHashMap<>();

  @Inject
  private TemplateGateway gateway;

  @Inject
  private Settings settings;

  /**
   * Reads a template and registers it for this installation's environment. Joins the caller's
   * transaction.
   */
  @Transactional
  public Registration register(String text) {
    TemplateReading reading = read(text);
    if (reading instanceof TemplateReading.Read read) {
      return register(read.template(), text);
    }
    return new Registration.Invalid(((TemplateReading.Invalid) reading).problems());
  }

  private Registration register(TemplateDefinition template, String text) {
    JsonObject document = Json.build()
        .createObjectBuilder(TemplateJson.toJson(template.forEnvironment(settings.environment())))
        .add("content_hash", TemplateJson.contentHash(template))
        .add("source_text", text)
        .build();
    TemplateKey key = template.key();
    JsonObject reply = gateway.registerTemplate(document);
    return switch (Refusals.outcome(reply)) {
      case "registered" -> {
        LOG.write(LogEvent.TEMPLATE_REGISTERED, "template", key, "steps", template.steps().size());
        yield new Registration.Registered(key, warnings(key));
      }
      case "unchanged" -> new Registration.Unchanged(key, warnings(key));
      case "namespace_taken" -> new Registration.NamespaceTaken(reply.getString("message"));
      default -> new Registration.Conflict(key);
    };
  }

  /** Its tasks are accepted anyway: the handlers may come with the next deployment. */
  private List<String> warnings(TemplateKey key) {
    JsonObject found = gateway.findMissingHandlers(key.namespace(), key.name(), key.version());
    List<JsonObject> missing = found.getJsonArray("missing").getValuesAs(JsonObject.class);
    if (missing.isEmpty()) {
      return List.of();
    }
    if (found.getInt("servers") == 0) {
      return List.of("no live server claims steps of namespace " + key.namespace());
    }
    List<String> known = found.getJsonArray("known").getValuesAs(JsonString::getString);
    return missing.stream()
        .map(step -> "step \"" + step.getString("step") + "\": no live server has a handler \""
            + step.getString("handler") + "\""
            + Spelling.suggestion(step.getString("handler"), known))
        .toList();
  }

  /**
   * Reads a template and reports the problems of its text and its expressions; registers nothing.
   */
  @Transactional
  public TemplateReading validate(String text) {
    return read(text);
  }

  /**
   * Reads a template and reports all problems for which {@link #register} would refuse it;
   * registers nothing.
   *
   * @param mayRegister whether the caller may register in a namespace, and so may learn what is
   *   registered there
   */
  @Transactional
  public TemplateReading validate(String text, Predicate<String> mayRegister) {
    TemplateScan scan = scan(text);
    if (scan.conclude() instanceof TemplateReading.Read read
        && mayRegister.test(read.template().key().namespace())) {
      JsonObject reply = gateway.checkRegistration(read.template().key(),
          TemplateJson.contentHash(read.template()));
      switch (Refusals.outcome(reply)) {
        case "conflict" -> scan.refuseIdentity("version", reply.getString("message"));
        case "namespace_taken" -> scan.refuseIdentity("namespace_name", reply.getString("message"));
        default -> {
          // It would be registered, or is.
        }
      }
    }
    return scan.conclude();
  }

  private TemplateReading read(String text) {
    return scan(text).conclude();
  }

  /** The problems of the text and those of its expressions. */
  private TemplateScan scan(String text) {
    TemplateScan scan = TemplateReader.scan(text);
    if (scan.hasExpressions()) {
      gateway.checkExpressions(scan.graph(), scan.expressions()).getValuesAs(JsonObject.class)
          .forEach(found -> scan.refuse(found.getInt("index"), found.getString("pointer"),
              found.getString("message"), Json.text(found, "unknown_step")));
    }
    return scan;
  }

  /** @param namespace null for all */
  @Transactional
  public JsonArray list(String namespace) {
    return gateway.getTemplates(namespace, null, null, false);
  }

  /** The template with its normal form and its original text. */
  @Transactional
  public Optional<JsonObject> describe(String namespace, String name, String version) {
    return gateway.getTemplates(namespace, name, version, true).stream().map(JsonObject.class::cast)
        .findFirst();
  }

  /** What accepting a request needs; queried once per template. */
  @Transactional
  public Optional<KnownTemplate> find(TemplateKey key) {
    KnownTemplate known = byKey.get(key);
    if (known == null) {
      known = describe(key.namespace(), key.name(), key.version()).map(this::remember).orElse(null);
    }
    return Optional.ofNullable(known);
  }

  /**
   * The highest release, or the highest prerelease while there is no release; queried each time,
   * since other servers
   * register templates too.
   */
  @Transactional
  public Optional<TemplateKey> latest(String namespace, String name) {
    Optional<TemplateKey> found = Optional.ofNullable(gateway.getLatestVersion(namespace, name))
        .map(version -> new TemplateKey(namespace, name, version));
    found.ifPresent(key -> latest.put(List.of(namespace, name), key));
    return found;
  }

  /** What {@link #latest} returned last, of which only the database knows whether it still is. */
  public Optional<TemplateKey> lastKnown(String namespace, String name) {
    return Optional.ofNullable(latest.get(List.of(namespace, name)));
  }

  @Transactional
  public Optional<KnownTemplate> find(UUID namedTaskUuid) {
    KnownTemplate known = byUuid.get(namedTaskUuid);
    if (known == null) {
      known = gateway.getTemplate(namedTaskUuid).stream().map(JsonObject.class::cast)
          .map(this::remember).findFirst().orElse(null);
    }
    return Optional.ofNullable(known);
  }

  private KnownTemplate remember(JsonObject document) {
    TemplateKey key = new TemplateKey(document.getString("namespace"), document.getString("name"),
        document.getString("version"));
    Optional<ContextSchema> schema = Optional
        .ofNullable(document.getJsonObject("configuration").get("input_schema"))
        .filter(value -> value != jakarta.json.JsonValue.NULL)
        .map(value -> ContextSchema.compile(value.toString()));
    KnownTemplate known = new KnownTemplate(Json.uuid(document, "template_uuid"), key, schema,
        rootSteps(document));
    byKey.put(key, known);
    byUuid.put(known.namedTaskUuid(), known);
    return known;
  }

  private static int rootSteps(JsonObject document) {
    return (int) document.getJsonObject("configuration").getJsonArray("steps")
        .getValuesAs(JsonObject.class).stream()
        .filter(step -> !step.containsKey("dependencies")
            || step.getJsonArray("dependencies").isEmpty())
        .count();
  }
}
