package ee.tasker.console;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What the console shows of the whole installation, and the checks of many tasks and large ones, in
 * a browser.
 */
@Tag("long")
class ConsolePagesIT extends WithConsole {
  /**
   * A page that answers within this does not seem frozen; the machine of a build is slower than a
   * desk, and shared.
   */
  private static final int LONGEST_TASK_MS = 1000;

  @BeforeAll
  static void prepare() {
    console.user("omar", "operator", "testing");
  }

  @Test
  void the_overview_draws_the_last_hour_and_has_its_numbers() {
    admin.awaitTerminalOrBlocked(admin.submit("hello", "{\"who\": \"ann\"}"));
    console.signIn("ann");
    console.go("");
    browser.await("document.querySelectorAll('.chart canvas').length === 2");
    browser.run("document.querySelectorAll('.chart details').forEach((d) => { d.open = true; })");
    browser.await(
        "document.querySelectorAll('.chart table')[0].querySelectorAll('tbody tr').length === 60");
    assertThat(number(
        "[...document.querySelectorAll('.chart table')[0].querySelectorAll('tbody tr')].reduce((sum, row) => sum + Number(row.cells[1].innerText.replace(/\\D/g, '')), 0)"))
        .isPositive();
    assertThat(console.violations()).isEmpty();
    assertThat(browser.log()).as("also by the policy of the page").isEmpty();
  }

  @Test
  void failures_are_grouped_and_lead_to_a_task() {
    UUID one = console.blocked();
    UUID two = console.blocked();
    console.signIn("olga");
    console.go("failures");
    browser.await(
        "[...document.querySelectorAll('tbody tr')].some((row) => row.innerText.includes('no and never') && Number(row.cells[0].innerText.split('\\n')[0]) >= 2)");
    browser.press("Open the task");
    browser.await("document.querySelector('.row[data-state=blocked_by_failures]')");
    browser.awaitText("no and never");
    assertThat(List.of(one, two)).doesNotHaveDuplicates();

    console.signIn("rita");
    assertThat(admin.get("/v1/failures?namespace=elsewhere").object().getJsonArray("failures"))
        .isEmpty();
    console.go("failures?namespace=elsewhere");
    browser.awaitText("No step is in error.");
  }

  @Test
  void is_not_and_two_states_combine_and_the_counters_follow_the_filter() {
    console.blocked();
    admin.awaitTerminalOrBlocked(admin.submit("hello", "{\"who\": \"ann\"}"));
    console.signIn("olga");
    console.go("tasks?namespace=testing&state=blocked_by_failures,complete&state_not=complete");
    browser.await("document.querySelector('[data-count]')");
    browser.await("document.querySelector('tbody tr')");
    assertThat(isTrue(
        "[...document.querySelectorAll('tbody .state')].every((s) => s.innerText.includes('blocked'))"))
        .isTrue();
    assertThat(isTrue(
        "performance.getEntriesByType('resource').some((e) => e.name.includes('tasks:count') && e.name.includes('state_not=complete') && e.name.includes('blocked_by_failures'))"))
        .as("the request carries both").isTrue();
    int counted = admin.get("/v1/tasks:count?namespace=testing&state=blocked_by_failures").object()
        .getInt("count");
    browser.await(
        "Number(document.querySelector('[data-count]').dataset.count) === Number(arguments[0])",
        String.valueOf(counted));
    choose("select[name=order]", "oldest");
    browser.await("location.hash.includes('order=oldest')");
  }

  @Test
  void a_saved_view_appears_for_a_second_user_of_the_namespace_and_opens_the_same_address() {
    console.signIn("olga");
    console.go("tasks?namespace=testing&state=error&column=initiator");
    browser.press("Views");
    browser.press("Save this view");
    browser.type("dialog[open] input", "Failed ones");
    browser.run(
        "return [...document.querySelectorAll('dialog[open] input')][1].setAttribute('data-share', '')");
    browser.type("dialog[open] input[data-share]", "testing");
    browser.click("dialog[open] button.main");
    browser.await("!document.querySelector('dialog[open]')");
    until("it is saved",
        () -> admin.count(
            "select count(*) from tasker.saved_views where name = 'Failed ones' and namespace = 'testing'") == 1);

    console.signIn("omar");
    console.go("tasks");
    browser.run("document.querySelector('.views').open = true");
    browser.press("Failed ones");
    browser.await(
        "location.hash.includes('state=error') && location.hash.includes('namespace=testing') && location.hash.includes('column=initiator')");
    browser.await("document.querySelector('input[name=state][value=error]').checked");

    console.signIn("rita");
    console.go("tasks");
    browser.run("document.querySelector('.views').open = true");
    browser.awaitText("Failed ones");
    assertThat(isTrue("document.querySelector('.views .danger')"))
        .as("a reader deletes no view of others").isFalse();
  }

  @Test
  void the_difference_of_two_versions_shows_lines_that_were_added_and_removed() {
    String template = "name: differs\nnamespace_name: testing\nversion: 1.0.0\n# one line\nsteps:\n  - {name: a, handler: {callable: testing.Echo}}\n";
    admin.postTemplate(template);
    admin.postTemplate(
        template.replace("1.0.0", "1.1.0") + "  - {name: b, handler: {callable: testing.Echo}}\n");
    console.signIn("ann");
    console.go("templates/testing/differs?version=1.1.0&tab=difference");
    browser.await(
        "document.querySelectorAll('[data-line=added]').length === 2 && document.querySelectorAll('[data-line=removed]').length === 1");
    assertThat(browser.run("return document.querySelector('.diff').innerText").toString())
        .contains("name: b", "1.0.0");
    assertThat(console.violations()).isEmpty();
    console.go("templates/testing/differs?version=1.1.0&tab=source");
    browser.await("document.querySelector('pre .f-running')?.innerText === 'name'");
    assertThat(browser.run("return document.querySelector('pre').innerText").toString())
        .contains("# one line").contains("1.1.0");
    assertThat(console.violations()).isEmpty();
  }

  @Test
  void a_signal_is_sent_to_the_step_that_waits_for_it_until_a_time() {
    UUID task = task("console_waits",
        "steps:\n  - {name: pay, signal: {name: payment, timeout: PT1H}}\n"
            + "  - {name: ship, dependencies: [pay], handler: {callable: testing.Echo}}\n",
        "{}");
    console.signIn("olga");
    console.go("tasks/" + task);
    browser.awaitText("signal payment");
    browser.await("document.querySelector('section[aria-label=\"Why it waits\"] time')");
    browser.press("Send a signal");
    browser.type("dialog[open] textarea", "{\"amount\": 3}");
    browser.click("dialog[open] button.main");
    browser.await("document.querySelector('.row[data-state=complete]')");
    assertThat(admin.steps(task).get("pay").toString()).contains("3");
  }

  @Test
  void a_batch_has_counters_and_its_workers_by_page() {
    StringBuilder cursors = new StringBuilder("1");
    for (int i = 2; i <= 120; i++) {
      cursors.append(',').append(i);
    }
    UUID task = task("console_batch", """
        steps:
          - {name: cut, type: batchable, handler: {callable: testing.CutBatches}, retry: {max_attempts: 1}}
          - name: work
            type: batch_worker
            depends_on: [cut]
            handler: {callable: testing.WorkOffBatch}
            batch_config: {worker_template: work, parallelism: 40, failure_strategy: isolate, tolerate: 1}
          - {name: join, type: deferred_convergence, depends_on: [work], handler: {callable: testing.Echo}}
        """, "{\"cursors\": [" + cursors + "]}");
    TaskerClient.until("the task has ended", Duration.ofMinutes(2),
        () -> "complete".equals(console.state(task)));
    console.signIn("olga");
    console.go("tasks/" + task + "?tab=batches");
    browser.awaitText("120 of 120 workers ended");
    browser.await("document.querySelectorAll('[data-all] tr[data-worker]').length === 50");
    browser.press("Further workers");
    browser.await("document.querySelector('tr[data-worker=work_051]')");
    browser.await("document.querySelectorAll('[data-all] tr[data-worker]').length === 50");
    assertThat(isTrue(
        "performance.getEntriesByType('resource').filter((e) => e.name.includes('batch=')).every((e) => Number(new URL(e.name).searchParams.get('limit')) <= 50)"))
        .as("no request for all workers").isTrue();
    assertThat(console.violations()).isEmpty();
    console.go("tasks/" + task);
    browser.await("document.querySelectorAll('.node').length === 3");
  }

  @Test
  void grants_are_given_and_revoked() {
    console.user("gina", "viewer", "testing");
    console.signIn("ann");
    console.go("access");
    browser.await("document.querySelector(\"tr[data-user='gina']\")");
    browser.run(
        "[...document.querySelectorAll(\"tr[data-user='gina'] button\")].find((b) => b.innerText === 'Grant').click()");
    choose("dialog[open] select", "operator");
    browser.click("dialog[open] button.main");
    browser
        .await("document.querySelector(\"tr[data-user='gina']\").innerText.includes('operator')");
    until("it is granted", () -> grants("gina") == 2);
    browser.run(
        "[...document.querySelectorAll(\"tr[data-user='gina'] [data-grant]\")].find((g) => g.innerText.includes('viewer')).querySelector('button').click()");
    browser.click("dialog[open] button.danger");
    until("it is revoked", () -> grants("gina") == 1);
  }

  private static long grants(String user) {
    return admin.count(
        "select count(*) from tasker.access_grants g join tasker.access_users u using (user_uuid) where u.name = ?",
        user);
  }

  @Test
  void a_parked_message_is_sent_again_and_a_policy_of_retention_is_set() {
    Object parked = admin.value(
        "insert into tasker.dead_messages (queue_name, msg_id, read_ct, enqueued_at, cause, message) "
            + "values ('orchestration_step_results', 1, 9, now(), 'of the console', '{}') returning dead_message_uuid");
    console.signIn("ann");
    console.go("deadMessages");
    browser.awaitText("of the console");
    browser.click("tr[data-message='" + parked + "'] td > button");
    browser.click("dialog[open] button.main");
    browser.await("!document.querySelector('dialog[open]')");
    until("it is sent again", () -> admin
        .count(
            "select count(*) from tasker.dead_messages where dead_message_uuid = ?::uuid and replayed_at is not null",
            parked) == 1);

    console.go("retention");
    browser.press("Set a policy");
    browser.type("dialog[open] input[type=number]", "30");
    browser.type("dialog[open] input", "testing");
    console.giveReason("as agreed");
    browser.click("dialog[open] button.main");
    browser.awaitText("30 days");
    assertThat(admin.get("/v1/retention").body()).contains("as agreed", "\"keep_days\":30");
    browser.log();
  }

  @Test
  void a_document_is_searched_also_where_it_is_not_shown() {
    UUID task = admin.submit("hello",
        "{\"who\": \"" + "x".repeat(1_000_000) + "\", \"needle_at_the_end\": 9007199254740993}");
    admin.awaitTerminalOrBlocked(task);
    console.signIn("ann");
    watchLongTasks();
    console.go("tasks/" + task + "?tab=data");
    browser.await("document.querySelector('pre')");
    assertThat(number("document.querySelector('pre').innerText.length")).as("the beginning")
        .isLessThan(20_000);
    browser.run(
        "[...document.querySelectorAll('button')].find((b) => b.innerText.startsWith('Show all')).click()");
    browser.await("document.querySelector('input.seek')");
    browser.type("input.seek", "needle");
    browser.awaitText("1 line matches");
    browser.await("document.querySelector('.hits')?.innerText.includes('9007199254740993')");
    assertThat(number("Math.round(window.longest)")).as("1 MiB of context: longest task, ms")
        .isLessThan(LONGEST_TASK_MS);
  }

  @Test
  void ten_thousand_running_tasks_do_not_freeze_the_list() {
    assertThat(admin.postTemplate(
        "name: many\nnamespace_name: crowd\nversion: 1.0.0\nidentity_strategy: always_unique\nsteps:\n"
            + "  - {name: a, handler: {callable: none}}\n")
        .status()).isIn(200, 201);
    admin.sql(
        "select json_array_length((tasker.submit_tasks((select jsonb_agg(jsonb_build_object('namespace', 'crowd', 'name', "
            + "'many', 'version', '1.0.0', 'context', '{}'::jsonb)) from generate_series(1, 10001))) -> 'verdicts')::json)");
    console.signIn("ann");
    watchLongTasks();
    console.go("tasks?namespace=crowd&name=many");
    browser.await("document.querySelectorAll('tbody tr').length === 50");
    browser.await("document.querySelector('[data-count]')");
    assertThat(number("document.querySelectorAll('tbody tr').length")).isEqualTo(50);
    assertThat(number("Number(document.querySelector('[data-count]').dataset.count)"))
        .isEqualTo(10_000);
    JsonObject counts = admin.get("/v1/tasks:count?namespace=crowd&name=many").object();
    assertThat(counts.getInt("count")).isEqualTo(10_000);
    assertThat(counts.getBoolean("more")).as("10 001 are there").isTrue();
    browser.awaitText("More than 10,000 tasks match");
    assertThat(number("Math.round(window.longest)")).as("longest task, ms")
        .isLessThan(LONGEST_TASK_MS);
    System.out
        .println("10 000 tasks: longest task " + number("Math.round(window.longest)") + " ms");
  }

  @Test
  void a_task_of_five_hundred_steps_does_not_freeze_the_page() {
    StringBuilder steps = new StringBuilder("steps:\n");
    for (int i = 0; i < 500; i++) {
      steps.append("  - {name: s").append(i)
          .append(i < 10 ? "" : ", dependencies: [s" + i / 10 + "]")
          .append(", handler: {callable: testing.Echo}}\n");
    }
    UUID task = task("console_wide", steps.toString(), "{}");
    console.signIn("ann");
    watchLongTasks();
    console.go("tasks/" + task);
    browser.await("document.querySelectorAll('tr[data-row-step]').length === 100");
    assertThat(number("Math.round(window.longest)")).as("longest task, ms")
        .isLessThan(LONGEST_TASK_MS);
    System.out.println("500 steps: longest task " + number("Math.round(window.longest)") + " ms");
    console.go("tasks/" + task + "?tab=graph");
    browser.awaitText("The graph has 500 steps.");
    browser.press("Draw it");
    browser.await("document.querySelectorAll('.node').length === 500");
    System.out
        .println("500 steps drawn: longest task " + number("Math.round(window.longest)") + " ms");
  }

  @Test
  void every_state_has_its_sign_and_word_and_enough_contrast() {
    console.signIn("ann");
    for (boolean isDark : new boolean[]{false, true}) {
      browser.show(new Browser.Look(1300, 900, isDark));
      console.go("tasks");
      browser.run(
          "document.querySelectorAll('details.menu').forEach((d) => { d.open = true; })");
      assertThat(console.violations()).as("dark: %s", isDark).isEmpty();
      String signs = ((JsonString) browser
          .runLater(
              "const ui = await import(new URL('ui/index.js', document.querySelector('script[type=module]').src)); "
                  + "return [...ui.TASK_STATES, 'enqueued', 'in_progress', 'not_taken'].map((s) => ui.glyph(s) + ui.words(s)).join('|')"))
          .getString();
      assertThat(signs.split("\\|")).hasSize(15).doesNotHaveDuplicates()
          .noneMatch(sign -> sign.startsWith("◇"));
    }
  }

  @Test
  void five_filters_add_one_entry_to_the_history_and_back_restores_the_list() {
    console.blocked();
    console.signIn("olga");
    console.go("tasks?namespace=testing");
    browser.await("document.querySelector('tbody tr')");
    // The length of the history ends at 50 entries, and does not tell more of them apart.
    browser
        .run("window.known = new Set(navigation.entries().map((entry) => entry.key))");
    String added = "navigation.entries().filter((entry) => !window.known.has(entry.key)).length";
    for (String state : List.of("blocked_by_failures", "error", "complete", "cancelled",
        "pending")) {
      browser.await("document.querySelector(arguments[0])",
          "input[name=state][value=" + state + "]");
      browser.run("const box = document.querySelector(arguments[0]); if (!box.checked) box.click()",
          "input[name=state][value=" + state + "]");
      browser.await("location.hash.includes(arguments[0])", state);
    }
    assertThat(number(added)).as("five changes are one entry").isEqualTo(1);
    String address = browser.run("return location.hash").toString();
    browser.await("document.querySelector('tbody tr a')");
    browser.click("tbody tr a");
    browser.await("location.hash.startsWith('#/tasks/')");
    assertThat(number(added)).as("a task is another one").isEqualTo(2);
    browser.run("history.back()");
    browser.await(
        "document.querySelector('tbody tr') && JSON.stringify(location.hash) === arguments[0]",
        address);
    assertThat(isTrue("document.querySelector('input[name=state][value=error]').checked")).isTrue();
    browser.run("history.back()");
    browser.await("location.hash === '#/tasks?namespace=testing'");
    browser.log();
  }

  @Test
  void a_failed_task_opens_at_its_first_failed_step() {
    UUID task = console.blocked();
    console.signIn("olga");
    console.go("tasks/" + task);
    browser.await("document.querySelector('aside h2')?.innerText === 'fail'");
    browser.awaitText("no and never");
  }

  @Test
  void a_set_that_changed_since_the_dry_run_is_refused_and_the_dialog_says_so() {
    UUID one = task("console_changed",
        "steps:\n  - {name: a, handler: {callable: testing.Fail, initialization: {way: permanent}}}\n",
        "{}");
    console.awaitState(one, "blocked_by_failures");
    console.signIn("olga");
    console.go("tasks?namespace=testing&name=console_changed&state=blocked_by_failures");
    browser.press("Act on all that match");
    choose("dialog[open] select", "fail");
    console.giveReason("cleaned up");
    browser.press("Dry run");
    browser.awaitText("1 task matches. Nothing has changed yet.");
    UUID two = admin.submit("testing", "console_changed", "{}");
    console.awaitState(two, "blocked_by_failures");
    browser.press("Fail 1 task");
    browser.await(
        "document.querySelector('dialog[open] .note.bad')?.innerText.includes('set-has-changed')");
    assertThat(console.state(one)).isEqualTo("blocked_by_failures");
    browser.await("document.querySelector('dialog[open] [data-difference=\"1 2\"]')");
    browser.awaitText("It was 1 task, and is 2 tasks now. Nothing was done.");
    assertThat(text("document.querySelector('dialog[open] [data-difference]').innerText"))
        .contains("1 → 2", two.toString())
        .doesNotContain(one.toString());
    assertUsable("a set that has changed");
    assertThat(console.state(two)).isEqualTo("blocked_by_failures");
    // What is shown now is what runs, if it is confirmed.
    browser.press("Fail 2 tasks");
    browser.awaitText("2 done, 0 already so, 0 refused.");
    browser.press("Close");
    browser.log();
  }

  @Test
  void a_double_click_is_one_action() {
    UUID task = console.blocked();
    console.signIn("olga");
    console.go("tasks/" + task);
    browser.press("Retry");
    console.giveReason("twice");
    browser
        .run("const b = document.querySelector('dialog[open] button.main'); b.click(); b.click()");
    browser.await("!document.querySelector('dialog[open]')");
    until("it is recorded",
        () -> admin.count(
            "select count(*) from tasker.operator_actions where task_uuid = ? and reason = 'twice'",
            task) >= 1);
    assertThat(admin.count(
        "select count(*) from tasker.write_requests where path like ? and method = 'PATCH'",
        "%" + task)).isEqualTo(1);
  }
}
