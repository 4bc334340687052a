package ee.tasker.console;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.json.Json;
import java.net.URLEncoder;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * That everyone can use the console: with menus and dialogs open, by keyboard alone, larger, in the
 * colours of the system, and without motion.
 */
@Tag("long")
class ConsoleEveryoneIT extends WithConsole {
  private static final String TAB = "\uE004";
  private static final String ENTER = "\uE007";
  private static final String ESCAPE = "\uE00C";
  private static final String DIALOGS = "[...document.querySelectorAll('main button[aria-haspopup=dialog]')].filter((b) => b.checkVisibility() && !b.disabled)";

  private static void openMenus(boolean isOpen) {
    browser.run(
        "document.querySelectorAll('details.menu').forEach((d) => { d.open = arguments[0] === 'true'; })",
        String.valueOf(isOpen));
  }

  @Test
  void every_page_with_each_menu_and_each_dialog_open_is_accessible() {
    List<String[]> pages = ConsoleIT.pages();
    console.signIn("ann");
    int dialogs = 0;
    for (Browser.Look look : List.of(Console.WIDE, NARROW_DARK)) {
      browser.show(look);
      for (String[] page : pages) {
        console.go(page[0]);
        browser.awaitText(page[1]);
        openMenus(true);
        assertThat(console.violations()).as("menus of %s, %s", page[0], look).isEmpty();
        openMenus(false);
        // One of each kind: a table has the same action in each row.
        int found = Math.min(6, number(DIALOGS + ".length"));
        for (int i = 0; i < found; i++) {
          browser.await(DIALOGS + "[Number(arguments[0])]", String.valueOf(i));
          String name = text(DIALOGS + "[Number(arguments[0])].innerText", String.valueOf(i));
          browser.run(DIALOGS + "[Number(arguments[0])].click()", String.valueOf(i));
          browser.await("document.querySelector('dialog[open]')");
          assertThat(console.violations()).as("%s of %s, %s", name, page[0], look).isEmpty();
          assertThat(isTrue("document.documentElement.scrollWidth <= innerWidth"))
              .as("%s of %s, %s", name, page[0], look).isTrue();
          dialogs++;
          browser.keys(ESCAPE);
          browser.await("!document.querySelector('dialog[open]')");
        }
      }
    }
    assertThat(dialogs).isGreaterThan(40);
    browser.show(Console.WIDE);
    browser.log();
  }

  /** Presses Tab until this has the focus. */
  private static void tabTo(String css) {
    for (int i = 0; i < 120; i++) {
      if (isTrue("document.activeElement.matches(arguments[0])", css)) {
        assertThat(isTrue("getComputedStyle(document.activeElement).outlineStyle !== 'none'"))
            .as("the focus of %s is seen", css).isTrue();
        return;
      }
      browser.keys(TAB);
    }
    throw new AssertionError("Tab never comes to " + css + "\n" + browser.text());
  }

  @Test
  void the_way_from_the_sign_in_to_a_decided_approval_needs_only_the_keyboard() {
    register("by_keyboard", """
        steps:
          - name: review
            approval:
              title: By keyboard
              form:
                type: object
                required: [limit]
                properties: {limit: {type: integer, maximum: 10000}}
              candidates: {users: [ann]}
              due: P2D
        """);
    UUID task = admin.submit("testing", "by_keyboard", "{}");
    until("the approval is made",
        () -> admin.count("select count(*) from tasker.approvals where task_uuid = ?", task) == 1);
    browser.log();
    console.openSignedOut();
    browser.run(
        "window.pointed = 0; for (const kind of ['pointerdown', 'mousedown']) addEventListener(kind, () => window.pointed++, true)");
    tabTo("input[name=name]");
    browser.keys("ann" + TAB + Console.PASSWORD + ENTER);
    browser.await("document.querySelector('.rail')");
    browser.keys("gi");
    browser.await("location.hash === '#/approvals' && document.querySelector('tr[data-approval]')");
    browser.keys("j");
    browser.await("document.activeElement.closest('tr[data-approval]')");
    browser.keys(ENTER);
    browser.await("document.querySelector('input[name=limit]')");
    tabTo("main .actions button");
    browser.keys(ENTER);
    browser.awaitText("Give back");
    tabTo("input[name=limit]");
    browser.keys("4000");
    tabTo("input[name=comment]");
    browser.keys("without a mouse: jk?");
    tabTo("main form button.main");
    browser.keys(ENTER);
    browser.await("document.querySelector('.row[data-state=approved]')");
    until("the task has ended", () -> "complete".equals(console.state(task)));
    assertThat(admin.count(
        "select count(*) from tasker.approvals where task_uuid = ? and decided_by = 'ann' and state = 'approved'",
        task)).isEqualTo(1);
    assertThat(number("window.pointed")).isZero();
    browser.log();
  }

  @Test
  void every_page_is_whole_at_twice_its_size_in_forced_colours_and_without_motion() {
    List<String[]> pages = ConsoleIT.pages();
    console.signIn("ann");
    for (String[] page : pages) {
      // 200 % of 1300 x 900: half as many pixels of CSS, each twice as large.
      browser.command("Emulation.setDeviceMetricsOverride",
          Json.createObjectBuilder().add("width", 650).add("height", 450)
              .add("deviceScaleFactor", 2).add("mobile", false));
      console.go(page[0]);
      browser.awaitText(page[1]);
      assertThat(isTrue("document.documentElement.scrollWidth <= innerWidth"))
          .as("%s fits at 200 %%", page[0]).isTrue();
      assertThat(text(
          "[...document.querySelectorAll('header button, header summary, main button, main .button, main input')].filter((e) => e.checkVisibility()).filter((e) => { const r = e.getBoundingClientRect(); "
              + "return (r.right > innerWidth + 1 || r.left < -1) && !e.closest('.wide, .tabs, .chips, .canvas'); }).map((e) => e.outerHTML.slice(0, 80)).join('|')"))
          .as("%s loses no control at 200 %%", page[0]).isEmpty();
      assertThat(
          number("document.getAnimations().filter((a) => a.playState === 'running').length"))
          .as("%s moves nothing", page[0]).isZero();
      browser.show(Console.WIDE);
      browser.command("Emulation.setEmulatedMedia",
          Json.createObjectBuilder().add("features", Json.createArrayBuilder()
              .add(Json.createObjectBuilder().add("name", "forced-colors").add("value", "active"))
              .add(Json.createObjectBuilder().add("name", "prefers-reduced-motion").add("value",
                  "reduce"))));
      assertThat(text(
          "[...document.querySelectorAll('main .state, main .badge, main .button, main button, main input:not([type=checkbox]), main select')].filter((e) => e.checkVisibility()).filter((e) => { const s = getComputedStyle(e), a = getComputedStyle(e, '::after'); "
              + "return s.borderStyle === 'none' && a.borderStyle === 'none' && !e.matches('.link, .plain'); }).map((e) => e.outerHTML.slice(0, 120)).join('|')"))
          .as("%s has its edges in forced colours", page[0]).isEmpty();
      browser.show(Console.WIDE);
    }
    browser.log();
  }

  private static final String MARKUP = "<img src=x onerror=window.pwned=1>";

  /** What a user wrote somewhere, with the place in it. */
  private static String hostile(String place) {
    return MARKUP + place;
  }

  private static void post(String path, String body) {
    var answer = admin.post(path, body);
    assertThat(answer.status()).as("%s: %s", path, answer.body()).isBetween(200, 201);
  }

  @Test
  void hostile_text_of_every_field_that_a_user_fills_stays_text() {
    register("hostile_fields", "description: '" + hostile("description") + "'\n"
        + "search_attributes: {key: key}\n"
        + "steps:\n  - name: review\n    approval:\n      title: [\"Of \", $.context.key]\n"
        + "      description: '" + hostile("explained") + "'\n      show: {what: $.context.key}\n"
        + "      candidates: {users: [ann, admin]}\n      due: P2D\n"
        + "  - {name: pay, dependencies: [review], handler: {callable: testing.Fail, initialization: {way: permanent}}}\n");
    String context = "{\"key\": \"" + hostile("key") + "\"}";
    UUID decided = admin.submit("testing", "hostile_fields", context);
    UUID open = admin.submit("testing", "hostile_fields", context);
    for (UUID task : List.of(decided, open)) {
      until("the approval is made", () -> admin
          .count("select count(*) from tasker.approvals where task_uuid = ?", task) == 1);
    }
    String approval = "select approval_uuid from tasker.approvals where task_uuid = ?";
    post("/v1/approvals/" + admin.value(approval, decided) + "/decide",
        "{\"approved\": true, \"comment\": \"" + hostile("comment") + "\"}");
    console.awaitState(decided, "blocked_by_failures");
    post("/v1/pauses",
        "{\"namespace\": \"testing\", \"name\": \"hostile_fields\", \"requested_by\": \"x\", \"reason\": \""
            + hostile("pause") + "\"}");
    admin.sql("select tasker.act_on_task(?, 'fail', ?, ?)", decided, hostile("by"),
        hostile("reason"));
    post("/v1/webhooks",
        "{\"namespace\": \"testing\", \"name\": \"hostile\", \"url\": \"https://example.com/\", \"description\": \""
            + hostile("webhook") + "\"}");
    Object webhook = admin.value("select webhook_uuid from tasker.webhooks where name = 'hostile'");
    post("/v1/schedules",
        "{\"namespace\": \"testing\", \"name\": \"hostile\", \"template\": \"hello\", \"every_seconds\": 86400, \"context\": {\"who\": \""
            + hostile("schedule") + "\"}, \"tags\": [\"" + hostile("tag") + "\"]}");
    Object schedule = admin
        .value("select schedule_uuid from tasker.schedules where name = 'hostile'");
    assertThat(admin.postTemplate("name: '" + hostile("named") + "'\nnamespace_name: testing\n"
        + "version: 1.0.0\nidentity_strategy: always_unique\nsteps:\n  - {name: '"
        + hostile("stepped")
        + "', handler: {callable: testing.Fail, initialization: {way: permanent}}}\n").status())
        .isEqualTo(201);
    UUID failed = admin.submit("testing", hostile("named"), "{}");
    console.awaitState(failed, "blocked_by_failures");
    register("hostile_signal", "steps:\n  - {name: waits, signal: {name: go}}\n");
    UUID signalled = admin.submit("testing", "hostile_signal", "{}");
    post("/v1/tasks/" + signalled + "/signals/go", "{\"payload\": {\"text\": \""
        + hostile("payload") + "\"}, \"signal_id\": \"" + hostile("signal") + "\"}");
    console.awaitState(signalled, "complete");
    post("/v1/approvals/" + admin.value(approval, open) + "/delegate",
        "{\"to\": \"ann\", \"note\": \"" + hostile("note") + "\"}");
    post("/v1/access/keys", "{\"name\": \"" + hostile("keyed") + "\"}");
    post("/v1/workers", "{\"name\": \"" + hostile("working")
        + "\", \"capacity\": 1, \"namespaces\": [\"testing\"], \"handlers\": [\"x.Y\"]}");
    console.signIn("ann");
    // A view belongs to the user who is signed in.
    console.go("tasks?namespace=testing");
    browser.press("Views");
    browser.press("Save this view");
    browser.type("dialog[open] input", hostile("view"));
    console.confirm();
    for (String[] page : new String[][]{
      {"tasks?namespace=testing&name=hostile_fields", "key", "view"},
      {"tasks/" + decided, "key"}, {"tasks/" + decided + "?tab=story", "by", "reason"},
      {"tasks/" + decided + "?tab=data", "key"},
      {"approvals?state=open", "key"},
      {"approvals/" + admin.value(approval, open), "key", "explained"},
      {"approvals/" + admin.value(approval, decided), "comment"},
      {"templates/testing/hostile_fields", "description", "pause"},
      {"templates/testing/hostile_fields?tab=source", "explained"},
      {"webhooks/" + webhook, "webhook"}, {"schedules/" + schedule, "schedule", "tag"},
      {"templates?q=named", "named"}, {"tasks/" + failed, "named", "stepped"},
      {"tasks/" + failed + "?tab=timeline", "stepped"},
      {"tasks/" + failed + "?tab=steps", "stepped"},
      {"templates/testing/" + URLEncoder.encode(hostile("named"), UTF_8).replace("+", "%20"),
        "named"},
      {"tasks/" + signalled + "?tab=data", "payload"},
      {"approvals/" + admin.value(approval, open), "note"},
      {"access", "keyed"}, {"servers?q=working", "working"}, {"failures", "named", "stepped"},
      {"deadLetters", "stepped"}, {""}, {"audit", "keyed"}}) {
      console.go(page[0]);
      for (int i = 1; i < page.length; i++) {
        browser.awaitText(hostile(page[i]));
      }
      assertThat(isTrue("document.querySelector('main img, main script')")).as(page[0]).isFalse();
    }
    assertThat(isTrue("window.pwned")).isFalse();
    assertThat(browser.log()).isEmpty();
  }
}
