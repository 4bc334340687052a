package ee.tasker.security;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSKeySelector;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.config.Settings.TokenSettings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.net.MalformedURLException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Signed tokens (JWT) of a configured issuer: only asymmetric signatures, and only with issuer,
 * audience, expiry and a
 * name. A token's claims define its permissions; the database is not queried. Thread-safe.
 */
@ApplicationScoped
public class Tokens {
  private static final Log LOG = Log.of(Tokens.class);
  private static final Set<JWSAlgorithm> RSA = Set.of(JWSAlgorithm.RS256, JWSAlgorithm.RS384,
      JWSAlgorithm.RS512, JWSAlgorithm.PS256, JWSAlgorithm.PS384, JWSAlgorithm.PS512);
  private static final Set<JWSAlgorithm> EC = Set.of(JWSAlgorithm.ES256, JWSAlgorithm.ES384,
      JWSAlgorithm.ES512);
  private static final int KEYS_TIMEOUT_MS = 3_000;
  private static final int KEYS_BYTES = 100_000;

  private Optional<TokenSettings> settings = Optional.empty();
  private DefaultJWTProcessor<SecurityContext> processor;

  Tokens() {
    // for the proxy
  }

  @Inject
  Tokens(Settings settings) {
    this(settings.security().token());
  }

  Tokens(Optional<TokenSettings> settings) {
    this.settings = settings;
    settings.ifPresent(given -> processor = processor(given));
  }

  private static DefaultJWTProcessor<SecurityContext> processor(TokenSettings settings) {
    DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();
    processor.setJWSTypeVerifier(new DefaultJOSEObjectTypeVerifier<>(JOSEObjectType.JWT,
        new JOSEObjectType("at+jwt"), null));
    processor.setJWSKeySelector(
        settings.publicKey().map(pem -> oneKey(publicKey(pem)))
            .orElseGet(() -> keysOf(settings.jwksUrl().orElseThrow())));
    processor.setJWTClaimsSetVerifier(
        new DefaultJWTClaimsVerifier<>(new HashSet<>(Set.of(settings.audience())),
            new JWTClaimsSet.Builder().issuer(settings.issuer()).build(),
            new HashSet<>(Set.of("exp", settings.nameClaim())), new HashSet<>()));
    return processor;
  }

  private static JWSKeySelector<SecurityContext> oneKey(PublicKey key) {
    Set<JWSAlgorithm> algorithms = "RSA".equals(key.getAlgorithm()) ? RSA : EC;
    return (header, context) -> algorithms.contains(header.getAlgorithm()) ? List.of(key)
        : List.of();
  }

  private static JWSKeySelector<SecurityContext> keysOf(URI url) {
    try {
      JWKSource<SecurityContext> keys = JWKSourceBuilder
          .<SecurityContext>create(url.toURL(),
              new DefaultResourceRetriever(KEYS_TIMEOUT_MS, KEYS_TIMEOUT_MS, KEYS_BYTES))
          .refreshAheadCache(false).outageTolerant(true).build();
      Set<JWSAlgorithm> algorithms = new HashSet<>(RSA);
      algorithms.addAll(EC);
      return new JWSVerificationKeySelector<>(algorithms, keys);
    } catch (MalformedURLException e) {
      throw new IllegalStateException("tasker.security.token.jwks-url cannot be used", e);
    }
  }

  private static PublicKey publicKey(String pem) {
    byte[] bytes = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
    for (String algorithm : List.of("RSA", "EC")) {
      try {
        return KeyFactory.getInstance(algorithm).generatePublic(new X509EncodedKeySpec(bytes));
      } catch (GeneralSecurityException other) {
        // A key of the other kind, or no key at all.
      }
    }
    throw new IllegalStateException(
        "tasker.security.token.public-key must be an RSA or EC public key in PEM");
  }

  /** A valid token: its caller, and when it expires, by the clock of the issuer. */
  record Known(Caller caller, Instant expiresAt) {
    /**
     * By the clock of this machine, which verifies tokens too.
     *
     * @return empty within the tolerance for clocks after its expiry
     */
    Optional<Validity> validity(Duration longest) {
      Instant now = Instant.now();
      Instant latest = now.plus(longest);
      Instant until = (expiresAt.isBefore(latest) ? expiresAt : latest)
          .truncatedTo(ChronoUnit.SECONDS);
      return until.isAfter(now)
          ? Optional.of(new Validity(until, Duration.between(now, until).toSeconds() + 1))
          : Optional.empty();
    }
  }

  /** How long a session with a token lasts; begun seconds count. */
  record Validity(Instant until, long seconds) {
  }

  /** Empty for an invalid token, or when tokens are not configured. */
  Optional<Known> known(String token) {
    if (settings.isEmpty()) {
      return Optional.empty();
    }
    try {
      JWTClaimsSet claims = processor.process(token, null);
      TokenSettings names = settings.get();
      String name = claims.getStringClaim(names.nameClaim());
      if (name == null || claims.getExpirationTime() == null
          || !isReadable(claims, names.permissionsClaim())
          || !isReadable(claims, names.namespacesClaim())) {
        return Optional.empty();
      }
      Collection<String> namespaces = claims.getClaims().containsKey(names.namespacesClaim())
          ? words(claims.getClaim(names.namespacesClaim()))
          : Arrays.asList((String) null);
      Grants grants = Grants.of(words(claims.getClaim(names.permissionsClaim())).stream()
          .flatMap(permission -> namespaces.stream()
              .map(namespace -> new Grants.Grant(permission, namespace)))
          .collect(Collectors.toList()));
      return Optional.of(new Known(new Caller(Caller.Kind.TOKEN, name, null, grants),
          claims.getExpirationTime().toInstant()));
    } catch (JOSEException unavailable) {
      LOG.write(LogEvent.CALL_FAILED, "call", "keys of the issuer of tokens", "cause",
          unavailable.getMessage());
      return Optional.empty();
    } catch (ParseException | BadJOSEException refused) {
      return Optional.empty();
    }
  }

  /**
   * Absent, or what {@link #words} reads: a claim that is null or of another kind must not count as
   * one that is absent.
   */
  private static boolean isReadable(JWTClaimsSet claims, String name) {
    Object claim = claims.getClaim(name);
    return !claims.getClaims().containsKey(name) || claim instanceof String
        || claim instanceof Collection<?> texts
            && texts.stream().allMatch(String.class::isInstance);
  }

  /** An array of texts, or one text of words separated by blanks. */
  private static Collection<String> words(Object claim) {
    if (claim instanceof Collection<?> texts) {
      return texts.stream().map(String.class::cast).toList();
    }
    return claim instanceof String text && !text.isBlank()
        ? Arrays.asList(text.strip().split("\\s+")) : List.of();
  }
}
