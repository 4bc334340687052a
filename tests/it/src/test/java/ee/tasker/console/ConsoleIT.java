package ee.tasker.console;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The pages of the console in a browser: what they show, each action with its effect, live changes,
 * permissions, and that everyone can use them.
 */
@Tag("long")
class ConsoleIT extends WithConsole {
  private static final String TAB = "\uE004";
  private static final String ENTER = "\uE007";
  private static final Path PICTURES = Path.of(System.getProperty("tasker.checkout", "."), "docs",
      "console");

  /** Addresses of all pages, about things that are there, and what each must show. */
  static List<String[]> pages() {
    UUID blocked = console.blocked();
    UUID decided = admin.submit("approvals", "approval_routing",
        "{\"amount\": 50, \"requester\": \"ann\", \"purpose\": \"pens\"}");
    admin.awaitTerminalOrBlocked(decided);
    UUID waiting = admin.submit("retry_later", "{}");
    console.awaitState(waiting, "waiting_for_retry");
    return List.of(
        new String[]{"", "Tasks by state"},
        new String[]{"tasks", "testing/fail"},
        new String[]{"tasks?state=blocked_by_failures&namespace=testing", "Clear the filters"},
        new String[]{"tasks/" + blocked, "an operator has to act"},
        new String[]{"tasks/" + decided, "not taken"},
        new String[]{"tasks/" + waiting + "?tab=timeline", "waits for a retry"},
        new String[]{"tasks/" + blocked + "?tab=steps", "Failed 1"},
        new String[]{"tasks/" + blocked + "?tab=story", "Dead letter opened"},
        new String[]{"tasks/" + blocked + "?tab=data", "permanent"},
        new String[]{"tasks/" + UUID.randomUUID(), "This task does not exist, or not for you."},
        new String[]{"templates", "linear/mathematical_sequence"},
        new String[]{"templates/approvals/approval_routing", "approve_by_rule"},
        new String[]{"templates/linear/mathematical_sequence?tab=source", "Square"},
        new String[]{"templates/linear/mathematical_sequence?tab=configuration", "linear_step_1"},
        new String[]{"templates/linear/mathematical_sequence?tab=submit", "even_number"},
        new String[]{"templates/new", "Valid."},
        new String[]{"tasks/" + blocked + "?tab=tree", "The task has no fork."},
        new String[]{"approvals", "No approval matches."},
        new String[]{"schedules", "No schedule yet."},
        new String[]{"webhooks", "No webhook yet."},
        new String[]{"webhooks/new", "Calls at a time"},
        new String[]{"schedules/new?namespace=linear&template=mathematical_sequence",
          "even_number"},
        new String[]{"deadLetters", "blocked by failures"},
        new String[]{"failures", "no and never"},
        new String[]{"templates/linear/mathematical_sequence?tab=difference",
          "There is no other version."},
        new String[]{"deadMessages", "No message is parked."},
        new String[]{"analytics", "Slowest steps"},
        new String[]{"retention", "every task is kept"},
        new String[]{"servers", "healthy"},
        new String[]{"queues?all=true", "orchestration_step_results"},
        new String[]{"policies", "Concurrency"},
        new String[]{"access", "olga"},
        new String[]{"audit", "/v1/access/session"},
        new String[]{"nothing", "There is no such page."});
  }

  @Test
  void every_page_shows_its_content_and_everyone_can_use_it_wide_and_narrow_light_and_dark() {
    List<String[]> pages = pages();
    console.signIn("ann");
    for (Browser.Look look : List.of(Console.WIDE, new Browser.Look(360, 800, true))) {
      browser.show(look);
      for (String[] page : pages) {
        console.go(page[0]);
        browser.awaitText(page[1]);
        assertThat(console.violations()).as("%s, %s", page[0], look).isEmpty();
        assertThat(isTrue("document.documentElement.scrollWidth <= innerWidth"))
            .as("%s fits into %s", page[0], look).isTrue();
        // That something is not there is an answer, which browsers note as an error.
        assertThat(browser.log()).as(page[0]).allMatch(line -> line.contains("404"));
      }
    }
  }

  @Test
  void every_page_opens_by_its_address_in_a_fresh_tab() {
    List<String[]> pages = pages();
    console.signIn("ann");
    String first = browser.window();
    for (String[] page : pages) {
      browser.openWindow(Console.WIDE);
      browser.open(console.address(page[0]));
      browser.awaitText(page[1]);
      if (page[0].contains("state=blocked_by_failures")) {
        browser.await(
            "document.querySelector('input[name=state][value=blocked_by_failures]')?.checked && document.querySelector('input[name=namespace]')?.value === 'testing'");
      }
      browser.closeWindow(first);
    }
    UUID task = console.blocked();
    browser.openWindow(Console.WIDE);
    browser.open(console.address("tasks/" + task + "?tab=timeline&step=fail&show=failed"));
    browser.await(
        "document.querySelector('.tabs a[aria-current]')?.innerText === 'Timeline' && document.querySelector('aside h2')?.innerText === 'fail'");
    browser.await(
        "document.querySelector('button[data-show=failed]').getAttribute('aria-pressed') === 'true'");
    browser.closeWindow(first);
    browser.log();
  }

  @Test
  void the_dialogs_and_the_sign_in_are_accessible_too() {
    UUID task = console.blocked();
    console.openSignedOut();
    assertThat(console.violations()).isEmpty();
    console.signIn("ann");
    console.go("tasks/" + task);
    browser.press("Retry");
    assertThat(console.violations()).isEmpty();
    browser.press("Leave as it is");
    console.go("tasks");
    browser.press("Act on all that match");
    assertThat(console.violations()).isEmpty();
    browser.press("Close");
  }

  @Test
  void a_task_is_retried_with_a_reason_that_stands_in_its_story() {
    UUID task = console.blocked();
    console.signIn("olga");
    console.go("tasks/" + task);
    press("Retry", "the bank is back");

    until("the retry is recorded",
        () -> admin.count(
            "select count(*) from tasker.operator_actions where task_uuid = ? and action = 'retry' "
                + "and authenticated_as = 'olga' and reason = 'the bank is back'",
            task) == 1);
    console.go("tasks/" + task + "?tab=story");
    browser.awaitText("retry by olga: the bank is back");
  }

  @Test
  void without_a_reason_nothing_is_sent() {
    UUID task = console.blocked();
    console.signIn("olga");
    console.go("tasks/" + task);
    browser.press("Fail");
    browser.click("dialog[open] form button.danger");

    assertThat(
        isTrue("document.querySelector('dialog[open] input[name=reason]').matches(':invalid')"))
        .isTrue();
    browser.press("Leave as it is");
    assertThat(console.state(task)).isEqualTo("blocked_by_failures");
  }

  @Test
  void a_task_is_resolved_failed_and_cancelled() {
    UUID resolved = console.blocked();
    UUID failed = console.blocked();
    UUID cancelled = admin.submit("hold", "{}");
    console.signIn("olga");
    console.go("tasks/" + resolved);
    press("Resolve", "by hand");
    console.awaitState(resolved, "resolved_manually");
    console.go("tasks/" + failed);
    press("Fail", "hopeless");
    console.awaitState(failed, "error");
    console.go("tasks/" + cancelled);
    press("Cancel", "not needed");
    console.awaitState(cancelled, "cancelled");
    assertThat(admin.value("select cancel_reason from tasker.tasks where task_uuid = ?", cancelled))
        .isEqualTo("not needed");
    browser.await("document.querySelector('[data-state=cancelled]')");
  }

  @Test
  void a_step_is_reset_completed_with_a_result_and_resolved() {
    UUID completed = console.blocked();
    UUID resolved = console.blocked();
    UUID reset = console.blocked();
    console.signIn("olga");
    console.go("tasks/" + completed + "?step=fail");
    browser.press("Complete");
    browser.type("dialog[open] textarea", "{not json");
    console.giveReason("agreed");
    browser.click("dialog[open] button.main");
    browser.awaitText("This is not JSON");
    browser.type("dialog[open] textarea", "{\"value\": 49}");
    console.confirm();
    console.awaitState(completed, "complete");
    assertThat(admin.steps(completed).get("fail").getJsonObject("result").getInt("value"))
        .isEqualTo(49);
    browser.awaitText("49");

    console.go("tasks/" + resolved + "?tab=steps&step=fail");
    browser.awaitText("no and never");
    browser.press("Reset");
    browser.press("Leave as it is");
    browser.run("document.querySelector('aside .actions .danger').click()");
    console.giveReason("done elsewhere");
    console.confirm();
    until("the step is resolved",
        () -> "resolved_manually".equals(admin.steps(resolved).get("fail").getString("state")));

    console.go("tasks/" + reset + "?step=fail");
    press("Reset", "once more");
    until("the step ran again", () -> admin.count(
        "select count(*) from tasker.operator_actions where task_uuid = ? and workflow_step_uuid is not null and reason = 'once more'",
        reset) == 1);
  }

  @Test
  void the_graph_follows_the_task_without_a_reload() {
    console.signIn("olga");
    UUID task = admin.submit("hold", "{}");
    console.go("tasks/" + task);
    browser.await("document.querySelector('[data-step=held][data-state=in_progress]')");
    browser.run(
        "document.querySelector('main').dataset.same = 'yes'; window.placed = [...document.querySelectorAll('.node')].map((n) => n.getAttribute('transform')).join()");
    assertThat(isTrue("document.querySelector('[data-step=after]').dataset.state === 'pending'"))
        .as("steps to come are there").isTrue();

    console.release(task);

    browser.await("document.querySelector('[data-step=after][data-state=complete]')");
    browser.await("document.querySelector('.row[data-state=complete]')");
    assertThat(isTrue("document.querySelector('main').dataset.same === 'yes'")).isTrue();
    assertThat(isTrue(
        "window.placed === [...document.querySelectorAll('.node')].map((n) => n.getAttribute('transform')).join()"))
        .as("nothing moved").isTrue();
    assertThat(browser.log()).isEmpty();
  }

  @Test
  void a_stream_that_was_cut_goes_on_where_it_ended() {
    console.signIn("olga");
    UUID task = admin.submit("hold", "{}");
    console.go("tasks/" + task);
    browser.await("document.querySelector('[data-step=held][data-state=in_progress]')");
    browser.command("Network.enable", jakarta.json.Json.createObjectBuilder());
    offline(true);
    console.release(task);
    console.awaitState(task, "complete");
    assertThat(isTrue("document.querySelector('[data-step=after][data-state=complete]')"))
        .isFalse();
    offline(false);
    browser.await("document.querySelector('[data-step=after][data-state=complete]')");
    browser.log();
  }

  @Test
  void branches_that_were_not_taken_look_different_from_those_to_come() {
    UUID task = admin.submit("approvals", "approval_routing",
        "{\"amount\": 50, \"requester\": \"ann\", \"purpose\": \"pens\"}");
    admin.awaitTerminalOrBlocked(task);
    console.signIn("ann");
    console.go("tasks/" + task + "?step=route");
    browser.await(
        "document.querySelector('[data-step=approve_by_manager]')?.dataset.state === 'not_taken'");

    assertThat(isTrue(
        "document.querySelector('[data-step=approve_by_rule]').dataset.state === 'complete'"))
        .isTrue();
    assertThat(isTrue("document.querySelector('.edge.untaken')")).isTrue();
    browser.awaitText("route chose approve_by_rule");
  }

  @Test
  void the_attempts_of_a_step_are_told_apart_in_the_timeline() {
    UUID task = admin.submit("fail", "{\"way\": \"retryable\"}");
    admin.awaitTerminalOrBlocked(task);
    console.signIn("olga");
    console.go("tasks/" + task + "?tab=timeline&step=fail");
    browser
        .await("document.querySelectorAll('[data-row=fail] rect[data-kind=running]').length === 2");

    assertThat(isTrue("document.querySelector('[data-row=fail] rect[data-kind=retry]')")).isTrue();
    browser.await("[...document.querySelectorAll('aside summary')].length === 2");
  }

  @Test
  void the_list_is_filtered_by_its_address_and_follows_what_moves() {
    UUID task = console.blocked();
    console.signIn("olga");
    console.go("tasks?namespace=testing&name=fail&state=blocked_by_failures");
    browser.await("document.querySelector('tr[data-task=\"' + arguments[0] + '\"]')",
        task.toString());
    assertThat(browser.text()).doesNotContain("mathematical_sequence");
    browser.awaitText("live");
    browser.await("document.querySelector('[role=status]').innerText.includes('live')");

    admin.sql("select tasker.act_on_task(?, 'fail', 'test', 'a test')", task);
    browser.await(
        "document.querySelector('tr.left[data-task=\"' + arguments[0] + '\"]')?.innerText.includes('error')",
        task.toString());
    console.blocked();
    browser.press("Show 1 new task");
    browser.await("!document.querySelector('tr.left')");

    browser.type("input[name=name]", "no_such_template");
    browser.awaitText("No task matches.");
    assertThat(isTrue("location.hash.includes('name=no_such_template')")).isTrue();
    browser.press("Clear the filters");
    browser.await("document.querySelector('tbody tr')");
    browser.log();
  }

  @Test
  void a_long_list_has_pages() {
    StringBuilder requests = new StringBuilder("[");
    for (int i = 0; i < 120; i++) {
      requests.append(i == 0 ? "" : ",")
          .append(TaskerClient.taskRequest("testing", "hello", "{'who': 'ann'}"));
    }
    assertThat(admin.post("/v1/tasks:batch", requests.append(']').toString()).status())
        .isEqualTo(207);
    console.signIn("olga");
    console.go("tasks?namespace=testing&name=hello");
    browser.await("document.querySelectorAll('tbody tr').length === 50");
    String first = browser.run("return document.querySelector('tbody tr').dataset.task").toString();
    browser.press("Older ones");
    browser.await(
        "document.querySelector('tbody tr') && JSON.stringify(document.querySelector('tbody tr').dataset.task) !== arguments[0]",
        first);
    // In parts, one with each frame.
    browser.await("document.querySelectorAll('tbody tr').length === 50");
    browser.press("Newest");
    browser.await(
        "document.querySelector('tbody tr') && JSON.stringify(document.querySelector('tbody tr').dataset.task) === arguments[0]",
        first);
  }

  @Test
  void many_tasks_are_acted_on_after_a_dry_run() {
    UUID one = admin.submit("recoverable_fail", "{\"n\": 1}");
    UUID two = admin.submit("recoverable_fail", "{\"n\": 2}");
    admin.awaitTerminalOrBlocked(one);
    admin.awaitTerminalOrBlocked(two);
    console.signIn("olga");
    console.go("tasks?namespace=testing&name=recoverable_fail&state=blocked_by_failures");
    browser.press("Act on all that match");
    browser.await(
        "document.querySelector('dialog[open] [data-matching=\"2\"]')?.innerText.includes('ago')");
    assertThat(text("document.querySelector('dialog[open] [data-filter]').innerText")).isEqualTo(
        "All tasks in the namespace testing, of the template recoverable_fail, in state blocked by failures.");
    choose("dialog[open] select", "resolve");
    console.giveReason("cleaned up");
    browser.press("Dry run");
    browser.awaitText("2 tasks match. Nothing has changed yet.");
    browser.await(
        "document.querySelector('dialog[open] [data-counted] time')?.innerText.includes('ago')");
    assertThat(text(
        "[...document.querySelectorAll('dialog[open] li a')].map((a) => a.innerText).sort().join()"))
        .isEqualTo(
            Stream.of(one, two).map(UUID::toString).sorted().collect(Collectors.joining(",")));
    assertThat(console.state(one)).isEqualTo("blocked_by_failures");
    browser.press("Resolve 2 tasks");
    browser.awaitText("2 done, 0 already so, 0 refused.");

    console.awaitState(one, "resolved_manually");
    console.awaitState(two, "resolved_manually");
    browser.press("Close");
  }

  @Test
  void a_task_is_submitted_by_a_form_and_fields_say_what_is_wrong() {
    console.signIn("ann");
    assertThat(admin.postTemplate(
        "name: form_of_console\nnamespace_name: testing\nversion: 1.0.0\nidentity_strategy: always_unique\n"
            + "input_schema: {type: object, required: [n], properties: {n: {type: integer, minimum: 10}, plan: {enum: [a, b]}}}\n"
            + "steps:\n  - {name: a, handler: {callable: testing.Echo}}\n")
        .status()).isIn(200, 201);
    console.go("templates/testing/form_of_console?tab=submit");
    browser.type("input[name=n]", "7");
    browser
        .run(
            "const s = document.querySelector('select[name=plan]'); s.value = 'b'; s.dispatchEvent(new Event('change', {bubbles: true}))");
    browser.click("form button.main");
    browser.await("document.querySelector('.field .wrong')");
    browser.type("input[name=n]", "12");
    browser.click("form button.main");
    browser.await("location.hash.startsWith('#/tasks/')");
    browser.await("document.querySelector('.row[data-state=complete]')");
    assertThat(admin.count(
        "select count(*) from tasker.tasks t join tasker.task_contexts x using (task_uuid) where x.submitted_by = 'ann' "
            + "and x.context = '{\"n\": 12, \"plan\": \"b\"}'"))
        .isEqualTo(1);
    browser.log();
  }

  @Test
  void a_template_is_checked_while_it_is_typed_and_registered() {
    console.signIn("ann");
    console.go("templates/new");
    browser.type("textarea.editor",
        "name: from_console\nnamespace_name: testing\nversion: 1.0\nsteps:\n  - {name: a, handler: {callable: testing.Echo}}\n");
    browser.awaitText("line 3, column");
    assertThat(isTrue(
        "[...document.querySelectorAll('button')].find((b) => b.innerText === 'Register').disabled"))
        .isTrue();
    browser.type("textarea.editor",
        "name: from_console\nnamespace_name: testing\nversion: 1.0.0\nsteps:\n  - {name: a, handler: {callable: testing.Echo}}\n");
    browser.awaitText("Valid.");
    browser.press("Register");
    browser.awaitText("testing/from_console 1.0.0 is registered.");
    assertThat(admin.get("/v1/templates/testing/from_console/1.0.0").status()).isEqualTo(200);
    browser.log();
  }

  @Test
  void a_template_is_paused_and_resumed() {
    console.signIn("olga");
    console.go("templates/testing/keyed_hello");
    press("Pause", "a look is needed");
    browser.awaitText("Paused by olga: a look is needed");
    assertThat(admin.get("/v1/pauses").body()).contains("keyed_hello", "a look is needed");
    press("Resume", "looked");
    browser.await("!document.body.innerText.includes('Paused by')");
    assertThat(admin.get("/v1/pauses").body()).doesNotContain("keyed_hello");
  }

  @Test
  void a_task_is_retried_from_its_dead_letter_and_the_audit_finds_that_by_its_object() {
    UUID task = console.blocked();
    String entry = admin.get("/v1/dlq/task/" + task).text("dlq_entry_uuid");
    console.signIn("ann");
    console.go("deadLetters");
    browser.click("tr[data-entry='" + entry + "'] td:last-child .row > button");
    console.giveReason("from the list");
    console.confirm();
    until("it is retried", () -> admin.count(
        "select count(*) from tasker.operator_actions where task_uuid = ? and action = 'retry' and reason = 'from the list'",
        task) == 1);
    console.go("audit");
    browser.type("input[name=object]", task.toString() + ENTER);
    browser.await("document.querySelectorAll('tbody tr').length === 1");
    assertThat(text("document.querySelector('tbody tr').innerText")).contains("ann", "changed",
        "PATCH /v1/tasks/" + task);
    browser.type("input[name=object]", "testing/fail" + ENTER);
    browser.awaitText("template testing/fail 1.0.0");
    assertThat(text("[...document.querySelectorAll('tbody a')].map((a) => a.hash).join()"))
        .as("the template that was registered").contains("#/templates/testing/fail/1.0.0");
    String olga = admin.get("/v1/access/users").object().getJsonArray("users")
        .getValuesAs(JsonObject.class).stream()
        .filter(user -> user.getString("name").equals("olga")).findFirst().orElseThrow()
        .getString("user_uuid");
    String grant = admin.post("/v1/access/grants",
        "{\"user_uuid\": \"" + olga + "\", \"permission\": \"tasks:list\"}").text("grant_uuid");
    admin.delete("/v1/access/grants/" + grant);
    browser.type("input[name=object]", "olga" + ENTER);
    browser.awaitText("user olga");
    assertThat(text("[...document.querySelectorAll('tbody tr')].slice(0, 2)"
        + ".map((row) => [...row.cells].slice(1, 4).map((cell) => cell.innerText).join(' '))"
        + ".join('|')")).as("by name, not by id")
        .isEqualTo("admin revoked a grant user olga|admin granted user olga");
  }

  @Test
  void a_dead_letter_is_closed() {
    UUID task = console.blocked();
    String entry = admin.get("/v1/dlq/task/" + task).text("dlq_entry_uuid");
    console.signIn("olga");
    console.go("deadLetters");
    browser.await(
        "document.querySelector(arguments[0])?.innerText.includes('no and never') && document.querySelector(arguments[0] + ' .f-blocked')",
        "tr[data-entry='" + entry + "']");
    browser.click("tr[data-entry='" + entry + "'] td:last-child .row > button:last-child");
    browser.type("dialog[open] input", "looked into");
    console.confirm();
    browser.await("!document.querySelector('tr[data-entry=\"' + arguments[0] + '\"]')", entry);
    assertThat(
        admin.sql(
            "select resolution_status, resolution_notes, resolved_by from tasker.tasks_dlq where dlq_entry_uuid = ?::uuid",
            entry)
            .toString())
        .contains("manually_resolved", "looked into", "olga");
  }

  @Test
  void the_limit_of_a_policy_is_changed() {
    assertThat(admin
        .postTemplate("name: limited_by_console\nnamespace_name: testing\nversion: 1.0.0\nsteps:\n"
            + "  - {name: a, handler: {callable: testing.Echo}, concurrency: [{limit: 2}]}\n")
        .status()).isIn(200, 201);
    Object policy = admin.value(
        "select policy_uuid from tasker.concurrency_policies p where namespace_name = 'testing' "
            + "order by policy_uuid desc limit 1");
    console.signIn("olga");
    console.go("policies");
    browser.click("[data-policy='" + policy + "'] button");
    browser.type("dialog[open] input[type=number]", "5");
    console.giveReason("more machines");
    console.confirm();
    browser.awaitText("set by olga; the template has 2");
    assertThat(admin.get("/v1/concurrency-policies?namespace=testing").body())
        .contains("\"set_limit\":5");
  }

  @Test
  void a_server_gets_another_capacity() {
    console.signIn("ann");
    console.go("servers");
    browser.press("Change");
    browser.type("dialog[open] input[type=number]", "7");
    console.giveReason("a test");
    console.confirm();
    browser.awaitText("/ 7");
    browser.press("Change");
    browser.type("dialog[open] input[type=number]", "100");
    console.giveReason("as before");
    console.confirm();
    browser.awaitText("/ 100");
  }

  @Test
  void users_are_created_and_disabled_and_keys_created_and_revoked() {
    console.signIn("ann");
    console.go("access");
    browser.press("New user");
    browser.type("dialog[open] input", "new one");
    console.confirm();
    browser.awaitText("It is not shown again.");
    browser.click("tr[data-user='new one'] td:last-child button");
    console.confirm();
    until("the user is disabled",
        () -> admin.count(
            "select count(*) from tasker.access_users where name = 'new one' and disabled_by = 'ann'") == 1);
    browser.press("Close");
    browser.press("New key");
    browser.type("dialog[open] input", "a console key");
    console.confirm();
    browser.awaitText("The key is tkr_");
    // The list is loaded again after the answer with the key.
    String row = "[...document.querySelectorAll('tr[data-key]')].find((row) => row.innerText.includes('a console key'))";
    browser.await(row);
    browser.run(row + ".querySelector('td:last-child button').click()");
    console.confirm();
    until("the key is revoked",
        () -> admin.count(
            "select count(*) from tasker.access_keys where name = 'a console key' and revoked_by = 'ann'") == 1);
  }

  @Test
  void a_reader_sees_no_action_and_an_operator_no_page_of_the_administrator() {
    UUID task = console.blocked();
    console.signIn("rita");
    console.go("tasks/" + task + "?tab=data");
    browser.awaitText("The context needs the permission tasks:context_read.");
    assertThat(browser.text()).doesNotContain("Retry", "Resolve", "Users and keys", "Audit",
        "Servers");
    console.go("tasks/" + task + "?step=fail");
    browser.awaitText("no and never");
    assertThat(isTrue("document.querySelector('.actions button')")).isFalse();
    console.go("tasks?namespace=testing");
    browser.await("document.querySelector('tbody tr')");
    assertThat(browser.text()).doesNotContain("Act on all that match");
    String forged = browser.runLater(
        "const a = await fetch('../v1/tasks/' + arguments[0], {method: 'PATCH', headers: {'X-Requested-By': 'x', 'Content-Type': 'application/json'}, "
            + "body: JSON.stringify({action_type: 'fail', requested_by: 'rita', reason: 'x'})}); return a.status + (await a.text())",
        task.toString()).toString();
    assertThat(forged).contains("403", "tasks:act");
    assertThat(console.state(task)).isEqualTo("blocked_by_failures");
    browser.log();

    console.signIn("olga");
    console.go("");
    browser.awaitText("Needs you");
    assertThat(browser.text()).contains("Counts by state need the permission")
        .doesNotContain("Users and keys", "Audit", "Servers");
    console.go("access");
    browser.awaitText("You may not see this.");
    assertThat(browser.text()).contains("security:read");
    browser.log();
  }

  @Test
  void a_refused_action_says_why_in_the_words_of_the_server() {
    UUID task = console.blocked();
    console.signIn("olga");
    console.go("tasks/" + task);
    browser.press("Fail");
    assertThat(
        admin
            .send(
                admin.request("/v1/tasks/" + task).header("Content-Type", "application/json")
                    .method("PATCH", HttpRequest.BodyPublishers.ofString(TaskerClient.quoted(
                        "{'action_type': 'resolve', 'requested_by': 'x', 'reason': 'earlier'}"))))
            .status())
        .isEqualTo(200);
    browser.await("document.querySelector('.row[data-state=resolved_manually]')");
    console.giveReason("too late");
    browser.click("dialog[open] form button.danger");
    browser.await("document.querySelector('dialog[open] .note.bad')?.innerText.includes('task-')");
    browser.press("Leave as it is");
    browser.log();
  }

  @Test
  void hostile_content_stays_text() {
    String markup = "<img src=x onerror=window.pwned=1><script>window.pwned=1</script>";
    String context = "{\"way\": \"permanent\", \"note\": \"" + markup + "\"}";
    UUID task = admin
        .post("/v1/tasks", TaskerClient
            .quoted("{'namespace': 'testing', 'name': 'fail', 'version': '1.0.0', 'initiator': '"
                + markup
                + "', 'tags': ['" + markup + "'], 'reason': '" + markup + "', 'context': ")
            + context + "}")
        .taskUuid();
    admin.awaitTerminalOrBlocked(task);
    admin.sql("select tasker.act_on_task(?, 'retry', 'test', ?)", task, markup);
    console.signIn("ann");
    for (String tab : List.of("graph", "story", "data", "steps", "timeline")) {
      console.go("tasks/" + task + "?tab=" + tab);
      assertThat(isTrue("document.querySelector('main img, main script')")).as(tab).isFalse();
    }
    console.go("tasks/" + task + "?tab=data");
    browser.awaitText(markup);
    console.go("tasks?column=initiator&column=tags&namespace="
        + "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E");
    browser.awaitText("No task matches.");
    console.go("tasks?column=initiator&column=tags");
    browser.awaitText(markup);
    assertThat(isTrue("window.pwned")).isFalse();
    assertThat(browser.log()).isEmpty();
  }

  @Test
  void a_large_document_is_shown_in_part_and_large_numbers_with_all_digits() {
    UUID task = admin.submit("hello", "{\"who\": \"" + "x".repeat(200_000)
        + "\", \"n\": 9007199254740993, \"at_the_end\": true}");
    admin.awaitTerminalOrBlocked(task);
    console.signIn("ann");
    console.go("tasks/" + task + "?tab=data");
    browser.await("document.querySelector('pre')");
    browser.awaitText("9007199254740993");
    assertThat(browser.text()).contains("9007199254740993").doesNotContain("x".repeat(100_000));
    browser.run(
        "[...document.querySelectorAll('button')].find((b) => b.innerText.startsWith('Show all')).click()");
    browser.await("document.querySelector('pre').innerText.length > 200000");
  }

  @Test
  void an_action_needs_no_mouse() {
    UUID task = console.blocked();
    console.signIn("olga");
    console.go("tasks/" + task);
    browser.awaitText("an operator has to act");
    browser.run("document.activeElement.blur()");
    for (int i = 0; i < 40 && !isTrue("document.activeElement.innerText === 'Retry'"); i++) {
      browser.keys(TAB);
    }
    assertThat(isTrue("document.activeElement.innerText === 'Retry'")).isTrue();
    assertThat(isTrue("getComputedStyle(document.activeElement).outlineStyle === 'solid'"))
        .as("the focus is visible").isTrue();
    browser.keys(ENTER);
    browser.await("document.querySelector('dialog[open]')");
    browser.keys("by keyboard" + ENTER);
    browser.await("!document.querySelector('dialog[open]')");
    until("the retry is recorded",
        () -> admin.count(
            "select count(*) from tasker.operator_actions where task_uuid = ? and reason = 'by keyboard'",
            task) == 1);
  }

  private static UUID sample(String request) throws IOException {
    return admin
        .post("/v1/tasks",
            Files.readString(
                Path.of(System.getProperty("tasker.checkout", "."), "samples", request)))
        .taskUuid();
  }

  private static String form(Browser.Look look) {
    return look.width() < 1000 ? look.isDark() ? "-narrow" : "-phone"
        : look.isDark() ? "-dark" : "";
  }

  /** {@code -Dpictures.write=true} takes those of docs/reference/console-pictures.md anew. */
  @Test
  @EnabledIfSystemProperty(named = "pictures.write", matches = "true")
  void pictures() throws IOException {
    UUID decided = sample("approval_routing/request-small.json");
    UUID blocked = sample("user_registration/request-unknown_plan.json");
    UUID retried = sample("retry_mechanics/request.json");
    for (UUID task : List.of(decided, blocked, retried)) {
      admin.awaitTerminalOrBlocked(task);
    }
    for (int i = 0; i < 12; i++) {
      sample("order_processing/request-with_shipping.json");
      if (i < 6) {
        sample("order_processing/request-declined.json");
      }
      if (i % 4 == 0) {
        sample("order_processing/request-timeout.json");
        sample("payments_refund/request-fraud_suspected.json");
      }
    }
    for (int i = 0; i < 30; i++) {
      admin.submit("linear", "mathematical_sequence", "{\"even_number\": " + 2 * i + "}");
    }
    UUID purchase = sample("project_purchase/request-approved.json");
    admin.awaitTerminalOrBlocked(purchase);
    UUID loan = sample("loan_review/request-reviewed.json");
    until("the approval is made",
        () -> admin.count("select count(*) from tasker.approvals where task_uuid = ?", loan) == 1);
    Object approval = admin.value("select approval_uuid from tasker.approvals where task_uuid = ?",
        loan);
    admin.post("/v1/schedules",
        Files.readString(Path.of(System.getProperty("tasker.checkout", "."),
            "samples/nightly_report/schedule.json")));
    Object schedule = admin
        .value("select schedule_uuid from tasker.schedules order by created_at desc limit 1");
    String webhook = admin.post("/v1/webhooks",
        TaskerClient.quoted("{'namespace': 'fulfillment', 'name': 'bookkeeping', "
            + "'url': 'https://books.example.com/in', 'event_types': ['order.paid', 'order.refunded']}"))
        .text("webhook_uuid");
    Files.createDirectories(PICTURES);
    console.signIn("ann");
    List<String[]> pages = List.of(
        new String[]{"overview", "", "the card was declined"},
        new String[]{"tasks", "tasks", "mathematical_sequence"},
        new String[]{"task", "tasks/" + blocked, "an operator has to act"},
        new String[]{"decision", "tasks/" + decided, "not taken"},
        new String[]{"timeline", "tasks/" + retried + "?tab=timeline", "waits for a retry"},
        new String[]{"steps", "tasks/" + blocked + "?tab=steps", "Failed 1"},
        new String[]{"story", "tasks/" + blocked + "?tab=story", "Dead letter opened"},
        new String[]{"data", "tasks/" + blocked + "?tab=data", "permanent"},
        new String[]{"tree", "tasks/" + purchase + "?tab=tree", "approval_routing"},
        new String[]{"approvals", "approvals", "loan_review"},
        new String[]{"approval", "approvals/" + approval, "Approve"},
        new String[]{"schedules", "schedules", "nightly"},
        new String[]{"schedule", "schedules/" + schedule, "Backfill"},
        new String[]{"webhooks", "webhooks", "bookkeeping"},
        new String[]{"webhook", "webhooks/" + webhook, "given up"},
        new String[]{"failures", "failures", "user_registration"},
        new String[]{"templates", "templates", "linear/mathematical_sequence"},
        new String[]{"template", "templates/approvals/approval_routing", "approve_by_rule"},
        new String[]{"source", "templates/linear/mathematical_sequence?tab=source", "Square"},
        new String[]{"submit", "templates/linear/mathematical_sequence?tab=submit", "even_number"},
        new String[]{"editor", "templates/new", "Valid."},
        new String[]{"deadletters", "deadLetters", "blocked by failures"},
        new String[]{"deadmessages", "deadMessages", "No message is parked."},
        new String[]{"analytics", "analytics", "Slowest steps"},
        new String[]{"servers", "servers", "healthy"},
        new String[]{"queues", "queues?all=true", "orchestration_step_results"},
        new String[]{"policies", "policies", "Concurrency"},
        new String[]{"retention", "retention", "every task is kept"},
        new String[]{"access", "access", "olga"},
        new String[]{"audit", "audit", "/v1/access/session"});
    for (Browser.Look look : List.of(new Browser.Look(1440, 900, false),
        new Browser.Look(1440, 900, true),
        new Browser.Look(390, 844, false),
        new Browser.Look(390, 844, true))) {
      browser.show(look);
      for (String[] page : pages) {
        console.go(page[1]);
        browser.awaitText(page[2]);
        Files.write(
            PICTURES.resolve(page[0]
                + form(look) + ".webp"),
            browser.picture());
      }
    }
  }
}
