package ee.tasker.security;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.security.enterprise.credential.UsernamePasswordCredential;
import jakarta.security.enterprise.identitystore.CredentialValidationResult;
import jakarta.security.enterprise.identitystore.IdentityStore;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The database's users as an identity store of Jakarta Security. Another store in the same WAR is
 * asked as well, and its
 * groups map to roles of the same name.
 *
 * <p>A password that was correct is not hashed again while the user's stored hash is unchanged: the
 * cache holds a
 * {@linkplain KeyedDigest digest} under a key of this process.
 */
@ApplicationScoped
public class UserStore implements IdentityStore {
  static final String ID = "tasker";
  private static final int MOST_PROVEN = 10_000;
  /** Used for unknown names, so that they take as long as known ones. */
  private static final String NO_HASH = "PBKDF2WithHmacSHA512:" + PasswordHashes.ITERATIONS
      + ":AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

  /**
   * A waiting request blocks an HTTP thread: none for longer than the retry delay that its client
   * would get otherwise, and
   * only a few of them.
   */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);
  private static final int WAITING_PER_PROCESSOR = 8;

  /** Never on all processors. */
  private final int processors = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
  private final Derivations derivations = new Derivations(processors,
      WAITING_PER_PROCESSOR * processors, LONGEST_WAIT);
  private final ConcurrentMap<String, KeyedDigest.Digest> proven = new ConcurrentHashMap<>();
  private final KeyedDigest digests = new KeyedDigest();

  @Inject
  private Accounts accounts;

  /** @throws Derivations.Busy when too many passwords wait to be checked */
  public CredentialValidationResult validate(UsernamePasswordCredential credential) {
    String password = credential.getPasswordAsString();
    Optional<Accounts.User> user = accounts.user(credential.getCaller());
    String hash = user.filter(Accounts.User::isEnabled).map(Accounts.User::passwordHash)
        .orElse(NO_HASH);
    if (!isRight(password, hash)) {
      return CredentialValidationResult.INVALID_RESULT;
    }
    Caller caller = user.orElseThrow().caller();
    return new CredentialValidationResult(ID, caller.name(), null, caller.uuid().toString(),
        new HashSet<>(caller.grants().texts()));
  }

  private boolean isRight(String password, String hash) {
    KeyedDigest.Digest digest = digests.of("password", password);
    if (digest.equals(proven.get(hash))) {
      return true;
    }
    if (!derivations.run(() -> PasswordHashes.matches(password, hash))) {
      return false;
    }
    if (proven.size() >= MOST_PROVEN) {
      proven.clear();
    }
    proven.put(hash, digest);
    return true;
  }
}
