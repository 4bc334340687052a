package ee.tasker.rest.http;

import ee.tasker.platform.ComponentSchemas;
import ee.tasker.platform.Json;
import ee.tasker.security.Permission;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * The permissions that a caller needs to see the members of a document, as the OpenAPI document
 * says by {@code x-permissions}: a list at a member is for that member; a list at a schema is for
 * its members that are not required and have none of their own; and at the words of an array, such
 * as actions, there is a list for each word. Immutable, compiled once for each schema.
 */
final class MemberPermissions {
  private static final String MARK = "x-permissions";
  private static final Map<String, MemberPermissions> COMPILED = new ConcurrentHashMap<>();

  private final Map<String, Set<Permission>> needed = new LinkedHashMap<>();
  /** Of members that have such members, or elements with such. */
  private final Map<String, MemberPermissions> inner = new LinkedHashMap<>();
  /** Of an array of words. */
  private final Map<String, Set<Permission>> words = new LinkedHashMap<>();

  private MemberPermissions() {
  }

  /** @param name of the component */
  static MemberPermissions of(String name) {
    MemberPermissions known = COMPILED.get(name);
    if (known == null) {
      known = new MemberPermissions();
      known.add(ComponentSchemas.of(name), List.of(name), false);
      COMPILED.put(name, known);
    }
    return known;
  }

  /** @param open the components that are being read, which may refer to themselves */
  private void add(Map<?, ?> schema, List<String> open, boolean isMember) {
    ComponentSchemas.referenced(schema).filter(name -> !open.contains(name)).ifPresent(name -> {
      List<String> opened = new ArrayList<>(open);
      opened.add(name);
      add(ComponentSchemas.of(name), opened, false);
    });
    for (String parts : List.of("allOf", "anyOf", "oneOf")) {
      if (schema.get(parts) instanceof List<?> all) {
        all.forEach(part -> add((Map<?, ?>) part, open, false));
      }
    }
    if (schema.get("items") instanceof Map<?, ?> element) {
      add(element, open, false);
    }
    if (schema.get(MARK) instanceof Map<?, ?> ofWords) {
      if (!ofWords.keySet().equals(Set.copyOf((Collection<?>) schema.get("enum")))) {
        throw new IllegalStateException("not all words need permissions: " + schema);
      }
      ofWords.forEach((word, list) -> words.put((String) word, permissions(list)));
    }
    if (schema.get("properties") instanceof Map<?, ?> properties) {
      Object ofOthers = isMember ? null : schema.get(MARK);
      properties.forEach((name, member) -> addMember((String) name, (Map<?, ?>) member, ofOthers,
          schema.get("required") instanceof List<?> required && required.contains(name), open));
    }
  }

  private void addMember(String name, Map<?, ?> schema, Object ofOthers, boolean isRequired,
      List<String> open) {
    if (schema.get(MARK) instanceof List<?> own) {
      needed.put(name, permissions(own));
    } else if (ofOthers != null && !isRequired) {
      needed.put(name, permissions(ofOthers));
    }
    MemberPermissions ofMember = new MemberPermissions();
    ofMember.add(schema, open, true);
    if (!ofMember.needed.isEmpty() || !ofMember.inner.isEmpty() || !ofMember.words.isEmpty()) {
      inner.put(name, ofMember);
    }
  }

  private static Set<Permission> permissions(Object list) {
    Set<Permission> all = EnumSet.noneOf(Permission.class);
    ((List<?>) list).forEach(text -> all.add(Permission.of((String) text).orElseThrow(
        () -> new IllegalStateException("there is no permission " + text))));
    return all;
  }

  /** The document without the members that a caller may not see who has these permissions. */
  JsonObject shown(JsonObject document, Predicate<Permission> has) {
    JsonObjectBuilder[] less = new JsonObjectBuilder[1];
    needed.forEach((name, permissions) -> {
      if (document.containsKey(name) && !permissions.stream().allMatch(has)) {
        change(less, document).remove(name);
      }
    });
    JsonObject left = less[0] == null ? document : less[0].build();
    less[0] = null;
    inner.forEach((name, ofMember) -> {
      JsonValue value = left.get(name);
      JsonValue shown = ofMember.shown(value, has);
      if (shown != value) {
        change(less, left).add(name, shown);
      }
    });
    return less[0] == null ? left : less[0].build();
  }

  private static JsonObjectBuilder change(JsonObjectBuilder[] less, JsonObject document) {
    if (less[0] == null) {
      less[0] = Json.build().createObjectBuilder(document);
    }
    return less[0];
  }

  private JsonValue shown(JsonValue value, Predicate<Permission> has) {
    if (value instanceof JsonObject object) {
      return shown(object, has);
    }
    if (!(value instanceof JsonArray array)) {
      return value;
    }
    JsonArrayBuilder left = Json.build().createArrayBuilder();
    boolean isLess = false;
    for (JsonValue element : array) {
      boolean isHidden = element instanceof JsonString word
          && !words.getOrDefault(word.getString(), Set.of()).stream().allMatch(has);
      JsonValue shown = shown(element, has);
      isLess |= isHidden || shown != element;
      if (!isHidden) {
        left.add(shown);
      }
    }
    return isLess ? left.build() : array;
  }
}
