package ee.tasker.console;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import java.net.http.HttpRequest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Approvals, schedules, forks and children in a browser: what is pressed is in the database
 * afterwards.
 */
@Tag("long")
class ConsoleWorkIT extends WithConsole {
  @BeforeAll
  static void prepare() {
    console.user("cleo", "approver", "testing");
    console.user("dan", "approver", "testing");
    register("console_review", """
        steps:
          - name: review
            approval:
              title: ["Loan of ", $.context.amount]
              description: Compare it with the register.
              show: {amount: $.context.amount}
              form:
                type: object
                required: [limit]
                properties: {limit: {type: integer, maximum: 10000}, kind: {type: string, enum: [short, long]}}
              candidates: {roles: [approver]}
              due: P2D
          - {name: pay, dependencies: [review], handler: {callable: testing.Echo}}
        """);
  }

  private static String approval(UUID task) {
    until("the approval is made",
        () -> admin.count("select count(*) from tasker.approvals where task_uuid = ?", task) == 1);
    return admin.value("select approval_uuid from tasker.approvals where task_uuid = ?", task)
        .toString();
  }

  private static long approvals(String approval, String condition) {
    return admin.count(
        "select count(*) from tasker.approvals where approval_uuid = ?::uuid and " + condition,
        approval);
  }

  /**
   * At most the refused request, which browsers note as an error; a form may find the fault itself.
   */
  private static void assertOnlyRefused(String path) {
    assertThat(noted()).allMatch(line -> line.contains(path) && line.contains("400"));
  }

  /** Without what a form asks during typing, and the question who is signed in. */
  private static List<String> noted() {
    return browser.log().stream().filter(line -> !line.contains("/v1/schedules/upcoming?"))
        .filter(line -> !(line.contains("/v1/me ") && line.contains("401"))).toList();
  }

  @Test
  void an_approval_is_found_claimed_and_decided_by_its_form() {
    UUID task = admin.submit("testing", "console_review", "{\"amount\": 5000}");
    String approval = approval(task);
    console.signIn("cleo");
    console.go("approvals?title=loan");
    browser.await("document.querySelector(arguments[0])", "tr[data-approval='" + approval + "']");
    assertUsable("the inbox");
    browser.click("tr[data-approval='" + approval + "'] button");
    browser.await(
        "document.querySelector(arguments[0]).innerText.includes('claimed by cleo until ')",
        "tr[data-approval='" + approval + "']");
    assertThat(approvals(approval, "claimed_by = 'cleo'")).isEqualTo(1);

    browser.click("tr[data-approval='" + approval + "'] a");
    browser.awaitText("Compare it with the register.");
    browser.awaitText("5000");
    browser.awaitText("Claimed until");
    assertUsable("an approval");
    browser.type("input[name=limit]", "20000");
    browser.press("Approve");
    browser.await("document.querySelector('input[name=limit][aria-invalid=true]')");
    assertThat(approvals(approval, "state = 'open'")).as("values that do not fit decide nothing")
        .isEqualTo(1);
    assertOnlyRefused("/decide");

    browser.type("input[name=limit]", "4000");
    browser.type("input[name=comment]", "half of it");
    browser.press("Approve");
    browser.await("document.querySelector('.row[data-state=approved]')");
    browser.await("document.querySelector('li[data-event=approved]').innerText.includes('cleo')");
    assertThat(isOffered("Approve")).as("it is decided").isFalse();
    assertThat(approvals(approval, "state = 'approved' and decided_by = 'cleo'")).isEqualTo(1);
    until("the task has ended", () -> "complete".equals(console.state(task)));
    JsonObject result = admin.steps(task).get("review").getJsonObject("result");
    assertThat(result.getJsonObject("values").getInt("limit")).isEqualTo(4000);
    assertThat(result.getString("comment")).isEqualTo("half of it");
    console.go("approvals?state=approved");
    browser.await("document.querySelector(arguments[0])", "tr[data-approval='" + approval + "']");
  }

  @Test
  void a_delegated_approval_is_rejected_by_the_other_user_and_the_first_one_sees_no_button() {
    UUID task = admin.submit("testing", "console_review", "{\"amount\": 7}");
    String approval = approval(task);
    console.signIn("cleo");
    console.go("approvals/" + approval);
    browser.press("Claim");
    browser.awaitText("Give back");
    browser.press("Give back");
    until("it is given back", () -> approvals(approval, "claimed_by is null") == 1);
    browser.press("Delegate");
    browser.type("dialog[open] input", "dan");
    browser.click("dialog[open] button.main");
    browser.await("document.querySelector('li[data-event=delegated]')?.innerText.includes('dan')");
    assertThat(approvals(approval, "claimed_by = 'dan' and assigned_by = 'cleo'")).isEqualTo(1);
    assertThat(isOffered("Approve") || isOffered("Reject") || isOffered("Claim")).as("dan has it")
        .isFalse();

    console.signIn("dan");
    console.go("approvals?mine=true");
    browser.await("document.querySelector(arguments[0])", "tr[data-approval='" + approval + "']");
    console.go("approvals/" + approval);
    browser.press("Reject");
    browser.await("document.querySelector('.row[data-state=rejected]')");
    assertThat(approvals(approval, "state = 'rejected' and decided_by = 'dan'")).isEqualTo(1);
  }

  @Test
  void an_escalation_is_shown_and_the_task_leads_to_its_approval() {
    register("console_escalates", """
        steps:
          - name: review
            approval:
              title: Of the lead
              candidates: {users: [cleo]}
              due: PT1S
              escalate_to: {users: [dan], due: P1D}
        """);
    UUID task = admin.submit("testing", "console_escalates", "{}");
    String approval = approval(task);
    until("it is escalated", () -> approvals(approval, "escalated_at is not null") == 1);
    console.signIn("ann");
    console.go("tasks/" + task);
    browser.press("Open the approval");
    browser.await("document.querySelector('li[data-event=escalated]')");
    browser.awaitText("cleo, dan");
    assertThat(isTrue("location.hash.includes(arguments[0])", approval)).isTrue();
  }

  private static long schedules(String name, String condition) {
    return admin.count("select count(*) from tasker.schedules where name = ? and " + condition,
        name);
  }

  private static void create(String name) {
    console.go("templates/linear/mathematical_sequence");
    browser.press("Schedule it");
    browser.type("input[name=even_number]", "8");
    browser.type("main form input[name=name]", name);
    browser.type("input[name=zone]", "Europe/Berlin");
  }

  @Test
  void a_schedule_is_made_from_a_template_and_shows_when_it_fires() {
    console.signIn("ann");
    create("made_here");
    browser.type("input[name=cron]", "61 3 * * *");
    browser.press("Save");
    browser.await("document.querySelector('input[name=cron][aria-invalid=true]')");
    assertThat(schedules("made_here", "true")).as("a cron expression that is none makes nothing")
        .isZero();
    assertOnlyRefused("/v1/schedules");
    browser.type("input[name=cron]", "0 3 * * *");
    browser.press("Save");
    browser.await("document.querySelectorAll('[data-upcoming]').length === 10");
    assertThat(
        schedules("made_here", "cron = '0 3 * * *' and context = '{\"even_number\": 8}'::jsonb"))
        .isEqualTo(1);
    Object uuid = admin
        .value("select schedule_uuid from tasker.schedules where name = 'made_here'");
    List<String> times = admin.get("/v1/schedules/" + uuid + "?upcoming=10").object()
        .getJsonArray("next_fire_times")
        .getValuesAs(JsonString.class).stream().map(JsonString::getString).toList();
    assertThat(browser.run(
        "return [...document.querySelectorAll('[data-upcoming]')].map((e) => e.dataset.upcoming).join(' ')")
        .toString())
        .isEqualTo("\"" + String.join(" ", times) + "\"");
    assertThat(
        isTrue("document.querySelector('[data-upcoming]').innerText.includes('Europe/Berlin')"))
        .as("its own zone").isTrue();
    assertUsable("a schedule");

    browser.press("Change");
    browser.type("input[name=cron]", "30 4 * * *");
    browser.type("main form input[name=reason]", "the data comes later");
    browser.press("Save");
    until("it is changed",
        () -> schedules("made_here",
            "cron = '30 4 * * *' and version = 2 and context = '{\"even_number\": 8}' and zone = 'Europe/Berlin'") == 1);
    browser.awaitText("every day at 04:30");
    assertThat(text(
        "[...document.querySelectorAll('main dd')].map((e) => e.innerText).join('|')"))
        .as("the words of the reader").contains("skip the fire time", "catch up the last")
        .doesNotContain("skip|", "cancel_previous", "|last|");
    console.go("schedules?name=made_here");
    browser.await("document.querySelector(arguments[0])?.innerText.includes('30 4 * * *')",
        "tr[data-schedule='" + uuid + "']");
    assertUsable("the list of schedules");
  }

  @Test
  void a_change_of_a_schedule_keeps_every_digit_of_its_context() {
    console.signIn("ann");
    String context = "{\"account\": 12345678901234567890.10}";
    String uuid = admin.post("/v1/schedules",
        "{\"namespace\": \"testing\", \"name\": \"exact_here\", \"template\": \"hello\", "
            + "\"cron\": \"@yearly\", \"context\": " + context + "}")
        .text("schedule_uuid");
    console.go("schedules/" + uuid);
    browser.press("Change");
    browser.await("document.querySelector('main form textarea')?.value.includes('67890.10')");
    browser.type("input[name=cron]", "30 4 * * *");
    browser.type("main form input[name=reason]", "the data comes later");
    browser.press("Save");
    until("it is changed", () -> schedules("exact_here", "version = 2") == 1);
    assertThat(admin.value("select context::text from tasker.schedules where name = 'exact_here'"))
        .isEqualTo(context);
  }

  @Test
  void a_change_of_a_schedule_does_not_overwrite_one_that_was_made_meanwhile() {
    console.signIn("ann");
    create("both_here");
    browser.type("input[name=cron]", "0 3 * * *");
    browser.press("Save");
    browser.await("document.querySelectorAll('[data-upcoming]').length === 10");
    browser.press("Change");
    browser.await("document.querySelector('main form input[name=reason]')");
    String uuid = admin.value(
        "select schedule_uuid from tasker.schedules where name = 'both_here'").toString();
    String other = TaskerClient.quoted(
        "{'template': 'mathematical_sequence', 'cron': '0 5 * * *', 'zone': 'Europe/Berlin', "
            + "'context': {'even_number': 8}, 'version': 1, 'reason': 'earlier'}");
    assertThat(admin.send(admin.request("/v1/schedules/" + uuid)
        .header("Content-Type", "application/json")
        .method("PUT", HttpRequest.BodyPublishers.ofString(other))).status()).isEqualTo(200);
    browser.awaitText("every day at 05:00");
    browser.type("main form input[name=reason]", "too late");
    browser.press("Save");
    browser.awaitText("schedule-version-changed");
    assertThat(schedules("both_here", "version = 2 and cron = '0 5 * * *'")).isEqualTo(1);
    browser.log();
  }

  @Test
  void a_schedule_is_paused_resumed_triggered_and_deleted() {
    console.signIn("ann");
    create("moved_here");
    browser.type("input[name=cron]", "@yearly");
    browser.press("Save");
    browser.await("document.querySelector('[data-upcoming]')");
    browser.press("Pause");
    console.giveReason("the source moves");
    console.confirm();
    browser.awaitText("paused by ann: the source moves");
    assertThat(
        schedules("moved_here", "paused_at is not null and pause_reason = 'the source moves'"))
        .isEqualTo(1);
    browser.press("Resume");
    console.giveReason("it has moved");
    console.confirm();
    browser.await("document.querySelector('.row[data-paused=false]')");
    assertThat(schedules("moved_here", "paused_at is null")).isEqualTo(1);

    browser.press("Submit a task now");
    console.giveReason("to see it");
    console.confirm();
    browser.await("document.querySelector('tr[data-fire=started] a')");
    assertThat(admin.count(
        "select count(*) from tasker.schedule_fires f join tasker.schedules s using (schedule_uuid) "
            + "where s.name = 'moved_here' and f.origin = 'trigger' and f.task_uuid is not null"))
        .isEqualTo(1);

    browser.press("Delete");
    console.giveReason("no more");
    console.confirm();
    browser.await("location.hash === '#/schedules'");
    assertThat(admin.get("/v1/schedules?name=moved_here").object().getJsonArray("schedules"))
        .isEmpty();
  }

  @Test
  void a_backfill_says_first_what_it_would_do() {
    console.signIn("ann");
    create("filled_here");
    browser.type("input[name=cron]", "0 3 * * *");
    browser.press("Save");
    browser.await("document.querySelector('[data-upcoming]')");
    Instant today = Instant.now().truncatedTo(ChronoUnit.DAYS);
    browser.press("Backfill");
    browser.await("document.querySelector('dialog[open] input[name=to]')");
    for (String[] field : new String[][]{{"from", "4"}, {"to", "1"}}) {
      browser.run(
          "const i = document.querySelector('dialog[open] input[name=' + arguments[0] + ']'); i.value = arguments[1]; "
              + "i.dispatchEvent(new Event('input', {bubbles: true}))",
          field[0],
          today.minus(Integer.parseInt(field[1]), ChronoUnit.DAYS).atZone(ZoneOffset.UTC)
              .toLocalDateTime() + ":00");
    }
    console.giveReason("days that were lost");
    browser.press("Dry run");
    browser.await("document.querySelector('dialog[open] [data-start=\"3\"]')");
    assertThat(admin.count("select count(*) from tasker.schedule_backfills"))
        .as("a dry run does nothing").isZero();
    assertThat(console.violations()).isEmpty();
    browser.press("Submit 3 tasks");
    browser.await("document.querySelector('tr[data-backfill] .f-complete')");
    assertThat(admin.count(
        "select count(*) from tasker.schedule_fires f join tasker.schedules s using (schedule_uuid) "
            + "where s.name = 'filled_here' and f.origin = 'backfill' and f.task_uuid is not null"))
        .isEqualTo(3);
  }

  @Test
  void a_reader_sees_schedules_and_forks_but_no_action() {
    Object uuid = admin.post("/v1/schedules",
        "{\"namespace\": \"testing\", \"name\": \"read_only\", \"template\": \"hello\", \"context\": {\"who\": \"ann\"}, "
            + "\"every_seconds\": 86400}")
        .text("schedule_uuid");
    UUID task = admin.submit("hello", "{\"who\": \"ann\"}");
    admin.awaitTerminalOrBlocked(task);
    String step = admin.steps(task).keySet().iterator().next();
    console.signIn("rita");
    console.go("schedules/" + uuid);
    browser.await("document.querySelector('[data-upcoming]')");
    assertThat(List.of("Pause", "Submit a task now", "Change", "Delete", "Backfill"))
        .noneMatch(ConsoleWorkIT::isOffered);
    console.go("tasks/" + task + "?step=" + step);
    browser.await("document.querySelector('aside h2')");
    assertThat(isOffered("Fork from here")).isFalse();
  }

  @Test
  void a_task_is_forked_from_a_step_and_the_fork_leads_back() {
    register("console_forks", """
        steps:
          - {name: first, handler: {callable: testing.Echo}}
          - {name: second, dependencies: [first], handler: {callable: testing.Echo}}
        """);
    UUID task = admin.submit("testing", "console_forks", "{\"text\": \"before\"}");
    admin.awaitTerminalOrBlocked(task);
    console.signIn("ann");
    console.go("tasks/" + task + "?step=second");
    browser.press("Fork from here");
    browser.type("dialog[open] textarea", "{\"text\": \"after\"}");
    console.giveReason("the price was wrong");
    console.confirm();
    browser.await("document.querySelector('[data-source]')?.dataset.source === arguments[0]",
        task.toString());
    UUID fork = (UUID) admin
        .value("select task_uuid from tasker.task_forks where source_task_uuid = ?", task);
    assertThat(isTrue("location.hash.includes(arguments[0])", fork.toString())).isTrue();
    assertThat(admin.get("/v1/tasks/" + fork).object().getJsonObject("context").getString("text"))
        .isEqualTo("after");
    until("the fork has ended", () -> "complete".equals(console.state(fork)));
    console.go("tasks/" + task + "?tab=tree");
    browser.await("document.querySelector(arguments[0])?.innerText.includes('second')",
        "tr[data-fork='" + fork + "']");
    assertUsable("children and forks");
  }

  @Test
  void the_tree_of_children_opens_and_its_states_follow() {
    register("console_leaf", "steps:\n  - {name: hold, signal: {name: go}}\n");
    register("console_middle", "steps:\n  - {name: below, task: {name: console_leaf}}\n");
    register("console_top", "steps:\n  - {name: under, task: {name: console_middle}}\n");
    UUID top = admin.submit("testing", "console_top", "{}");
    until("the leaf is there", () -> admin.count(
        "select count(*) from tasker.tasks m join tasker.tasks l on l.parent_task_uuid = m.task_uuid where m.parent_task_uuid = ?",
        top) == 1);
    UUID middle = (UUID) admin
        .value("select task_uuid from tasker.tasks where parent_task_uuid = ?", top);
    UUID leaf = (UUID) admin.value("select task_uuid from tasker.tasks where parent_task_uuid = ?",
        middle);
    console.signIn("ann");
    console.go("tasks/" + top + "?tab=tree");
    browser.await("document.querySelector(arguments[0])", "li[data-child='" + middle + "']");
    browser.press("1 child");
    browser.await("document.querySelector(arguments[0])",
        "li[data-child='" + middle + "'] li[data-child='" + leaf + "'] .f-waiting");
    assertUsable("the tree");
    browser.run("window.sameDocument = true");
    assertThat(admin.post("/v1/tasks/" + leaf + "/signals/go", "{\"payload\": {}}").status())
        .isEqualTo(200);
    browser.await("document.querySelector(arguments[0])",
        "li[data-child='" + middle + "'] li[data-child='" + leaf + "'] .f-complete");
    browser.await("document.querySelector('.row[data-state=complete]')");
    assertThat(isTrue("window.sameDocument")).as("without a reload").isTrue();
    console.go("tasks/" + middle);
    browser.press("Parent");
    browser.await("location.hash.includes(arguments[0])", top.toString());
  }
}
