package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.Login;
import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.ServerFacts;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * What no HTTP client would send, on a socket, without credentials: no answer names a class, a
 * version or the application server, and below {@code /v1} it is a problem.
 */
@AgainstServer
class RawRequestsIT {
  private static final ServerFacts FACTS = ServerFacts.ofThisServer();
  /** Of all application servers, of what they are made of, and of Java. */
  private static final List<String> GIVEAWAYS = Stream.concat(
      Stream.of("exception", "java.", "jakarta.", "ee.tasker", "stack", "\tat ", "<hr"),
      ServerFacts.ofAll("giveaways").stream()).toList();
  private static final List<String> BESIDE = List.of(
      "/..%5c..%5cetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/../../etc/passwd", "/api/v1/tasks",
      "/nothing", "/nothing/at/all.html",
      "/assets/nothing.js", "/assets/error", "/assets/",
      "/index.jsp", "/WEB-INF/web.xml", "/WEB-INF/", "/web-inf/web.xml",
      "/META-INF/persistence.xml", "/;x=1/nothing",
      "/nothing;jsessionid=1", "/%00", "/a%00b", "/%zz", "/%", "/a%2fb", "/a%5cb",
      "//", "//nothing//", "/\\nothing", "/nothing?%zz", "/nothing?a=%00", "/openapi/nothing",
      "/metricsx", "/%c0%ae%c0%ae/", "/%ff",
      "/<script>alert(1)</script>", "/" + "a".repeat(2_000));
  private static final List<String> BELOW = List.of(
      "/v1", "/v1/", "/v1/nothing", "/v1/tasks/%00", "/v1/tasks/..%5c..", "/v1/tasks;x=1",
      "/v1/tasks/%zz", "/v1/tasks?limit=%zz",
      "/v1/templates/a%2fb/c/1.0.0", "/v1/%2e%2e/%2e%2e/x", "/v1//tasks", "/v1/tasks/%ff");

  private final TaskerClient admin;
  private final TestServer server;

  RawRequestsIT(TaskerClient admin, TestServer server) {
    this.admin = admin;
    this.server = server;
  }

  private record Raw(int status, Map<String, String> headers, String body) {
    String header(String name) {
      return headers.getOrDefault(name, "");
    }

    boolean isProblem() {
      return header("Content-Type").startsWith("application/problem+json");
    }
  }

  private Raw send(String requestLine, String... headers) {
    return send(requestLine, admin.base().getAuthority(), headers);
  }

  private Raw send(String requestLine, String host, String[] headers) {
    StringBuilder request = new StringBuilder(
        requestLine + "\r\n" + (host == null ? "" : "Host: " + host + "\r\n")
            + "Connection: close\r\n");
    for (String header : headers) {
      request.append(header).append("\r\n");
    }
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(20_000);
      socket.connect(new InetSocketAddress(admin.base().getHost(), admin.base().getPort()));
      socket.getOutputStream()
          .write(request.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int end = answer.indexOf("\r\n\r\n");
      if (end < 0) {
        return new Raw(0, Map.of(), answer);
      }
      String[] lines = answer.substring(0, end).split("\r\n");
      Map<String, String> found = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      for (int i = 1; i < lines.length; i++) {
        assertThat(lines[i]).as("%s", answer).contains(":");
        assertThat(
            lines[i].toLowerCase(Locale.ROOT).startsWith("date:") && found.containsKey("Date"))
            .as("two dates: %s", answer)
            .isFalse();
        found.put(lines[i].substring(0, lines[i].indexOf(':')),
            lines[i].substring(lines[i].indexOf(':') + 1).strip());
      }
      return new Raw(Integer.parseInt(lines[0].split(" ")[1]), found, answer.substring(end + 4));
    } catch (SocketTimeoutException e) {
      // A server may wait for the rest of what is no request; that tells nothing.
      return new Raw(0, Map.of(), "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void assertTellsNothing(Raw answer, String asked) {
    String told = (withoutPath(answer, asked) + answer.headers()).toLowerCase(Locale.ROOT);
    assertThat(GIVEAWAYS.stream().filter(told::contains).toList()).as("%s: %s", asked, answer)
        .isEmpty();
  }

  /**
   * What an answer says beside the path that it was asked for, which some repeat, and without a
   * server's own sentence about what is no path, which no configuration changes.
   */
  private static String withoutPath(Raw answer, String asked) {
    String rest = answer.body().replace("&#37;", "%").replace("&#59;", ";").replace(asked, "");
    return FACTS.has("path.malformed-sentence") && answer.status() == 400
        ? rest.replace(FACTS.text("path.malformed-sentence"), "no path")
        : rest;
  }

  /** For the folders that no client may read, before the application is asked. */
  private static boolean isServersOwn(String path, Raw answer) {
    boolean isHidden = path.toUpperCase(Locale.ROOT).startsWith("/WEB-INF")
        || path.toUpperCase(Locale.ROOT).startsWith("/META-INF");
    return FACTS.has("path.hidden-page") && isHidden
        && answer.body().equals(FACTS.text("path.hidden-page"));
  }

  /** To a path with an escape that is none, by the server itself: 200 and nothing at all. */
  private static boolean isNothing(Raw answer) {
    return FACTS.is("path.malformed-empty") && answer.status() == 200 && answer.body().isEmpty();
  }

  @TestFactory
  Stream<DynamicTest> a_path_that_is_not_there_tells_nothing_of_the_server() {
    return BESIDE.stream().flatMap(path -> Stream.of("text/html", "application/json")
        .map(accept -> DynamicTest
            .dynamicTest(path.substring(0, Math.min(60, path.length())) + " as " + accept, () -> {
              Raw answer = send("GET " + path + " HTTP/1.1", "Accept: " + accept);
              boolean isStartPage = List.of("//", "/;x=1/nothing").contains(path)
                  && answer.status() == 200;
              assertThat(answer.status()).as("%s", answer)
                  .isIn(isStartPage || isNothing(answer) ? List.of(200)
                      : List.of(301, 302, 400, 401, 403, 404, 414));
              assertTellsNothing(answer, path);
              if (answer.status() == 404 && !isServersOwn(path, answer)) {
                assertThat(answer.isProblem()).as("%s", answer)
                    .isEqualTo(accept.equals("application/json"));
                assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
                assertThat(answer.header("Content-Security-Policy")).contains("default-src 'none'");
              }
            })));
  }

  @TestFactory
  Stream<DynamicTest> below_v1_every_refusal_is_a_problem() {
    return BELOW.stream().map(path -> DynamicTest.dynamicTest(path, () -> {
      Raw answer = send("GET " + path + " HTTP/1.1", "Accept: text/html");
      assertThat(answer.status()).as("%s", answer)
          .isIn(isNothing(answer) ? List.of(200) : List.of(400, 401, 404));
      assertTellsNothing(answer, path);
      // What is no request by the rules of HTTP reaches no application; its server says 400 and no
      // more.
      assertThat(answer.isProblem() || isNothing(answer)
          || answer.status() == 400 && withoutPath(answer, path).length() < 100)
          .as("%s", answer).isTrue();
    }));
  }

  @TestFactory
  Stream<DynamicTest> requests_that_are_none_and_odd_methods_tell_nothing() {
    return Stream
        .of("FOO / HTTP/1.1", "FOO /nothing HTTP/1.1", "TRACE / HTTP/1.1",
            "TRACE /v1/tasks HTTP/1.1", "DELETE /index.html HTTP/1.1",
            "POST / HTTP/1.1", "PUT /assets/start.js HTTP/1.1", "GET / HTTP/9.9", "GET",
            "CONNECT x:80 HTTP/1.1", "OPTIONS * HTTP/1.1", "GET http:// HTTP/1.1")
        .map(line -> DynamicTest.dynamicTest(line, () -> assertTellsNothing(send(line), line)));
  }

  @Test
  void a_host_that_the_client_made_up_is_not_repeated() {
    String body = TaskerClient.taskRequest("testing", "hello",
        "{'who': '" + UUID.randomUUID() + "'}");
    admin.register("/testing/templates.yaml");

    Raw made = send("POST /v1/tasks HTTP/1.1\r\nContent-Length: " + body.length(), "evil.example",
        new String[]{"Authorization: " + Login.FOR_TESTS.basic(), "Content-Type: application/json"},
        body);

    assertThat(made.status()).as("%s", made).isEqualTo(201);
    assertThat(made.header("Location")).startsWith("/v1/tasks/");
    assertThat(made.headers() + made.body()).doesNotContain("evil.example");
    Raw refused = send("GET /v1/tasks HTTP/1.1", "evil.example", new String[0]);
    assertThat(refused.headers() + refused.body()).doesNotContain("evil.example");
    for (String path : List.of("/assets", "/WEB-INF", "/META-INF", "/openapi/", "/v1")) {
      Raw answer = send("GET " + path + " HTTP/1.1", "evil.example", new String[0]);
      if (FACTS.is("path.hidden-redirected") && path.endsWith("-INF")) {
        // To themselves with a slash, before the application is asked.
        continue;
      }
      assertThat(answer.headers() + answer.body()).as(path).doesNotContain("evil.example");
    }
  }

  private Raw send(String requestLine, String host, String[] headers, String body) {
    String[] all = java.util.Arrays.copyOf(headers, headers.length);
    all[all.length - 1] = headers[headers.length - 1] + "\r\n\r\n" + body;
    return send(requestLine, host, all);
  }

  /**
   * Where a request ends must not be a matter of opinion: a proxy in front may have another one.
   */
  @TestFactory
  Stream<DynamicTest> a_body_whose_end_can_be_read_in_two_ways_is_refused() {
    admin.register("/testing/templates.yaml");
    return Stream.of("Transfer-Encoding: xchunked", "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: identity", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
        "Transfer-Encoding:\u000bchunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 4",
        "Content-Length: 4\r\nTransfer-Encoding: chunked",
        "Content-Length: 4\r\nContent-Length: 5", "Content-Length: 4, 5", "Content-Length: +4",
        "Content-Length: 0x4", "Content-Length: -1",
        "Transfer-Encoding : chunked", " Transfer-Encoding: chunked")
        .map(header -> DynamicTest.dynamicTest(header, () -> {
          String body = TaskerClient.taskRequest("testing", "hello", "{}");
          String chunk = Integer.toHexString(body.length()) + "\r\n" + body + "\r\n0\r\n\r\n";
          long tasks = admin.count("select count(*) from tasker.tasks");
          Raw answer = send("POST /v1/tasks HTTP/1.1", admin.base().getAuthority(),
              new String[]{"Authorization: " + Login.FOR_TESTS.basic(),
                "Content-Type: application/json", header},
              chunk);

          assertTellsNothing(answer, "/v1/tasks");
          if (isReadByTheServer(header)) {
            assertThat(answer.status()).as("the server refuses it now: %s", answer).isEqualTo(201);
            return;
          }
          // A server may close the connection without a word.
          assertThat(answer.status()).as("%s", answer).isIn(0, 400, 411, 415, 501);
          assertThat(admin.count("select count(*) from tasker.tasks")).as("nothing was created")
              .isEqualTo(tasks);
        }));
  }

  /**
   * What docs/servers.md names: the server takes the chunks for the body and shows the application
   * nothing that it could refuse.
   */
  private static boolean isReadByTheServer(String header) {
    return FACTS.list("body.end-ignored").contains(header);
  }

  @Test
  void a_body_in_chunks_is_read() {
    admin.register("/testing/templates.yaml");
    String body = TaskerClient.taskRequest("testing", "hello", "{}");
    Raw made = send("POST /v1/tasks HTTP/1.1", admin.base().getAuthority(),
        new String[]{"Authorization: " + Login.FOR_TESTS.basic(), "Content-Type: application/json",
          "Transfer-Encoding: Chunked"},
        Integer.toHexString(body.length()) + "\r\n" + body + "\r\n0\r\n\r\n");

    assertThat(made.status()).as("%s", made).isEqualTo(201);
  }

  @Test
  void health_tells_browsers_to_be_careful_and_every_answer_has_a_date() {
    for (String path : List.of("/health", "/health/live", "/health/ready", "/health/started",
        "/v1/me", "/", "/nothing",
        "/console/app.js")) {
      Raw answer = send("GET " + path + " HTTP/1.1", "Accept: application/json");
      assertThat(answer.status()).as("%s", answer).isNotZero();
      assertThat(answer.header("X-Content-Type-Options")).as("%s: %s", path, answer)
          .isEqualTo("nosniff");
      assertThat(answer.header("X-Frame-Options")).as(path).isEqualTo("DENY");
      assertThat(answer.header("Referrer-Policy")).as(path).isEqualTo("no-referrer");
      assertThat(answer.header("Content-Security-Policy")).as(path).contains("default-src 'none'",
          "frame-ancestors 'none'");
      assertThat(answer.header("Date")).as(path).endsWith("GMT");
      assertThat(answer.header("Cache-Control")).as(path).contains("no-");
    }
  }

  @Test
  void headers_of_usual_length_are_read_and_longer_ones_end_the_request() {
    Raw usual = send("GET /v1/me HTTP/1.1", "X-Long: " + "a".repeat(20_000));
    assertThat(usual.status()).as("%s", usual).isEqualTo(401);
    assertThat(usual.isProblem()).isTrue();

    for (String[] tooLong : List.of(new String[]{"X-Long: " + "a".repeat(100_000)},
        Stream.iterate(0, n -> n + 1).limit(2_000).map(n -> "X-Many-" + n + ": " + "a".repeat(50))
            .toArray(String[]::new))) {
      Raw refused = send("GET /v1/me HTTP/1.1", tooLong);
      assertThat(refused.status()).as("%s", refused).isIn(0, 400, 413, 431);
      assertTellsNothing(refused, "/v1/me");
    }
  }

  @Test
  void a_tunnel_is_refused_and_is_no_fault_of_the_server() {
    String before = server.log();
    Raw answer = send("CONNECT x:80 HTTP/1.1");

    assertThat(answer.status()).as("%s", answer).isIn(0, 400, 401, 404, 405, 501);
    assertThat(server.log().substring(before.length())).doesNotContain("ERROR", "Exception");
  }

  @Test
  void a_program_in_a_page_is_refused_without_the_browser_asking_for_a_password() {
    Answer inPage = admin.with(Map.of())
        .send(admin.with(Map.of()).request("/v1/tasks").header("X-Any", "x"));
    assertThat(inPage.header("WWW-Authenticate")).as("for curl and for pages").contains("Basic");

    Raw fetched = send("GET /v1/tasks HTTP/1.1", "Sec-Fetch-Dest: empty", "Sec-Fetch-Mode: cors");
    assertThat(fetched.status()).isEqualTo(401);
    assertThat(fetched.isProblem()).isTrue();
    assertThat(fetched.header("WWW-Authenticate")).isEmpty();
    assertThat(
        send("GET /v1/tasks HTTP/1.1", "Sec-Fetch-Dest: document").header("WWW-Authenticate"))
        .contains("Basic");
    assertThat(send("GET /v1/tasks HTTP/1.1", "Sec-Fetch-Dest: empty", "Authorization: Basic eDp5")
        .header("WWW-Authenticate"))
        .as("also for a wrong password").isEmpty();
  }
}
