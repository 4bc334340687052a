package ee.tasker.rest.access;

import ee.tasker.rest.http.Members;
import ee.tasker.rest.http.Parameters;
import ee.tasker.security.Granted;
import ee.tasker.security.Permission;
import ee.tasker.template.model.TemplateKey;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Reads the members that bodies about users, keys and grants share. */
final class GrantReader {
  private static final int SHORTEST_PASSWORD = 12;
  private static final int LONGEST_PASSWORD = 256;

  private GrantReader() {
  }

  static String name(Members members, boolean isForBasic) {
    String name = members.text("name", 128);
    if (!name.isEmpty()
        && (!name.strip().equals(name) || name.chars().anyMatch(Character::isISOControl)
            || isForBasic && name.indexOf(':') >= 0)) {
      members.wrong("name", "must have no control characters, no leading or trailing blanks"
          + (isForBasic ? " and no colon" : ""));
    }
    return name;
  }

  /** Null when absent. */
  static String password(Members members, String member) {
    String password = members.optionalText(member, LONGEST_PASSWORD);
    if (password != null && password.length() < SHORTEST_PASSWORD) {
      members.wrong(member, "must have at least " + SHORTEST_PASSWORD + " characters");
    }
    return password;
  }

  /** Null when absent. */
  static UUID uuid(Members members, String name) {
    String uuid = members.optionalText(name, 36);
    if (uuid == null || Parameters.isUuid(uuid)) {
      return uuid == null ? null : UUID.fromString(uuid);
    }
    members.wrong(name, "must be a uuid");
    return null;
  }

  /** The member {@code grants}: objects as {@link #grant} reads them; empty when absent. */
  static List<Granted> grants(Members members) {
    List<Granted> grants = new ArrayList<>();
    if (members.has("grants")) {
      JsonValue value = members.anything("grants");
      if (value instanceof JsonArray array && array.size() <= 100
          && array.stream().allMatch(JsonObject.class::isInstance)) {
        for (int i = 0; i < array.size(); i++) {
          Members each = members.of("grants/" + i, array.getJsonObject(i));
          grants.add(grant(each));
          each.refuseOthers();
        }
      } else {
        members.wrong("grants", "must be an array of at most 100 objects");
      }
    }
    return grants;
  }

  static Granted grant(Members members) {
    String role = members.optionalText("role", 64);
    String permission = members.optionalText("permission", 64);
    String namespace = members.optionalText("namespace", 29);
    if ((role == null) == (permission == null)) {
      members.wrong("role", "either this or permission is required, not both");
    }
    if (permission != null && !"*:*".equals(permission) && Permission.of(permission).isEmpty()
        && java.util.Arrays.stream(Permission.values())
            .noneMatch(each -> permission.equals(each.text().replaceAll(":.*", ":*")))) {
      members.wrong("permission", "unknown permission");
    }
    if (namespace != null && !TemplateKey.isNamespace(namespace)) {
      members.wrong("namespace", "must be a letter followed by letters, digits and underscores");
    }
    return new Granted(role, permission, namespace);
  }
}
