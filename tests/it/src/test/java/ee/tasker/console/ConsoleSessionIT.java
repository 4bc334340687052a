package ee.tasker.console;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.Login;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TokenIssuer;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Signing in, the cookie, what a page of another site can do with it, and what becomes of a page
 * when the session or the server is gone.
 */
@Tag("long")
class ConsoleSessionIT extends WithBrowser {
  private static final TokenIssuer ISSUER = new TokenIssuer();

  @BeforeAll
  static void start() {
    open(new Console(ISSUER.environment()));
  }

  private static Answer send(Map<String, String> headers, String method, String path, String body) {
    TaskerClient caller = admin.with(headers);
    return caller.send(caller.request(path).header("Content-Type", "application/json")
        .method(method, body == null ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofString(body)));
  }

  private static Answer signIn(String name) {
    return send(Map.of("Authorization", new Login(name, Console.PASSWORD).basic()), "POST",
        "/v1/access/session", null);
  }

  private static String cookie(Answer signedIn) {
    assertThat(signedIn.status()).as("%s", signedIn).isEqualTo(200);
    return signedIn.header("Set-Cookie").replaceAll(";.*", "");
  }

  @Test
  void signing_in_opens_the_console_and_signing_out_ends_the_session_in_the_database() {
    console.signIn("ann");
    console.awaitUser("ann");
    assertThat(console.session("ann").getString("token_hash")).startsWith("\\x");
    assertThat(browser.run("return document.cookie").toString()).as("no script can read the cookie")
        .isEqualTo("\"\"");

    browser.press("Sign out");
    browser.await("document.querySelector('input[name=password]')");

    TaskerClient.until("the session is gone", Duration.ofSeconds(10), () -> admin.count(
        "select count(*) from tasker.access_sessions s join tasker.access_users u using (user_uuid) where u.name = 'ann'") == 0);
    browser.open(console.address("tasks"));
    browser.await("document.querySelector('input[name=password]')");
    browser.log();
  }

  @Test
  void a_signed_token_opens_the_console_and_a_wrong_one_is_said() {
    console.openSignedOut();
    browser.press("Use a token");
    browser.type("input[name=token]", new TokenIssuer().signed(TokenIssuer.claims()));
    browser.press("Sign in");
    browser.awaitText("The server does not accept this token");
    browser.type("input[name=token]",
        ISSUER.signed(TokenIssuer.claims().claim("permissions", List.of("tasks:*", "steps:*"))));
    browser.press("Sign in");
    console.awaitUser("orders-service");
    assertThat(browser.run("return document.cookie").toString()).as("no script can read the cookie")
        .isEqualTo("\"\"");
    UUID task = admin.submit("hello", "{}");
    console.go("tasks");
    browser.await(
        "document.querySelector('[data-live=live]') && document.querySelector('tr[data-task=\""
            + task + "\"]')");

    browser.press("Sign out");
    browser.await("document.querySelector('input[name=password]')");
    browser.open(console.address("tasks"));
    browser.await("document.querySelector('input[name=password]')");
    browser.log();
  }

  @Test
  void a_wrong_password_is_said_and_guessing_is_slowed_down() {
    console.user("gus", "viewer", null);
    console.openSignedOut();
    console.fillIn("gus", "wrong");
    browser.awaitText("The name or the password is wrong.");
    for (int i = 0; i < 6; i++) {
      send(Map.of("Authorization", new Login("gus", "wrong " + i).basic()), "POST",
          "/v1/access/session", null);
    }
    console.fillIn("gus", "wrong again");
    browser.awaitText("Too many failed logins. Try again in");
    browser.log();
  }

  @Test
  void a_session_ends_with_its_time_its_user_and_its_password() {
    console.user("eve", "viewer", null);
    String expired = cookie(signIn("eve"));
    String disabled = cookie(signIn("eve"));
    admin.sql(
        "update tasker.access_sessions s set created_at = s.created_at - interval '1 day', expires_at = clock_timestamp() "
            + "from tasker.access_users u where u.user_uuid = s.user_uuid and u.name = 'eve' and token_hash = sha256(convert_to(?, 'UTF8')) returning 1",
        expired.substring(expired.indexOf('=') + 1));

    TaskerClient.until("it has expired", Duration.ofSeconds(10),
        () -> send(Map.of("Cookie", expired), "GET", "/v1/me", null).status() == 401);
    assertThat(send(Map.of("Cookie", disabled), "GET", "/v1/me", null).status()).isEqualTo(200);
    Object user = admin.value("select user_uuid from tasker.access_users where name = 'eve'");
    admin.sql("select tasker.set_user_enabled(?, false, 'test')", user);
    TaskerClient.until("the user is disabled", Duration.ofSeconds(10),
        () -> send(Map.of("Cookie", disabled), "GET", "/v1/me", null).status() == 401);
  }

  @Test
  void a_lost_session_asks_for_the_password_over_the_page_and_the_page_stays() {
    UUID task = console.blocked();
    console.signIn("olga");
    console.go("tasks/" + task + "?tab=steps");
    browser.awaitText("an operator has to act");
    browser.run("document.querySelector('main').dataset.same = 'yes'");
    browser.press("Retry");
    // Typed before: the page's own requests may meet the end of the session first, and nothing can
    // be typed below the dialog that they open.
    console.giveReason("again");

    admin.sql("delete from tasker.access_sessions returning 1");
    TaskerClient.pause(Duration.ofMillis(1_500));
    // Requests that the page makes by itself may have met the end of the session before.
    if ("1".equals(
        browser.run("return document.querySelectorAll('dialog[open]').length").toString())) {
      browser.click("dialog[open] button.main");
    }
    browser.await("document.querySelectorAll('dialog[open]').length === 2");
    browser.awaitText("Your session has ended");
    browser.run("document.querySelectorAll('dialog[open]')[1].setAttribute('id', 'again')");
    browser.type("#again input[name=name]", "olga");
    browser.type("#again input[name=password]", Console.PASSWORD);
    browser.click("#again button.main");
    browser.await("document.querySelectorAll('dialog[open]').length === 1");

    assertThat(browser.run("return document.querySelector('main').dataset.same + location.hash")
        .toString()).contains("yes#/tasks/" + task);
    assertThat(browser.run("return document.querySelector('dialog[open] input[name=reason]').value")
        .toString()).contains("again");
    browser.click("dialog[open] button.main");
    browser.await("!document.querySelector('dialog[open]')");
    TaskerClient.until("the action is in the history", Duration.ofSeconds(10), () -> admin.count(
        "select count(*) from tasker.operator_actions where task_uuid = ? and authenticated_as = 'olga' and reason = 'again'",
        task) == 1);
    browser.log();
  }

  @Test
  void a_server_that_is_away_is_said_and_the_page_goes_on_when_it_is_back() {
    console.signIn("ann");
    console.go("servers");
    browser.awaitText("healthy");
    offline(true);
    browser.awaitText("The server has not answered since");
    assertThat(browser.text()).as("what was there is still there").contains("healthy");
    offline(false);
    browser.await("!document.body.innerText.includes('The server does not answer')");
    browser.log();
  }

  @Test
  void the_first_view_is_small_and_asks_no_other_host() {
    console.signIn("ann");
    browser.open(URI.create("about:blank"));
    browser.open(console.address(""));
    browser.awaitText("Tasks by state");

    long bytes = Long.parseLong(browser.run(
        "return performance.getEntriesByType('resource').filter((e) => e.name.includes('/console/'))"
            + ".reduce((sum, e) => sum + e.encodedBodySize, 0)")
        .toString());
    assertThat(bytes).as("bytes of modules and styles over the wire").isBetween(50_000L, 300_000L);
    String hosts = browser.run(
        "return [...new Set(performance.getEntriesByType('resource').map((e) => new URL(e.name).host))].join()")
        .toString();
    assertThat(hosts).isEqualTo("\"" + console.server.base().getAuthority() + "\"");
    assertThat(browser.log()).isEmpty();
  }

  @Test
  void the_requests_of_the_page_are_in_the_audit_under_the_users_name() {
    cookie(signIn("olga"));

    assertThat(admin.sql(
        "select route from tasker.write_requests where caller = 'olga' and caller_kind = 'user'")
        .toString())
        .contains("/v1/access/session");
    assertThat(Arrays.asList(console.server.log().split("\n")))
        .anyMatch(line -> line.contains("TK1605") && line.contains("olga"))
        .noneMatch(line -> line.contains("tks_"));
  }
}
