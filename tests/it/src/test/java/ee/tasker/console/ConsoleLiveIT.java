package ee.tasker.console;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.TaskerClient;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Live pages in a browser: many events at once, and many tabs over few connections. */
@Tag("long")
class ConsoleLiveIT extends WithBrowser {
  /**
   * Of the longest tasks of every three seconds, at the median: 20 to 45 ms without load on the
   * machine. That of a build is shared, so that a thread may lose its processor meanwhile.
   */
  private static final int LONGEST_TASK_MS = 200;
  /** Of a step that succeeds at once. */
  private static final List<String> MOVES = List.of("pending", "enqueued", "in_progress",
      "enqueued_for_orchestration", "complete");

  @BeforeAll
  static void start() {
    // One stream of lists, one of tasks, and one that is being replaced: a stream for each tab
    // would be refused.
    open(new Console(Map.of("TASKER_STREAMS_LIMIT", "3")));
  }

  @Test
  void five_hundred_events_a_second_move_no_row_and_are_announced_as_a_summary() {
    assertThat(admin.postTemplate(
        "name: many\nnamespace_name: flood\nversion: 1.0.0\nidentity_strategy: always_unique\nsteps:\n"
            + "  - {name: a, handler: {callable: none}}\n")
        .status()).isIn(200, 201);
    String submit = "select json_array_length((tasker.submit_tasks((select jsonb_agg(jsonb_build_object('namespace', 'flood', 'name', 'many', "
        + "'version', '1.0.0', 'context', '{}'::jsonb)) from generate_series(1, ?))) -> 'verdicts')::json)";
    admin.sql(submit, 60);
    console.signIn("ann");
    console.go("tasks?namespace=flood");
    browser.await(
        "document.querySelectorAll('tbody tr').length === 50 && document.querySelector('[data-live=live]')");
    String rows = "[...document.querySelectorAll('tbody tr')].map((r) => r.dataset.task + Math.round(r.getBoundingClientRect().top - r.parentNode.getBoundingClientRect().top)).join()";
    // Once the first button for new tasks is there, the rows are where they stay.
    admin.sql(submit, 1);
    browser.await("document.querySelector('button.new')");
    String before = text(rows);
    browser.run(
        "window.longest = 0; window.longests = []; window.over = 0; window.rates = []; new PerformanceObserver((list) => list.getEntries().forEach((e) => { window.longest = "
            + "Math.max(window.longest, e.duration); window.over += e.duration > 50; })).observe({type: 'longtask', buffered: false}); "
            + "setInterval(() => { window.longests.push(Math.round(window.longest)); window.longest = 0; }, 3000); "
            + "window.announced = ''; setInterval(() => { const live = document.querySelector('[data-live]'); if (live.dataset.rate) { window.rates.push(Number(live.dataset.rate)); "
            + "window.announced = live.innerText; } }, 500)");
    Instant until = Instant.now().plusSeconds(30);
    int submitted = 0;
    for (Instant next = Instant.now(); next.isBefore(until); next = next.plusSeconds(1)) {
      admin.sql(submit, 250);
      submitted += 250;
      TaskerClient
          .pause(Duration.between(Instant.now(), next.plusSeconds(1)).isNegative() ? Duration.ZERO
              : Duration.between(Instant.now(), next.plusSeconds(1)));
      if (submitted % 2500 == 0) {
        assertThat(text(rows)).as("no row changes its place").isEqualTo(before);
      }
    }
    assertThat(text("window.announced")).contains("summary: too many moves to show each");
    int longest = number(
        "[...window.longests].sort((a, b) => a - b)[Math.floor(window.longests.length / 2)]");
    System.out.println("500 events a second for 30 s: " + submitted + " tasks; longest task "
        + longest + " ms at the median of " + text("window.longests") + ", " + number("window.over")
        + " over 50 ms; moves a second seen " + text("Math.max(...window.rates)") + " at most, "
        + text("Math.round(window.rates.reduce((a, b) => a + b, 0) / window.rates.length)")
        + " on average");
    assertThat(longest).as("longest task, ms").isLessThan(LONGEST_TASK_MS);
    // When it is calm again, the list is loaded once.
    assertThat(
        admin
            .post("/v1/pauses",
                "{\"namespace\": \"flood\", \"requested_by\": \"x\", \"reason\": \"enough\"}")
            .status())
        .isIn(200,
            201);
    TaskerClient.until("the page is live again", Duration.ofMinutes(2),
        () -> isTrue("document.querySelector('[data-live=live]')"));
    browser.await(rows + " !== arguments[0]", before);
    browser.log();
  }

  /** Six tasks that wait for a signal. */
  private static List<UUID> waiting(String template) {
    List<UUID> tasks = new ArrayList<>();
    assertThat(admin
        .postTemplate("name: " + template
            + "\nnamespace_name: testing\nversion: 1.0.0\nidentity_strategy: always_unique\nsteps:\n"
            + "  - {name: held, signal: {name: go}}\n  - {name: after, dependencies: [held], handler: {callable: testing.Echo}}\n")
        .status())
        .isIn(200, 201);
    for (int i = 0; i < 6; i++) {
      tasks.add(admin.submit("testing", template, "{}"));
      UUID task = tasks.get(i);
      TaskerClient.until("it waits", Duration.ofSeconds(20),
          () -> admin.count(
              "select count(*) from tasker.step_waits where task_uuid = ? and state = 'open'",
              task) == 1);
    }
    return tasks;
  }

  /** The list of the tasks of a template, and each of them. */
  private static List<String> sevenTabs(String template, List<UUID> tasks) {
    List<String> windows = new ArrayList<>(List.of(browser.window()));
    console.go("tasks?namespace=testing&name=" + template);
    for (UUID task : tasks) {
      windows.add(browser.openWindow(Console.WIDE));
      browser.open(console.address("tasks/" + task));
      browser.await("document.querySelector('[data-step=held]')");
    }
    return windows;
  }

  @Test
  void seven_tabs_that_were_cut_off_for_thirty_seconds_show_each_missed_move_once_and_in_order() {
    List<UUID> tasks = waiting("console_cut");
    console.signIn("olga");
    List<String> windows = sevenTabs("console_cut", tasks);
    for (String window : windows) {
      browser.goTo(window);
      browser.await("document.querySelector('[data-live=live]')");
      browser.run(
          "window.seen = ['pending']; new MutationObserver(() => { const step = document.querySelector('[data-step=after]'); "
              + "if (step && step.dataset.state !== window.seen.at(-1)) window.seen.push(step.dataset.state); })"
              + ".observe(document.body, {subtree: true, childList: true, attributes: true, attributeFilter: ['data-state']})");
    }
    for (String window : windows) {
      browser.goTo(window);
      offline(true);
    }
    Instant cut = Instant.now();
    for (UUID task : tasks) {
      admin.sql("select tasker.send_signal(?::uuid, 'go', '1')", task);
      console.awaitState(task, "complete");
    }
    for (String window : windows) {
      browser.goTo(window);
      browser.await(
          "document.querySelector('[data-live=offline]')?.innerText.includes('offline since')");
      assertThat(isTrue("document.querySelector('[data-step=after][data-state=complete]')"))
          .isFalse();
    }
    TaskerClient.until("thirty seconds have passed", Duration.ofSeconds(60),
        () -> Instant.now().isAfter(cut.plusSeconds(30)));

    for (String window : windows) {
      browser.goTo(window);
      offline(false);
    }
    for (String window : windows.subList(1, 7)) {
      browser.goTo(window);
      browser.await(
          "document.querySelector('[data-step=after][data-state=complete]') && document.querySelector('[data-live=ended]')");
      List<String> seen = List.of(text("window.seen.join()").split(","));
      assertThat(seen).as("no move twice").doesNotHaveDuplicates().endsWith("complete");
      assertThat(seen).as("in their order").isSubsetOf(MOVES)
          .isSortedAccordingTo(Comparator.comparingInt(MOVES::indexOf));
    }
    browser.goTo(windows.get(0));
    browser.await(
        "document.querySelector('[data-live=live]') && [...document.querySelectorAll('tbody tr')]"
            + ".filter((row) => row.innerText.includes('complete')).length === 6");
    for (String window : windows.subList(1, 7)) {
      browser.goTo(window);
      browser.closeWindow(windows.get(0));
    }
    browser.log();
  }

  @Test
  void seven_tabs_are_live_over_two_streams() {
    List<UUID> tasks = waiting("console_live");
    console.signIn("olga");
    List<String> windows = sevenTabs("console_live", tasks);
    List<String> leaders = new ArrayList<>();
    for (String window : windows) {
      browser.goTo(window);
      browser.await("document.querySelector('[data-live=live]')");
      if (isTrue("document.documentElement.dataset.leader")) {
        leaders.add(window);
      }
    }
    assertThat(leaders).as("one tab leads").containsExactly(windows.get(0));
    for (String window : windows.subList(1, 7)) {
      browser.goTo(window);
      browser.closeWindow(windows.get(0));
    }
    browser.log();
  }
}
