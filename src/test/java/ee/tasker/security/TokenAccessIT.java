package ee.tasker.security;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import jakarta.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tokens over HTTP, on a server that knows an issuer by its public key. */
class TokenAccessIT {
  private static final KeyPair KEYS = keys();
  /** In one line, as environments like it. */
  private static final String PEM = "-----BEGIN PUBLIC KEY-----" + Base64.getEncoder().encodeToString(KEYS.getPublic().getEncoded()) + "-----END PUBLIC KEY-----";

  private static EmbeddedDatabase database;
  private static TestServer server;
  private static TaskerClient admin;

  @BeforeAll
  static void start() {
    database = TestServer.newDatabase();
    server = TestServer.start(database, Map.of("TASKER_SECURITY_CACHE_SECONDS", "1", "TASKER_SECURITY_TOKEN_ISSUER", "https://issuer.example",
        "TASKER_SECURITY_TOKEN_AUDIENCE", "tasker", "TASKER_SECURITY_TOKEN_PUBLIC_KEY", PEM));
    admin = server.client();
    admin.register("/testing/templates.yaml");
  }

  @AfterAll
  static void stop() {
    server.close();
    database.close();
  }

  private static KeyPair keys() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(2048);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static JWTClaimsSet.Builder claims() {
    return new JWTClaimsSet.Builder().issuer("https://issuer.example").audience("tasker").subject("orders-service").expirationTime(Date.from(Instant.now().plusSeconds(300)))
        .jwtID(UUID.randomUUID().toString()).claim("permissions", List.of("tasks:*", "steps:*"));
  }

  private static String signed(JWTClaimsSet.Builder claims, JWSAlgorithm algorithm, JWSSigner signer) throws JOSEException {
    SignedJWT token = new SignedJWT(new JWSHeader(algorithm), claims.build());
    token.sign(signer);
    return token.serialize();
  }

  private static String signed(JWTClaimsSet.Builder claims) throws JOSEException {
    return signed(claims, JWSAlgorithm.RS256, new RSASSASigner(KEYS.getPrivate()));
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
    assertThat(service.atRest(task).getString("submitted_by")).isEqualTo("token:orders-service");
    Answer acted = service.send(service.request("/v1/tasks/" + task).header("Content-Type", "application/json").method("PATCH",
        java.net.http.HttpRequest.BodyPublishers.ofString(TaskerClient.quoted("{'action_type': 'give_up', 'requested_by': 'admin', 'reason': 'it is late'}"))));
    assertThat(acted.status()).as("%s", acted).isEqualTo(200);
    JsonObject action = service.get("/v1/tasks/" + task + "/history").object().getJsonArray("entries").getValuesAs(JsonObject.class).stream()
        .filter(entry -> entry.getString("kind").equals("action")).findFirst().orElseThrow();
    assertThat(action.getString("by")).as("not who the request says").isEqualTo("token:orders-service");
    assertThat(action.getString("said_by")).isEqualTo("admin");
    assertThat(admin.get("/v1/write-requests?caller=token:orders-service").object().getJsonArray("requests")).hasSize(1);
  }

  @Test
  void a_token_reaches_no_further_than_its_permissions_and_namespaces() throws Exception {
    UUID task = admin.submit("hello", "{}");
    TaskerClient elsewhere = with(signed(claims().claim("namespaces", List.of("elsewhere"))));

    assertThat(elsewhere.get("/v1/tasks/" + task).text("code")).isEqualTo("task-not-found");
    assertThat(elsewhere.get("/v1/tasks").object().getJsonArray("tasks")).isEmpty();
    assertThat(elsewhere.post("/v1/tasks", TaskerClient.taskRequest("testing", "hello", "{}")).text("code")).isEqualTo("not-permitted");
    assertThat(with(signed(claims().claim("namespaces", List.of()))).get("/v1/tasks").status()).as("in no namespace").isEqualTo(403);
    assertThat(with(signed(claims().claim("permissions", "tasks:read"))).get("/v1/tasks").status()).as("another permission").isEqualTo(403);
    assertThat(with(signed(claims().claim("permissions", null))).get("/v1/tasks").status()).as("no permission").isEqualTo(403);
    assertThat(with(signed(claims())).get("/v1/access/users").status()).isEqualTo(403);
  }

  @Test
  void a_token_that_anything_is_wrong_with_is_refused_in_the_same_words() throws Exception {
    String right = signed(claims());
    String[] parts = right.split("\\.");
    String more = Base64.getUrlEncoder().withoutPadding().encodeToString(claims().claim("permissions", "*:*").build().toString().getBytes(StandardCharsets.UTF_8));
    Map<String, String> wrong = new LinkedHashMap<>();
    wrong.put("another key", signed(claims(), JWSAlgorithm.RS256, new RSASSASigner(keys().getPrivate())));
    wrong.put("claims that were not signed", parts[0] + "." + more + "." + parts[2]);
    wrong.put("no signature", parts[0] + "." + parts[1] + ".");
    wrong.put("alg none", new PlainJWT(claims().build()).serialize());
    wrong.put("the public key as a secret", signed(claims(), JWSAlgorithm.HS256, new MACSigner(PEM.getBytes(StandardCharsets.UTF_8))));
    wrong.put("expired", signed(claims().expirationTime(Date.from(Instant.now().minusSeconds(120)))));
    wrong.put("no expiry", signed(claims().expirationTime(null)));
    wrong.put("not yet", signed(claims().notBeforeTime(Date.from(Instant.now().plusSeconds(300)))));
    wrong.put("another audience", signed(claims().audience("another")));
    wrong.put("another issuer", signed(claims().issuer("https://other.example")));
    wrong.put("nobody's", signed(claims().subject(null)));
    assertThat(with(right).get("/v1/me").status()).isEqualTo(200);

    assertThat(wrong).allSatisfy((what, token) -> {
      Answer answer = with(token).get("/v1/me");
      assertThat(answer.status()).as("%s: %s", what, answer).isEqualTo(401);
      assertThat(answer.text("code")).isEqualTo("not-authenticated");
      assertThat(answer.text("detail")).as("nobody is told which").isEqualTo("the credentials are not valid");
    });
    assertThat(server.log()).doesNotContain(parts[1]);
  }

  @Test
  void a_token_that_ends_while_it_is_remembered_is_refused_soon_after() throws Exception {
    // A minute of difference between clocks is forgiven, of which this leaves ten seconds.
    TaskerClient caller = with(signed(claims().expirationTime(Date.from(Instant.now().minusSeconds(50)))));

    assertThat(caller.get("/v1/me").status()).isEqualTo(200);
    TaskerClient.until("the token has ended", Duration.ofSeconds(40), () -> caller.get("/v1/me").status() == 401);
  }
}
