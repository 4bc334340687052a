package ee.tasker.template;

import static ee.tasker.testing.Sources.files;
import static ee.tasker.testing.Sources.text;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.template.model.Limits;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The schema that editors and the reference use says what the reader does. */
class TemplateSchemaTest {
  private static final String TEXT = text(
      Path.of("src/main/resources/META-INF/tasker/template.schema.json"));
  private static final JsonObject SCHEMA = Json.createReader(new StringReader(TEXT)).readObject();

  /** Where the mapping of a kind stands in a template, as flow YAML around {@code %s}. */
  private static final Map<String, String> PLACES = new LinkedHashMap<>();

  static {
    PLACES.put("template", "%s");
    PLACES.put("lifecycle", "{lifecycle: %s}");
    PLACES.put("concurrency", "{concurrency: [%s]}");
    PLACES.put("step", "{steps: [%s]}");
    PLACES.put("handler", "{steps: [{handler: %s}]}");
    PLACES.put("retry", "{steps: [{retry: %s}]}");
    PLACES.put("publishes_events", "{steps: [{publishes_events: [%s]}]}");
    PLACES.put("batch_config", "{steps: [{type: batchable, batch_config: %s}]}");
    PLACES.put("wait", "{steps: [{wait: %s}]}");
    PLACES.put("signal", "{steps: [{signal: %s}]}");
    PLACES.put("approval", "{steps: [{approval: %s}]}");
    PLACES.put("task", "{steps: [{task: %s}]}");
    PLACES.put("compensation", "{steps: [{compensation: %s}]}");
    PLACES.put("environment", "{environments: {test: {steps: [%s]}}}");
  }

  @Test
  void the_reader_knows_every_key_of_the_schema() {
    PLACES.forEach((kind, place) -> {
      String all = properties(kind).keySet().stream().map(key -> key + ": null")
          .collect(Collectors.joining(", ", "{", ", zzz: 1}"));
      assertThat(Templates.problemsOf(place.formatted(all)).stream()
          .filter(problem -> problem.contains("unknown key"))).as(kind).singleElement()
          .asString().contains("unknown key \"zzz\"");
    });
  }

  @Test
  void the_schema_has_every_key_that_the_reader_asks_for() {
    Set<String> asked = new TreeSet<>();
    for (Path file : files(Path.of("src/main/java/ee/tasker/template"), ".java")) {
      Pattern
          .compile(
              "(?:find|require|list|names)\\((?:keys, |given, )?\"([a-z_]+)\"(?:, \"([a-z_]+)\")?"
                  + "|(?:number|waiting)\\(keys,\\s*\"([a-z_]+)\"")
          .matcher(text(file)).results()
          .forEach(found -> {
            for (int i = 1; i <= 3; i++) {
              if (found.group(i) != null) {
                asked.add(found.group(i));
              }
            }
          });
    }
    // No class of ours builds the payload of an event: asked for to say so.
    asked.remove("publisher");
    assertThat(asked).hasSizeGreaterThan(90);
    Set<String> known = new TreeSet<>();
    names(SCHEMA, known);

    assertThat(known).containsAll(asked);
  }

  private static void names(JsonValue value, Set<String> names) {
    if (value instanceof JsonObject object) {
      object.forEach((member, inside) -> {
        if (member.equals("properties")) {
          names.addAll(inside.asJsonObject().keySet());
        }
        names(inside, names);
      });
    } else if (value.getValueType() == JsonValue.ValueType.ARRAY) {
      value.asJsonArray().forEach(element -> names(element, names));
    }
  }

  @Test
  void numbers_words_and_lengths_have_the_limits_of_the_reader() {
    List<String> checked = new ArrayList<>();
    PLACES.forEach((kind, place) -> properties(kind).forEach((name, value) -> {
      JsonObject key = value.asJsonObject();
      if (key.containsKey("minimum")) {
        checked.add(kind + "." + name);
        assertThat(problems(place, name, "99999999999")).as(kind + "." + name)
            .anySatisfy(problem -> assertThat(problem).contains(name + ": must be a whole number"
                + " between " + key.getInt("minimum") + " and " + key.getInt("maximum") + ","));
      } else if (key.containsKey("enum") && !key.containsKey("x-alias-of")) {
        checked.add(kind + "." + name);
        String words = key.getJsonArray("enum").getValuesAs(JsonString::getString).stream()
            .collect(Collectors.joining(", "));
        assertThat(problems(place, name, "zzz")).as(kind + "." + name)
            .anySatisfy(problem -> assertThat(problem).contains(": must be one of ")
                .satisfies(text -> assertThat(sorted(text.replaceAll(
                    ".*must be one of (.*), but is .*", "$1"))).isEqualTo(sorted(words))));
      } else if (key.containsKey("maxLength") && key.getInt("maxLength") != Limits.EXPRESSION
          && !key.containsKey("pattern") && !Set.of("version", "namespace").contains(name)) {
        checked.add(kind + "." + name);
        assertThat(problems(place, name, "\"" + "x".repeat(9_000) + "\"")).as(kind + "." + name)
            .anySatisfy(problem -> assertThat(problem)
                .contains("must have at most " + key.getInt("maxLength") + " characters,"));
      }
    }));

    assertThat(checked).hasSizeGreaterThan(55);
  }

  private static List<String> problems(String place, String name, String value) {
    return Templates.problemsOf(place.formatted("{" + name + ": " + value + "}"));
  }

  private static List<String> sorted(String words) {
    return Pattern.compile(", ").splitAsStream(words).sorted().toList();
  }

  @Test
  void what_the_schema_requires_is_missed_by_the_reader() {
    PLACES.forEach((kind, place) -> {
      if (kind(kind).containsKey("required")) {
        List<String> problems = Templates.problemsOf(place.formatted("{}"));
        kind(kind).getJsonArray("required").getValuesAs(JsonString::getString)
            .forEach(name -> assertThat(problems).as(kind + " needs " + name)
                .anySatisfy(problem -> assertThat(problem).contains(name + ": is missing")));
      }
    });
  }

  @Test
  void templates_of_the_samples_and_the_reference_fit_the_schema() {
    ContextSchema schema = ContextSchema.compile(TEXT);
    List<Path> templates = files(Path.of("samples"), "template.yaml").stream()
        .filter(file -> text(file).contains("namespace_name:")).toList();

    assertThat(templates).hasSizeGreaterThan(10).allSatisfy(file -> assertThat(
        schema.validate(json(text(file))).complaints()).as(file.toString()).isEmpty());
    assertThat(schema.validate(json("{name: a, namespace_name: b, version: \"1.0.0\","
        + " steps: [{name: s, retries: 3}]}")).complaints()).isNotEmpty();
  }

  private static JsonValue json(String yaml) {
    return Json.createReader(new StringReader(write(
        new Load(LoadSettings.builder().build()).loadFromString(yaml)))).readValue();
  }

  private static String write(Object value) {
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream().map(entry -> write(entry.getKey()) + ":"
          + write(entry.getValue())).collect(Collectors.joining(",", "{", "}"));
    }
    if (value instanceof List<?> list) {
      return list.stream().map(TemplateSchemaTest::write)
          .collect(Collectors.joining(",", "[", "]"));
    }
    return value instanceof String text ? Json.createValue(text).toString()
        : String.valueOf(value);
  }

  private static JsonObject kind(String name) {
    return name.equals("template") ? SCHEMA : SCHEMA.getJsonObject("$defs").getJsonObject(name);
  }

  private static Map<String, JsonValue> properties(String kind) {
    return kind(kind).getJsonObject("properties");
  }
}
