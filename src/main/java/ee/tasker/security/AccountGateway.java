package ee.tasker.security;

import ee.tasker.platform.SqlFunctions;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonValue;
import java.util.Collection;
import java.util.UUID;

/** Calls the functions of the database about users, keys and grants. */
@Dependent
class AccountGateway {
  @Inject
  private SqlFunctions sql;

  JsonValue getUserAccess(String name) {
    return sql.json("get_user_access(?)", name);
  }

  JsonValue getKeyAccess(String keyHash) {
    return sql.json("get_key_access(?)", keyHash);
  }

  JsonArray getRoleAccess(Collection<String> roles) {
    return sql.array("get_role_access(cast(? as text[]))", SqlFunctions.arrayText(roles));
  }

  boolean createFirstAdministrator(String name, String passwordHash) {
    return sql.flag("create_first_administrator(?, ?)", name, passwordHash);
  }

  /** @return null when there is no such thing */
  String getNamespaceOf(String kind, UUID uuid) {
    return sql.text("get_namespace_of(?, cast(? as uuid))", kind, uuid);
  }
}
