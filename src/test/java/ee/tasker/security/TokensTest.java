package ee.tasker.security;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import ee.tasker.platform.config.Settings.TokenSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TokensTest {
  private static final KeyPair KEYS = keys();
  private static final String PEM = "-----BEGIN PUBLIC KEY-----\n"
      + Base64.getMimeEncoder().encodeToString(KEYS.getPublic().getEncoded())
      + "\n-----END PUBLIC KEY-----\n";
  private final Tokens tokens = new Tokens(
      Optional.of(settings(Optional.of(PEM), Optional.empty())));

  private static KeyPair keys() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(2048);
      return generator.generateKeyPair();
    } catch (java.security.GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static TokenSettings settings(Optional<String> pem, Optional<URI> url) {
    return new TokenSettings("https://issuer", "tasker", pem, url, "sub", "permissions",
        "namespaces");
  }

  private static JWTClaimsSet.Builder claims() {
    return new JWTClaimsSet.Builder().issuer("https://issuer").audience("tasker").subject("ann")
        .expirationTime(Date.from(Instant.now().plusSeconds(300)))
        .claim("permissions", List.of("tasks:create", "steps:*"));
  }

  private static String signed(JWTClaimsSet claims, JWSAlgorithm algorithm, JWSSigner signer)
      throws JOSEException {
    SignedJWT token = new SignedJWT(new JWSHeader.Builder(algorithm).keyID("k1").build(), claims);
    token.sign(signer);
    return token.serialize();
  }

  private static String signed(JWTClaimsSet.Builder claims) throws JOSEException {
    return signed(claims.build(), JWSAlgorithm.RS256, new RSASSASigner(KEYS.getPrivate()));
  }

  private Optional<Caller> caller(String token) {
    return tokens.known(token).map(Tokens.Known::caller);
  }

  @Test
  void a_token_permits_what_its_claims_say_everywhere_or_in_its_namespaces() throws Exception {
    Caller everywhere = caller(signed(claims())).orElseThrow();
    Caller orders = caller(signed(claims().claim("namespaces", List.of("orders"))
        .claim("permissions", "tasks:create tasks:read")))
        .orElseThrow();

    assertThat(everywhere.actor()).isEqualTo("token:ann");
    assertThat(everywhere.grants().mayEverywhere(Permission.STEPS_RESOLVE)).isTrue();
    assertThat(everywhere.grants().may(Permission.TASKS_READ)).isFalse();
    assertThat(orders.grants().namespaces(Permission.TASKS_READ)).contains(Set.of("orders"));
    assertThat(
        caller(signed(claims().claim("namespaces", List.of()))).orElseThrow().grants().texts())
        .as("in no namespace")
        .isEmpty();
    assertThat(caller(signed(claims().claim("permissions", null))).orElseThrow().grants().texts())
        .isEmpty();
  }

  @Test
  void a_token_that_anything_is_wrong_with_is_none() throws Exception {
    RSASSASigner other = new RSASSASigner(keys().getPrivate());

    assertThat(caller(signed(claims().build(), JWSAlgorithm.RS256, other))).as("another key")
        .isEmpty();
    assertThat(caller(signed(claims().issuer("https://other")))).as("another issuer").isEmpty();
    assertThat(caller(signed(claims().audience("other")))).as("another audience").isEmpty();
    assertThat(caller(signed(claims().expirationTime(Date.from(Instant.now().minusSeconds(300))))))
        .as("expired").isEmpty();
    assertThat(caller(signed(claims().expirationTime(null)))).as("for ever").isEmpty();
    assertThat(caller(signed(claims().notBeforeTime(Date.from(Instant.now().plusSeconds(300))))))
        .as("not yet").isEmpty();
    assertThat(caller(signed(claims().subject(null)))).as("without a subject").isEmpty();
    assertThat(caller(new PlainJWT(claims().build()).serialize())).as("not signed").isEmpty();
    assertThat(caller(signed(claims().build(), JWSAlgorithm.HS256,
        new MACSigner(PEM.getBytes(StandardCharsets.UTF_8)))))
        .as("signed with the public key").isEmpty();
    assertThat(caller("a.b.c")).isEmpty();
    assertThat(caller("")).isEmpty();
  }

  /** As an issuer may write them: the builder leaves out claims that are null. */
  private static String signedWith(String claim) throws JOSEException {
    String claims = claims().build().toString();
    String name = claim.substring(0, claim.indexOf(':'));
    String others = claims.replaceAll(name + ":(\\[[^]]*]|\"[^\"]*\"|[0-9]+),?", "").replace(",}",
        "}");
    JWSObject token = new JWSObject(new JWSHeader.Builder(JWSAlgorithm.RS256).build(),
        new Payload("{" + claim + "," + others.substring(1)));
    token.sign(new RSASSASigner(KEYS.getPrivate()));
    return token.serialize();
  }

  @Test
  void a_claim_that_is_null_or_of_another_kind_is_not_one_that_is_absent() throws Exception {
    assertThat(caller(signedWith("\"namespaces\":[\"orders\"]")).orElseThrow().grants()
        .namespaces(Permission.TASKS_CREATE))
        .contains(Set.of("orders"));
    for (String claim : List.of("\"namespaces\":null", "\"namespaces\":[null]", "\"namespaces\":{}",
        "\"namespaces\":1",
        "\"namespaces\":[\"orders\",1]", "\"namespaces\":true", "\"permissions\":null",
        "\"permissions\":[null]", "\"permissions\":{}",
        "\"sub\":null", "\"exp\":null", "\"exp\":\"never\"", "\"aud\":null", "\"iss\":null")) {
      assertThat(caller(signedWith(claim))).as(claim).isEmpty();
    }
  }

  @Test
  void without_an_issuer_no_token_is_taken() throws Exception {
    assertThat(new Tokens(Optional.<TokenSettings>empty()).known(signed(claims()))).isEmpty();
  }

  @Test
  void keys_of_an_issuer_are_fetched_and_an_issuer_that_is_away_is_no_way_in() throws Exception {
    HttpServer issuer = HttpServer
        .create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    byte[] keys = new JWKSet(
        new RSAKey.Builder((RSAPublicKey) KEYS.getPublic()).keyID("k1").build()).toString()
        .getBytes(StandardCharsets.UTF_8);
    issuer.createContext("/keys", exchange -> {
      exchange.sendResponseHeaders(200, keys.length);
      exchange.getResponseBody().write(keys);
      exchange.close();
    });
    issuer.start();
    URI url = URI.create("http://127.0.0.1:" + issuer.getAddress().getPort() + "/keys");
    try {
      Tokens fetching = new Tokens(Optional.of(settings(Optional.empty(), Optional.of(url))));
      assertThat(fetching.known(signed(claims()))).isPresent();
      assertThat(fetching.known(
          signed(claims().build(), JWSAlgorithm.RS256, new RSASSASigner(keys().getPrivate()))))
          .isEmpty();
    } finally {
      issuer.stop(0);
    }
    assertThat(new Tokens(Optional.of(settings(Optional.empty(), Optional.of(url))))
        .known(signed(claims()))).isEmpty();
  }
}
