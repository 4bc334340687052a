package ee.tasker.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A server with users, and a browser at its console. The server remembers callers for a second, so
 * that what ends ends soon.
 */
final class Console implements AutoCloseable {
  static final Browser.Look WIDE = new Browser.Look(1300, 900, false);
  static final String PASSWORD = "only for the console";

  final EmbeddedDatabase database;
  final TestServer server;
  final TaskerClient admin;
  final Browser browser;

  /**
   * Skips the tests on a machine without a browser, unless {@code browser.required} says that there
   * must be one.
   */
  Console() {
    this(Map.of());
  }

  /** @param settings of the server, besides */
  Console(Map<String, String> settings) {
    boolean isThere = Browser.programs().isPresent();
    if (Boolean.getBoolean("browser.required")) {
      assertThat(isThere)
          .as("chromium and chromedriver are on the PATH: apt-get install chromium chromium-driver")
          .isTrue();
    }
    assumeTrue(isThere,
        "skipped: no chromium with chromedriver on this machine; apt-get install chromium chromium-driver");
    database = TestServer.newDatabase();
    Map<String, String> all = new HashMap<>(settings);
    all.put("TASKER_SECURITY_CACHE_SECONDS", "1");
    server = TestServer.start(database, all);
    admin = server.client();
    admin.register("/testing/templates.yaml");
    user("ann", "admin", null);
    user("olga", "operator", "testing");
    user("rita", "viewer", "testing");
    browser = new Browser(WIDE);
  }

  void user(String name, String role, String namespace) {
    admin.sql("select tasker.create_user(?, ?, ?, ?)", name, PASSWORD, role, namespace);
  }

  URI address(String hash) {
    return server.base().resolve("/console/" + (hash.isEmpty() ? "" : "#/" + hash));
  }

  /** Opens the console without a session. */
  void openSignedOut() {
    // From a file that asks for nothing: an answer to the page before would bring its cookie back.
    browser.open(server.base().resolve("/console/console.css"));
    browser.forgetCookies();
    browser.open(URI.create("about:blank"));
    browser.open(address(""));
    browser.await("document.querySelector('input[name=password]')");
    // Asking who is there is answered with 401, as is what a page that was open loads, or with 403
    // where its user had few rights; browsers note each as an error.
    assertThat(
        browser.log().stream().filter(line -> !line.contains("/v1/schedules/upcoming?"))
            .filter(line -> !line.contains("/favicon.ico")).toList())
        .allMatch(line -> line.contains("/v1/") && line.matches("(?s).* 40[13] .*"));
  }

  void signIn(String name) {
    browser.show(WIDE);
    openSignedOut();
    fillIn(name, PASSWORD);
    browser.await("document.querySelector('.rail')");
  }

  /** The menu of the user has the name on it. */
  void awaitUser(String name) {
    browser.await(
        "document.querySelector('[data-menu=user] summary')?.innerText.trim() === arguments[0]",
        name);
  }

  void fillIn(String name, String password) {
    browser.type("input[name=name]", name);
    browser.type("input[name=password]", password);
    browser.press("Sign in");
  }

  /** Follows the address, until everything on the page was read and drawn. */
  void go(String hash) {
    // A page is drawn after the address changed, and reads after it was drawn: so for some frames.
    browser.run("""
        location.hash = arguments[0];
        window.settled = 0;
        const look = () => {
          const isWhole = document.querySelector('main h1')
              && !document.documentElement.dataset.unfinished;
          window.settled = isWhole ? window.settled + 1 : 0;
          if (window.settled < 5) requestAnimationFrame(look);
        };
        requestAnimationFrame(look);""", "#/" + hash);
    browser.await("window.settled === 5");
  }

  UUID blocked() {
    UUID task = admin.submit("fail", "{\"way\": \"permanent\"}");
    assertThat(admin.awaitTerminalOrBlocked(task).getString("state"))
        .isEqualTo("blocked_by_failures");
    return task;
  }

  String state(UUID task) {
    return admin.get("/v1/tasks/" + task).text("state");
  }

  void awaitState(UUID task, String state) {
    TaskerClient.until("task " + task + " is " + state, java.time.Duration.ofSeconds(20),
        () -> state.equals(state(task)));
  }

  void release(UUID task) {
    admin.sql("insert into testing.released values (?) returning task_uuid", task);
  }

  /** In the open dialog. */
  void giveReason(String reason) {
    browser.type("dialog[open] input[name=reason]", reason);
  }

  /** Confirms the open dialog by its first button, which has its title. */
  void confirm() {
    browser.click("dialog[open] button.main, dialog[open] form button.danger");
    browser.await("!document.querySelector('dialog[open]')");
  }

  /** What axe-core finds on the page as it is now, in the words of its rules. */
  List<String> violations() {
    browser.run(axe() + "; return 1");
    JsonValue found = browser
        .runLater("const result = await axe.run(document, {resultTypes: ['violations']}); "
            + "return result.violations.flatMap((v) => v.nodes.map((n) => v.id + ': ' + n.html.slice(0, 200) + ' ' + (n.any[0]?.message ?? '')))");
    return found.asJsonArray().getValuesAs(JsonString.class).stream().map(JsonString::getString)
        .toList();
  }

  private static String axe() {
    try (var in = Console.class.getResourceAsStream("/console/axe.min.js")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  JsonObject session(String name) {
    return admin.jsonOf(
        "select to_jsonb(s) from tasker.access_sessions s join tasker.access_users u using (user_uuid) where u.name = ? "
            + "order by s.created_at desc limit 1",
        name);
  }

  @Override
  public void close() {
    browser.close();
    server.close();
    database.close();
  }
}
