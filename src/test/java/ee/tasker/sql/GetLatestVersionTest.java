package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"calculate_version_order", "get_latest_version", "find_missing_handlers",
  "check_registration"})
class GetLatestVersionTest {
  private final Sql sql = Sql.open();
  /** Templates stay when a test has ended: each test has its own. */
  private final String name = "grown_" + UUID.randomUUID();

  private void register(String version) {
    sql.object("select tasker.register_template(?)",
        Json.createObjectBuilder(Dag.of("a").normalForm()).add("name", name).add("version", version)
            .build());
  }

  private String latest() {
    return sql.text("select tasker.get_latest_version('orders', ?)", name);
  }

  @Test
  void versions_are_in_the_order_of_their_specification() {
    // The example of item 11, and what a comparison of texts would put elsewhere.
    assertThat(sql.texts("""
        select v from unnest(string_to_array('1.0.0,1.0.0-alpha.1,10.0.0,1.0.0-alpha,2.1.1,1.0.0-rc.1,1.0.0-beta.11,1.0.0-alpha.beta,1.0.0-beta,2.0.0,1.0.0-beta.2,2.1.0,9.0.0,1.0.0-alpha-1', ',')) v
        order by tasker.calculate_version_order(v) collate "C" """))
        .containsExactly("1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-alpha-1",
            "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11",
            "1.0.0-rc.1", "1.0.0",
            "2.0.0", "2.1.0", "2.1.1", "9.0.0", "10.0.0");
  }

  @Test
  void latest_is_the_highest_release_and_a_prerelease_only_while_there_is_none() {
    assertThat(latest()).isNull();
    register("2.0.0-rc.1");
    register("2.0.0-beta");
    assertThat(latest()).isEqualTo("2.0.0-rc.1");
    register("0.9.0");
    assertThat(latest()).isEqualTo("0.9.0");
    register("0.10.0");
    assertThat(latest()).isEqualTo("0.10.0");
    assertThat(sql.text("select tasker.get_latest_version('nowhere', ?)", name)).isNull();
  }

  @Test
  void request_without_a_version_gets_the_highest_release_and_reports_it() {
    register("1.2.0");
    register("1.10.0");
    String request = "[{\"namespace\": \"orders\", \"name\": \"" + name
        + "\", \"context\": {\"n\": 1}}]";
    JsonObject first = verdict(request);
    JsonObject explicit = verdict(
        request.replace("\"context\"", "\"version\": \"1.10.0\", \"context\""));

    assertThat(first.getString("verdict")).isEqualTo("created");
    assertThat(first.getString("version")).isEqualTo("1.10.0");
    UUID task = sql.uuid("select tasker.submit_task('orders', ?, null, '{\"n\": 2}')", name);
    assertThat(sql.text(
        "select n.version from tasker.tasks t join tasker.named_tasks n using (named_task_uuid) where task_uuid = ?",
        task))
        .isEqualTo("1.10.0");
    assertThat(explicit.getString("version")).isEqualTo("1.10.0");
    assertThat(verdict(request.replace(name, "nope")).getString("message"))
        .isEqualTo("there is no template orders/nope");
  }

  @Test
  void request_that_was_checked_for_an_earlier_version_is_superseded_and_leaves_nothing() {
    register("1.0.0");
    String request = "{\"namespace\": \"orders\", \"name\": \"" + name
        + "\", \"context\": {}, \"checked_for\": \"1.0.0\"}";
    assertThat(verdict("[" + request + "]").getString("version")).isEqualTo("1.0.0");
    register("1.0.1");

    assertThat(verdict("[" + request + "]").toString()).isEqualTo("{\"verdict\":\"superseded\"}");
    assertThat(sql.object("select tasker.submit_tasks(?::jsonb)",
        "[" + request + ", " + request.replace("1.0.0", "1.0.1") + ", "
            + request.replace("checked_for", "version") + "]")
        .getJsonArray("verdicts").getValuesAs(JsonObject.class))
        .extracting(verdict -> verdict.getString("verdict"),
            verdict -> verdict.getString("version", ""))
        .containsExactly(tuple("superseded", ""), tuple("created", "1.0.1"),
            tuple("created", "1.0.0"));
    assertThat(sql.number("select count(*) from tasker.tasks")).isEqualTo(3);
    assertThat(verdict("[" + request.replace(name, "nope") + "]").getString("verdict"))
        .isEqualTo("unknown_template");
  }

  @Test
  void identity_is_that_of_the_version_which_was_meant() {
    sql.object("select tasker.register_template(?)",
        Json.createObjectBuilder(Dag.of("a").identity("strict").normalForm()).add("name", name)
            .add("version", "1.0.0").build());
    String request = "[{\"namespace\": \"orders\", \"name\": \"" + name
        + "\", \"context\": {\"n\": 1}}]";
    JsonObject first = verdict(request);

    JsonObject explicit = verdict(
        request.replace("\"context\"", "\"version\": \"1.0.0\", \"context\""));

    assertThat(explicit.getString("verdict")).isEqualTo("duplicate");
    assertThat(explicit.getString("task_uuid")).isEqualTo(first.getString("task_uuid"));
    assertThat(explicit.getString("version")).isEqualTo("1.0.0");
  }

  @org.junit.jupiter.params.ParameterizedTest
  @org.junit.jupiter.params.provider.ValueSource(strings = {"null", "[]", "{}",
    "{\"name\": \"x\", \"namespace_name\": \"orders\", \"version\": \"1.0.0\", \"steps\": [{\"name\": \"a\"}]}",
    "{\"name\": \"x\", \"namespace_name\": \"orders\", \"version\": \"1.0.0\", \"content_hash\": \"-\", \"steps\": []}"})
  void template_that_is_not_in_its_normal_form_is_refused_with_what_to_do(String template) {
    ee.tasker.testing.TaskerAssertions
        .assertThatDatabaseRefuses("TK007",
            () -> sql.text("select tasker.register_template(?::jsonb)", template))
        .hasMessageContaining("normal form");
    assertThat(sql.number("select count(*) from tasker.named_tasks where name = 'x'")).isZero();
  }

  @Test
  void handlers_that_no_live_worker_of_the_namespace_has_are_missing() {
    register("1.0.0");
    final String soon = java.time.Instant.now().plusSeconds(60).toString();
    String call = "select tasker.find_missing_handlers('orders', '" + name + "', '1.0.0')";
    String server = "insert into tasker.workers (worker_uuid, name, served_version, capacity, lease_expires_at, namespaces, handlers) values (gen_random_uuid(), ?, 0, 10, ?::timestamptz, ?, ?)";
    assertThat(sql.object(call).getInt("servers")).isZero();

    sql.run(server, "lost", "2020-01-01", null, java.util.List.of("test.handler"));
    sql.run(server, "elsewhere", soon, java.util.List.of("payments"),
        java.util.List.of("test.handler"));
    sql.run(server, "near", soon, java.util.List.of("orders"), java.util.List.of("test.handlers"));
    JsonObject found = sql.object(call);
    assertThat(found.getInt("servers")).isEqualTo(1);
    assertThat(found.getJsonArray("missing"))
        .hasToString("[{\"step\":\"a\",\"handler\":\"test.handler\"}]");
    assertThat(found.getJsonArray("known")).hasToString("[\"test.handlers\"]");

    sql.run(server, "silent", soon, null, null);
    assertThat(sql.object(call).getJsonArray("missing")).isEmpty();
    sql.run("delete from tasker.workers where name = 'silent'");
    sql.run("update tasker.workers set handlers = '{test.handler}' where name = 'near'");
    assertThat(sql.object(call).getJsonArray("missing")).isEmpty();
    assertThat(sql.text("select tasker.find_missing_handlers('orders', 'nope', '1.0.0')")).isNull();
  }

  private JsonObject verdict(String requests) {
    return sql.object("select tasker.submit_tasks(?::jsonb)", requests).getJsonArray("verdicts")
        .getJsonObject(0);
  }

  private String answer(String namespace, String templateName, String hash) {
    var reply = sql.object("select tasker.check_registration(?, ?, '1.0.0', ?)", namespace,
        templateName, hash);
    return reply.getString("outcome")
        + (reply.containsKey("message") ? ": " + reply.getString("message") : "");
  }

  @Test
  void a_registration_can_be_asked_about_without_making_it() {
    JsonObject template = Json.createObjectBuilder(Dag.of("a").normalForm()).add("name", name)
        .add("version", "1.0.0").build();
    String hash = template.getString("content_hash");

    assertThat(answer("orders", name, hash)).isEqualTo("registered");
    assertThat(answer("nowhere", name, hash)).isEqualTo("registered");
    assertThat(latest()).isNull();
    assertThat(sql.text("select name from tasker.task_namespaces where name = 'nowhere'")).isNull();

    assertThat(sql.object("select tasker.register_template(?)", template).getString("outcome"))
        .isEqualTo("registered");
    assertThat(answer("orders", name, hash)).isEqualTo("unchanged");
    assertThat(answer("orders", name, "other"))
        .isEqualTo("conflict: template orders/" + name
            + ":1.0.0 is registered with other content; a change needs a new version");
    assertThat(answer("ORDERS", name, hash))
        .isEqualTo(
            "namespace_taken: namespace ORDERS differs only in case from namespace orders, and both would have one queue");
  }
}
