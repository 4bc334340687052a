package ee.tasker.console;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.EveryCause;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import jakarta.json.JsonObject;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What waits and what took long, in a browser. The server answers only, so that tasks stay as the
 * test made them.
 */
@Tag("long")
class ConsoleCausesIT extends WithBrowser {
  private static final Set<String> CAUSES = Set.of("batch", "yielded", "parents", "held_back",
      "not_checked", "delayed", "paused", "timer",
      "signal", "approval", "child", "child_retry", "slot", "not_started", "ready", "retry",
      "retry_due", "no_server", "no_handler",
      "offered",
      "running", "cancelling", "lease_expired", "result_submitted", "failed");
  /**
   * Where something is in the way, the beginning of the address that leads to it; "step" for a step
   * of the same task.
   */
  private static final Map<String, String> BLOCKERS = new TreeMap<>(Map.ofEntries(
      Map.entry("approval", "#/approvals/"), Map.entry("child", "#/tasks/"),
      Map.entry("slot", "#/tasks/"), Map.entry("parents", "step"), Map.entry("held_back", "step"),
      Map.entry("batch", "#/tasks/"), Map.entry("paused", "#/templates/"),
      Map.entry("running", "#/servers"), Map.entry("cancelling", "#/servers"),
      Map.entry("lease_expired", "#/servers"), Map.entry("offered", "#/servers"),
      Map.entry("no_server", "#/servers"), Map.entry("no_handler", "#/servers")));

  @BeforeAll
  static void start() {
    open(new Console(Map.of("TASKER_ROLES", "api")));
  }

  private static Connection connect() throws SQLException {
    var address = console.database.address();
    return DriverManager.getConnection(address.jdbcUrl(), address.user(), address.password());
  }

  @Test
  void each_cause_of_waiting_has_its_sentence_and_a_link_where_something_is_in_the_way() {
    Map<String, UUID> tasks = new TreeMap<>();
    Sql.elsewhere(ConsoleCausesIT::connect, () -> tasks.putAll(new EveryCause().tasks()));
    console.signIn("ann");
    Set<String> seen = new TreeSet<>();
    for (Map.Entry<String, UUID> task : tasks.entrySet()) {
      var waiting = admin.get("/v1/tasks/" + task.getValue() + "/diagnosis").object()
          .getJsonArray("waiting").getValuesAs(JsonObject.class);
      if (waiting.isEmpty()) {
        continue;
      }
      console.go("tasks/" + task.getValue());
      browser.await("document.querySelector('ul.why')");
      browser.run("document.querySelectorAll('[data-folded]').forEach((d) => { d.open = true; })");
      for (JsonObject step : waiting) {
        String cause = step.getString("cause");
        // Steps that no worker takes stand in one line, with one sentence.
        String row = "[...document.querySelectorAll('li[data-cause=" + cause
            + "] > ul > li, li[data-cause=" + cause + "]:has([data-together])')]"
            + ".find((li) => [...li.querySelectorAll('button')]"
            + ".some((button) => button.innerText === arguments[0]))";
        browser.await(row, step.getString("name"));
        if (seen.add(cause)) {
          // Up to the first time, which the page shows in the zone of its reader.
          String sentence = step.getString("sentence").split(" \\d{4}-")[0];
          assertThat(text(row + ".innerText", step.getString("name"))).as(cause).contains(sentence);
          String blocker = BLOCKERS.get(cause);
          if (blocker != null) {
            assertThat(isTrue(blocker.equals("step") ? row + ".querySelector('button.link')"
                : row + ".querySelector('a[href^=\"" + blocker + "\"]')", step.getString("name")))
                .as("%s leads to what is in the way", cause)
                .isTrue();
          }
        }
      }
    }
    assertThat(seen).isEqualTo(new TreeSet<>(CAUSES));
    console.go("tasks/" + tasks.get("approval"));
    assertThat(console.violations()).isEmpty();
    browser.log();
  }

  /** a ran for five seconds, b for five seconds after six hours. */
  private static UUID withAGap() throws SQLException {
    UUID[] task = new UUID[1];
    Sql.elsewhere(ConsoleCausesIT::connect, () -> {
      Dag.Task made = Dag.of("a").step("b").dependsOn("a").inNamespace("gap").started();
      SqlWorker worker = SqlWorker.open().forNamespaces("gap");
      worker.complete(worker.claimOne().success());
      worker.complete(worker.claimOne().success());
      task[0] = made.uuid();
    });
    try (Connection connection = connect(); Statement statement = connection.createStatement()) {
      statement.execute("alter table tasker.step_moves disable trigger user");
      statement.execute("alter table tasker.task_moves disable trigger user");
      statement.execute("alter table tasker.tasks disable trigger user");
      statement.execute(
          "with places as (select t.workflow_step_uuid, t.sort_key, now() - interval '6 hours' - interval '10 seconds' "
              + "+ case n.name when 'a' then interval '0' else interval '6 hours' + interval '5 seconds' end "
              + "+ case when t.to_state in ('pending', 'enqueued', 'in_progress') then interval '0' else interval '5 seconds' end as at "
              + "from tasker.workflow_step_transitions t join tasker.workflow_steps s using (workflow_step_uuid) "
              + "join tasker.named_steps n using (named_step_uuid) where t.task_uuid = '" + task[0]
              + "') "
              + "update tasker.step_moves t set created_at = p.at from places p "
              + "where t.workflow_step_uuid = p.workflow_step_uuid and t.sort_key = p.sort_key");
      statement.execute(
          "update tasker.task_moves set created_at = now() - interval '6 hours' - interval '10 seconds' "
              + "where born_steps is not null and task_uuid = '" + task[0] + "'");
      statement.execute(
          "update tasker.tasks set created_at = now() - interval '6 hours' - interval '10 seconds', completed_at = now() "
              + "where task_uuid = '" + task[0] + "'");
      statement.execute("alter table tasker.step_moves enable trigger user");
      statement.execute("alter table tasker.task_moves enable trigger user");
      statement.execute("alter table tasker.tasks enable trigger user");
    }
    return task[0];
  }

  private static int width(String step) {
    return number(
        "Math.round(document.querySelector(\"[data-row='\" + arguments[0] + \"'] rect[data-kind=running]\").getBoundingClientRect().width)",
        step);
  }

  @Test
  void a_gap_of_six_hours_between_two_short_steps_is_folded_to_its_length_and_unfolds()
      throws SQLException {
    UUID task = withAGap();
    console.signIn("ann");
    console.go("tasks/" + task + "?tab=timeline");
    browser.await("document.querySelector('button[data-gap]')?.innerText.startsWith('6 h folded')");
    assertThat(number("document.querySelectorAll('button[data-gap]').length")).isEqualTo(1);
    assertThat(width("a")).as("px").isGreaterThanOrEqualTo(40);
    assertThat(width("b")).as("px").isGreaterThanOrEqualTo(40);
    assertThat(isTrue("document.querySelector('[data-row=a] rect[data-fold]')")).isTrue();
    assertUsable("a folded gap");

    browser.run("document.querySelector('button[data-gap]').click()");
    browser
        .await(
            "!document.querySelector('rect[data-fold]') && document.querySelector('button[data-gap]').innerText === 'Fold 6 h'");
    assertThat(width("a")).as("in full, five seconds of six hours are a line").isLessThan(10);
    browser.run("document.querySelector('button[data-gap]').click()");
    browser.await("document.querySelector('rect[data-fold]')");
    assertThat(width("a")).isGreaterThanOrEqualTo(40);
  }
}
