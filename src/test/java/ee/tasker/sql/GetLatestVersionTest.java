package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"calculate_version_order", "get_latest_version"})
class GetLatestVersionTest {
  private final Sql sql = Sql.open();

  private void register(String version) {
    sql.object("select tasker.register_template(?)", Json.createObjectBuilder(Dag.of("a").normalForm()).add("name", "grown").add("version", version).build());
  }

  private String latest() {
    return sql.text("select tasker.get_latest_version('orders', 'grown')");
  }

  @Test
  void versions_are_in_the_order_of_their_specification() {
    // The example of item 11, and what a comparison of texts would put elsewhere.
    assertThat(sql.texts("""
        select v from unnest(string_to_array('1.0.0,1.0.0-alpha.1,10.0.0,1.0.0-alpha,2.1.1,1.0.0-rc.1,1.0.0-beta.11,1.0.0-alpha.beta,1.0.0-beta,2.0.0,1.0.0-beta.2,2.1.0,9.0.0,1.0.0-alpha-1', ',')) v
        order by tasker.calculate_version_order(v) collate "C" """))
        .containsExactly("1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-alpha-1", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0",
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
    assertThat(sql.text("select tasker.get_latest_version('nowhere', 'grown')")).isNull();
  }

  @Test
  void request_without_a_version_is_one_of_the_highest_release_and_is_told_which() {
    register("1.2.0");
    register("1.10.0");
    String request = "[{\"namespace\": \"orders\", \"name\": \"grown\", \"context\": {\"n\": 1}}]";
    JsonObject first = verdict(request);
    JsonObject explicit = verdict(request.replace("\"context\"", "\"version\": \"1.10.0\", \"context\""));

    assertThat(first.getString("verdict")).isEqualTo("created");
    assertThat(first.getString("version")).isEqualTo("1.10.0");
    UUID task = sql.uuid("select tasker.submit_task('orders', 'grown', null, '{\"n\": 2}')");
    assertThat(sql.text("select n.version from tasker.tasks t join tasker.named_tasks n using (named_task_uuid) where task_uuid = ?", task)).isEqualTo("1.10.0");
    assertThat(explicit.getString("version")).isEqualTo("1.10.0");
    assertThat(verdict(request.replace("grown", "nope")).getString("message")).isEqualTo("there is no template orders/nope");
  }

  @Test
  void identity_is_that_of_the_version_which_was_meant() {
    sql.object("select tasker.register_template(?)", Json.createObjectBuilder(Dag.of("a").identity("strict").normalForm()).add("name", "grown").add("version", "1.0.0").build());
    String request = "[{\"namespace\": \"orders\", \"name\": \"grown\", \"context\": {\"n\": 1}}]";
    JsonObject first = verdict(request);

    JsonObject explicit = verdict(request.replace("\"context\"", "\"version\": \"1.0.0\", \"context\""));

    assertThat(explicit.getString("verdict")).isEqualTo("duplicate");
    assertThat(explicit.getString("task_uuid")).isEqualTo(first.getString("task_uuid"));
    assertThat(explicit.getString("version")).isEqualTo("1.0.0");
  }

  private JsonObject verdict(String requests) {
    return sql.object("select tasker.submit_tasks(?::jsonb)", requests).getJsonArray("verdicts").getJsonObject(0);
  }
}
