package ee.tasker.security;

import ee.tasker.platform.sql.ReadFunctions;
import ee.tasker.platform.sql.SqlFunctions;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.Collection;
import java.util.UUID;

/** Calls the SQL functions for users, keys and grants. */
@Dependent
class AccountGateway {
  @Inject
  private SqlFunctions sql;

  @Inject
  private ReadFunctions reads;

  JsonValue getUserAccess(String name) {
    return sql.json("get_user_access(?)", name);
  }

  JsonValue getKeyAccess(String keyHash) {
    return sql.json("get_key_access(?)", keyHash);
  }

  JsonObject createSession(UUID user, String tokenHash, long validSeconds) {
    return sql.object(
        "create_session(cast(? as uuid), ?, make_interval(secs => cast(cast(? as text) as int)))",
        user, tokenHash, Long.toString(validSeconds));
  }

  JsonValue getSessionAccess(String tokenHash) {
    return sql.json("get_session_access(?)", tokenHash);
  }

  boolean endSession(String tokenHash) {
    return sql.flag("end_session(?)", tokenHash);
  }

  JsonArray getRoleAccess(Collection<String> roles) {
    return sql.array("get_role_access(cast(? as text[]))", SqlFunctions.arrayText(roles));
  }

  boolean createFirstAdministrator(String name, String passwordHash) {
    return sql.flag("create_first_administrator(?, ?)", name, passwordHash);
  }

  JsonObject listAccess() {
    return sql.object("list_access()");
  }

  /** @return null when the name is taken */
  String saveUser(String name, String passwordHash, String by) {
    return sql.text("save_user(?, cast(? as text), ?)", name, passwordHash, by);
  }

  JsonObject setPassword(UUID user, String passwordHash) {
    return sql.object("set_password(cast(? as uuid), ?)", user, passwordHash);
  }

  JsonObject setUserEnabled(UUID user, boolean isEnabled, String by) {
    return sql.object("set_user_enabled(cast(? as uuid), ?, ?)", user, isEnabled, by);
  }

  String createApiKey(String name, String keyHash, String hint, Integer validSeconds, String by) {
    return sql.text(
        "create_api_key(?, ?, ?, make_interval(secs => cast(cast(? as text) as int)), ?)", name,
        keyHash, hint, validSeconds == null ? null : validSeconds.toString(), by);
  }

  JsonObject revokeApiKey(UUID key, String by) {
    return sql.object("revoke_api_key(cast(? as uuid), ?)", key, by);
  }

  JsonObject grantAccess(UUID user, UUID key, Granted what, String by) {
    return sql.object(
        "grant_access(cast(? as uuid), cast(? as uuid), cast(? as text), cast(? as text), cast(? as text), ?)",
        user, key, what.role(),
        what.permission(), what.namespace(), by);
  }

  JsonObject revokeGrant(UUID grant) {
    return sql.object("revoke_grant(cast(? as uuid))", grant);
  }

  UUID beginWriteRequest(WriteRequest request, UUID server) {
    return UUID.fromString(
        sql.text("begin_write_request(?, ?, ?, ?, ?, ?, cast(? as uuid))", request.caller().actor(),
            request.caller().kind().text(), request.method(), request.route(), request.path(),
            request.remote(), server));
  }

  void finishWriteRequest(UUID request, int status, String object) {
    sql.run("finish_write_request(cast(? as uuid), ?, ?)", request, status, object);
  }

  JsonObject listWriteRequests(JsonObject filter, int limit, UUID before) {
    return reads.object("list_write_requests(cast(? as jsonb), ?, cast(? as uuid))", filter, limit,
        before);
  }

  /** @return null when the object does not exist */
  String getNamespaceOf(String kind, UUID uuid) {
    return sql.text("get_namespace_of(?, cast(? as uuid))", kind, uuid);
  }
}
