package ee.tasker.console;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.TaskerClient;
import ee.tasker.webhook.Receiver;
import jakarta.json.JsonObject;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The page of webhooks in a browser, with receivers. */
@Tag("long")
class ConsoleWebhooksIT extends WithBrowser {
  private static final String ENTER = "\uE007";
  private static final String SECRET = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

  @BeforeAll
  static void start() {
    open(new Console(Map.of("TASKER_WEBHOOKS_ALLOW_HTTP", "true", "TASKER_WEBHOOKS_ALLOW_ADDRESSES",
        "127.0.0.0/8",
        "TASKER_WEBHOOKS_ALLOW_PORTS", "all")));
    register("console_paid",
        "steps:\n  - {name: pay, handler: {callable: testing.Echo}, publishes_events: [{name: console.paid}, {name: console.booked}]}\n");
  }

  private static String webhook(String name, String url, String more) {
    return admin
        .post("/v1/webhooks",
            TaskerClient.quoted("{'namespace': 'testing', 'name': '" + name + "', 'url': '" + url
                + "', 'backoff_seconds': 1, 'backoff_cap_seconds': 1" + more + "}"))
        .text("webhook_uuid");
  }

  private static JsonObject document(String webhook) {
    return admin.get("/v1/webhooks/" + webhook).object();
  }

  private static void pay() {
    admin.awaitTerminalOrBlocked(admin.submit("testing", "console_paid", "{\"text\": \"t\"}"));
  }

  private static void fill(String name, String value) {
    browser.type("form.panel input[name=" + name + "]", value);
  }

  @Test
  void a_webhook_is_created_its_secret_is_shown_once_and_it_delivers() {
    try (Receiver receiver = new Receiver(event -> 204)) {
      console.signIn("ann");
      console.go("webhooks");
      browser.awaitText("New webhook");
      browser.click("main a.button");
      browser.await("document.querySelector('form.panel input[name=url]')");
      fill("namespace", "testing");
      fill("name", "console_books");
      fill("url", "gopher://books.example.com/");
      fill("event_types", "console.paid");
      fill("description", "orders to the books");
      fill("reason", "the books want to know");
      browser.click("form.panel button.main");
      browser.await("document.querySelector('.field .wrong')?.innerText");
      assertThat(browser.log()).isNotEmpty()
          .allMatch(line -> line.contains("/v1/webhooks") && line.contains("400"));
      fill("url", receiver.url());
      assertUsable("new webhook");
      browser.click("form.panel button.main");
      browser.awaitText("It is not shown again.");
      assertThat(text("document.querySelector('main [role=status]').innerText"))
          .contains("The secret is whsec_");
      assertUsable("secret of a new webhook");
      browser.click("main a.button");
      browser.await("document.querySelector('main h1')?.innerText.includes('console_books')");
      assertThat(browser.text()).doesNotContain("whsec_").contains("orders to the books");
      assertThat(admin.count(
          "select count(*) from tasker.operator_actions where action = 'create_webhook' and authenticated_as = 'ann' "
              + "and reason = 'the books want to know' and details ->> 'name' = 'console_books'"))
          .isEqualTo(1);

      pay();
      browser.await("document.querySelector('tr[data-delivery]')?.innerText.includes('delivered')");
      assertThat(receiver.accepted()).hasSize(1);
      assertThat(browser.text()).contains("console.paid", "204").doesNotContain("console.booked");
      assertUsable("webhook");
      console.go("webhooks?name=console_books");
      browser.await("document.querySelector('tr[data-webhook]')?.innerText.includes('active')");
      assertUsable("webhooks");
    }
  }

  @Test
  void a_webhook_is_changed_paused_resumed_gets_another_secret_and_is_deleted() {
    String webhook = webhook("console_moves", "https://127.0.0.1/",
        ", 'event_types': ['none'], 'secret': '" + SECRET + "'");
    console.signIn("ann");
    console.go("webhooks/" + webhook);
    press("Pause", "the receiver moves");
    browser.awaitText("paused by ann: the receiver moves");
    assertThat(document(webhook).getString("pause_reason")).isEqualTo("the receiver moves");
    browser.await(
        "![...document.querySelectorAll('.actions button')].some((b) => b.innerText === 'Pause')");
    press("Resume", "it has moved");
    browser.await("document.querySelector('[data-state=active]')");
    assertThat(document(webhook).isNull("paused_at")).isTrue();

    browser.press("Change");
    fill("max_attempts", "7");
    fill("reason", "patience");
    browser.click("form.panel button.main");
    browser.await("!document.querySelector('form.panel')");
    until("it is changed", () -> document(webhook).getInt("max_attempts") == 7);
    assertThat(document(webhook).getJsonArray("event_types").getString(0))
        .as("what was not changed stays").isEqualTo("none");

    browser.press("New secret");
    browser.type("dialog[open] input[type=number]", "600");
    console.giveReason("it leaked");
    console.confirm();
    browser.awaitText("The secret is whsec_");
    assertThat(browser.text()).doesNotContain(SECRET);
    until("the former one still signs", () -> !document(webhook).isNull("old_secret_until"));
    browser.press("Close");
    browser.await("!document.body.innerText.includes('whsec_')");

    press("Delete", "over");
    browser.await("location.hash === '#/webhooks'");
    assertThat(admin.get("/v1/webhooks/" + webhook).status()).isEqualTo(404);
    browser.log();
  }

  @Test
  void dead_letters_are_sent_again_or_discarded_and_events_are_sent_again_from_a_position() {
    AtomicInteger status = new AtomicInteger(500);
    try (Receiver receiver = new Receiver(event -> status.get())) {
      String webhook = webhook("console_dead", receiver.url(),
          ", 'event_types': ['console.paid'], 'max_attempts': 1");
      pay();
      pay();
      until("both are dead letters", () -> document(webhook).getInt("dead_letters") == 2);
      console.signIn("ann");
      console.go("webhooks/" + webhook + "?state=dead");
      browser.await("document.querySelectorAll('tr[data-delivery]').length === 2");
      browser.run(
          "document.querySelectorAll('tr[data-delivery] details').forEach((d) => { d.open = true; })");
      browser.awaitText("seen ");
      assertUsable("dead letters of a webhook");
      browser.run("document.querySelector('tr[data-delivery] button.danger').click()");
      console.giveReason("no matter");
      console.confirm();
      browser.await("document.querySelectorAll('tr[data-delivery]').length === 1");
      status.set(200);
      browser.press("Send it again");
      console.giveReason("the receiver is back");
      console.confirm();
      browser.await("document.querySelectorAll('tr[data-delivery]').length === 0");
      until("it is delivered", () -> document(webhook).getInt("delivered") == 1);

      press("Send a test", "does it answer");
      until("the test is delivered",
          () -> receiver.accepted().stream()
              .anyMatch(call -> call.event().getString("type").equals("tasker.ping")));
      browser.press("Send again from");
      browser.type("dialog[open] input[type=text]", "beginning");
      console.giveReason("the receiver lost its data");
      console.confirm();
      until("each event was sent again",
          () -> receiver.accepted().stream().map(Receiver.Call::id).distinct().count() >= 3);
      assertThat(
          admin.count(
              "select count(*) from tasker.operator_actions where authenticated_as = 'ann' and details ->> 'name' = 'console_dead' "
                  + "and action in ('discard_delivery', 'retry_delivery', 'ping_webhook', 'replay_webhook')"))
          .isEqualTo(4);
      browser.log();
    }
  }

  @Test
  void without_the_permission_to_change_webhooks_there_is_no_button_and_no_path() {
    String webhook = webhook("console_reader", "https://127.0.0.1/a-secret-path",
        ", 'event_types': ['none']");
    console.signIn("rita");
    console.go("webhooks/" + webhook);
    browser.await("document.querySelector('main h1')?.innerText.includes('console_reader')");
    assertThat(browser.text()).contains("https://127.0.0.1").doesNotContain("a-secret-path");
    assertThat(isTrue("document.querySelector('main .actions button, main button.danger')"))
        .isFalse();
    console.go("webhooks");
    browser.await("document.querySelector('tr[data-webhook]')");
    assertThat(browser.text()).doesNotContain("New webhook", "a-secret-path");
    browser.log();
  }

  @Test
  void a_webhook_is_found_and_paused_by_keyboard() {
    String webhook = webhook("console_keys", "https://127.0.0.1/", ", 'event_types': ['none']");
    console.signIn("ann");
    console.go("");
    browser.run("document.activeElement.blur()");
    browser.keys("gw");
    browser.await("location.hash === '#/webhooks' && document.querySelector('tr[data-webhook]')");
    for (int i = 0; i < 20
        && !isTrue("document.activeElement.getAttribute('href') === '#/webhooks/' + arguments[0]",
            webhook); i++) {
      browser.keys("j");
    }
    browser.keys(ENTER);
    browser
        .await(
            "document.querySelector('main h1')?.innerText.includes('console_keys') && document.querySelector('main .actions button')");
    browser.run("document.activeElement.blur()");
    browser.keys("a");
    assertThat(isTrue("document.activeElement.innerText === 'Pause'")).isTrue();
    browser.keys(ENTER);
    browser.await("document.querySelector('dialog[open] input[name=reason]')");
    assertThat(console.violations()).isEmpty();
    browser.keys("by keyboard" + ENTER);
    browser.await("document.querySelector('[data-state=paused]')");
    assertThat(document(webhook).getString("pause_reason")).isEqualTo("by keyboard");
    browser.log();
  }

  @Test
  void hostile_content_of_a_webhook_stays_text_and_a_form_of_another_site_changes_nothing() {
    String markup = "<img src=x onerror=window.pwned=1><script>window.pwned=1</script>";
    try (Receiver receiver = new Receiver(event -> 500)) {
      String webhook = webhook("console_hostile", receiver.url(),
          ", 'event_types': ['console.paid'], 'max_attempts': 1, 'description': '" + markup + "'");
      pay();
      until("the event is a dead letter", () -> document(webhook).getInt("dead_letters") == 1);
      admin.sql(
          "update tasker.webhook_deliveries set last_response = ?, last_error = ? where webhook_uuid = ?::uuid returning 1",
          markup, markup, webhook);
      admin.sql("select tasker.change_webhook(?::uuid, 'pause', 'test', ?)", webhook, markup);
      console.signIn("ann");
      console.go("webhooks/" + webhook);
      browser.await("document.querySelector('tr[data-delivery]')");
      browser.run("document.querySelector('tr[data-delivery] details').open = true");
      browser.awaitText(markup);
      assertThat(isTrue("document.querySelector('main img, main script') || window.pwned"))
          .isFalse();
      assertThat(browser.log()).isEmpty();

      // As a form of another site could send it: with the cookie, without the header that forms
      // cannot set.
      String forged = browser.runLater(
          "const a = await fetch('../v1/webhooks/' + arguments[0] + '/resume', {method: 'POST', "
              + "headers: {'Content-Type': 'application/json'}, body: JSON.stringify({requested_by: 'x', reason: 'x'})}); return a.status + ''",
          webhook).toString();
      assertThat(forged).contains("40");
      assertThat(document(webhook).getString("state")).isEqualTo("paused");
      browser.log();
    }
  }
}
