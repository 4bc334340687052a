package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import jakarta.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"save_view", "list_views", "delete_view"})
class SaveViewTest {
  private final Sql sql = Sql.open();

  @BeforeEach
  void namespaces() {
    Dag.of("a").inNamespace("bank").registered();
    Dag.of("a").inNamespace("shop").registered();
  }

  private JsonObject save(String owner, String name, String namespace, String query) {
    return sql.object("select tasker.save_view('tasks', ?, ?, ?, ?, ?)", name, query, namespace,
        "user:" + owner, owner);
  }

  private List<String> seen(String owner, String namespaces) {
    return sql.array("select tasker.list_views(?, ?::jsonb)", "user:" + owner, namespaces)
        .getValuesAs(JsonObject.class).stream()
        .map(view -> view.getString("name")
            + (view.getBoolean("mine") ? "" : " of " + view.getString("saved_by")))
        .toList();
  }

  private static String uuid(JsonObject saved) {
    return saved.getJsonObject("view").getString("view_uuid");
  }

  private String delete(String view, String owner, String namespaces) {
    return sql.text("select tasker.delete_view(?::uuid, ?, ?::jsonb) ->> 'outcome'", view,
        "user:" + owner, namespaces);
  }

  @Test
  void own_views_are_of_their_owner_and_shared_ones_of_all_in_the_namespace() {
    save("ann", "Mine", null, "state=error");
    save("ann", "Ours", "bank", "namespace=bank");

    assertThat(seen("ann", "[\"bank\"]")).containsExactly("Mine", "Ours");
    assertThat(seen("ben", "[\"bank\"]")).containsExactly("Ours of ann");
    assertThat(seen("ben", "[\"shop\"]")).isEmpty();
    assertThat(seen("ann", "[]")).as("who may no longer list the namespace")
        .containsExactly("Mine");
    assertThat(seen("ben", null)).containsExactly("Ours of ann");
  }

  @Test
  void a_view_of_the_same_name_is_replaced() {
    String first = uuid(save("ann", "Mine", null, "state=error"));
    JsonObject second = save("ann", "Mine", null, "state=complete");
    uuid(save("ben", "Mine", null, "state=cancelled"));

    assertThat(uuid(second)).isEqualTo(first);
    assertThat(sql.text("select query from tasker.saved_views where view_uuid = ?::uuid", first))
        .isEqualTo("state=complete");
    assertThat(sql.number("select count(*) from tasker.saved_views")).isEqualTo(2);
    assertThat(second.getJsonObject("view").containsKey("owner")).isFalse();
  }

  @Test
  void who_may_not_delete_a_view_is_told_that_there_is_none() {
    String own = uuid(save("ann", "Mine", null, "state=error"));
    String shared = uuid(save("ann", "Ours", "bank", "namespace=bank"));

    assertThat(delete(own, "ben", null)).as("not even who may act everywhere").isEqualTo("refused");
    assertThat(delete(shared, "ben", "[\"shop\"]")).isEqualTo("refused");
    assertThat(delete(shared, "ben", "[\"bank\"]")).isEqualTo("done");
    assertThat(delete(own, "ann", "[]")).isEqualTo("done");
    assertThat(sql.number("select count(*) from tasker.saved_views")).isZero();
  }

  @Test
  void nothing_is_shared_with_a_namespace_that_is_not_there() {
    JsonObject refused = save("ann", "Mine", "nowhere", "");
    assertThat(refused.getString("code")).isEqualTo("template-not-found");
    assertThat(refused.getString("field")).isEqualTo("namespace");
    assertThat(sql.number("select count(*) from tasker.saved_views")).isZero();
  }

  @Test
  void a_text_that_is_too_long_is_refused_by_its_name() {
    assertThatDatabaseRefuses("TK007", () -> save("ann", "Mine", null, "x".repeat(2_001)))
        .hasMessageContaining("query must have at most 2000 characters");
    assertThatDatabaseRefuses("TK007", () -> save("ann", "x".repeat(129), null, ""))
        .hasMessageContaining("name must have at most 128 characters");
    save("ann", "x".repeat(128), null, "x".repeat(2_000));
  }

  @Test
  void a_caller_has_a_hundred_views_at_most() {
    for (int i = 0; i < 3; i++) {
      save("ann", "View " + i, null, "");
    }
    assertThat(sql.text(
        "select tasker.save_view('tasks', 'One more', '', null, 'user:ann', 'ann', 3) ->> 'code'"))
        .isEqualTo("too-many-views");
    assertThat(sql.text(
        "select tasker.save_view('tasks', 'View 1', 'x', null, 'user:ann', 'ann', 3) ->> 'outcome'"))
        .as("an old one")
        .isEqualTo("done");
    assertThat(sql.text(
        "select tasker.save_view('tasks', 'One more', '', null, 'user:ben', 'ben', 3) ->> 'outcome'"))
        .isEqualTo("done");
  }
}
