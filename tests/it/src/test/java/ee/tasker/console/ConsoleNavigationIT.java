package ee.tasker.console;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.TaskerClient;
import jakarta.json.Json;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Finding a task, going there and back, selecting rows, the keyboard, zones and looks, in a
 * browser.
 */
@Tag("long")
class ConsoleNavigationIT extends WithConsole {
  private static final String ENTER = "\uE007";
  private static final String ESCAPE = "\uE00C";
  private static final String CONTROL = "\uE009";
  private static final String RIGHT = "\uE014";

  private static void emulate(String command, String name, String value) {
    browser.command(command, Json.createObjectBuilder().add(name, value));
  }

  /** Tasks of a template of their own, that rest blocked. */
  private static List<UUID> blockedOf(String template, int count) {
    assertThat(admin.postTemplate("name: " + template
        + "\nnamespace_name: testing\nversion: 1.0.0\nidentity_strategy: always_unique\n"
        + "steps:\n  - {name: a, handler: {callable: testing.Fail, initialization: {way: permanent}}}\n")
        .status()).isIn(200, 201);
    List<UUID> tasks = java.util.stream.Stream
        .generate(() -> admin.submit("testing", template, "{}")).limit(count).toList();
    tasks.forEach(task -> console.awaitState(task, "blocked_by_failures"));
    return tasks;
  }

  @Test
  void back_restores_the_place_in_the_list_and_the_row_that_had_the_focus() {
    for (int i = 0; i < 50; i++) {
      admin.submit("hello", "{\"who\": \"ann\"}");
    }
    console.signIn("olga");
    console.go("tasks?namespace=testing&name=hello");
    browser.await("document.querySelectorAll('tbody tr').length === 50");
    browser.run(
        "const link = document.querySelectorAll('tbody tr')[40].querySelector('a'); link.scrollIntoView({block: 'center'}); "
            + "window.row = link.closest('tr').dataset.task");
    browser.await("scrollY > 300");
    int place = number("Math.round(scrollY)");
    browser.click("tr[data-task='" + text("window.row") + "'] a");
    browser.await("document.querySelector('[data-state]') && scrollY === 0");
    browser.run("history.back()");
    browser.await("document.activeElement.closest('tr')?.dataset.task === window.row");
    browser.await("Math.abs(scrollY - Number(arguments[0])) < 3", String.valueOf(place));
    assertThat(isTrue("location.hash.includes('name=hello')")).isTrue();
  }

  @Test
  void a_uuid_a_correlation_id_and_a_name_each_lead_to_the_right_place() {
    UUID task = console.blocked();
    String correlation = UUID.randomUUID().toString();
    UUID correlated = admin.post("/v1/tasks",
        TaskerClient.taskRequest("testing", "hello", "{'who': 'ann'}").replaceFirst("\\{",
            "{\"correlation_id\": \"" + correlation + "\", "))
        .taskUuid();
    console.signIn("olga");
    console.go("");
    browser.run("document.activeElement.blur()");
    browser.keys("/");
    assertThat(text("document.activeElement.name")).isEqualTo("find");
    browser.keys(task + ENTER);
    browser.await("location.hash === arguments[0]", "#/tasks/" + task);
    browser.await("document.querySelector('[data-found]')?.innerText === 'The task with this id'");
    browser.type("input[name=find]", correlation);
    browser.keys(ENTER);
    browser.await("location.hash === arguments[0]", "#/tasks?correlation_id=" + correlation);
    browser.await("document.querySelector(arguments[0])", "tr[data-task='" + correlated + "']");
    browser.type("input[name=find]", "testing/fai");
    browser.keys(ENTER);
    browser.await("location.hash === '#/tasks?namespace=testing&name_prefix=fai'");
    browser.type("input[name=find]", UUID.randomUUID().toString());
    browser.keys(ENTER);
    browser.awaitText("Nothing has this id, or not for you.");
    browser.log();
  }

  @Test
  void an_empty_result_names_the_chip_to_drop_and_dropping_it_shows_rows() {
    console.blocked();
    console.signIn("olga");
    console.go("tasks?namespace=testing&name=fail&initiator=no_such_caller");
    browser.await("document.querySelector('[data-hint=initiator]')");
    assertThat(browser.text()).contains("Initiator \"no_such_caller\" leaves out most");
    assertThat(number("document.querySelectorAll('[data-chip]').length")).isEqualTo(3);
    browser.click("[data-hint] button");
    browser.await("document.querySelector('tbody tr')");
    assertThat(isTrue("location.hash.includes('initiator')")).isFalse();
    browser.click("[data-chip=name]");
    browser.await("!location.hash.includes('name=fail')");
    assertThat(console.violations()).isEmpty();
  }

  /** Of what is before a server: it has no code. */
  @Test
  void an_answer_without_a_problem_is_no_success_of_the_selection() {
    List<UUID> tasks = blockedOf("console_answered", 2);
    console.signIn("olga");
    console.go("tasks?namespace=testing&name=console_answered&state=blocked_by_failures");
    browser.await("document.querySelectorAll('tbody tr').length === 2");
    for (UUID task : tasks) {
      browser.click("tr[data-task='" + task + "'] input[data-select]");
    }
    browser.run("window.answered = 500; const real = window.fetch; "
        + "window.fetch = (to, how) => (how?.method === 'PATCH' && window.answered "
        + "? Promise.resolve(new Response('', {status: window.answered})) : real(to, how))");
    browser.press("Act on the selection");
    choose("dialog[open] select[name=action]", "fail");
    console.giveReason("unheard");
    browser.click("dialog[open] form button.danger");
    browser.await("document.querySelector('dialog[open] [data-ran]')?.dataset.refused === '2'");
    assertThat(text("document.querySelector('dialog[open] [data-ran]').dataset.ran"))
        .isEqualTo("0");
    browser.press("Close");

    for (UUID task : tasks) {
      browser.click("tr[data-task='" + task + "'] input[data-select]");
    }
    browser.run("window.answered = 502");
    browser.press("Act on the selection");
    choose("dialog[open] select[name=action]", "fail");
    console.giveReason("heard at last");
    browser.click("dialog[open] form button.danger");
    browser.await("document.querySelector('dialog[open] [role=alert]')");
    browser.run("window.answered = 0");
    browser.click("dialog[open] form button.danger");
    browser.await("document.querySelector('dialog[open] [data-ran]')?.dataset.ran === '2'");
    browser.press("Close");
    tasks.forEach(task -> console.awaitState(task, "error"));
  }

  @Test
  void with_a_selection_nothing_moves_and_exactly_its_tasks_are_acted_on() {
    List<UUID> tasks = blockedOf("console_selected", 4);
    console.signIn("olga");
    console.go("tasks?namespace=testing&name=console_selected&state=blocked_by_failures");
    browser.await("document.querySelectorAll('tbody tr').length === 4");
    String order = text(
        "[...document.querySelectorAll('tbody tr')].map((r) => r.dataset.task).join()");
    for (UUID task : tasks.subList(0, 3)) {
      browser.click("tr[data-task='" + task + "'] input[data-select]");
    }
    browser.await("document.querySelector('[data-selected=\"3\"]')");
    blockedOf("console_selected", 1);
    browser.await("document.querySelector('button.new')");
    assertThat(text("[...document.querySelectorAll('tbody tr')].map((r) => r.dataset.task).join()"))
        .isEqualTo(order);
    assertThat(console.violations()).isEmpty();

    // One of them cannot be acted on any more: its verdict is listed, and there is no message of
    // success.
    admin.sql("select tasker.act_on_task(?, 'resolve', 'test', 'meanwhile')", tasks.get(2));
    browser.await("document.querySelector(arguments[0])?.innerText.includes('resolved')",
        "tr[data-task='" + tasks.get(2) + "']");
    assertThat(text("[...document.querySelectorAll('tbody tr')].map((r) => r.dataset.task).join()"))
        .as("it stays").isEqualTo(order);
    browser.press("Act on the selection");
    choose("dialog[open] select[name=action]", "fail");
    console.giveReason("exactly these");
    browser.click("dialog[open] form button.danger");
    browser.await("document.querySelector('dialog[open] [data-ran]')");
    assertThat(text(
        "document.querySelector('dialog[open] [data-ran]').dataset.ran + document.querySelector('dialog[open] [data-ran]').dataset.refused"))
        .isEqualTo("21");
    assertThat(text("document.querySelector('dialog[open] .refusals').innerText"))
        .contains(tasks.get(2).toString(), "task-already-ended");
    assertThat(isTrue("document.querySelector('dialog[open] .note.warn')")).isTrue();
    browser.press("Close");
    assertThat(
        admin.sql("select task_uuid from tasker.operator_actions where reason = 'exactly these'")
            .stream().map(row -> row.get("task_uuid")))
        .containsExactlyInAnyOrder(tasks.get(0), tasks.get(1));
    assertThat(console.state(tasks.get(3))).isEqualTo("blocked_by_failures");
    browser.log();
  }

  @Test
  void the_way_from_the_list_to_a_retry_and_back_needs_only_the_keyboard() {
    List<UUID> tasks = blockedOf("console_keys", 3);
    console.signIn("olga");
    console.go("tasks?namespace=testing&name=console_keys");
    browser.await("document.querySelectorAll('tbody tr').length === 3");
    browser.run("document.activeElement.blur()");
    browser.keys("jjk");
    assertThat(text("document.activeElement.closest('tr').dataset.task"))
        .isEqualTo(tasks.get(2).toString());
    browser.keys("xjx");
    browser.await("document.querySelector('[data-selected=\"2\"]')");
    browser.keys("x");
    browser.keys("k");
    browser.await("document.querySelector('[data-selected=\"1\"]')");
    browser.keys("jj");
    browser.keys("X");
    browser.await("document.querySelector('[data-selected=\"3\"]')");
    browser.keys("*");
    browser.await("!document.querySelector('[data-selected]')");
    browser.keys("*");
    browser.await("document.querySelector('[data-selected=\"3\"]')");
    browser.keys("*");
    browser.keys("k");
    String row = text("document.activeElement.closest('tr').dataset.task");
    browser.keys(ENTER);
    browser.await("document.querySelector('aside h2')?.innerText === 'a'");
    browser.keys("3");
    browser.await("document.querySelector('.tabs a[aria-current]').innerText === 'Steps'");
    browser.keys("f");
    browser.await(
        "document.querySelector('[data-show=failed]').getAttribute('aria-pressed') === 'true'");
    browser.keys("]");
    browser.keys("a");
    assertThat(text("document.activeElement.innerText")).isEqualTo("Retry");
    browser.keys(ENTER);
    browser.await("document.querySelector('dialog[open] input[name=reason]')");
    browser.run("document.querySelector('dialog[open] input[name=reason]').focus()");
    browser.keys("by keys: jk?");
    browser.chord(CONTROL, ENTER);
    browser.await("!document.querySelector('dialog[open]')");
    assertThat(isTrue(
        "document.activeElement.innerText === 'Retry' || document.activeElement.id === 'main'"))
        .as("the focus returns")
        .isTrue();
    until("it is recorded",
        () -> admin.count(
            "select count(*) from tasker.operator_actions where task_uuid = ?::uuid and reason = 'by keys: jk?'",
            row) == 1);
    browser.keys("gt");
    browser.await("location.hash === '#/tasks'");
  }

  @Test
  void every_key_is_listed_and_single_letters_can_be_switched_off() {
    console.blocked();
    console.signIn("ann");
    console.go("tasks");
    browser.run("document.activeElement.blur()");
    browser.keys("?");
    browser.await("document.querySelectorAll('dialog[open] kbd').length > 25");
    String listed = text(
        "[...document.querySelectorAll('dialog[open] kbd')].map((k) => k.innerText).join('|')");
    assertThat(listed.split("\\|"))
        .contains("Ctrl K", "/", "?", "j", "k", "x", "X", "*", ".", "a", "f", "[", "]", "z", "g t",
            "g o")
        .doesNotHaveDuplicates();
    assertThat(console.violations()).isEmpty();
    browser.click("dialog[open] input[name=letters]");
    browser.keys(ESCAPE);
    browser.await("!document.querySelector('dialog[open]')");
    browser.run("document.activeElement.blur()");
    browser.keys("z?gs");
    assertThat(isTrue(
        "document.querySelector('dialog[open]') || location.hash !== '#/tasks' || document.querySelector('[data-zone=utc]')"))
        .as("letters do nothing").isFalse();
    browser.chord(CONTROL, "k");
    browser.await("document.querySelector('dialog[open] input[name=palette]')");
    assertThat(console.violations()).isEmpty();
    browser.keys("sched" + ENTER);
    browser.await("location.hash === '#/schedules'");
    browser.press("Keys");
    browser.click("dialog[open] input[name=letters]");
    browser.press("Close");
  }

  @Test
  void the_palette_finds_pages_actions_and_tasks() {
    UUID task = console.blocked();
    console.signIn("olga");
    console.go("tasks/" + task);
    browser.await("document.querySelector('main .actions button')");
    browser.chord(CONTROL, "k");
    browser.await("document.querySelector('dialog[open] input[name=palette]')");
    browser.keys("resol");
    browser.await(
        "document.querySelector('.palette [aria-selected=true]')?.innerText.includes('Resolve')");
    browser.keys(ENTER);
    browser.await("document.querySelector('dialog[open] input[name=reason]')");
    browser.press("Leave as it is");
    browser.chord(CONTROL, "k");
    browser.await("document.querySelector('dialog[open] input[name=palette]')");
    browser.keys(task + ENTER);
    browser.await("location.hash === arguments[0]", "#/tasks/" + task);
    assertThat(console.state(task)).as("nothing has changed").isEqualTo("blocked_by_failures");
  }

  @Test
  void the_graph_is_walked_along_its_edges() {
    UUID task = admin.submit("hold", "{}");
    console.signIn("olga");
    console.go("tasks/" + task);
    browser.await("document.querySelector('[data-step=held][data-state=in_progress]')");
    browser.run("document.querySelector('.node[data-step=before]').focus()");
    browser.keys(RIGHT + RIGHT);
    assertThat(text("document.activeElement.dataset.step")).isEqualTo("after");
    browser.keys(ENTER);
    browser.await("document.querySelector('aside h2')?.innerText === 'after'");
    console.release(task);
  }

  @Test
  void the_switch_of_the_zone_changes_all_times_and_each_names_its_zone() {
    UUID task = console.blocked();
    assertThat(admin.post("/v1/schedules",
        "{\"namespace\": \"testing\", \"name\": \"zoned\", \"template\": \"hello\", \"context\": {\"who\": \"ann\"}, "
            + "\"cron\": \"0 9 * * *\", \"zone\": \"Europe/Berlin\"}")
        .status()).isEqualTo(201);
    Object schedule = admin
        .value("select schedule_uuid from tasker.schedules where name = 'zoned'");
    console.signIn("olga");
    emulate("Emulation.setTimezoneOverride", "timezoneId", "Asia/Kolkata");
    browser.open(java.net.URI.create("about:blank"));
    browser.open(console.address("tasks/" + task + "?tab=story"));
    browser.await("document.querySelector('.story time')");
    String times = "[...document.querySelectorAll('main time')].map((e) => e.innerText).filter((s) => /\\d\\d:\\d\\d:\\d\\d/.test(s))";
    assertThat(isTrue(times + ".length > 3 && " + times + ".every((s) => s.endsWith('GMT+5:30'))"))
        .as(text(times)).isTrue();
    String local = text("document.querySelector('.story time').innerText");
    browser.run("document.activeElement.blur()");
    browser.keys("z");
    browser.await("document.querySelector('[data-zone=utc]')");
    assertThat(isTrue(times + ".length > 3 && " + times + ".every((s) => s.endsWith('UTC'))"))
        .as(text(times)).isTrue();
    assertThat(text("document.querySelector('.story time').innerText")).isNotEqualTo(local);
    assertThat(text("document.querySelector('.story time').title")).isEqualTo(local);
    assertThat(isTrue(
        "!/\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?\\+00/.test(document.querySelector('main').innerText)"))
        .as("sentences too")
        .isTrue();

    console.go("schedules/" + schedule);
    browser.await("document.querySelector('[data-upcoming]')");
    assertThat(text("document.querySelector('[data-upcoming]').innerText")).contains("UTC",
        "Europe/Berlin", "09:00:00");
    browser.open(java.net.URI.create("about:blank"));
    browser.open(console.address("schedules/" + schedule));
    browser.await("document.querySelector('[data-upcoming]')");
    assertThat(isTrue("document.querySelector('[data-zone=utc]')")).as("the choice stays").isTrue();
    browser.press("Times: UTC");
    browser.await(
        "document.querySelector('[data-upcoming]').innerText.includes('GMT+5:30') && document.querySelector('[data-upcoming]').innerText.includes('Europe/Berlin')");
    emulate("Emulation.setTimezoneOverride", "timezoneId", "");
  }

  @Test
  void a_change_of_the_scheme_redraws_the_charts() {
    admin.awaitTerminalOrBlocked(admin.submit("hello", "{\"who\": \"ann\"}"));
    console.signIn("ann");
    console.go("");
    browser.await("document.querySelectorAll('.chart canvas').length === 2");
    // Of what is grey, axes and words: the colours of the data are much alike in both schemes.
    String pixels = "(() => { const c = document.querySelector('.chart canvas'); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; "
        + "let light = 0, n = 0; for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 200 && Math.max(d[i], d[i + 1], d[i + 2]) - Math.min(d[i], d[i + 1], d[i + 2]) < 16) { light += d[i] + d[i + 1] + d[i + 2]; n++; } return Math.round(light / 3 / n); })()";
    int light = number(pixels);
    browser.show(new Browser.Look(1300, 900, true));
    browser.await("Math.abs(" + pixels + " - Number(arguments[0])) > 20", String.valueOf(light));
    System.out
        .println("chart ink, 0 to 255: light scheme " + light + ", dark scheme " + number(pixels));
    assertThat(browser.log()).as("this test reads pixels")
        .allMatch(line -> line.contains("getImageData"));
    assertThat(console.violations()).isEmpty();
  }

  @Test
  void at_twice_the_size_no_control_is_lost_and_forced_colours_tell_states_apart() {
    UUID task = console.blocked();
    console.signIn("olga");
    for (String page : List.of("tasks?namespace=testing", "tasks/" + task, "")) {
      browser.show(Console.WIDE);
      console.go(page);
      browser.await("document.querySelectorAll('main a, main button').length > 3");
      String controls = "[...document.querySelectorAll('header button, header input, main button, main a, main input, main select')]"
          + ".filter((e) => e.checkVisibility() && e.getBoundingClientRect().width > 0).map((e) => e.tagName + (e.name ?? '') + e.innerText).sort().join('|')";
      String whole = text(controls);
      // 200 % of 1300 x 900: half as many pixels of CSS, each twice as large.
      browser.command("Emulation.setDeviceMetricsOverride",
          Json.createObjectBuilder().add("width", 650).add("height", 450)
              .add("deviceScaleFactor", 2).add("mobile", false));
      browser.await(controls + " === arguments[0]", whole);
      assertThat(isTrue("document.documentElement.scrollWidth <= innerWidth")).as(page).isTrue();
    }
    browser.show(Console.WIDE);
    console.go("tasks/" + task);
    browser.await("document.querySelector('.node[data-state=error]')");
    browser.command("Emulation.setEmulatedMedia",
        Json.createObjectBuilder().add("features", Json.createArrayBuilder()
            .add(Json.createObjectBuilder().add("name", "forced-colors").add("value", "active"))));
    assertThat(isTrue("matchMedia('(forced-colors: active)').matches")).isTrue();
    assertThat(isTrue(
        "getComputedStyle(document.querySelector('.state')).borderStyle === 'solid' && document.querySelector('.state').innerText.includes('▲')"))
        .isTrue();
    assertThat(text("document.querySelector('.node[data-state=error]').textContent")).contains("✕",
        "error");
    assertThat(isTrue(
        "getComputedStyle(document.querySelector('.node[data-state=error] rect.box')).strokeWidth === '3px'"))
        .isTrue();
    browser.show(Console.WIDE);
  }

  /**
   * The order that failed: submitted, seen to be blocked, the cause read, its step completed by
   * hand, seen to be complete. Every click and every
   * sent form of the browser counts; with the REST API every request does, and none is repeated to
   * wait.
   */
  @Test
  void a_failed_order_takes_fewer_clicks_than_requests() {
    assertThat(admin.postTemplate(
        "name: console_order\nnamespace_name: testing\nversion: 1.0.0\nidentity_strategy: always_unique\n"
            + "input_schema: {type: object, properties: {order: {type: integer}}}\nsteps:\n  - {name: charge, handler: {callable: testing.Fail, initialization: {way: permanent}}}\n"
            + "  - {name: ship, dependencies: [charge], handler: {callable: testing.Echo}}\n")
        .status()).isIn(200, 201);
    console.signIn("ann");
    console.go("templates/testing/console_order?tab=submit");
    browser.type("input[name=order]", "17");
    browser.run("window.clicks = 0; addEventListener('click', () => window.clicks++, true)");
    long began = System.nanoTime();
    browser.click("form button.main");
    browser.await("document.querySelector('.row[data-state=blocked_by_failures]')");
    browser.awaitText("no and never");
    browser.press("Complete");
    console.giveReason("paid by invoice");
    browser.click("dialog[open] button.main");
    browser.await("document.querySelector('.row[data-state=complete]')");
    int clicks = number("window.clicks");
    long millis = (System.nanoTime() - began) / 1_000_000;

    // By REST: submit, the task, its steps or diagnosis, the action, the task again.
    int requests = 0;
    String task = admin
        .post("/v1/tasks", TaskerClient.taskRequest("testing", "console_order", "{'order': 18}"))
        .taskUuid().toString();
    requests++;
    console.awaitState(UUID.fromString(task), "blocked_by_failures");
    requests++;
    String step = admin.get("/v1/tasks/" + task + "/diagnosis").object().getJsonArray("waiting")
        .getJsonObject(0).getString("step_uuid");
    requests++;
    assertThat(
        admin.send(admin.request("/v1/tasks/" + task + "/workflow_steps/" + step)
            .header("Content-Type", "application/json")
            .method("PATCH", java.net.http.HttpRequest.BodyPublishers
                .ofString(TaskerClient.quoted(
                    "{'action_type': 'complete_manually', 'completed_by': 'x', 'reason': 'paid', "
                        + "'completion_data': {'result': {}}}"))))
            .status())
        .isEqualTo(200);
    requests++;
    console.awaitState(UUID.fromString(task), "complete");
    requests++;
    System.out.println("failed order: " + clicks + " clicks in the browser (" + millis + " ms), "
        + requests + " requests by REST");
    assertThat(clicks).isEqualTo(3).isLessThan(requests);
  }

  /** The module of the page that was left may come in any moment between. */
  @Test
  void a_quick_step_back_ends_at_a_page_and_not_at_its_loading() {
    UUID task = console.blocked();
    console.signIn("ann");
    console.go("tasks?namespace=testing");
    browser.run("""
        window.stuck = [];
        window.flips = 0;
        const wait = (ms) => new Promise((done) => setTimeout(done, ms));
        const isThere = () => document.querySelector('main h1');
        (async () => {
          for (let i = 0; i < 60; i++) {
            location.hash = '#/tasks/' + arguments[0];
            await wait(i % 30);
            location.hash = '#/tasks?namespace=testing';
            for (let waited = 0; !isThere() && waited < 1500; waited += 10) await wait(10);
            if (!isThere()) window.stuck.push(i % 30);
            window.flips++;
            // Browsers refuse an address that changes too often.
            await wait(150);
          }
        })();""", task.toString());
    TaskerClient.until("it was flipped", Duration.ofSeconds(120),
        () -> number("window.flips") == 60 || number("window.stuck.length") > 0);
    assertThat(text("window.stuck.join()")).as("after so many milliseconds").isEmpty();
  }
}
