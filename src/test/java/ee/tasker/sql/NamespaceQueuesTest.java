package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import org.junit.jupiter.api.Test;

/** A queue belongs to one namespace, although its name is folded to lower case. */
@DatabaseTest
@DatabaseTest.Covers("register_template")
class NamespaceQueuesTest {
  private final Sql sql = Sql.open();

  private static JsonObject template(String namespace) {
    return Dag.of("a").inNamespace(namespace).normalForm();
  }

  @Test
  void a_namespace_that_differs_only_in_case_is_refused_with_the_name_of_the_other() {
    assertThat(
        sql.object("select tasker.register_template(?)", template("folded")).getString("outcome"))
        .isEqualTo("registered");

    JsonObject refused = sql.object("select tasker.register_template(?)", template("Folded"));

    assertThat(refused.getString("outcome")).isEqualTo("namespace_taken");
    assertThat(refused.getString("message")).contains("Folded", "folded");
    assertThat(sql.texts("select name from tasker.task_namespaces where lower(name) = 'folded'"))
        .containsExactly("folded");
    assertThat(sql.object("select tasker.register_template(?)",
        Json.createObjectBuilder(template("folded")).build()).getString("outcome"))
        .as("the namespace itself continues").isEqualTo("unchanged");
  }

  @Test
  void of_two_that_are_registered_at_once_one_is_refused() {
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      assertThat(first.object("select tasker.register_template(?)", template("Raced"))
          .getString("outcome")).isEqualTo("registered");
      Sql.Later<JsonObject> other = second
          .later(session -> session.object("select tasker.register_template(?)", template("raced")))
          .untilItWaits();
      first.commit();
      assertThat(other.get().getString("outcome")).isEqualTo("namespace_taken");
      second.rollback();
    }
    assertThat(
        sql.number("select count(*) from tasker.task_namespaces where lower(name) = 'raced'"))
        .isEqualTo(1);
  }

  @Test
  void the_table_refuses_it_too() {
    sql.object("select tasker.register_template(?)", template("tabled"));
    assertThatThrownBy(() -> sql.run("insert into tasker.task_namespaces (name) values ('TABLED')"))
        .hasMessageContaining("one_namespace_per_queue");
  }
}
