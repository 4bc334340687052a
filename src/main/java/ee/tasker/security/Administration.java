package ee.tasker.security;

import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Refusals;
import ee.tasker.platform.SqlState;
import ee.tasker.platform.config.ServerIdentity;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.transaction.Transactional;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.UUID;

/**
 * The component's facade for managing users, keys and grants, and for the log of write requests.
 * Thread-safe.
 */
@ApplicationScoped
@Transactional(Transactional.TxType.REQUIRES_NEW)
public class Administration {
  private static final Log LOG = Log.of(Administration.class);
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int HINT = 8;

  @Inject
  private AccountGateway gateway;

  @Inject
  private ServerIdentity server;

  /** Users, keys and roles, as {@code tasker.list_access}. */
  public JsonObject list() {
    return gateway.listAccess();
  }

  /**
   * @param password null for a random one, which is then part of the response
   * @throws Problem 409 user-exists
   */
  public JsonObject createUser(String name, String password, List<Granted> grants, String by) {
    String made = password == null ? random(18) : null;
    String user = gateway.saveUser(name, PasswordHashes.hash(password == null ? made : password),
        by);
    if (user == null) {
      throw Problem.of(409, "user-exists", "there is a user " + name + " already");
    }
    grants.forEach(granted -> granted(UUID.fromString(user), null, granted, by));
    told("create user", name, by);
    var answer = Json.build().createObjectBuilder().add("user_uuid", user).add("name", name);
    return made == null ? answer.build() : answer.add("password", made).build();
  }

  /** @throws Problem 404 user-not-found */
  public void setPassword(UUID user, String password, String by) {
    Refusals.check(gateway.setPassword(user, PasswordHashes.hash(password)),
        () -> userNotFound(user));
    told("set password", user, by);
  }

  /** @throws Problem 404 user-not-found, 409 last-administrator */
  public void setEnabled(UUID user, boolean isEnabled, String by) {
    Refusals.check(gateway.setUserEnabled(user, isEnabled, by), () -> userNotFound(user));
    told(isEnabled ? "enable user" : "disable user", user, by);
  }

  /**
   * The key itself is returned only here.
   *
   * @param validSeconds null for no expiry
   */
  public JsonObject createKey(String name, Integer validSeconds, List<Granted> grants, String by) {
    String key = Credentials.KEY_PREFIX + random(32);
    String uuid = gateway.createApiKey(name, Accounts.sha256(key), key.substring(0, HINT),
        validSeconds, by);
    grants.forEach(granted -> granted(null, UUID.fromString(uuid), granted, by));
    told("create key", name, by);
    return Json.build().createObjectBuilder().add("key_uuid", uuid).add("name", name)
        .add("key", key).build();
  }

  /** @throws Problem 404 key-not-found, 409 last-administrator */
  public void revokeKey(UUID key, String by) {
    Refusals.check(gateway.revokeApiKey(key, by), () -> keyNotFound(key));
    told("revoke key", key, by);
  }

  /**
   * Grants to a user or a key; the other is null.
   *
   * @throws Problem 404 user-not-found, key-not-found
   */
  public UUID grant(UUID user, UUID key, Granted granted, String by) {
    JsonObject grant = granted(user, key, granted, by);
    told("grant " + granted, grant.getString("name"), by);
    return UUID.fromString(grant.getString("grant_uuid"));
  }

  private JsonObject granted(UUID user, UUID key, Granted granted, String by) {
    try {
      return Refusals.check(gateway.grantAccess(user, key, granted, by),
          () -> user == null ? keyNotFound(key) : userNotFound(user));
    } catch (RuntimeException refused) {
      if ("TK007".equals(SqlState.of(refused))) {
        throw Problem.invalid(granted.role() == null ? "permission" : "role",
            "there is no such " + (granted.role() == null ? "permission" : "role"));
      }
      throw refused;
    }
  }

  /**
   * @return whose it was: {@code user_uuid} or {@code key_uuid}, the other null, and {@code name}
   * @throws Problem 404 grant-not-found, 409 last-administrator
   */
  public JsonObject revokeGrant(UUID grant, String by) {
    JsonObject revoked = Refusals.check(gateway.revokeGrant(grant),
        () -> Problem.of(404, "grant-not-found", "there is no grant " + grant));
    told("revoke grant", revoked.getString("name"), by);
    return revoked;
  }

  /** To be called before the change is made; committed when it returns. */
  public UUID begin(WriteRequest request) {
    return gateway.beginWriteRequest(request, server.uuid());
  }

  /** @param object the path of what was made or changed; null where that of the request says it */
  public void finish(UUID request, int status, String object) {
    gateway.finishWriteRequest(request, status, object);
  }

  public JsonObject writeRequests(JsonObject filter, int limit, UUID before) {
    return gateway.listWriteRequests(filter, limit, before);
  }

  private static Problem userNotFound(UUID user) {
    return Problem.of(404, "user-not-found", "there is no user " + user);
  }

  private static Problem keyNotFound(UUID key) {
    return Problem.of(404, "key-not-found", "there is no key " + key);
  }

  private static void told(String action, Object what, String by) {
    LOG.write(LogEvent.ACCESS_CHANGED, "action", action, "of", what, "by", by);
  }

  static String random(int bytes) {
    byte[] random = new byte[bytes];
    RANDOM.nextBytes(random);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
  }
}
