package ee.tasker.rest.access;

import ee.tasker.platform.Violations;
import ee.tasker.security.Granted;
import ee.tasker.security.Permission;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.util.Arrays;
import java.util.List;

/** Reads the members that bodies about users, keys and grants share. */
final class GrantReader {
  private GrantReader() {
  }

  static void checkUser(JsonObject body, Violations violations) {
    checkName(body, true, violations);
    checkGrants(body, violations);
  }

  static void checkKey(JsonObject body, Violations violations) {
    checkName(body, false, violations);
    checkGrants(body, violations);
  }

  private static void checkName(JsonObject body, boolean isForBasic, Violations violations) {
    String name = body.getString("name", "");
    if (!name.isBlank() && (!name.strip().equals(name)
        || name.chars().anyMatch(Character::isISOControl)
        || isForBasic && name.indexOf(':') >= 0)) {
      violations.add("name", "must have no control characters, no leading or trailing blanks"
          + (isForBasic ? " and no colon" : ""));
    }
  }

  private static void checkGrants(JsonObject body, Violations violations) {
    if (body.get("grants") instanceof JsonArray grants) {
      for (int i = 0; i < grants.size(); i++) {
        if (grants.get(i) instanceof JsonObject given) {
          check("grants/" + i + "/", given, violations);
        }
      }
    }
  }

  /** The member {@code grants} of a valid body; empty when absent. */
  static List<Granted> grants(JsonObject body) {
    return body.get("grants") instanceof JsonArray grants
        ? grants.getValuesAs(GrantReader::grant) : List.of();
  }

  static Granted grant(JsonObject given) {
    return new Granted(given.getString("role", null), given.getString("permission", null),
        given.getString("namespace", null));
  }

  static void check(String prefix, JsonObject given, Violations violations) {
    String role = given.getString("role", null);
    String permission = given.getString("permission", null);
    if ((role == null) == (permission == null)) {
      violations.add(prefix + "role", "either this or permission is required, not both");
    }
    if (permission != null && !"*:*".equals(permission) && Permission.of(permission).isEmpty()
        && Arrays.stream(Permission.values())
            .noneMatch(each -> permission.equals(each.text().replaceAll(":.*", ":*")))) {
      violations.add(prefix + "permission", "unknown permission");
    }
  }
}
