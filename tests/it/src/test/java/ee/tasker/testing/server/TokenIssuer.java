package ee.tasker.testing.server;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Signs tokens with a key of its own, which servers can be told to accept. */
public final class TokenIssuer {
  private static final String NAME = "https://issuer.example";
  private final KeyPair keys;

  public TokenIssuer() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(2048);
      keys = generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** In one line, as environments like it. */
  public String publicKey() {
    return "-----BEGIN PUBLIC KEY-----"
        + Base64.getEncoder().encodeToString(keys.getPublic().getEncoded())
        + "-----END PUBLIC KEY-----";
  }

  /** Of a server that accepts the tokens. */
  public Map<String, String> environment() {
    return Map.of("TASKER_SECURITY_TOKEN_ISSUER", NAME, "TASKER_SECURITY_TOKEN_AUDIENCE", "tasker",
        "TASKER_SECURITY_TOKEN_PUBLIC_KEY", publicKey());
  }

  /** Of {@code orders-service}, for five minutes, with all permissions for tasks and steps. */
  public static JWTClaimsSet.Builder claims() {
    return new JWTClaimsSet.Builder().issuer(NAME).audience("tasker").subject("orders-service")
        .expirationTime(Date.from(Instant.now().plusSeconds(300)))
        .jwtID(UUID.randomUUID().toString()).claim("permissions", List.of("tasks:*", "steps:*"));
  }

  public String signed(JWTClaimsSet.Builder claims) {
    try {
      SignedJWT token = new SignedJWT(new JWSHeader(JWSAlgorithm.RS256), claims.build());
      token.sign(new RSASSASigner(keys.getPrivate()));
      return token.serialize();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }
}
