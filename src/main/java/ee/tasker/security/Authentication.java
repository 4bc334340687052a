package ee.tasker.security;

import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.security.enterprise.credential.UsernamePasswordCredential;
import jakarta.security.enterprise.identitystore.CredentialValidationResult;
import jakarta.security.enterprise.identitystore.IdentityStoreHandler;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Authenticates callers. A success is cached for {@code tasker.security.cache-seconds} under a
 * keyed digest of the header,
 * never the header itself. The database is not queried again in that time, so a revocation, a new
 * password or another grant
 * takes effect after it. Thread-safe.
 */
@ApplicationScoped
public class Authentication {
  private static final Log LOG = Log.of(Authentication.class);
  private static final int MOST_REMEMBERED = 20_000;

  private final ConcurrentMap<KeyedDigest.Digest, Remembered> entries = new ConcurrentHashMap<>();
  private final KeyedDigest digests = new KeyedDigest();
  private final Backoff backoff = new Backoff(System::nanoTime);

  @Inject
  private Accounts accounts;

  @Inject
  private Tokens tokens;

  @Inject
  private IdentityStoreHandler stores;

  @Inject
  private Settings settings;

  /**
   * Also the lock under which one request authenticates while others with the same credentials wait
   * for its result.
   */
  private static final class Remembered {
    private volatile Found found;
  }

  private record Found(Verdict.Known verdict, long until) {
    boolean holds() {
      return System.nanoTime() - until < 0;
    }
  }

  /** An authenticated caller, and the remaining validity if it is limited. */
  record Identity(Caller caller, Optional<Long> secondsLeft) {
  }

  /**
   * @param authorization the header Authorization, null when absent
   * @param apiKey        the header X-API-Key, likewise
   */
  public Verdict authenticate(String authorization, String apiKey) {
    if (authorization == null && apiKey == null) {
      return new Verdict.Anonymous();
    }
    KeyedDigest.Digest digest = digests.of(authorization == null ? "key" : "header",
        authorization == null ? apiKey : authorization + '\0' + apiKey);
    Remembered entry = entries.get(digest);
    Found found = entry == null ? null : entry.found;
    return found != null && found.holds() ? found.verdict()
        : ask(digest, () -> Credentials.of(authorization, apiKey));
  }

  /** @param token of a session, from the cookie */
  public Verdict authenticateSession(String token) {
    KeyedDigest.Digest digest = digests.of("session", token);
    Remembered entry = entries.get(digest);
    Found found = entry == null ? null : entry.found;
    return found != null && found.holds() ? found.verdict()
        : ask(digest, () -> new Credentials.Session(token));
  }

  /**
   * This server does not accept the session any more; the others forget it when their cached
   * verdict ends.
   */
  void forgetSession(String token) {
    entries.remove(digests.of("session", token));
  }

  private Verdict ask(KeyedDigest.Digest digest, Supplier<Credentials> given) {
    if (entries.size() >= MOST_REMEMBERED) {
      entries.clear();
    }
    Remembered entry = entries.computeIfAbsent(digest, key -> new Remembered());
    synchronized (entry) {
      if (entry.found != null && entry.found.holds()) {
        return entry.found.verdict();
      }
      Verdict verdict = new Verdict.Refused();
      try {
        Credentials credentials = given.get();
        if (credentials instanceof Credentials.Password password) {
          int wait = backoff.secondsLeft(password.name().toLowerCase(Locale.ROOT));
          if (wait > 0) {
            return new Verdict.Later(wait);
          }
        }
        Optional<Identity> identity = identity(credentials)
            .filter(found -> found.caller().isRecordable());
        if (identity.isPresent()) {
          verdict = known(entry, identity.get());
        }
        note(credentials, identity.isPresent());
        return verdict;
      } catch (RuntimeException fault) {
        if (Derivations.isBusy(fault)) {
          return new Verdict.Later(1);
        }
        throw fault;
      } finally {
        if (!(verdict instanceof Verdict.Known)) {
          entries.remove(digest, entry);
        }
      }
    }
  }

  private Verdict.Known known(Remembered entry, Identity identity) {
    long seconds = Math.min(settings.security().cache().toSeconds(),
        identity.secondsLeft().orElse(Long.MAX_VALUE));
    Verdict.Known verdict = new Verdict.Known(identity.caller());
    entry.found = new Found(verdict, System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds));
    return verdict;
  }

  private void note(Credentials credentials, boolean isRight) {
    if (credentials instanceof Credentials.Password password) {
      String name = password.name().toLowerCase(Locale.ROOT);
      if (isRight) {
        backoff.succeeded(name);
      } else {
        backoff.failed(name);
        LOG.write(LogEvent.LOGIN_REFUSED, "user", password.name());
      }
    } else if (!isRight && !(credentials instanceof Credentials.Session)) {
      // A cookie whose session has ended is ordinary, and a page that is open sends it again and
      // again.
      LOG.write(LogEvent.LOGIN_REFUSED, "credentials", credentials.getClass().getSimpleName());
    }
  }

  private Optional<Identity> identity(Credentials credentials) {
    if (credentials instanceof Credentials.Password password) {
      return ofPassword(password);
    }
    if (credentials instanceof Credentials.ApiKey key) {
      return accounts.key(key.key())
          .map(known -> new Identity(known.caller(), known.secondsLeft()));
    }
    if (credentials instanceof Credentials.Session session) {
      Optional<String> signed = SessionCookie.signedToken(session.token());
      return signed.isPresent() ? signed.flatMap(this::ofToken)
          : accounts.session(session.token())
              .map(known -> new Identity(known.caller(), known.secondsLeft()));
    }
    return credentials instanceof Credentials.Token token ? ofToken(token.token())
        : Optional.empty();
  }

  private Optional<Identity> ofToken(String token) {
    return tokens.known(token).map(known -> new Identity(known.caller(), Optional.empty()));
  }

  private Optional<Identity> ofPassword(Credentials.Password password) {
    CredentialValidationResult result = stores
        .validate(new UsernamePasswordCredential(password.name(), password.password()));
    if (result.getStatus() != CredentialValidationResult.Status.VALID) {
      return Optional.empty();
    }
    String name = result.getCallerPrincipal().getName();
    if (UserStore.ID.equals(result.getIdentityStoreId())) {
      // The uuid is part of the comparison: if the user was deleted and recreated just now, the
      // password belonged to
      // another one.
      UUID uuid = UUID.fromString(result.getCallerUniqueId());
      return accounts.user(name)
          .filter(user -> user.isEnabled() && user.caller().uuid().equals(uuid))
          .map(user -> new Identity(user.caller(), Optional.empty()));
    }
    return Optional
        .of(new Identity(new Caller(Caller.Kind.EXTERNAL, name, null,
            accounts.ofRoles(result.getCallerGroups()), result.getCallerGroups()),
            Optional.empty()));
  }
}
