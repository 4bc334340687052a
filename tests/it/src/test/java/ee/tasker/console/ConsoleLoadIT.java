package ee.tasker.console;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.TaskerClient;
import jakarta.json.Json;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Pages of much, and a list that moves for long: how long the page is busy at a stretch, and whether
 * its heap grows. {@code -Dconsole.load.seconds=600} is the run of
 * docs/reference/console-checks.md.
 */
@Tag("long")
class ConsoleLoadIT extends WithConsole {
  /** What a user does not feel. */
  private static final int LONGEST_TASK_MS = 50;
  /** Within which a page is there. */
  private static final int SHOWN_MS = 1_000;
  private static final int RUNS = 5;
  private static final int SECONDS = Integer.getInteger("console.load.seconds", 30);
  /**
   * The figures are those of a run of ten minutes on a quiet machine; a short one, beside other
   * suites, notices what became ten times worse.
   */
  private static final int SLACK = SECONDS < 600 ? 10 : 1;
  private static final int UPDATES_A_SECOND = 100;
  /** So many rows are drawn before the page answers again. */
  private static final int ROWS_AT_A_STRETCH = 25;
  /** So much of the heap may differ between two moments after a collection. */
  private static final double HEAP_MB = 4;

  private static int median(List<Integer> of) {
    return of.stream().sorted().toList().get(of.size() / 2);
  }

  /** How often the page is opened, and the longest task of each time. */
  private static void assertQuick(String what, String page, String isThere) {
    List<Integer> longest = new ArrayList<>();
    List<Integer> shown = new ArrayList<>();
    for (int i = 0; i < RUNS; i++) {
      console.go("nothing");
      watchLongTasks();
      watchWork();
      browser.run("window.began = performance.now(); location.hash = arguments[0]", "#/" + page);
      browser.await(isThere);
      shown.add(number("Math.round(performance.now() - window.began)"));
      browser.runLater("await new Promise((done) => requestIdleCallback(() => setTimeout(done)))");
      longest.add(number("Math.round(window.longest)"));
    }
    System.out.println(what + ": there after " + median(shown) + " ms, longest task "
        + median(longest) + " ms at the median of " + longest);
    assertThat(median(longest)).as("%s: longest task, ms", what)
        .isLessThanOrEqualTo(LONGEST_TASK_MS * SLACK);
    assertThat(median(shown)).as("%s: there after, ms, of %s", what, shown)
        .isLessThanOrEqualTo(SHOWN_MS * SLACK);
  }

  /** Notes how many rows come at once, and how many texts are measured by another process. */
  private static void watchWork() {
    browser.run(
        "window.rows = 0; window.blobs = 0; window.Whole ??= window.Blob; window.Blob = function (...all) { window.blobs++; return new window.Whole(...all); }; "
            + "window.drawing?.disconnect(); window.drawing = new MutationObserver((all) => { const added = all.flatMap((one) => [...one.addedNodes]); "
            + "window.rows = Math.max(window.rows, added.reduce((n, e) => n + (e.matches?.('tbody tr') ? 1 : 0) + (e.querySelectorAll?.('tbody tr').length ?? 0), 0)); }); "
            + "window.drawing.observe(document.querySelector('main'), {subtree: true, childList: true})");
  }

  /** What made a page busy for long, whatever else the machine does. */
  private static void assertInParts(String what) {
    assertThat(number("document.querySelectorAll('tbody tr').length")).as(what).isGreaterThan(40);
    assertThat(number("window.rows")).as("%s: rows at a stretch", what)
        .isBetween(1, ROWS_AT_A_STRETCH);
    assertThat(number("window.blobs")).as("%s: documents measured elsewhere", what).isZero();
    assertThat(isTrue("document.querySelector('details:not([open]) pre')"))
        .as("%s: what is folded is not drawn", what).isFalse();
  }

  private static String thousandTemplates() {
    for (int i = 0; i < 1_000; i++) {
      assertThat(admin.postTemplate("name: template_" + i
          + "\nnamespace_name: many\nversion: 1.0.0\nidentity_strategy: always_unique\n"
          + "steps:\n  - {name: a, handler: {callable: testing.Echo}}\n").status()).isIn(200, 201);
    }
    return "templates?namespace=many";
  }

  private static String tenThousandTasks() {
    register("crowd", "steps:\n  - {name: a, handler: {callable: none}}\n");
    admin.submit("testing", "crowd", "{}");
    admin.sql(
        "select json_array_length((tasker.submit_tasks((select jsonb_agg(jsonb_build_object('namespace', 'testing', 'name', "
            + "'crowd', 'version', '1.0.0', 'context', '{}'::jsonb)) from generate_series(1, 10000))) -> 'verdicts')::json)");
    return "tasks?namespace=testing&name=crowd";
  }

  private static String threeHundredSteps() {
    String steps = IntStream.range(0, 300).mapToObj(i -> "  - {name: s" + i
        + (i < 20 ? "" : ", dependencies: [s" + (i - 20) + ", s" + (i - 20 - i % 20 + (i + 1) % 20)
            + "]")
        + ", handler: {callable: testing.Echo}}\n").collect(Collectors.joining());
    UUID task = task("console_three_hundred", "steps:\n" + steps, "{}");
    console.awaitState(task, "complete");
    return "tasks/" + task;
  }

  private static String threeThousandWorkers() {
    UUID task = task("console_three_thousand", """
        steps:
          - {name: cut, type: batchable, handler: {callable: testing.CutBatches}}
          - name: work
            type: batch_worker
            depends_on: [cut]
            handler: {callable: testing.WorkOffBatch}
            batch_config: {worker_template: work, parallelism: 1000}
          - {name: join, type: deferred_convergence, depends_on: [work], handler: {callable: testing.Echo}}
        """, "{\"cursors\": [" + IntStream.rangeClosed(1, 3_000).mapToObj(String::valueOf)
        .collect(Collectors.joining(",")) + "]}");
    TaskerClient.until("the workers have ended", Duration.ofMinutes(4),
        () -> "complete".equals(console.state(task)));
    return "tasks/" + task + "?tab=batches";
  }

  @Test
  void pages_of_much_are_there_in_a_second_and_busy_for_less_than_fifty_milliseconds_at_a_stretch() {
    UUID blocked = console.blocked();
    String tasks = tenThousandTasks();
    String templates = thousandTemplates();
    String graph = threeHundredSteps();
    String batch = threeThousandWorkers();
    console.signIn("ann");
    // Not among the newest 10 000 that one request counts.
    long all = admin
        .count("select count(*) from tasker.tasks where state = 'blocked_by_failures'");
    assertThat(console.state(blocked)).isEqualTo("blocked_by_failures");
    console.go("");
    browser.await("document.querySelector('[data-stat=blocked]')?.innerText === arguments[0]",
        String.valueOf(all));
    assertThat(text("document.querySelector('[data-stat=open]').innerText"))
        .isEqualTo("> 10,000");
    console.go("tasks");
    browser.await(
        "document.querySelector('[data-tab=blocked]')?.innerText.replace(/\\s+/, ' ') === 'Blocked ' + arguments[0]",
        String.valueOf(all));
    assertQuick("10 000 tasks", tasks, "document.querySelectorAll('tbody tr').length === 50");
    assertInParts("10 000 tasks");
    assertQuick("1 000 templates", templates, "document.querySelectorAll('tbody tr').length > 20");
    assertQuick("300 steps", graph, "document.querySelector('.graph[data-drawn=\"300\"]')");
    assertThat(isTrue(
        "(() => { const c = document.querySelector('.canvas'); return c.scrollWidth <= c.clientWidth + 1 && c.scrollHeight <= c.clientHeight + 1; })()"))
        .as("all 300 steps are in view").isTrue();
    assertThat(number(
        "Math.round(10 * Math.min(...[...document.querySelectorAll('.node text:not(.glyph)')].map((t) => t.getBoundingClientRect().height)))"))
        .as("and their names can be read: tenths of a pixel").isGreaterThanOrEqualTo(100);
    assertQuick("3 000 workers", batch,
        "document.querySelector('.mosaic canvas')?.width > 300 && document.querySelectorAll('tr[data-worker]').length === 50");
    assertInParts("3 000 workers");
    browser.log();
  }

  /** After a collection, in MB. */
  private static double heap() {
    browser.command("HeapProfiler.collectGarbage", Json.createObjectBuilder());
    return browser.command("Performance.getMetrics", Json.createObjectBuilder()).asJsonObject()
        .getJsonArray("metrics").getValuesAs(JsonObject.class).stream()
        .filter(metric -> "JSHeapUsedSize".equals(metric.getString("name")))
        .map(metric -> metric.getJsonNumber("value")).mapToDouble(JsonNumber::doubleValue).sum()
        / 1_000_000;
  }

  /** A page that is busy and one that keeps what it has made would be seen. */
  private static void assertMeasuresNotice() {
    watchLongTasks();
    browser.run(
        "setTimeout(() => { const end = performance.now() + 80; while (performance.now() < end); })");
    browser.await("window.longest >= 80");
    double before = heap();
    browser.run("window.leak = Array.from({length: 300000}, (_, i) => ({number: i}))");
    assertThat(heap() - before).as("a leak, MB").isGreaterThan(HEAP_MB);
    browser.run("delete window.leak");
  }

  private static long moves() {
    return admin.count(
        "select (select count(*) from tasker.task_transitions) + (select count(*) from tasker.workflow_step_transitions)");
  }

  @Test
  void a_list_with_a_hundred_updates_a_second_stays_quick_and_its_heap_flat() {
    register("moving",
        "steps:\n  - {name: a, handler: {callable: testing.Fail, initialization: {way: permanent}}}\n");
    register("moving_past", "steps:\n  - {name: a, handler: {callable: none}}\n");
    for (int i = 0; i < 50; i++) {
      admin.submit("testing", "moving", "{}");
    }
    until("they are blocked", () -> admin.count(
        "select count(*) from tasker.tasks where state = 'blocked_by_failures'") == 50);
    console.signIn("ann");
    console.go("tasks?namespace=testing&name_prefix=moving");
    browser.await(
        "document.querySelectorAll('tbody tr').length === 50 && document.querySelector('[data-live=live]')");
    browser.command("Performance.enable", Json.createObjectBuilder());
    assertMeasuresNotice();
    browser.run(
        "window.drawn = 0; new MutationObserver((all) => { window.drawn += all.length; }).observe(document.querySelector('tbody'), {subtree: true, childList: true, characterData: true, attributes: true})");
    int windows = 10;
    List<Integer> longest = new ArrayList<>();
    List<Double> heaps = new ArrayList<>();
    int retried = 10;
    long before = moves();
    Instant began = Instant.now();
    for (int window = 0; window < windows; window++) {
      watchLongTasks();
      Instant end = began.plusMillis(SECONDS * 1_000L * (window + 1) / windows);
      for (Instant next = Instant.now(); Instant.now().isBefore(end); next = next.plusSeconds(1)) {
        admin.sql(
            "select count(tasker.act_on_task(t.task_uuid, 'retry', 'load', 'it moves')) from (select task_uuid from tasker.tasks "
                + "where state = 'blocked_by_failures' order by random() limit ?) t",
            retried);
        // Rows move in their place, and others come that the list only counts.
        admin.sql(
            "select json_array_length((tasker.submit_tasks((select jsonb_agg(jsonb_build_object('namespace', 'testing', 'name', "
                + "'moving_past', 'version', '1.0.0', 'context', '{}'::jsonb)) from generate_series(1, ?))) -> 'verdicts')::json)",
            2);
        // As a caller of the functions does; otherwise the steps wait for a poll.
        admin.value("select tasker.notify_servers(null, array['steps'])::text");
        // As many as make the moves that are wanted, whatever else the machine does.
        double rate = 1_000.0 * (moves() - before)
            / Math.max(1, Duration.between(began, Instant.now()).toMillis());
        retried = Math.max(2, Math.min(50, retried + (rate < UPDATES_A_SECOND ? 2 : -2)));
        Duration left = Duration.between(Instant.now(), next.plusSeconds(1));
        TaskerClient.pause(left.isNegative() ? Duration.ZERO : left);
      }
      longest.add(number("Math.round(window.longest)"));
      heaps.add(heap());
      System.out.printf("after %d s: longest task %d ms, heap %.1f MB%n",
          Duration.between(began, Instant.now()).toSeconds(), longest.get(window),
          heaps.get(window));
    }
    double rate = 1_000.0 * (moves() - before) / Duration.between(began, Instant.now()).toMillis();
    System.out.printf(
        "%d s with %.0f updates a second, %s changes drawn: longest task %d ms at the median of %s; heap %.1f MB, then %.1f MB%n",
        SECONDS, rate, text("window.drawn"), median(longest), longest, heaps.get(1),
        heaps.get(windows - 1));
    assertThat(rate).as("updates a second").isGreaterThan(UPDATES_A_SECOND * 0.8 / SLACK);
    assertThat(number("window.drawn")).as("the list follows").isGreaterThan(SECONDS * 20 / SLACK);
    assertThat(median(longest)).as("longest task, ms").isLessThanOrEqualTo(LONGEST_TASK_MS * SLACK);
    // What is loaded once is there after the second window.
    assertThat(heaps.get(windows - 1) - heaps.get(1)).as("growth of the heap, MB: %s", heaps)
        .isLessThan(HEAP_MB);
    browser.log();
  }
}
