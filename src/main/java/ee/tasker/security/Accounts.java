package ee.tasker.security;

import ee.tasker.platform.Json;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.transaction.Transactional;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;

/** The component's facade for users, API keys, roles and grants. Thread-safe. */
@ApplicationScoped
@Transactional(Transactional.TxType.REQUIRES_NEW)
public class Accounts {
  @Inject
  private AccountGateway gateway;

  /** A user's current state; {@code passwordHash} is null if it cannot log in by password. */
  public record User(Caller caller, String passwordHash, boolean isEnabled) {
    @Override
    public String toString() {
      return "User[" + caller.name() + "]";
    }
  }

  /** The caller of a key or a session, and its remaining validity. */
  public record Key(Caller caller, Optional<Long> secondsLeft) {
  }

  public Optional<User> user(String name) {
    if (!(gateway.getUserAccess(name) instanceof JsonObject user)) {
      return Optional.empty();
    }
    Caller caller = new Caller(Caller.Kind.USER, user.getString("name"), Json.uuid(user, "uuid"),
        Grants.of(user.getJsonArray("grants")));
    return Optional.of(new User(caller, Json.text(user, "password_hash").orElse(null),
        user.getBoolean("enabled")));
  }

  /** Empty for an unknown, revoked or expired key. */
  public Optional<Key> key(String key) {
    if (!(gateway.getKeyAccess(sha256(key)) instanceof JsonObject found)) {
      return Optional.empty();
    }
    Caller caller = new Caller(Caller.Kind.KEY, found.getString("name"), Json.uuid(found, "uuid"),
        Grants.of(found.getJsonArray("grants")));
    return Optional.of(new Key(caller,
        found.get("expires_in_seconds") instanceof JsonNumber seconds
            ? Optional.of(seconds.longValue()) : Optional.empty()));
  }

  /**
   * The user of a session, with its present grants, and the session's remaining validity. Empty for
   * an unknown or ended session.
   */
  public Optional<Key> session(String token) {
    if (!(gateway.getSessionAccess(sha256(token)) instanceof JsonObject found)) {
      return Optional.empty();
    }
    Caller caller = new Caller(Caller.Kind.USER, found.getString("name"), Json.uuid(found, "uuid"),
        Grants.of(found.getJsonArray("grants")));
    return Optional
        .of(new Key(caller, Optional.of(found.getJsonNumber("expires_in_seconds").longValue())));
  }

  public Grants ofRoles(Collection<String> roles) {
    return Grants.of(gateway.getRoleAccess(roles));
  }

  /** @return whether the user was created: false when the database has users already */
  public boolean createFirstAdministrator(String name, String passwordHash) {
    return gateway.createFirstAdministrator(name, passwordHash);
  }

  /** @param kind task, dead_letter, policy or bulk_action; empty when the object does not exist */
  public Optional<String> namespaceOf(String kind, UUID uuid) {
    return Optional.ofNullable(gateway.getNamespaceOf(kind, uuid));
  }

  static String sha256(String text) {
    try {
      return HexFormat.of().formatHex(
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
