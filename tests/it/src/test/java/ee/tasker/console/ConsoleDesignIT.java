package ee.tasker.console;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.json.Json;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What makes the console quick to use and to read: how many clicks and how much room it takes, what
 * a list and a search tell, and that the design holds for other widths, themes and languages.
 */
@Tag("long")
class ConsoleDesignIT extends WithConsole {
  private static final Browser.Look DESK = new Browser.Look(1440, 900, false);
  private static final Browser.Look PHONE = new Browser.Look(390, 844, false);
  private static final String ENTER = "\uE007";
  private static final String DOWN = "\uE015";
  private static final String MARKUP = "<img src=x onerror=window.pwned=1>";
  /** What is cut off although it has room to wrap or to scroll. */
  private static final String CUT = "[...document.querySelectorAll('button, .button, .tabs a, th, .state, h1, .rail a, .stat b')]"
      + ".filter((e) => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline' && !e.matches('.chip') && !(e.matches('th') && getComputedStyle(e.closest('thead')).position === 'absolute'))"
      + ".map((e) => e.innerText).join('|')";
  /** What is read or heard of a control; names of tasks and steps are no sentences. */
  private static final String UNTRANSLATED = "[...document.querySelectorAll('button, label, th, h1, h2, legend, summary, [placeholder], nav a, [role=group], [role=region]')]"
      + ".filter((e) => e.checkVisibility()).flatMap((e) => [e.getAttribute('placeholder'), e.getAttribute('aria-label'), ['BUTTON', 'LABEL', 'TH', 'LEGEND', 'SUMMARY'].includes(e.tagName) && !e.closest('[data-hit], td, .why, .story') && !e.querySelector('svg, code') && !e.matches('.chip') ? e.innerText : null])"
      + ".filter((s) => s && /^[A-Z][a-z]|[a-z] [a-z]/.test(s) && /[aeiouAEIOU]/.test(s.replace(/ä|é|î|ö|ü/gi, '')) && !/[äéîöü]/i.test(s)).join('|')";
  private static final String IS_IN_VIEW = "((e) => { const r = e?.getBoundingClientRect(); return r && r.width > 0 && r.top >= 0 && r.bottom <= innerHeight; })";

  private static List<UUID> orders(String name, int count, String attribute) {
    register(name,
        "search_attributes: {order: number}\nsteps:\n"
            + "  - {name: charge, handler: {callable: testing.Fail, initialization: {way: permanent}}}\n"
            + "  - {name: ship, dependencies: [charge], handler: {callable: testing.Echo}}\n");
    List<UUID> tasks = Stream
        .iterate(1, i -> i + 1).limit(count).map(i -> admin.submit("testing", name,
            Json.createObjectBuilder().add("number", attribute + i).build().toString()))
        .toList();
    tasks.forEach(task -> console.awaitState(task, "blocked_by_failures"));
    return tasks;
  }

  @Test
  void the_second_page_has_every_search_attribute_of_the_first() {
    register("paged", "search_attributes: {order: number, customer: who}\nsteps:\n"
        + "  - {name: charge, handler: {callable: testing.Echo}}\n");
    for (int i = 0; i < 51; i++) {
      admin.submit("testing", "paged", "{\"number\": \"A-17\", \"who\": \"7\", \"n\": " + i + "}");
    }
    console.signIn("ann");
    console.go("tasks?attribute=order:A-17&attribute=customer:7");
    browser.await("document.querySelectorAll('tbody tr[data-task]').length === 50");
    browser.click("main a.button[href*='cursor=']");
    browser.await("location.hash.includes('cursor=')");
    browser.await("document.querySelectorAll('tbody tr[data-task]').length === 1");
  }

  private static void open(Browser.Look look, String hash) {
    browser.show(look);
    console.go(hash);
    browser.run(
        "window.clicks = 0; window.moved = 0; addEventListener('click', () => window.clicks++, true); addEventListener('scroll', () => { window.moved = Math.max(window.moved, scrollY); })");
  }

  @Test
  void a_failed_order_is_retried_from_the_overview_in_three_clicks_and_its_cause_read_without_any() {
    for (Browser.Look look : List.of(DESK, PHONE)) {
      // More of them than of any other group, so that it is the first that needs somebody.
      String name = "order_" + look.width();
      orders(name, 8, "A-");
      console.signIn("ann");
      open(look, "");
      String entry = "[...document.querySelectorAll('[data-needs]')].find((a) => a.innerText.includes('"
          + name + "'))";
      browser.await(entry);
      assertThat(isTrue(IS_IN_VIEW + "(" + entry + ".closest('li'))"))
          .as("in view at %s", look).isTrue();
      assertThat(text(entry + ".closest('li').innerText")).contains("charge", "no and never");

      browser.run(entry + ".setAttribute('data-taken', '')");
      browser.click("[data-taken]");
      browser.await("document.querySelector('.row[data-state=blocked_by_failures]')");
      browser.awaitText("no and never");
      String retry = "[...document.querySelectorAll('main .actions button')].find((b) => b.innerText === 'Retry')";
      assertThat(isTrue(retry + ".matches('.main') && " + IS_IN_VIEW + "(" + retry + ")"))
          .as("the one fitting action").isTrue();
      browser.run(retry + ".setAttribute('data-taken', '')");
      String task = text("location.hash.split('/')[2].split('?')[0]");
      browser.click("main .actions [data-taken]");
      console.giveReason("the bank is back");
      console.confirm();
      until("it is retried", () -> admin.count(
          "select count(*) from tasker.operator_actions where task_uuid = ?::uuid and action = 'retry' and reason = 'the bank is back'",
          task) == 1);
      assertThat(number("window.clicks")).as("clicks at %s", look).isEqualTo(3);
      assertThat(number("window.moved")).as("pixels scrolled at %s", look).isZero();
    }
    browser.show(Console.WIDE);
  }

  @Test
  void a_list_tells_which_task_and_why_and_its_first_row_is_near_the_top() {
    orders("which", 3, "B-0001");
    console.signIn("ann");
    String four = "tasks?namespace=testing&name=which&state=blocked_by_failures&failed_step=charge&version=1.0.0";
    for (String filter : List.of("tasks", "tasks?namespace=testing", four,
        four + "&error_type=Refused&state_not=error,complete&name_not=other&roots=true"
            + "&sla_breached=false&created_after=2020-01-01T00:00:00Z&attribute=order:B-00012")) {
      open(DESK, filter);
      browser.await("document.querySelector('tbody tr[data-task]')");
      browser.await("document.querySelectorAll('[data-chip]').length === Number(arguments[0])",
          String.valueOf(filter.chars().filter(c -> c == '=').count()));
      assertThat(number(
          "Math.round(document.querySelector('tbody tr[data-task]').getBoundingClientRect().top)"))
          .as(filter).isLessThanOrEqualTo(260);
      // A filter that has no room is scrolled to, and its value stands under the pointer.
      browser.run("[...document.querySelectorAll('[data-chip]')].at(-1)?.focus()");
      assertThat(isTrue(
          "!document.querySelector('[data-chip]') || document.activeElement.getBoundingClientRect().right <= document.querySelector('.chips').getBoundingClientRect().right + 1"))
          .as(filter).isTrue();
    }
    console.go(four);
    String row = "[...document.querySelectorAll('tbody tr')].find((r) => r.innerText.includes('B-00012'))";
    browser.await(row);
    assertThat(text(row + ".innerText")).contains("testing/which", "charge", "no and never",
        "0 / 2");
    assertThat(number("Math.round(" + row + ".getBoundingClientRect().height)"))
        .isLessThanOrEqualTo(37);
    browser.await(
        "document.querySelector('[data-tab=blocked][aria-current]')?.innerText.includes('3')");
    // A row is a card where there is no room for a table.
    browser.show(PHONE);
    assertThat(text("getComputedStyle(" + row + ").display")).isEqualTo("flex");
    assertThat(text(row + ".innerText")).contains("blocked", "B-00012", "no and never");
    assertThat(isTrue("document.documentElement.scrollWidth <= innerWidth")).isTrue();
    browser.show(Console.WIDE);
  }

  @Test
  void rows_without_a_key_are_one_line_high_and_cut_nothing_that_stands_beside() {
    register("a_template_whose_name_is_as_long_as_those_of_a_shop",
        "steps:\n  - {name: charge_the_card_of_the_customer, handler: {callable: testing.Fail}}\n");
    UUID failed = admin.submit("testing", "a_template_whose_name_is_as_long_as_those_of_a_shop",
        "{\"way\": \"endless message\"}");
    console.awaitState(failed, "blocked_by_failures");
    console.signIn("ann");
    browser.show(DESK);
    console.go("tasks?namespace=testing");
    browser.await("document.querySelector('tr[data-task=\"' + arguments[0] + '\"] td.one')",
        failed.toString());
    assertThat(text(
        "[...document.querySelectorAll('tbody tr')].map((r) => Math.round(r.getBoundingClientRect().height)).filter((h) => h > 36).join()"))
        .as("heights").isEmpty();
    assertThat(text(
        "[...document.querySelectorAll('tbody td')].filter((c) => c.scrollWidth > c.clientWidth + 1 && getComputedStyle(c).overflowX === 'visible').map((c) => c.innerText).join()"))
        .as("cells whose text stands over the next one").isEmpty();
    console.go("templates");
    browser.await("document.querySelector('thead th')");
    assertThat(text(
        "[...document.querySelectorAll('th')].filter((th) => th.getBoundingClientRect().height > 40 || th.scrollWidth > th.clientWidth + 1).map((th) => th.innerText).join()"))
        .as("heads that are broken or cut").isEmpty();
    console.go("deadLetters");
    browser.await("document.querySelector('tr[data-entry] .f-blocked')");
    assertThat(text(
        "[...document.querySelectorAll('tbody tr')].map((r) => Math.round(r.getBoundingClientRect().height)).filter((h) => h > 36).join()"))
        .as("heights of dead letters").isEmpty();
    browser.click("tr[data-entry] [data-snapshot]");
    browser.await("document.querySelector('dialog[open] pre')");
    browser.press("Done");
    browser.await("!document.querySelector('dialog[open]')");
    console.go("webhooks");
    browser.awaitText("No webhook yet.");
    assertThat(isTrue("document.querySelector('.pf-v6-c-empty-state a.button')"))
        .as("and what can be done about it").isTrue();
    console.go("tasks?namespace=testing");
    browser.await("document.querySelector('td.one')");
    assertThat(isTrue("document.documentElement.scrollWidth <= innerWidth")).isTrue();
    browser.show(PHONE);
    assertThat(isTrue("document.documentElement.scrollWidth <= innerWidth")).isTrue();
    assertThat(console.violations()).isEmpty();
    console.go(
        "templates/testing/a_template_whose_name_is_as_long_as_those_of_a_shop?tab=submit");
    browser.await(
        "(() => { const tab = document.querySelector('main .pf-v6-c-tabs [aria-current][href*=submit]')?.getBoundingClientRect(); return tab && tab.left >= 0 && tab.right <= innerWidth; })()");
    browser.show(Console.WIDE);
  }

  @Test
  void the_search_finds_values_ids_templates_and_approvals_by_keyboard() {
    UUID task = orders("sought", 1, "C-777-").get(0);
    console.signIn("ann");
    console.go("");
    browser.run("document.activeElement.blur()");
    browser.keys("/C-777-1");
    browser.await("document.querySelector('[data-hit=tasks]')?.innerText.includes('C-777-1')");
    for (Browser.Look look : List.of(DESK, PHONE)) {
      browser.show(look);
      assertThat(isTrue(
          "(() => { const hit = document.querySelector('[data-hit]'); const list = hit.parentNode.getBoundingClientRect(); const box = document.querySelector('[name=find]').getBoundingClientRect(); "
              + "const place = hit.getBoundingClientRect(); return box.top >= 0 && list.top >= box.bottom && getComputedStyle(hit.parentNode).backgroundColor !== 'rgba(0, 0, 0, 0)' "
              + "&& hit.contains(document.elementFromPoint(place.left + 20, place.top + place.height / 2)); })()"))
          .as("what is found lies below the field and over the page, at %s", look).isTrue();
    }
    browser.show(Console.WIDE);
    assertThat(console.violations()).isEmpty();
    browser.keys(DOWN + ENTER);
    browser.await("location.hash === arguments[0]", "#/tasks/" + task);
    browser.run("document.activeElement.blur()");
    browser.keys("/" + task.toString().substring(0, 30));
    browser.await("document.querySelector('[data-hit=tasks]')");
    browser.keys(ENTER);
    browser.await("location.hash === arguments[0]", "#/tasks/" + task);
    browser.type("input[name=find]", "sought");
    browser.await(
        "document.querySelector('[data-hit=templates]')?.innerText.includes('testing/sought')");
    browser.keys(DOWN + ENTER);
    browser.await("location.hash === '#/templates/testing/sought'");
    browser.log();
  }

  @Test
  void a_namespace_holds_for_all_pages_and_theme_and_rows_for_the_browser() {
    orders("spaced", 1, "D-");
    console.signIn("ann");
    console.go("tasks");
    choose("select[name=of-all]", "testing");
    browser.await("location.hash === '#/tasks?namespace=testing'");
    for (String page : List.of("Failures", "Templates", "Schedules", "Overview")) {
      browser.run(
          "[...document.querySelectorAll('.rail a')].find((a) => a.innerText.startsWith(arguments[0])).click()",
          page);
      browser.await("location.hash.includes('namespace=testing')");
      assertThat(text("document.querySelector('select[name=of-all]').value")).isEqualTo("testing");
    }
    choose("select[name=of-all]", "");
    browser.await("!location.hash.includes('namespace')");

    browser.click("[data-prefer='theme dark']");
    browser.await("document.documentElement.matches('.pf-v6-theme-dark')");
    browser.click("[data-prefer='density roomy']");
    assertThat(console.violations()).as("with an open menu").isEmpty();
    browser.open(URI.create("about:blank"));
    browser.open(console.address("tasks"));
    browser.await("document.querySelector('tbody tr')");
    assertThat(isTrue("document.documentElement.matches('.pf-v6-theme-dark.roomy')")).isTrue();
    assertThat(
        number("Math.round(document.querySelector('tbody tr').getBoundingClientRect().height)"))
        .isGreaterThanOrEqualTo(44);
    browser.click("[data-prefer='theme system']");
    browser.click("[data-prefer='density dense']");
    browser.await("!document.documentElement.matches('.pf-v6-theme-dark, .roomy')");
  }

  @Test
  void a_language_that_is_longer_breaks_no_page_and_the_first_view_is_small() {
    UUID task = orders("spoken", 1, "E-").get(0);
    console.signIn("ann");
    browser.open(URI.create("about:blank"));
    Instant asked = Instant.now();
    browser.open(console.server.base().resolve("/console/?language=pseudo#/"));
    browser.await("document.querySelectorAll('.chart canvas').length === 2");
    System.out.println("first view with charts after "
        + Duration.between(asked, Instant.now()).toMillis() + " ms, of which styles: "
        + text(
            "performance.getEntriesByType('resource').filter((e) => e.name.endsWith('.css')).reduce((sum, e) => sum + e.encodedBodySize, 0)")
        + " bytes, all files: "
        + text(
            "performance.getEntriesByType('resource').filter((e) => e.name.includes('/console/')).reduce((sum, e) => sum + e.encodedBodySize, 0)"));
    assertThat(text("document.querySelector('main h1').innerText")).startsWith("[ÖÖ");
    assertThat(number(
        "performance.getEntriesByType('resource').filter((e) => e.name.includes('/console/')).reduce((sum, e) => sum + e.encodedBodySize, 0)"))
        .as("bytes of the first view").isBetween(50_000, 300_000);
    for (String page : List.of("", "tasks", "tasks/" + task, "tasks/" + task + "?tab=steps",
        "failures", "deadLetters", "approvals", "templates", "templates/testing/spoken?tab=submit",
        "schedules", "schedules/new", "webhooks", "webhooks/new", "servers", "queues?all=true",
        "deadMessages", "policies", "analytics", "retention", "access", "audit", "templates/new",
        "tasks/" + task + "?tab=timeline", "tasks/" + task + "?tab=story",
        "tasks/" + task + "?tab=tree", "tasks/" + task + "?tab=data")) {
      for (Browser.Look look : List.of(DESK, PHONE)) {
        browser.show(look);
        browser.run("location.hash = arguments[0]", "#/" + page);
        browser.await(
            "document.querySelector('main h1') && !document.querySelector('main .skeleton')");
        assertThat(isTrue("document.documentElement.scrollWidth <= innerWidth"))
            .as("%s fits into %s", page, look).isTrue();
        assertThat(text(CUT)).as("%s cuts nothing at %s", page, look).isEmpty();
        assertThat(text(UNTRANSLATED)).as("%s has all words from the file of texts", page)
            .isEmpty();
      }
    }
    browser.show(Console.WIDE);
    browser.open(URI.create("about:blank"));
  }

  private static HttpResponse<byte[]> file(String name, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest
        .newBuilder(console.server.base().resolve("/console/" + name));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HttpClient.newHttpClient().send(request.build(),
        HttpResponse.BodyHandlers.ofByteArray());
  }

  @Test
  void files_are_compressed_for_whoever_takes_that_and_not_sent_again() throws Exception {
    for (String name : List.of("", "app.js", "console.css", "pages/tasks.js",
        "vendor/vendored.json")) {
      HttpResponse<byte[]> plain = file(name);
      HttpResponse<byte[]> small = file(name, "Accept-Encoding", "br, gzip;q=0.8");
      assertThat(plain.statusCode()).as(name).isEqualTo(200);
      assertThat(plain.headers().firstValue("Content-Encoding")).isEmpty();
      assertThat(small.headers().firstValue("Content-Encoding")).contains("gzip");
      assertThat(small.headers().firstValue("Vary").orElse("")).contains("Accept-Encoding");
      assertThat(small.headers().firstValue("Content-Security-Policy")).isPresent();
      assertThat(small.body().length).isLessThan(plain.body().length);
      try (var unpacked = new GZIPInputStream(new ByteArrayInputStream(small.body()))) {
        assertThat(unpacked.readAllBytes()).as(name).isEqualTo(plain.body());
      }
      String tag = small.headers().firstValue("ETag").orElseThrow();
      assertThat(file(name, "Accept-Encoding", "gzip", "If-None-Match", tag).statusCode())
          .isEqualTo(304);
      assertThat(file(name, "If-None-Match", tag).statusCode()).as("the plain one is another")
          .isEqualTo(200);
      assertThat(file(name, "Accept-Encoding", "gzip;q=0").headers()
          .firstValue("Content-Encoding")).isEmpty();
    }
    assertThat(file("vendor/red-hat-text.woff2", "Accept-Encoding", "gzip").headers()
        .firstValue("Content-Type")).contains("font/woff2");
    for (String name : List.of("nothing.js", "pages", "pages/", ".hidden.js",
        "%2e%2e/WEB-INF/web.xml", "..%2fWEB-INF%2fweb.xml")) {
      assertThat(file(name).statusCode()).as(name).isBetween(400, 404);
    }
  }

  @Test
  void a_form_has_the_order_of_its_author_and_errors_at_its_fields_and_a_schedule_its_next_times() {
    register("formed",
        "input_schema:\n  type: object\n  required: [reference, amount]\n  properties:\n"
            + "    reference: {type: string, title: Reference}\n    amount: {type: number, minimum: 1, title: Amount}\n"
            + "    at: {type: string, format: date, description: When it is due}\n    plan: {enum: [a, b]}\n"
            + "steps:\n  - {name: a, handler: {callable: testing.Echo}}\n");
    console.signIn("ann");
    console.go("templates/testing/formed?tab=submit");
    browser.await("document.querySelector('form.panel input[name=reference]')");
    assertThat(text(
        "[...document.querySelectorAll('form.panel [name]')].map((e) => e.name).filter((n) => ['reference', 'amount', 'at', 'plan'].includes(n)).join()"))
        .isEqualTo("reference,amount,at,plan");
    assertThat(text("document.querySelector('input[name=at]').type")).isEqualTo("date");
    browser.click("form.panel button.main");
    browser.await("document.querySelectorAll('.field .wrong').length === 2");
    assertThat(text(
        "[...document.querySelectorAll('.field .wrong')].map((e) => e.innerText).join('|')"))
        .isEqualTo("Reference is required.|Amount is required.");
    assertThat(console.violations()).isEmpty();
    browser.type("input[name=reference]", "R-1");
    browser.type("input[name=amount]", "0");
    browser.click("form.panel button.main");
    browser.awaitText("Amount must be at least 1.");
    browser.type("input[name=amount]", "5");
    browser.click("form.panel button.main");
    browser.await("document.querySelector('.row[data-state=complete]')");

    console.go("schedules/new");
    browser.type("input[name=zone]", "Europe/Berlin");
    browser.type("input[name=cron]", "0 6 * * 1-5");
    browser.await(
        "document.querySelector('[data-words]')?.innerText === 'every weekday at 06:00, Europe/Berlin'");
    browser.await("document.querySelectorAll('[data-preview] li').length === 5");
    assertThat(text("document.querySelector('[data-preview]').innerText")).contains("06:00:00");
    browser.type("input[name=cron]", "61 6 * * *");
    browser.awaitText("is no cron expression");
    browser.log();
  }

  @Test
  void a_field_of_a_dialog_or_form_says_itself_what_is_wrong_with_it() {
    String wrong = "[...document.querySelectorAll('.field .wrong')].map((e) => e.innerText).join('|')";
    console.signIn("ann");
    console.go("access");
    browser.press("New user");
    browser.click("dialog[open] form button.main");
    browser.awaitText("Name is required.");
    assertThat(isTrue("document.activeElement.matches('dialog[open] input[name=name]"
        + "[aria-invalid=true]')")).isTrue();
    browser.type("dialog[open] input[name=name]", "a:b");
    browser.await("document.querySelectorAll('.field .wrong').length === 0");
    assertThat(text("document.querySelector('dialog[open] input[name=name]').value"))
        .as("what is typed beside a complaint stays").isEqualTo("a:b");
    browser.click("dialog[open] form button.main");
    browser.await("document.querySelectorAll('.field .wrong').length === 1");
    assertThat(text(wrong)).as("of the server").startsWith("Name ").endsWith(".");
    assertThat(console.violations()).isEmpty();
    browser.press("Leave as it is");

    register("pays", "steps:\n  - name: paid\n    signal:\n      name: paid\n      schema:\n"
        + "        type: object\n        required: [amount]\n        properties:\n"
        + "          amount: {type: integer, minimum: 1, title: Amount}\n"
        + "          on: {type: string, format: date}\n");
    UUID task = admin.submit("testing", "pays", "{}");
    console.go("tasks/" + task);
    browser.press("Send a signal");
    assertThat(text("document.querySelector('dialog[open] [name=\"payload.on\"]').type"))
        .isEqualTo("date");
    browser.click("dialog[open] form button.main");
    browser.awaitText("Amount is required.");
    browser.type("dialog[open] [name='payload.amount']", "0");
    browser.click("dialog[open] form button.main");
    browser.awaitText("Amount must be at least 1.");
    browser.type("dialog[open] [name='payload.amount']", "5");
    browser.click("dialog[open] form button.main");
    browser.await("document.querySelector('.row[data-state=complete]')");

    console.go("webhooks/new");
    browser.click("form.panel button.main");
    browser.await("document.querySelectorAll('.field .wrong').length === 3");
    assertThat(text(wrong)).contains("Name is required.").contains("Reason is required.");
    browser.log();
  }

  @Test
  void servers_workers_and_queues_are_searched_and_shown_by_page() {
    for (int i = 0; i < 60; i++) {
      assertThat(admin.post("/v1/workers", "{\"name\": \"many-" + i + "\", \"capacity\": 1,"
          + " \"namespaces\": [\"testing\"], \"handlers\": [\"many.Work" + i + "\"]}").status())
          .isEqualTo(201);
    }
    console.signIn("ann");
    console.go("servers?q=many-");
    browser.await("document.querySelectorAll('tr[data-worker]').length === 50");
    assertThat(isTrue("[...document.querySelectorAll('main tr')].every((row) => row.offsetHeight"
        + " < 38)")).as("a row is one line").isTrue();
    browser.click("[data-part=workers] button");
    browser.await("document.querySelectorAll('tr[data-worker]').length === 10");
    browser.type("input[name=q]", "Work47");
    browser.await("document.querySelectorAll('tr[data-worker]').length === 1");
    assertThat(text("document.querySelector('tr[data-worker]').dataset.worker"))
        .isEqualTo("many-47");
    assertThat(console.violations()).isEmpty();
    admin.sql("delete from tasker.workers where name like 'many-%'");

    admin.sql("select tasker.ensure_task_queue('worker_many_' || n || '_queue')"
        + " from generate_series(1, 60) n");
    console.go("queues?all=true&q=worker_many_");
    browser.await("document.querySelectorAll('main tbody tr').length === 50");
    browser.click("[data-part=page] button");
    browser.await("document.querySelectorAll('main tbody tr').length === 10");
    admin.sql("select pgmq.drop_queue('worker_many_' || n || '_queue')"
        + " from generate_series(1, 60) n");
    browser.log();
  }

  @Test
  void a_large_graph_is_fitted_zoomed_and_has_a_map() {
    StringBuilder steps = new StringBuilder(
        "steps:\n  - {name: s0, handler: {callable: testing.Echo}}\n");
    for (int i = 1; i < 48; i++) {
      steps.append("  - {name: s").append(i).append(", dependencies: [s").append((i - 1) / 3)
          .append("], handler: {callable: testing.Echo}}\n");
    }
    UUID task = task("mapped", steps.toString(), "{}");
    console.awaitState(task, "complete");
    console.signIn("ann");
    open(DESK, "tasks/" + task);
    browser.await(
        "document.querySelectorAll('.node').length === 48");
    String scale = "Number(document.querySelector('.canvas').dataset.scale)";
    double fitted = Double.parseDouble(text(scale));
    browser.run("document.activeElement.blur()");
    browser.keys("++");
    browser.await(scale + " > " + (fitted * 1.4));
    browser.await("document.querySelector('[data-map]')");
    browser.await(
        "(({scrollWidth: w, scrollHeight: h, clientWidth: x, clientHeight: y}) => w > x || h > y)(document.querySelector('.canvas'))");
    browser.keys("-");
    browser.await(scale + " < " + (fitted * 1.4));
    browser.keys("0");
    browser.await("Math.abs(" + scale + " - " + fitted + ") < 0.02");
    assertThat(console.violations()).isEmpty();
    browser.show(Console.WIDE);
  }

  @Test
  void hostile_text_stays_text_where_the_console_shows_more_of_it() {
    UUID task = orders("hostile", 1, MARKUP).get(0);
    console.signIn("ann");
    for (String page : List.of("tasks?name=hostile&namespace=testing", "tasks/" + task)) {
      console.go(page);
      browser.awaitText(MARKUP);
      assertThat(isTrue("document.querySelector('main img, main script')")).as(page).isFalse();
    }
    browser.type("input[name=find]", MARKUP + "1");
    browser.await("document.querySelector('[data-hit=tasks]')?.innerText.includes('onerror')");
    assertThat(isTrue("document.querySelector('header img') || window.pwned")).isFalse();
    assertThat(browser.log()).isEmpty();
  }
}
