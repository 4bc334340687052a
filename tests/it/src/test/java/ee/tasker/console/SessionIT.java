package ee.tasker.console;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.Login;
import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The console's files and sessions as a server gives them out, without a browser: this may differ
 * between servers.
 */
@AgainstServer
class SessionIT {
  private static final String PASSWORD = "only for the console";

  private final TaskerClient admin;
  private final String user = "session " + UUID.randomUUID();

  SessionIT(TaskerClient admin) {
    this.admin = admin;
    admin.register("/testing/templates.yaml");
    admin.sql("select tasker.create_user(?, ?, 'operator', 'testing')", user, PASSWORD);
  }

  private Answer send(Map<String, String> headers, String method, String path, String body) {
    TaskerClient caller = admin.with(headers);
    return caller.send(caller.request(path).header("Content-Type", "application/json")
        .method(method, body == null ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofString(body)));
  }

  private Answer signIn() {
    Answer answer = send(Map.of("Authorization", new Login(user, PASSWORD).basic()), "POST",
        "/v1/access/session", null);
    assertThat(answer.status()).as("%s", answer).isEqualTo(200);
    return answer;
  }

  private String cookie() {
    return signIn().header("Set-Cookie").replaceAll(";.*", "");
  }

  @Test
  void many_wrong_passwords_at_once_are_refused_or_put_off_and_none_is_a_fault() {
    List<Answer> answers = IntStream.range(0, 60)
        .mapToObj(n -> admin.with(Map.of("Authorization",
            new Login("nobody " + n + " " + user, "wrong password").basic())))
        .map(guest -> guest.sendLater(guest.request("/v1/me").GET())).toList().stream()
        .map(CompletableFuture::join).toList();

    assertThat(answers).extracting(Answer::status).containsOnly(401, 429);
    assertThat(answers).filteredOn(answer -> answer.status() == 429).isNotEmpty()
        .allSatisfy(answer -> {
          assertThat(answer.text("code")).isEqualTo("too-many-failures");
          assertThat(answer.header("Retry-After")).isEqualTo("1");
        });
  }

  @Test
  void pages_have_the_headers_that_a_scanner_would_want() {
    for (String path : List.of("/console/", "/console/index.html", "/console/app.js",
        "/console/console.css", "/console/vendor/dagre.js")) {
      Answer answer = send(Map.of(), "GET", path, null);
      assertThat(answer.status()).as("%s", answer).isEqualTo(200);
      assertThat(answer.header("Content-Security-Policy"))
          .contains("default-src 'none'", "script-src 'self'", "style-src 'self'",
              "frame-ancestors 'none'", "form-action 'none'")
          .doesNotContain("unsafe", "*", "http");
      assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
      assertThat(answer.header("X-Frame-Options")).isEqualTo("DENY");
      assertThat(answer.header("Referrer-Policy")).isEqualTo("no-referrer");
      assertThat(answer.header("Cache-Control")).isEqualTo("no-cache");
      assertThat(answer.header("Content-Type"))
          .matches(path.endsWith(".js") ? "(text|application)/(x-)?javascript.*"
              : path.endsWith(".css") ? "text/css.*" : "text/html.*");
    }
  }

  @Test
  void the_address_without_a_slash_leads_to_the_page_by_a_path_alone() {
    Answer answer = send(Map.of(), "GET", "/console", null);

    assertThat(answer.status()).isEqualTo(302);
    assertThat(answer.header("Location")).isEqualTo("/console/");
    assertThat(send(Map.of(), "GET", "/console/none.js", null).status()).isEqualTo(404);
  }

  @Test
  void the_cookie_is_for_this_application_alone_and_out_of_reach_of_scripts() {
    Answer answer = signIn();

    assertThat(answer.header("Set-Cookie"))
        .matches(
            "tasker_session=tks_[A-Za-z0-9_-]{43}; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict");
    assertThat(answer.text("name")).isEqualTo(user);
    assertThat(answer.body()).doesNotContain("tks_");
    String cookie = cookie();
    assertThat(send(Map.of("Cookie", cookie), "GET", "/v1/me", null).text("kind"))
        .isEqualTo("user");
    assertThat(send(Map.of("Cookie", "tasker_session=tks_" + "A".repeat(43) + "; " + cookie), "GET",
        "/v1/me", null).status())
        .as("another application's cookie of this name before it").isEqualTo(200);
    assertThat(send(Map.of("Cookie", "tasker_session=tks_" + "A".repeat(43)), "GET", "/v1/me", null)
        .status()).isEqualTo(401);
    assertThat(send(Map.of("X-API-Key", "tkr_" + UUID.randomUUID(), "Cookie", cookie), "GET",
        "/v1/me", null).status())
        .as("other credentials come first").isEqualTo(401);
  }

  @Test
  void neither_a_key_nor_a_session_begins_a_session() {
    Answer key = admin.asOneWhoMay(List.of("tasks:read")).post("/v1/access/session", "");
    assertThat(key.status()).isEqualTo(403);
    assertThat(key.text("detail")).contains("a user of the database");

    Answer session = send(Map.of("Cookie", cookie(), "X-Requested-By", "test"), "POST",
        "/v1/access/session", null);
    assertThat(session.status()).isEqualTo(403);
    assertThat(session.text("detail")).contains("not with another session");
  }

  @Test
  void signing_out_ends_the_session_here_at_once() {
    Map<String, String> session = Map.of("Cookie", cookie(), "X-Requested-By", "test");

    assertThat(
        send(session, "DELETE", "/v1/access/session", null).object().getBoolean("signed_out"))
        .isTrue();

    assertThat(send(session, "GET", "/v1/me", null).status()).isEqualTo(401);
  }

  @Test
  void a_page_of_somebody_else_can_change_nothing_and_read_nothing() {
    String cookie = cookie();
    UUID task = admin.submit("fail", "{\"way\": \"permanent\"}");
    admin.awaitTerminalOrBlocked(task);
    String path = "/v1/tasks/" + task;
    String fail = TaskerClient
        .quoted("{'action_type': 'fail', 'requested_by': 'x', 'reason': 'x'}");

    assertThat(send(Map.of("Cookie", cookie), "PATCH", path, fail).status())
        .as("without the header that no form can send").isEqualTo(401);
    for (String site : List.of("cross-site", "same-site", "none")) {
      assertThat(send(Map.of("Cookie", cookie, "X-Requested-By", "x", "Sec-Fetch-Site", site),
          "PATCH", path, fail).status()).as(site)
          .isEqualTo(401);
    }
    for (String site : List.of("cross-site", "same-site")) {
      assertThat(send(Map.of("Cookie", cookie, "Sec-Fetch-Site", site), "GET", path, null).status())
          .as(site).isEqualTo(401);
    }
    assertThat(
        send(Map.of("Cookie", cookie, "X-Requested-By", "x", "Origin", "https://evil.example"),
            "PATCH", path, fail).text("code"))
        .isEqualTo("foreign-origin");
    assertThat(admin.get(path).text("state")).isEqualTo("blocked_by_failures");

    assertThat(send(Map.of("Cookie", cookie, "Sec-Fetch-Site", "none"), "GET", path, null).status())
        .as("typed in the address bar")
        .isEqualTo(200);
    assertThat(
        send(Map.of("Cookie", cookie, "X-Requested-By", "x", "Sec-Fetch-Site", "same-origin"),
            "PATCH", path, fail).status())
        .isEqualTo(200);
    assertThat(admin.get(path).text("state")).isEqualTo("error");
  }

  @Test
  void a_browser_is_not_told_to_ask_for_a_password_itself() {
    assertThat(send(Map.of("X-Requested-By", "console"), "GET", "/v1/me", null).headers()
        .firstValue("WWW-Authenticate")).isEmpty();
    assertThat(send(Map.of(), "GET", "/v1/me", null).header("WWW-Authenticate")).contains("Basic");
  }
}
