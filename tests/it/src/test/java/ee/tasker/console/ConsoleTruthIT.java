package ee.tasker.console;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What the console shows is so: after it moved, beside what else is shown, and where the address or
 * the text of a user would have it otherwise.
 */
@Tag("long")
class ConsoleTruthIT extends WithConsole {
  private static final String ROWS = "[...document.querySelectorAll('tbody tr')].map((row) => row.dataset.task + ' ' "
      + "+ [...row.cells].map((cell) => cell.innerText.trim()).join(' | ')).sort().join('\\n')";

  private static String readAnew(String address) {
    browser.open(java.net.URI.create("about:blank"));
    browser.open(console.address(address));
    browser.await(
        "document.querySelectorAll('tbody tr').length > 0 && document.querySelector('[data-live=live]')");
    return text(ROWS);
  }

  @Test
  void every_cell_of_a_live_list_is_what_a_fresh_read_shows_after_bursts() {
    register("truth", "steps:\n  - {name: first, handler: {callable: testing.Echo}}\n"
        + "  - {name: held, dependencies: [first], signal: {name: go}}\n"
        + "  - {name: last, dependencies: [held], handler: {callable: testing.Fail}}\n");
    List<UUID> tasks = new java.util.ArrayList<>();
    for (int i = 0; i < 30; i++) {
      tasks.add(admin.submit("testing", "truth", i % 3 == 0 ? "{\"way\": \"permanent\"}" : "{}"));
    }
    until("all wait",
        () -> admin.count(
            "select count(*) from tasker.step_waits w join tasker.tasks t using (task_uuid) join tasker.named_tasks n "
                + "using (named_task_uuid) where n.name = 'truth' and w.state = 'open'") == 30);
    console.signIn("ann");
    String address = "tasks?namespace=testing&name=truth&column=progress&column=duration&column=created";
    console.go(address);
    browser.await(
        "document.querySelectorAll('tbody tr').length === 30 && document.querySelector('[data-live=live]')");

    for (int burst = 0; burst < 3; burst++) {
      for (UUID task : tasks.subList(10 * burst, 10 * burst + 10)) {
        admin.sql("select tasker.send_signal(?::uuid, 'go', '1')", task);
      }
    }
    until("all have ended or are blocked",
        () -> admin.count(
            "select count(*) from tasker.tasks t join tasker.named_tasks n using (named_task_uuid) "
                + "where n.name = 'truth' and t.state in ('complete', 'blocked_by_failures')") == 30);
    browser.await(
        "[...document.querySelectorAll('tbody tr')].filter((row) => row.innerText.includes('complete')).length === 20"
            + " && [...document.querySelectorAll('tbody tr')].filter((row) => row.innerText.includes('blocked')).length === 10");

    // The age of what is blocked goes on; everything else stands.
    browser.await(
        "![...document.querySelectorAll('tbody tr')].some((row) => row.innerText.includes('complete') && row.innerText.includes(' ago'))");
    String live = text(ROWS).replaceAll("\\S+ s ago", "ago");
    assertThat(readAnew(address).replaceAll("\\S+ s ago", "ago")).isEqualTo(live).contains("3 / 3")
        .contains("2 / 3 1 failed");
  }

  @Test
  void the_links_and_the_retry_of_a_group_of_failures_are_about_its_tasks_only() {
    register("grouped", "steps:\n  - {name: charge, handler: {callable: testing.Fail}}\n");
    for (String way : List.of("permanent", "permanent", "endless message")) {
      UUID task = admin.submit("testing", "grouped", "{\"way\": \"" + way + "\"}");
      assertThat(admin.awaitTerminalOrBlocked(task).getString("state"))
          .isEqualTo("blocked_by_failures");
    }
    console.signIn("olga");
    console.go("failures?namespace=testing");
    String row = "[...document.querySelectorAll('tbody tr')].find((r) => r.innerText.includes('testing/grouped') && r.innerText.includes('no and never'))";
    browser.await(row);
    browser.run(row + ".querySelector('a').click()");
    browser.await(
        "location.hash.includes('error_signature') && document.querySelectorAll('tbody tr[data-task]').length === 2");
    browser.await("document.querySelector('[data-count=\"2\"]')");

    console.go("failures?namespace=testing");
    browser.await(row);
    browser.run("[..." + row
        + ".querySelectorAll('button')].find((b) => b.innerText === 'Retry these 2').click()");
    browser.await("document.querySelector('dialog[open] [data-filter]')");
    assertThat(text("document.querySelector('dialog[open] [data-filter]').innerText")).contains(
        "in the namespace testing",
        "that failed at step charge",
        "no and never");
    console.giveReason("the bank is back");
    browser.press("Dry run");
    browser.press("Retry 2 tasks");
    browser.awaitText("2 done, 0 already so, 0 refused.");
    browser.press("Close");
  }

  @Test
  void a_blocked_task_that_is_past_its_sla_is_counted_and_says_so() {
    UUID task = task("promised", "lifecycle: {sla_minutes: 1}\nsteps:\n"
        + "  - {name: a, handler: {callable: testing.Fail, initialization: {way: permanent}}}\n",
        "{}");
    console.awaitState(task, "blocked_by_failures");
    admin.sql(
        "select tasker.escalate_sla_breaches(array[?::uuid], clock_timestamp() + interval '2 minutes')",
        task.toString());
    console.signIn("ann");
    console.go("?namespace=testing");
    browser.await("document.querySelector('[data-late=\"1\"] a')");
    browser.run("document.querySelector('[data-late] a').click()");
    browser.await("document.querySelector('tr[data-task=\"" + task + "\"]')");
    console.go("tasks/" + task);
    browser.awaitText("Past its SLA since");
  }

  @Test
  void a_name_that_no_address_can_carry_is_refused_where_it_is_written() {
    console.signIn("ann");
    console.go("templates/new");
    browser.run(
        "const e = document.querySelector('textarea.editor'); e.value = arguments[0]; e.dispatchEvent(new Event('input', {bubbles: true}))",
        "name: a/b\nnamespace_name: testing\nversion: 1.0.0\nsteps:\n  - {name: one, handler: {callable: x.Y}}\n");
    browser.awaitText("must have no slash, backslash or control character");
    assertThat(isTrue(
        "[...document.querySelectorAll('main button')].find((b) => b.innerText === 'Register').disabled"))
        .isTrue();
  }

  @Test
  void the_time_of_a_handler_elsewhere_is_measured_and_says_so() {
    register("measured", "steps:\n  - {name: charge, handler: {callable: outside.Charge}}\n");
    String worker = admin.post("/v1/workers",
        TaskerClient.quoted("{'name': 'outside', 'capacity': 1, 'namespaces': ['testing'], "
            + "'handlers': ['outside.Charge'], 'heartbeat_seconds': 300}"))
        .text("worker_uuid");
    UUID task = admin.submit("testing", "measured", "{}");
    JsonObject step = admin.post("/v1/workers/" + worker + "/claims",
        TaskerClient.quoted("{'wait_seconds': 30}")).list("steps").get(0);
    TaskerClient.pause(Duration.ofMillis(30));
    assertThat(admin.post("/v1/workers/" + worker + "/results",
        TaskerClient.quoted("{'results': [{'step_uuid': '" + step.getString("step_uuid")
            + "', 'handoff': " + step.getInt("handoff")
            + ", 'outcome': 'success', 'result': {}}]}"))
        .status()).isEqualTo(200);
    console.awaitState(task, "complete");
    console.signIn("ann");
    console.go("tasks/" + task + "?step=charge");
    browser.awaitText("from claim to result");
    assertThat(text(
        "[...document.querySelectorAll('aside dd')].map((e) => e.innerText).find((s) => s.includes('from claim'))"))
        .matches("(?!0 ms).+ from claim to result");
  }

  @Test
  void figures_that_stand_beside_each_other_agree() {
    // Runs that ended well stand beside tasks that have not ended.
    register("half", "steps:\n  - {name: a, handler: {callable: testing.Fail}}\n");
    for (String way : List.of("permanent", "permanent", "success")) {
      admin.awaitTerminalOrBlocked(
          admin.submit("testing", "half", "{\"way\": \"" + way + "\"}"));
    }
    // Workers that are not created yet wait as well, and one that never ran has had no attempt.
    UUID batch = batchThatNoWorkerTakes("half_done", 2);
    until("two are offered", () -> admin.count(
        "select coalesce(max(created_workers), 0) from tasker.batches where task_uuid = ?::uuid",
        batch.toString()) == 2);
    console.signIn("ann");
    console.go("analytics?namespace=testing");
    String row = "[...document.querySelectorAll('tbody tr')].find((r) => r.innerText.includes('testing/half') && r.innerText.includes('0.0 %'))";
    browser.await(row);
    assertThat(text(row + ".lastElementChild.innerText.trim()")).as("blocked now").isEqualTo("2");

    console.go("tasks/" + batch + "?tab=batches");
    browser.await("document.querySelector('.mosaic canvas')?.width > 0");
    browser.await("document.querySelector('tr[data-worker]')");
    assertThat(text("document.querySelector('[data-counter=waiting]').innerText"))
        .as("also those that are not created yet").isEqualTo("7");
    assertThat(text("document.querySelector('tr[data-worker]').innerText")).doesNotContain("0 /");

    // A batch fails without an attempt of its own.
    UUID failed = task("all_failed", """
        steps:
          - {name: cut, type: batchable, handler: {callable: testing.CutBatches}}
          - name: work
            type: batch_worker
            depends_on: [cut]
            handler: {callable: testing.WorkOffBatch}
            retry: {retryable: false, max_attempts: 1}
            batch_config: {worker_template: work, parallelism: 2, failure_strategy: isolate, tolerate: 1}
          - {name: join, type: deferred_convergence, depends_on: [work], handler: {callable: testing.Echo}}
        """, "{\"cursors\": [\"fail\", \"fail\"]}");
    console.awaitState(failed, "blocked_by_failures");
    console.go("tasks/" + failed);
    browser.awaitText("failed permanently");
    assertThat(browser.text()).doesNotContain("attempt 0");

    // A schedule all of whose tasks are blocked has none that succeeded.
    String schedule = admin.post("/v1/schedules", TaskerClient.quoted(
        "{'namespace': 'testing', 'name': 'blocking', 'template': 'half', 'cron': '@yearly', "
            + "'context': {'way': 'permanent'}, 'requested_by': 'ann', 'reason': 'a test'}"))
        .text("schedule_uuid");
    admin.post("/v1/schedules/" + schedule + "/trigger",
        TaskerClient.quoted("{'requested_by': 'ann', 'reason': 'a test'}"));
    until("its task is blocked", () -> admin.count(
        "select count(*) from tasker.tasks where initiator = 'schedule:blocking' and state = 'blocked_by_failures'") == 1);
    console.go("schedules?name=blocking");
    browser.awaitText("1 started, 1 of them blocked");
  }

  /** Times as programs write them, in the visible text of a page that is no document. */
  private static final String RAW_TIMES = "(() => { const found = []; const all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); "
      + "while (all.nextNode()) { const e = all.currentNode.parentElement; if (!e.closest('pre, textarea') && e.checkVisibility() "
      + "&& /\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d/.test(all.currentNode.data)) found.push(all.currentNode.data); } return found.join(); })()";

  @Test
  void a_task_that_failed_says_why_wherever_it_stands_and_with_times_as_all_others() {
    String steps = "steps:\n  - {name: reserve, handler: {callable: testing.Echo}, compensation: {handler: {callable: testing.Echo}}}\n"
        + "  - {name: pay, dependencies: [reserve], signal: {name: paid, timeout: PT1S}}\n";
    UUID undone = task("unpaid", "lifecycle: {on_failure: compensate}\n" + steps, "{}");
    UUID stuck = task("unpaid_stuck", steps, "{}");
    console.awaitState(undone, "error");
    console.awaitState(stuck, "blocked_by_failures");
    console.signIn("ann");

    console.go("tasks?namespace=testing&name_prefix=unpaid");
    browser.await("document.querySelectorAll('tbody tr').length === 2");
    for (UUID task : List.of(undone, stuck)) {
      assertThat(text("document.querySelector('tr[data-task=\"' + arguments[0] + '\"]').innerText",
          task.toString())).contains("pay no signal paid came by ");
    }
    assertThat(text(RAW_TIMES)).as("in the list").isEmpty();
    assertThat(text("document.querySelector('td.one [title]').title"))
        .as("and as it came, under the pointer").contains("no signal paid came by");

    for (UUID task : List.of(undone, stuck)) {
      console.go("tasks/" + task);
      browser.await(
          "[...document.querySelectorAll('main .note')].some((note) => note.innerText.includes('no signal paid came by'))");
      assertThat(text(RAW_TIMES)).as("on the page of a task").isEmpty();
      assertThat(console.violations()).isEmpty();
    }
    assertThat(isTrue("document.querySelector('[data-ended]')")).isFalse();
    console.go("tasks/" + undone);
    browser.await("document.querySelector('[data-ended=\"1\"]')");
    assertThat(text("document.querySelector('[data-show=open]').innerText"))
        .as("nothing of it is open").isEqualTo("Open 0");

    console.go("tasks/" + undone + "?tab=timeline");
    browser.await("document.querySelectorAll('svg[data-row]').length === 3");
    assertThat(text(
        "[...document.querySelectorAll('svg[data-row]')].map((e) => e.dataset.row).join()"))
        .as("what was undone stands above its compensation, and what came in between too")
        .isEqualTo("reserve,pay,reserve:compensation");
    console.go("tasks/" + undone + "?tab=story");
    browser.awaitText("reserve: in progress → being processed, attempt 1");
    assertThat(text("document.querySelector('.story').innerText"))
        .contains("pay: failed permanently")
        .doesNotContain("attempt 0", "_orchestration", "in_process");

    console.go("failures?namespace=testing");
    String row = "[...document.querySelectorAll('tbody tr')].find((r) => r.innerText.includes('testing/unpaid ·'))";
    browser.await(row);
    assertThat(text(RAW_TIMES)).as("among the failures").isEmpty();
    browser.run(row + ".querySelector('td.error a').click()");
    browser.await("document.querySelectorAll('tbody tr[data-task]').length === 1");
    assertThat(text("document.querySelector('tbody tr').dataset.task"))
        .as("the group leads to its task, also when it was compensated")
        .isEqualTo(undone.toString());

    console.go("");
    browser.awaitText("no signal paid came by");
    assertThat(text(RAW_TIMES)).as("on the overview").isEmpty();
    console.go("deadLetters");
    browser.awaitText("no signal paid came by");
    assertThat(text(RAW_TIMES)).as("among the dead letters").isEmpty();
  }

  /** Of nine workers. */
  private static UUID batchThatNoWorkerTakes(String name, int parallelism) {
    return task(name, """
        steps:
          - {name: cut, type: batchable, handler: {callable: testing.CutBatches}}
          - name: work
            type: batch_worker
            depends_on: [cut]
            handler: {callable: nothing.TakesIt}
            batch_config: {worker_template: work, parallelism: %d}
          - {name: join, type: deferred_convergence, depends_on: [work], handler: {callable: testing.Echo}}
        """.formatted(parallelism), "{\"cursors\": [1,2,3,4,5,6,7,8,9]}");
  }

  @Test
  void what_a_page_says_of_a_batch_is_of_one_moment() {
    UUID batch = batchThatNoWorkerTakes("half_way", 4);
    until("four are offered", () -> admin.count(
        "select coalesce(max(in_flight_workers), 0) from tasker.batches where task_uuid = ?::uuid",
        batch.toString()) == 4);
    console.signIn("ann");
    // The task is read before the sentences about it: as if three workers had begun in between.
    browser.run(
        "const real = window.fetch; window.fetch = async (url, options) => { const answer = await real(url, options); "
            + "if (!String(url).includes('/v1/tasks/' + arguments[0] + '?')) return answer; const task = await answer.json(); "
            + "Object.assign(task.batches[0], {in_flight: 1, waiting: 8}); window.isOlder = true; return new Response(JSON.stringify(task), {status: 200}); }",
        batch.toString());
    console.go("tasks/" + batch + "?tab=batches");
    browser.await("window.isOlder && document.querySelector('.mosaic canvas')?.width > 0");
    browser.awaitText("0 of 9 workers, 0 of them failed; 4 are in flight");
    // What is true of all four is said once.
    browser.await("document.querySelector('[data-together=\"4\"]')");
    assertThat(text(
        "[...document.querySelectorAll('[data-counter]')].map((e) => e.dataset.counter + ' ' + e.innerText).join()"))
        .isEqualTo("done 0,failed 0,in_flight 4,waiting 5,cancelled 0");
    assertThat(text(
        "[...document.querySelectorAll('.mosaic ~ p.row')].map((e) => e.innerText).join()"))
        .as("the picture is another read, and tells colours only").doesNotContainPattern("\\d");
  }

  @Test
  void the_dead_letters_of_a_group_are_closed_at_once_after_a_dry_run() {
    register("looked_into", "steps:\n  - {name: charge, handler: {callable: testing.Fail}}\n");
    for (String way : List.of("permanent", "permanent", "endless message")) {
      admin.awaitTerminalOrBlocked(
          admin.submit("testing", "looked_into", "{\"way\": \"" + way + "\"}"));
    }
    String open = "select count(*) from tasker.v_dlq_investigation_queue where task_name = 'looked_into'";
    until("they have their dead letters", () -> admin.count(open) == 3);
    console.signIn("ann");
    console.go("failures?namespace=testing");
    String row = "[...document.querySelectorAll('tbody tr')].find((r) => r.innerText.includes('testing/looked_into') && r.innerText.includes('no and never'))";
    browser.await(row);
    browser.run("[..." + row
        + ".querySelectorAll('button')].find((b) => b.innerText === 'Close dead letters').click()");
    browser.await("document.querySelector('dialog[open] [data-filter]')");
    assertThat(text("document.querySelector('dialog[open] [data-filter]').innerText"))
        .contains("of the template looked_into", "that failed at step charge", "no and never");
    choose("dialog[open] select[name=resolution_status]", "permanently_failed");
    console.giveReason("a known fault");
    browser.press("Dry run");
    browser.await(
        "[...document.querySelectorAll('dialog[open] button')].some((b) => b.innerText === 'Close 2 dead letters')");
    assertThat(console.violations()).isEmpty();
    assertThat(admin.count(open)).as("a dry run closes nothing").isEqualTo(3);
    browser.press("Close 2 dead letters");
    browser.awaitText("2 done, 0 already so, 0 refused.");
    browser.press("Close");
    assertThat(admin.count(open)).isEqualTo(1);
    assertThat(admin.count(
        "select count(*) from tasker.tasks_dlq where resolution_status = 'permanently_failed' and resolution_notes = 'a known fault' and resolved_by = 'ann'"))
        .isEqualTo(2);
    assertThat(admin.count(
        "select count(*) from tasker.operator_actions where action = 'update_dlq_entry' and reason = 'a known fault' and bulk_token is not null"))
        .isEqualTo(2);
  }

  @Test
  void a_dialog_names_what_it_acts_on_and_only_one_of_its_buttons_cancels() {
    UUID task = admin.submit("hold", "{}");
    console.signIn("olga");
    console.go("tasks/" + task);
    browser.press("Cancel");
    browser.await("document.querySelector('dialog[open] h2')");
    assertThat(text("document.querySelector('dialog[open] h2').innerText"))
        .isEqualTo("Cancel hold " + task.toString().substring(0, 8) + "…?");
    assertThat(text(
        "[...document.querySelectorAll('dialog[open] button')].map((b) => b.innerText).join()"))
        .isEqualTo("Cancel task,Keep running");
    browser.press("Keep running");
    assertThat(console.state(task)).isNotEqualTo("cancelled");
    console.release(task);
  }

  /**
   * Each look at the page, taken in the moment in which it is drawn: a step is in one state only,
   * and the headline is about one of the steps of the list.
   */
  @Test
  void what_stands_on_the_page_of_a_task_does_not_contradict_itself() {
    StringBuilder steps = new StringBuilder(
        "steps:\n  - {name: step_0, handler: {callable: testing.Work, initialization: {ms: 300}}}\n");
    for (int i = 1; i < 8; i++) {
      steps.append("  - {name: step_").append(i).append(", dependencies: [step_").append(i - 1)
          .append("], handler: {callable: testing.Work, initialization: {ms: 300}}}\n");
    }
    register("strip", steps.toString());
    console.signIn("ann");
    UUID task = admin.submit("testing", "strip", "{}");
    browser.run(
        "window.lies = []; new MutationObserver(() => { const of = new Map([...document.querySelectorAll('.node[data-step]')].map((n) => "
            + "[n.dataset.step, n.dataset.state.replaceAll('_', ' ')])); const listed = [...document.querySelectorAll('ul.why li li')]; "
            + "listed.forEach((li) => { const name = li.querySelector('button').innerText; const state = li.querySelector('.state')?.title.replaceAll('_', ' ') ?? ''; "
            + "if (of.has(name) && !state.includes(of.get(name))) window.lies.push(`${name}: ${state} beside ${of.get(name)}`); }); "
            + "const said = /^Step (\\S+) /.exec(document.querySelector('[data-explanation]')?.innerText ?? ''); "
            + "if (said && listed.length > 0 && !listed.some((li) => li.querySelector('button').innerText === said[1])) window.lies.push(`headline ${said[1]}`); })"
            + ".observe(document.body, {subtree: true, childList: true, characterData: true, attributes: true})");
    console.go("tasks/" + task);
    console.awaitState(task, "complete");
    browser.await("document.querySelector('[data-live=ended]')");
    assertThat(text("window.lies.join('; ')")).isEmpty();
  }

  @Test
  void characters_that_hide_or_turn_what_follows_are_shown_as_escapes() {
    String hostile = "pay\u202Elap\u200Bx";
    admin.sql(
        "select tasker.submit_task('testing', 'fail', '1.0.0', '{\"way\": \"permanent\"}', jsonb_build_object('tags', jsonb_build_array(?::text), "
            + "'initiator', ?::text))",
        hostile, hostile);
    UUID task = UUID.fromString(
        admin.value("select task_uuid from tasker.tasks where initiator = ?", hostile).toString());
    assertThat(admin.awaitTerminalOrBlocked(task).getString("initiator")).as("REST keeps the text")
        .isEqualTo(hostile);
    console.signIn("ann");
    console.go("tasks?namespace=testing&column=initiator&column=tags&initiator="
        + java.net.URLEncoder.encode(hostile, java.nio.charset.StandardCharsets.UTF_8));
    browser.await("document.querySelectorAll('tbody tr[data-task]').length === 1");
    assertThat(text("document.querySelector('tbody tr').innerText"))
        .contains("pay\\u202elap\\u200bx").doesNotContain("\u202E", "\u200B");
    assertThat(text("document.querySelector('input[name=initiator]').value")).as("what is sent")
        .isEqualTo(hostile);
    console.go("tasks/" + task + "?tab=data");
    browser.awaitText("pay\\u202elap\\u200bx");
    assertThat(text("document.body.innerText")).doesNotContain("\u202E", "\u200B");
    // What is written from right to left stays by itself.
    browser.run(
        "return import('/console/dom.js').then((dom) => { window.shown = [dom.visible('abc'), dom.visible('\u05e9\u05dc\u05d5\u05dd'), "
            + "dom.visible(dom.visible('\u05e9'))]; })");
    browser.await("window.shown");
    assertThat(text("window.shown.join()"))
        .isEqualTo("abc,\u2068\u05e9\u05dc\u05d5\u05dd\u2069,\u2068\u05e9\u2069");
  }

  @Test
  void durations_have_one_form_and_carry_what_is_rounded() {
    console.signIn("ann");
    browser.run(
        "return import('/console/span.js').then(({span}) => { window.wrong = []; const units = [['d', 86400], ['h', 3600], ['min', 60], ['s', 1]]; "
            + "const read = (text) => text.endsWith(' ms') ? parseInt(text) / 1000 : text.split(/(?<=[a-z]) /).reduce((sum, part) => "
            + "sum + parseFloat(part) * units.find(([name]) => name === part.split(' ')[1])[1], 0); "
            + "let last = 0; for (let ms = 0; ms < 4e8; ms += 1 + Math.floor(ms / 250)) { const text = span(ms); const seconds = read(text); "
            + "const unit = ms < 10000 ? 0.051 : ms < 3600e3 ? 0.51 : ms < 86400e3 ? 60 : 3600; "
            + "if (Math.abs(seconds - ms / 1000) > unit || seconds < last || /(^| )(60 s|60 min|24 h|0 (s|min|h))$/.test(text)) window.wrong.push(`${ms}: ${text}`); last = seconds; } "
            + "window.some = [850, 2200, 59600, 60000, 65000, 3600000, 187200000].map(span).join(); })");
    browser.await("window.some");
    assertThat(text("window.wrong.slice(0, 5).join('; ')")).isEmpty();
    assertThat(text("window.some")).isEqualTo("850 ms,2.2 s,1 min,1 min,1 min 5 s,1 h,2 d 4 h");
  }

  @Test
  void the_timeline_has_parents_above_and_the_graph_no_solid_line_out_of_what_was_not_taken() {
    UUID task = admin.submit("approvals", "approval_routing",
        "{\"amount\": 50, \"requester\": \"ann\", \"purpose\": \"pens\"}");
    admin.awaitTerminalOrBlocked(task);
    console.signIn("ann");
    console.go("tasks/" + task);
    browser.await("document.querySelectorAll('.graph path.edge').length > 0");
    int ofUntaken = admin.get("/v1/templates/approvals/approval_routing/1.0.0").body()
        .contains("dependencies")
            ? number(
                "[...document.querySelectorAll('.graph path.edge.untaken')].flatMap((p) => p.getAttribute('d').match(/M/g)).length")
            : -1;
    assertThat(ofUntaken).as("edges into and out of steps that were not taken")
        .isGreaterThanOrEqualTo(
            2 * number("document.querySelectorAll('.node[data-state=not_taken]').length"));

    UUID chain = task("reversed",
        "steps:\n  - {name: c, dependencies: [b], handler: {callable: testing.Echo}}\n"
            + "  - {name: b, dependencies: [a], handler: {callable: testing.Echo}}\n  - {name: a, handler: {callable: testing.Echo}}\n",
        "{}");
    console.awaitState(chain, "complete");
    console.go("tasks/" + chain + "?tab=timeline");
    browser.await("document.querySelectorAll('svg[data-row]').length === 3");
    assertThat(text(
        "[...document.querySelectorAll('svg[data-row]')].map((row) => row.dataset.row).join()"))
        .isEqualTo("a,b,c");
  }

  @Test
  void an_address_opens_the_version_that_it_names_and_a_tab_that_is_none_is_the_first_one() {
    String template = "name: versioned\nnamespace_name: testing\nversion: %s\nidentity_strategy: always_unique\nsteps:\n"
        + "  - {name: %s, handler: {callable: testing.Echo}}\n";
    assertThat(admin.postTemplate(template.formatted("1.0.0", "old")).status()).isIn(200, 201);
    assertThat(admin.postTemplate(template.formatted("1.1.0", "young")).status()).isIn(200, 201);
    console.signIn("ann");
    console.go("templates/testing/versioned/1.0.0");
    browser.await(
        "document.querySelector('select[name=version]')?.value === '1.0.0' && document.querySelector('.node[data-step=old]')");
    console.go("templates/testing/versioned/9.9.9");
    browser.awaitText("This does not exist, or not for you.");
    console.go("templates/testing/versioned?tab=nothing");
    browser.await(
        "document.querySelector('.tabs a[aria-current]')?.innerText === 'Graph' && document.querySelector('.node[data-step=young]')");
    UUID task = console.blocked();
    console.go("tasks/" + task + "?tab=nothing");
    browser.await("document.querySelector('.tabs a[aria-current]')?.innerText === 'Graph'");
    browser.log();
  }

  @Test
  void the_page_of_a_proxy_is_a_sentence_with_its_details_folded() {
    console.signIn("ann");
    browser.run(
        "const real = window.fetch; window.restore = () => { window.fetch = real; }; window.fetch = (url, options) => String(url).includes('/v1/failures') "
            + "? Promise.resolve(new Response('<html><body><h1>502 Bad Gateway</h1><hr>nginx</body></html>', {status: 502})) : real(url, options)");
    console.go("failures");
    browser.await("document.querySelector('main .note.bad [data-foreign]')");
    assertThat(text("document.querySelector('main .note.bad').innerText"))
        .contains("The answer (502) is not from Tasker EE", "Try again")
        .doesNotContain("<html>");
    assertThat(isTrue("document.querySelector('[data-foreign]').open")).isFalse();
    browser.run("window.restore()");
    browser.press("Try again");
    TaskerClient.until("the page is there", Duration.ofSeconds(30),
        () -> !isTrue("document.querySelector('main .note.bad')"));
    browser.log();
  }
}
