package ee.tasker.security;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.security.enterprise.credential.UsernamePasswordCredential;
import jakarta.security.enterprise.identitystore.CredentialValidationResult;
import jakarta.security.enterprise.identitystore.IdentityStore;
import java.util.HashSet;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The users of the database as an identity store of Jakarta Security. Another one beside it, in the WAR, is asked too, and its groups are
 * roles of the same name.
 *
 * <p>A password that was right is not derived again as long as the user's hash is the same: what is kept of it is a
 * {@linkplain KeyedDigest digest} under a key of this process.
 */
@ApplicationScoped
public class UserStore implements IdentityStore {
  static final String ID = "tasker";
  private static final int MOST_PROVEN = 10_000;
  /** For names that nobody has, so that they take as long as others. */
  private static final String NO_HASH = "PBKDF2WithHmacSHA512:" + PasswordHashes.ITERATIONS
      + ":AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

  /** Every derivation takes a processor for a tenth of a second: never all of them. */
  private final Semaphore derivations = new Semaphore(Math.max(1, Runtime.getRuntime().availableProcessors() / 2));
  private final ConcurrentMap<String, KeyedDigest.Digest> proven = new ConcurrentHashMap<>();
  private final KeyedDigest digests = new KeyedDigest();

  @Inject
  private Accounts accounts;

  /** @throws Busy when too many passwords wait to be checked */
  public CredentialValidationResult validate(UsernamePasswordCredential credential) {
    String password = credential.getPasswordAsString();
    Optional<Accounts.User> user = accounts.user(credential.getCaller());
    String hash = user.filter(Accounts.User::isEnabled).map(Accounts.User::passwordHash).orElse(NO_HASH);
    if (!isRight(password, hash)) {
      return CredentialValidationResult.INVALID_RESULT;
    }
    Caller caller = user.orElseThrow().caller();
    return new CredentialValidationResult(ID, caller.name(), null, caller.uuid().toString(), new HashSet<>(caller.grants().texts()));
  }

  private boolean isRight(String password, String hash) {
    KeyedDigest.Digest digest = digests.of("password", password);
    if (digest.equals(proven.get(hash))) {
      return true;
    }
    if (!derives(password, hash)) {
      return false;
    }
    if (proven.size() >= MOST_PROVEN) {
      proven.clear();
    }
    proven.put(hash, digest);
    return true;
  }

  private boolean derives(String password, String hash) {
    try {
      if (!derivations.tryAcquire(2, TimeUnit.SECONDS)) {
        throw new Busy();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Busy();
    }
    try {
      return PasswordHashes.matches(password, hash);
    } finally {
      derivations.release();
    }
  }

  /** Not looked at: nothing is said about the password. */
  static final class Busy extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Busy() {
      super("too many passwords wait to be checked", null, false, false);
    }
  }
}
