package ee.tasker.rest.access;

import ee.tasker.platform.Violations;
import ee.tasker.security.Granted;
import ee.tasker.security.Permission;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.ArrayList;
import java.util.List;

/** Reads the members that bodies about users, keys and grants share. */
final class GrantReader {
  private GrantReader() {
  }

  /** The name of a user or key. */
  static String name(JsonObject body, boolean isForBasic, Violations violations) {
    String name = body.getString("name", "");
    if (!name.isBlank() && (!name.strip().equals(name)
        || name.chars().anyMatch(Character::isISOControl)
        || isForBasic && name.indexOf(':') >= 0)) {
      violations.add("name", "must have no control characters, no leading or trailing blanks"
          + (isForBasic ? " and no colon" : ""));
    }
    return name;
  }

  /** The member {@code grants}; empty when absent. */
  static List<Granted> grants(JsonObject body, Violations violations) {
    List<Granted> grants = new ArrayList<>();
    if (body.get("grants") instanceof JsonArray array) {
      for (JsonValue each : array) {
        if (each instanceof JsonObject given) {
          grants.add(grant("grants/" + grants.size() + "/", given, violations));
        }
      }
    }
    return grants;
  }

  static Granted grant(String prefix, JsonObject given, Violations violations) {
    String role = given.getString("role", null);
    String permission = given.getString("permission", null);
    if ((role == null) == (permission == null)) {
      violations.add(prefix + "role", "either this or permission is required, not both");
    }
    if (permission != null && !"*:*".equals(permission) && Permission.of(permission).isEmpty()
        && java.util.Arrays.stream(Permission.values())
            .noneMatch(each -> permission.equals(each.text().replaceAll(":.*", ":*")))) {
      violations.add(prefix + "permission", "unknown permission");
    }
    return new Granted(role, permission, given.getString("namespace", null));
  }
}
