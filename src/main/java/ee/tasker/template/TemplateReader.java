package ee.tasker.template;

import ee.tasker.document.SealedPlaces;
import ee.tasker.template.model.IdentityReuse;
import ee.tasker.template.model.IdentityStrategy;
import ee.tasker.template.model.LimitedUnit;
import ee.tasker.template.model.Limits;
import ee.tasker.template.model.SearchAttributes;
import ee.tasker.template.model.SystemDependencies;
import ee.tasker.template.model.TemplateDefinition;
import ee.tasker.template.model.TemplateKey;
import jakarta.json.JsonValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Reads a template from YAML 1.2 or JSON. Never throws because of the text: every mistake is
 * returned as a problem with
 * line and column, all at once as far as the syntax allows. A null value counts as absent.
 */
public final class TemplateReader {
  /** The maximum length of a template as its author writes it, in characters. */
  public static final int MAX_LENGTH = 1 << 20;
  /** The normal form contains every default and so is longer than its source. */
  private static final int MAX_NORMAL_FORM_LENGTH = 64 << 20;

  private final Problems problems;
  private final Map<String, Located> identity = new HashMap<>();
  private final List<StepDraft.Expression> expressions = new ArrayList<>();
  private List<StepDraft> drafts = List.of();
  private Map<String, StepDraft> byName = Map.of();

  private TemplateReader(Problems problems) {
    this.problems = problems;
  }

  /**
   * Reads an author's text: at most {@value #MAX_LENGTH} characters. Does not check expressions,
   * which only the database parses.
   */
  public static TemplateReading read(String text) {
    return read(text, MAX_LENGTH);
  }

  /**
   * Reads the output of {@link TemplateJson#toJson}, even when it is longer than an author's text
   * may be.
   */
  public static TemplateReading readNormalForm(String json) {
    return read(json, MAX_NORMAL_FORM_LENGTH);
  }

  private static TemplateReading read(String text, int maxLength) {
    return scan(text, maxLength).conclude();
  }

  /** Reads an author's text, and leaves its expressions to be checked. */
  public static TemplateScan scan(String text) {
    return scan(text, MAX_LENGTH);
  }

  private static TemplateScan scan(String text, int maxLength) {
    var reader = new TemplateReader(new Problems());
    var definition = YamlDocument.parse(text, maxLength, reader.problems).flatMap(reader::template);
    return new TemplateScan(reader.problems, definition, reader.identity, reader.byName,
        reader.drafts, reader.expressions);
  }

  private Optional<TemplateDefinition> template(Node root) {
    return new Located(root, "", problems).keys().flatMap(this::template);
  }

  private Optional<TemplateDefinition> template(Keys keys) {
    var key = key(keys);
    for (var part : List.of("namespace_name", "version")) {
      keys.find(part).ifPresent(place -> identity.put(part, place));
    }
    var description = keys.find("description").flatMap(Located::description);
    var identity = keys.find("identity_strategy")
        .flatMap(value -> value.oneOf(IdentityStrategy.class))
        .orElse(IdentityStrategy.STRICT);
    var reuse = keys.find("reuse").flatMap(value -> value.oneOf(IdentityReuse.class))
        .orElse(IdentityReuse.NEVER);
    var searchAttributes = searchAttributes(keys);
    var inputSchema = keys.find("input_schema").flatMap(Located::schema);
    var lifecycle = LifecycleReader.read(keys);
    var metadata = metadata(keys);
    var systems = systems(keys);
    var events = EventReader.declared(keys);
    var concurrency = ConcurrencyReader.read(keys, LimitedUnit.TASKS);
    var output = keys.find("output")
        .flatMap(place -> WaitReader.mapping(place, Optional.empty(), expressions));
    var sealsErrors = keys.find("seal_errors").flatMap(Located::flag).orElse(false);
    inputSchema.ifPresent(
        schema -> refuseSealed(keys, identity, searchAttributes,
            SealedPlaces.of(JsonText.parse(schema))));
    var steps = steps(keys);
    drafts = steps;
    byName = StepGraphCheck.check(steps);
    var environments = EnvironmentReader.read(keys, byName);
    // TemplateJson writes this key for readers of the normal form; the reader computes it and
    // ignores the text.
    keys.refuseOthers();
    return problems.none()
        ? Optional.of(new TemplateDefinition(key.orElseThrow(), description, identity, reuse,
            searchAttributes, inputSchema, lifecycle, metadata, systems, events, environments,
            steps.stream().map(step -> step.definition().get()).toList(), concurrency, output,
            sealsErrors))
        : Optional.empty();
  }

  private static Optional<TemplateKey> key(Keys keys) {
    var name = keys.require("name").flatMap(value -> value.word(Limits.TEMPLATE_NAME)
        .flatMap(text -> TemplateKey.fitsIntoAddress(text) ? Optional.of(text)
            : value.refuse(
                "must have no slash, backslash or control character and be neither . nor .., because it is a part of addresses, "
                    + "but is \"" + Located.shortened(text) + "\"")));
    var namespace = keys.require("namespace_name").flatMap(place -> place.word(Integer.MAX_VALUE)
        .flatMap(text -> TemplateKey.isNamespace(text) ? Optional.of(text)
            : place.refuse("must begin with a letter and have at most " + Limits.NAMESPACE
                + " letters, digits and underscores, but is \"" + Located.shortened(text) + "\"")));
    var version = keys.require("version").flatMap(place -> place.word(Integer.MAX_VALUE)
        .flatMap(text -> TemplateKey.isVersion(text) ? Optional.of(text)
            : place.refuse("must be a semantic version such as 1.0.0 or 1.2.3-rc.1 with at most "
                + Limits.VERSION
                + " characters, but is \"" + Located.shortened(text) + "\"")));
    return name.isPresent() && namespace.isPresent() && version.isPresent()
        ? Optional.of(new TemplateKey(namespace.get(), name.get(), version.get()))
        : Optional.empty();
  }

  /** Free keys, but the well-known ones are type-checked. */
  private static String metadata(Keys template) {
    return template.find("metadata").flatMap(place -> place.keys().map(keys -> {
      for (var key : List.of("author", "documentation_url", "created_at", "updated_at")) {
        keys.find(key).ifPresent(value -> value.text(Limits.WORD));
      }
      keys.list("tags").forEach(tag -> tag.word(Limits.WORD));
      return place;
    })).flatMap(Located::json).map(CanonicalJson::write)
        .orElse(CanonicalJson.write(JsonValue.EMPTY_JSON_OBJECT));
  }

  private static SearchAttributes searchAttributes(Keys template) {
    Map<String, String> paths = new HashMap<>();
    template.find("search_attributes").flatMap(Located::keys).ifPresent(keys -> {
      if (keys.entries().size() > Limits.SEARCH_ATTRIBUTES) {
        keys.mapping()
            .refuse("there must be at most " + Limits.SEARCH_ATTRIBUTES
                + " search attributes, but there are " + keys.entries().size());
        return;
      }
      keys.entries().forEach((name, value) -> {
        if (value.isNull()) {
          return;
        }
        if (!SearchAttributes.isName(name)) {
          value.refuse(
              "the name of a search attribute must be a small letter and at most 62 small letters, digits and underscores");
        }
        value.text(Limits.WORD).flatMap(path -> SearchAttributes.isPath(path) ? Optional.of(path)
            : value.refuse(
                "must be a path in the context, members with dots between them such as customer.id; a member begins with a letter or an"
                    + " underscore and has letters, digits, underscores and hyphens, but this is \""
                    + Located.shortened(path) + "\""))
            .ifPresent(path -> paths.put(name, path));
      });
    });
    // The problem has been reported; the record would refuse the value.
    paths.keySet().removeIf(name -> !SearchAttributes.isName(name));
    return SearchAttributes.of(paths);
  }

  /** What the database compares or shows is not sealed: equal values are sealed differently. */
  private static void refuseSealed(Keys template, IdentityStrategy identity,
      SearchAttributes attributes, SealedPlaces sealed) {
    if (identity == IdentityStrategy.STRICT && !sealed.isNone()) {
      template.find("identity_strategy").orElse(template.mapping())
          .refuse("identity_strategy must be caller_provided or always_unique, because members of "
              + "the context are sealed: equal contexts could not be told");
    }
    attributes.paths().forEach((name, path) -> {
      if (sealed.concerns(path.split("\\."))) {
        template.find("search_attributes").flatMap(Located::keys)
            .flatMap(keys -> keys.find(name)).orElse(template.mapping())
            .refuse("context." + path + " is sealed and cannot be searched for");
      }
    });
  }

  private static SystemDependencies systems(Keys template) {
    return template.find("system_dependencies").flatMap(Located::keys).map(keys -> {
      var primary = keys.find("primary").flatMap(value -> value.word(Limits.WORD));
      List<String> secondary = new ArrayList<>();
      keys.list("secondary").forEach(value -> value.word(Limits.WORD).ifPresent(secondary::add));
      keys.refuseOthers();
      return new SystemDependencies(primary.orElse(SystemDependencies.DEFAULT.primary()),
          secondary);
    }).orElse(SystemDependencies.DEFAULT);
  }

  private static List<StepDraft> steps(Keys template) {
    var elements = template.require("steps")
        .flatMap(place -> place.list().flatMap(list -> list.isEmpty()
            ? place.refuse("must have at least one step") : Optional.of(list)))
        .orElse(List.of());
    return elements.stream().map(StepReader::read).flatMap(Optional::stream).toList();
  }
}
