package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sources;
import ee.tasker.testing.Sql;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"get_step_definitions", "get_handler_options"})
class GetTemplatesTest {
  private final Sql sql = Sql.open();
  private final Dag dag = Dag.linear(3).inNamespace("listed").timeoutSeconds(7);
  private final Dag.Template old = registered("1.0.0");
  private final Dag.Template latest = registered("1.1.0");

  /** Under one name, where {@link Dag#registered} makes one for each version. */
  private Dag.Template registered(String version) {
    JsonObject form = Json.createObjectBuilder(dag.version(version).normalForm())
        .add("name", "of_two_versions").build();
    UUID uuid = UUID.fromString(
        sql.object("select tasker.register_template(?)", form).getString("template_uuid"));
    return new Dag.Template(uuid, "listed", "of_two_versions", version);
  }

  private List<JsonObject> templates(String namespace, String name, String version,
      boolean withConfiguration) {
    return sql.array("select tasker.get_templates(?, ?, ?, ?)", namespace, name, version,
        withConfiguration).getValuesAs(JsonObject.class);
  }

  @Test
  void the_newest_version_comes_first_and_each_argument_narrows_the_list() {
    assertThat(templates("listed", old.name(), null, false)).extracting(t -> t.getString("version"))
        .containsExactly("1.1.0", "1.0.0");
    assertThat(templates("listed", old.name(), old.version(), false))
        .extracting(t -> t.getString("template_uuid"))
        .containsExactly(old.uuid().toString());
    assertThat(templates("listed", "another", null, false)).isEmpty();
    assertThat(sql.array("select tasker.get_templates(p_template_uuid => ?)", old.uuid())
        .getValuesAs(JsonObject.class)).singleElement()
        .satisfies(one -> assertThat(one.getString("version")).isEqualTo("1.0.0"));
    assertThat(templates(null, null, null, false)).extracting(t -> t.getString("template_uuid"))
        .contains(old.uuid().toString(), latest.uuid().toString());
  }

  @Test
  void the_configuration_is_there_only_when_it_is_asked_for() {
    assertThat(templates("listed", old.name(), old.version(), false).get(0))
        .doesNotContainKeys("configuration", "source");

    JsonObject configuration = templates("listed", old.name(), old.version(), true).get(0)
        .getJsonObject("configuration");
    assertThat(configuration.getJsonArray("steps").getValuesAs(JsonObject.class))
        .extracting(step -> step.getString("name"))
        .containsExactly("s1", "s2", "s3");
  }

  @Test
  void the_definition_of_a_step_names_its_handler_its_template_and_all_of_its_ancestors() {
    List<JsonObject> definitions = sql
        .array("select tasker.get_step_definitions(array(select n.named_step_uuid "
            + "from tasker.named_tasks_named_steps n where n.named_task_uuid = ? and n.step_position > 1))",
            old.uuid())
        .getValuesAs(JsonObject.class);

    assertThat(definitions).hasSize(2).allSatisfy(definition -> {
      assertThat(definition.getString("namespace")).isEqualTo("listed");
      assertThat(definition.getString("name")).isEqualTo(old.name());
      assertThat(definition.getString("version")).isEqualTo(old.version());
      assertThat(definition.getString("callable")).isNotBlank();
    });
    JsonObject last = definitions.stream()
        .filter(definition -> definition.getString("step").equals("s3")).findFirst().orElseThrow();
    assertThat(last.getInt("timeout_seconds")).isEqualTo(7);
    assertThat(last.getJsonArray("ancestors").getValuesAs(JsonString::getString))
        .containsExactly("s1", "s2");
  }

  @Test
  void keys_of_a_step_that_only_its_handler_reads_come_with_its_definition() {
    JsonObject form = dag.version("2.0.0").normalForm();
    JsonObject step = Json.createObjectBuilder(form.getJsonArray("steps").getJsonObject(1))
        .add("color", "red").add("depth", 3).addNull("weight").build();
    String template = sql.object("select tasker.register_template(?)",
        Json.createObjectBuilder(form).add("steps",
            Json.createArrayBuilder(form.getJsonArray("steps")).set(1, step)).build())
        .getString("template_uuid");

    assertThat(sql.array("select tasker.get_step_definitions(array(select n.named_step_uuid "
        + "from tasker.named_tasks_named_steps n where n.named_task_uuid = cast(? as uuid)))",
        template)
        .getValuesAs(JsonObject.class))
        .extracting(definition -> definition.getString("step"),
            definition -> definition.getJsonObject("handler_options").toString())
        .containsExactlyInAnyOrder(tuple("s1", "{}"),
            tuple("s2", "{\"color\":\"red\",\"depth\":3}"), tuple("s3", "{}"));
    assertThat(
        sql.texts("select v.invariant || v.example from tasker.find_template_violations() v"))
        .isEmpty();
  }

  /** Any other key that the format gets has a column, or is named in get_handler_options. */
  @Test
  void only_keys_that_environments_may_override_are_handed_on_without_a_column() {
    JsonObject defs = Json.createReader(new StringReader(Sources.text(Path.of(
        "src/main/resources/META-INF/tasker/template.schema.json")))).readObject()
        .getJsonObject("$defs");
    JsonObjectBuilder step = Json.createObjectBuilder();
    defs.getJsonObject("step").getJsonObject("properties").forEach((key, schema) -> {
      if (!schema.asJsonObject().containsKey("x-alias-of")) {
        step.add(key, key);
      }
    });
    String options = sql.text("select coalesce(tasker.get_handler_options(?), '{}')", step.build());

    assertThat(defs.getJsonObject("environment").getJsonObject("properties").keySet())
        .containsAll(Json.createReader(new StringReader(options)).readObject().keySet());
  }
}
