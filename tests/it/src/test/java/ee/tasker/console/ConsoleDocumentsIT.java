package ee.tasker.console;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.json.JsonNumber;
import jakarta.json.JsonString;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Long documents, very many tasks and figures: what the console shows of them without loading all.
 */
@Tag("long")
class ConsoleDocumentsIT extends WithConsole {
  @Test
  void a_result_of_twenty_mebibytes_shows_its_beginning_and_is_downloaded_as_it_is() {
    UUID task = console.blocked();
    UUID step = UUID
        .fromString(admin.steps(task).values().iterator().next().getString("step_uuid"));
    admin.sql("select tasker.act_on_step(?, ?, 'complete_manually', 'ann', 'a test', "
        + "jsonb_build_object('result', jsonb_build_object('n', 9007199254740993, 'text', repeat('äx', 7000000))))",
        task, step);
    console.awaitState(task, "complete");
    console.signIn("ann");

    console.go("tasks/" + task + "?tab=data");
    browser.await("document.querySelector('[data-document] pre')?.innerText.length > 16000");
    String took = "return Math.round(performance.getEntriesByType('resource').find((e) => e.name.includes('/documents/result')).duration)";
    int milliseconds = ((JsonNumber) browser.run(took)).intValue();
    System.out.println("the beginning of 20 MiB took " + milliseconds + " ms");
    assertThat(milliseconds).isLessThan(5_000);
    assertThat(browser.text()).contains("9007199254740993", "20.0 MiB")
        .doesNotContain("Show all 20");
    assertThat(((JsonNumber) browser
        .run("return document.querySelector('[data-document] pre').innerText.length")).intValue())
        .isLessThan(20_000);

    browser.run(
        "window.saved = null; const make = URL.createObjectURL; URL.createObjectURL = (blob) => { window.saved = blob; return make.call(URL, blob); }");
    browser.run(
        "[...document.querySelectorAll('[data-document] button')].find((b) => b.innerText === 'Download').click()");
    browser.await("window.saved");
    JsonString hash = (JsonString) browser
        .runLater(
            "const digest = await crypto.subtle.digest('SHA-256', await window.saved.arrayBuffer()); "
                + "return [...new Uint8Array(digest)].map((b) => b.toString(16).padStart(2, '0')).join('')");
    assertThat(hash.getString()).isEqualTo(admin.value(
        "select encode(sha256(convert_to(result::text, 'UTF8')), 'hex') "
            + "from tasker.workflow_step_result_audit where workflow_step_uuid = ? and success",
        step));
  }

  @Test
  void an_action_in_the_background_shows_its_progress_and_each_refusal() {
    assertThat(admin.postTemplate(
        "name: many\nnamespace_name: crowd\nversion: 1.0.0\nidentity_strategy: always_unique\nsteps:\n"
            + "  - {name: a, handler: {callable: none}}\n")
        .status()).isIn(200, 201);
    admin.sql(
        "select json_array_length((tasker.submit_tasks((select jsonb_agg(jsonb_build_object('namespace', 'crowd', 'name', "
            + "'many', 'version', '1.0.0', 'context', '{}'::jsonb)) from generate_series(1, 1005))) -> 'verdicts')::json)");
    console.signIn("ann");
    console.go("tasks?namespace=crowd&name=many&column=why");
    browser.await("document.querySelectorAll('[data-why]').length === 50");
    assertThat(browser.text()).contains("no live worker of namespace crowd has handler none");

    browser.press("Act on all that match");
    browser.await("document.querySelector('dialog[open] select')");
    browser.run(
        "const s = document.querySelector('dialog[open] select'); s.value = 'cancel'; s.dispatchEvent(new Event('change', {bubbles: true}))");
    console.giveReason("too many");
    browser.press("Dry run");
    browser.awaitText("1,005 tasks match. Nothing has changed yet. It continues in the background");
    Object gone = admin
        .value(
            "select task_uuid from tasker.tasks t join tasker.named_tasks n using (named_task_uuid) where n.name = 'many' limit 1");
    admin.sql("select tasker.request_cancel(?, 'bob', 'mine')", gone);
    browser.press("Cancel 1,005 tasks");

    browser.await("document.querySelector('[data-bulk=done]')");
    browser.awaitText("1004 done, 0 already so, 1 refused.");
    browser.await("document.querySelector('.refusals a').innerText === arguments[0]",
        gone.toString());
    assertThat(browser.text()).contains("no-longer-matches");
    browser.press("Close");
    assertThat(admin.count(
        "select count(*) from tasker.tasks t join tasker.named_tasks n using (named_task_uuid) where n.name = 'many' and t.state = 'cancelled'"))
        .isEqualTo(1_005);
  }

  @Test
  void buttons_are_those_that_the_server_allows_and_percentiles_stand_beside_the_steps() {
    UUID task = console.blocked();
    console.signIn("ann");
    console.go("tasks/" + task);
    browser.await(
        "[...document.querySelectorAll('.actions button')].some((b) => b.innerText === 'Retry')");
    admin.sql("select tasker.act_on_task(?, 'fail', 'ann', 'a test')", task);
    browser.await(
        "![...document.querySelectorAll('.actions button')].some((b) => b.innerText === 'Fail')");
    assertThat(browser.text()).contains("Resolve");

    console.go("templates/testing/fail");
    browser.await("document.querySelector('[data-durations]')");
    assertThat(browser.text()).contains("p50", "p95", "p99");
    console.go("analytics?namespace=testing");
    browser.awaitText("p95");
    console.go("");
    browser.await("document.querySelector('[data-late]')");
  }
}
