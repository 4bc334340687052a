package ee.tasker.security;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import ee.tasker.testing.server.TokenIssuer;
import jakarta.json.JsonObject;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tokens over HTTP, on a server that knows an issuer by its public key. */
@Tag("long")
class TokenAccessIT {
  private static final TokenIssuer ISSUER = new TokenIssuer();

  private static EmbeddedDatabase database;
  private static TestServer server;
  private static TaskerClient admin;

  @BeforeAll
  static void start() {
    database = TestServer.newDatabase();
    server = TestServer.start(database,
        Stream.of(Map.of("TASKER_SECURITY_CACHE_SECONDS", "1"), ISSUER.environment())
            .flatMap(some -> some.entrySet().stream())
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    admin = server.client();
    admin.register("/testing/templates.yaml");
  }

  @AfterAll
  static void stop() {
    server.close();
    database.close();
  }

  private static JWTClaimsSet.Builder claims() {
    return TokenIssuer.claims();
  }

  private static String signed(JWTClaimsSet.Builder claims, JWSAlgorithm algorithm,
      JWSSigner signer) throws JOSEException {
    SignedJWT token = new SignedJWT(new JWSHeader(algorithm), claims.build());
    token.sign(signer);
    return token.serialize();
  }

  private static String signed(JWTClaimsSet.Builder claims) {
    return ISSUER.signed(claims);
  }

  private static TaskerClient with(String token) {
    return admin.with(Map.of("Authorization", "Bearer " + token));
  }

  @Test
  void a_token_is_a_caller_by_its_name_and_what_it_does_is_kept_under_that() throws Exception {
    TaskerClient service = with(signed(claims().claim("namespaces", List.of("testing"))));

    Answer me = service.get("/v1/me");
    assertThat(me.status()).as("%s", me).isEqualTo(200);
    assertThat(me.text("kind") + " " + me.text("name")).isEqualTo("token orders-service");
    UUID task = service.submit("fail", "{\"way\": \"permanent\"}");
    assertThat(service.awaitTerminalOrBlocked(task).getString("submitted_by"))
        .isEqualTo("token:orders-service");
    Answer acted = service
        .send(service.request("/v1/tasks/" + task).header("Content-Type", "application/json")
            .method("PATCH", java.net.http.HttpRequest.BodyPublishers
                .ofString(TaskerClient.quoted(
                    "{'action_type': 'fail', 'requested_by': 'admin', 'reason': 'it is late'}"))));
    assertThat(acted.status()).as("%s", acted).isEqualTo(200);
    JsonObject action = service.get("/v1/tasks/" + task + "/history").object()
        .getJsonArray("entries").getValuesAs(JsonObject.class)
        .stream()
        .filter(entry -> entry.getString("kind").equals("action")).findFirst().orElseThrow();
    assertThat(action.getString("by")).as("not who the request says")
        .isEqualTo("token:orders-service");
    assertThat(action.getString("claimed_actor")).isEqualTo("admin");
    assertThat(admin.get("/v1/write-requests?caller=token:orders-service").object()
        .getJsonArray("requests").getValuesAs(JsonObject.class))
        .filteredOn(written -> written.getString("path").equals("/v1/tasks/" + task)).hasSize(1);
    assertThat(server.log().lines()
        .filter(line -> line.contains("TK1205") && line.contains(task.toString()))).singleElement()
        .asString()
        .contains("by=token:orders-service claimed_actor=admin reason=\"it is late\"");
  }

  private static Answer send(Map<String, String> headers, String method, String path) {
    TaskerClient caller = admin.with(headers);
    return caller.send(caller.request(path).header("Content-Type", "application/json")
        .method(method, method.equals("POST") && path.equals("/v1/tasks")
            ? HttpRequest.BodyPublishers
                .ofString(TaskerClient.taskRequest("testing", "hello", "{}"))
            : HttpRequest.BodyPublishers.noBody()));
  }

  private static Answer begin(String token) {
    return send(Map.of("Authorization", "Bearer " + token), "POST", "/v1/access/session");
  }

  @Test
  void a_session_by_a_token_is_a_cookie_of_this_application_that_ends_with_the_token() {
    String token = signed(claims().claim("namespaces", List.of("testing")));
    Answer begun = begin(token);

    assertThat(begun.status()).as("%s", begun).isEqualTo(200);
    assertThat(begun.header("Set-Cookie")).matches(
        "tasker_session=tkt_[^;]+; Path=/; Max-Age=(29\\d|300); HttpOnly; SameSite=Strict");
    assertThat(begun.text("name")).isEqualTo("orders-service");
    assertThat(Instant.parse(begun.text("expires_at"))).isBetween(Instant.now().plusSeconds(250),
        Instant.now().plusSeconds(301));
    assertThat(begun.body()).doesNotContain(token);
    String cookie = begun.header("Set-Cookie").replaceAll(";.*", "");
    assertThat(send(Map.of("Cookie", cookie), "GET", "/v1/me").text("kind")).isEqualTo("token");
    assertThat(send(Map.of("Cookie", cookie, "X-Requested-By", "x"), "POST", "/v1/tasks").status())
        .isEqualTo(201);

    assertThat(send(Map.of("Cookie", cookie), "POST", "/v1/tasks").status())
        .as("a form of another site").isEqualTo(401);
    assertThat(
        send(Map.of("Cookie", cookie, "Sec-Fetch-Site", "cross-site"), "GET", "/v1/me").status())
        .isEqualTo(401);
    assertThat(send(Map.of("Cookie", cookie, "X-Requested-By", "x"), "POST", "/v1/access/session")
        .status()).as("no session from a session")
        .isEqualTo(403);
    assertThat(send(Map.of("Cookie", cookie + "x"), "GET", "/v1/me").status())
        .as("another signature").isEqualTo(401);
    assertThat(send(Map.of("Cookie", cookie.replace("tkt_", "tkr_")), "GET", "/v1/me").status())
        .isEqualTo(401);
    assertThat(
        send(Map.of("Authorization", "Bearer " + cookie.replaceAll(".*=", "")), "GET", "/v1/me")
            .status())
        .as("a cookie is no token for the header").isEqualTo(401);
    Answer ended = send(Map.of("Cookie", cookie, "X-Requested-By", "x"), "DELETE",
        "/v1/access/session");
    assertThat(ended.object().getBoolean("signed_out")).isTrue();
    assertThat(ended.header("Set-Cookie")).startsWith("tasker_session=; ").contains("Max-Age=0");
    assertThat(server.log()).contains("TK1605").doesNotContain(token);
  }

  @Test
  void a_token_that_has_expired_or_that_no_cookie_can_hold_begins_no_session() {
    Answer late = begin(signed(claims().expirationTime(Date.from(Instant.now().minusSeconds(30)))));
    assertThat(late.status() + " " + late.text("detail")).as("within the tolerance for clocks")
        .isEqualTo("403 the token has expired");
    Answer longer = begin(signed(claims().claim("note", "x".repeat(4_000))));
    assertThat(longer.status()).as("%s", longer).isEqualTo(400);
    assertThat(longer.text("detail"))
        .contains("characters, and a session can hold one of at most 3500");
    Answer key = admin.post("/v1/access/keys",
        TaskerClient.quoted("{'name': 'no session', 'grants': [{'role': 'viewer'}]}"));
    assertThat(
        send(Map.of("Authorization", "Bearer " + key.text("key")), "POST", "/v1/access/session")
            .status())
        .isEqualTo(403);
  }

  @Test
  void a_cancel_is_logged_under_the_caller_and_tells_the_name_that_the_request_gives()
      throws Exception {
    TaskerClient service = with(
        signed(claims().subject("cancelling-service").claim("namespaces", List.of("testing"))));
    UUID task = service.submit("fail", "{\"way\": \"permanent\"}");
    service.awaitTerminalOrBlocked(task);

    assertThat(service.delete("/v1/tasks/" + task + "?requested_by=boss&reason=late").status())
        .isEqualTo(200);

    assertThat(server.log().lines()
        .filter(line -> line.contains("TK1204") && line.contains(task.toString()))).singleElement()
        .asString()
        .contains("by=token:cancelling-service claimed_actor=boss reason=late");
  }

  @Test
  void a_caller_of_the_longest_name_can_use_all_its_permissions() throws Exception {
    String name = "n".repeat(128);
    TaskerClient longest = with(
        signed(claims().subject(name).claim("permissions", List.of("*:*"))));
    UUID task = longest.submit("fail", "{\"way\": \"permanent\"}");
    longest.awaitTerminalOrBlocked(task);

    Answer user = longest.post("/v1/access/users",
        TaskerClient.quoted(
            "{'name': 'made by the longest', 'grants': [{'role': 'viewer', 'namespace': null}]}"));
    assertThat(user.status()).as("%s", user).isEqualTo(201);
    Answer key = longest.post("/v1/access/keys",
        TaskerClient.quoted("{'name': 'made by the longest', 'grants': []}"));
    assertThat(key.status()).as("%s", key).isEqualTo(201);
    assertThat(longest.delete("/v1/access/keys/" + key.text("key_uuid")).status()).isBetween(200,
        204);
    Answer cancelled = longest.delete("/v1/tasks/" + task);
    assertThat(cancelled.status()).as("%s", cancelled).isEqualTo(200);
    assertThat(cancelled.object().getJsonObject("cancel_request").getString("by"))
        .isEqualTo("token:" + name);
  }

  @Test
  void a_bulk_cancel_asks_for_the_permission_to_cancel_at_the_dry_run_and_again_at_the_run()
      throws Exception {
    TaskerClient may = with(signed(
        claims().subject("bulk-service").claim("permissions", List.of("tasks:*", "steps:*"))
            .claim("namespaces", List.of("testing"))));
    TaskerClient mayNot = with(signed(claims().subject("bulk-service")
        .claim("permissions", List.of("tasks:act", "tasks:read", "tasks:create"))
        .claim("namespaces", List.of("testing"))));
    UUID task = may.submit("fail", "{\"way\": \"permanent\"}");
    may.awaitTerminalOrBlocked(task);
    String cancel = TaskerClient.quoted(
        "{'action_type': 'cancel', 'requested_by': 'ann', 'reason': 'too old', 'filter': {'namespace': 'testing', 'name': 'fail'}}");
    String fail = cancel.replace("\"cancel\"", "\"fail\"");

    assertThat(mayNot.delete("/v1/tasks/" + task).text("code")).isEqualTo("not-permitted");
    assertThat(mayNot.post("/v1/bulk-actions", cancel).text("code")).as("the dry run")
        .isEqualTo("not-permitted");
    String run = "/v1/bulk-actions/" + may.post("/v1/bulk-actions", cancel).text("token") + "/run";
    Answer refused = mayNot.post(run, "");
    assertThat(refused.status() + " " + refused.text("code"))
        .as("the same caller, who may no longer cancel")
        .isEqualTo("403 not-permitted");
    assertThat(refused.text("detail")).contains("tasks:cancel");
    assertThat(may.get("/v1/tasks/" + task).text("state")).isEqualTo("blocked_by_failures");
    assertThat(with(signed(claims().subject("another"))).post(run, "").text("code"))
        .as("of another caller").isEqualTo("token-not-found");
    assertThat(with(signed(claims().subject("another").claim("permissions", List.of("tasks:act"))))
        .post(run, "").text("code"))
        .as("of another caller, who may not cancel either").isEqualTo("token-not-found");

    assertThat(may.post(run, "").object().getJsonObject("results").getInt("done")).isPositive();
    assertThat(may.get("/v1/tasks/" + task).text("state")).isEqualTo("cancelled");
    UUID other = may.submit("fail", "{\"way\": \"permanent\"}");
    may.awaitTerminalOrBlocked(other);
    Answer given = mayNot.post(
        "/v1/bulk-actions/" + mayNot.post("/v1/bulk-actions", fail).text("token") + "/run", "");
    assertThat(given.status()).as("what is no cancel needs tasks:act alone: %s", given)
        .isEqualTo(200);
  }

  @Test
  void a_token_reaches_no_further_than_its_permissions_and_namespaces() throws Exception {
    UUID task = admin.submit("hello", "{}");
    TaskerClient elsewhere = with(signed(claims().claim("namespaces", List.of("elsewhere"))));

    assertThat(elsewhere.get("/v1/tasks/" + task).text("code")).isEqualTo("task-not-found");
    assertThat(elsewhere.get("/v1/tasks").object().getJsonArray("tasks")).isEmpty();
    assertThat(elsewhere.post("/v1/tasks", TaskerClient.taskRequest("testing", "hello", "{}"))
        .text("code")).isEqualTo("not-permitted");
    assertThat(with(signed(claims().claim("namespaces", List.of()))).get("/v1/tasks").status())
        .as("in no namespace").isEqualTo(403);
    assertThat(with(signed(claims().claim("permissions", "tasks:read"))).get("/v1/tasks").status())
        .as("another permission").isEqualTo(403);
    assertThat(with(signed(claims().claim("permissions", null))).get("/v1/tasks").status())
        .as("no permission").isEqualTo(403);
    assertThat(with(signed(claims())).get("/v1/access/users").status()).isEqualTo(403);
  }

  @Test
  void a_token_that_anything_is_wrong_with_is_refused_in_the_same_words() throws Exception {
    String right = signed(claims());
    String[] parts = right.split("\\.");
    String more = Base64.getUrlEncoder().withoutPadding()
        .encodeToString(claims().claim("permissions", "*:*").build().toString()
            .getBytes(StandardCharsets.UTF_8));
    Map<String, String> wrong = new LinkedHashMap<>();
    wrong.put("another key", new TokenIssuer().signed(claims()));
    wrong.put("claims that were not signed", parts[0] + "." + more + "." + parts[2]);
    wrong.put("no signature", parts[0] + "." + parts[1] + ".");
    wrong.put("alg none", new PlainJWT(claims().build()).serialize());
    wrong.put("the public key as a secret",
        signed(claims(), JWSAlgorithm.HS256,
            new MACSigner(ISSUER.publicKey().getBytes(StandardCharsets.UTF_8))));
    wrong.put("expired",
        signed(claims().expirationTime(Date.from(Instant.now().minusSeconds(120)))));
    wrong.put("no expiry", signed(claims().expirationTime(null)));
    wrong.put("not yet", signed(claims().notBeforeTime(Date.from(Instant.now().plusSeconds(300)))));
    wrong.put("another audience", signed(claims().audience("another")));
    wrong.put("another issuer", signed(claims().issuer("https://other.example")));
    wrong.put("without a subject", signed(claims().subject(null)));
    wrong.put("a name that the database cannot keep", signed(claims().subject("orders\0service")));
    wrong.put("a namespace that the database cannot keep",
        signed(claims().claim("namespaces", List.of("testing", "test\0ing"))));
    wrong.put("a name that is too long", signed(claims().subject("x".repeat(129))));
    wrong.put("a name of blanks", signed(claims().subject("  ")));
    assertThat(with(right).get("/v1/me").status()).isEqualTo(200);

    assertThat(wrong).allSatisfy((what, token) -> {
      Answer answer = with(token).get("/v1/me");
      assertThat(answer.status()).as("%s: %s", what, answer).isEqualTo(401);
      assertThat(answer.text("code")).isEqualTo("not-authenticated");
      assertThat(answer.text("detail")).as("the response does not say which")
          .isEqualTo("the credentials are invalid");
    });
    assertThat(server.log()).doesNotContain(parts[1]);
  }

  @Test
  void a_token_that_ends_while_it_is_remembered_is_refused_soon_after() throws Exception {
    // A minute of difference between clocks is forgiven, of which this leaves ten seconds.
    TaskerClient caller = with(
        signed(claims().expirationTime(Date.from(Instant.now().minusSeconds(50)))));

    assertThat(caller.get("/v1/me").status()).isEqualTo(200);
    TaskerClient.until("the token has ended", Duration.ofSeconds(40),
        () -> caller.get("/v1/me").status() == 401);
  }
}
