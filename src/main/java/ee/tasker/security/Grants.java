package ee.tasker.security;

import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a caller may do: each permission in all namespaces, in some, or not at all. Immutable; a
 * check takes nanoseconds.
 */
public final class Grants {
  public static final Grants NONE = new Grants(Set.of(), Map.of());

  private final Set<Permission> everywhere;
  private final Map<Permission, Set<String>> somewhere;

  private Grants(Set<Permission> everywhere, Map<Permission, Set<String>> somewhere) {
    this.everywhere = everywhere;
    this.somewhere = somewhere;
  }

  /**
   * A permission, possibly a wildcard; a null namespace means all namespaces, and objects without a
   * namespace.
   */
  record Grant(String permission, String namespace) {
  }

  static Grants of(Collection<Grant> grants) {
    Set<Permission> everywhere = EnumSet.noneOf(Permission.class);
    Map<Permission, Set<String>> somewhere = new EnumMap<>(Permission.class);
    for (Permission permission : Permission.values()) {
      for (Grant grant : grants) {
        if (permission.isMeantBy(grant.permission())) {
          if (grant.namespace() == null) {
            everywhere.add(permission);
          } else {
            somewhere.computeIfAbsent(permission, key -> new HashSet<>()).add(grant.namespace());
          }
        }
      }
    }
    somewhere.keySet().removeAll(everywhere);
    somewhere.replaceAll((permission, namespaces) -> Set.copyOf(namespaces));
    return new Grants(everywhere, somewhere);
  }

  /** @param grants from the database: objects with permission and namespace */
  static Grants of(JsonArray grants) {
    return of(grants.getValuesAs(JsonObject.class).stream()
        .map(grant -> new Grant(grant.getString("permission"),
            grant.get("namespace") instanceof JsonString namespace ? namespace.getString() : null))
        .toList());
  }

  /** In at least one namespace. */
  public boolean may(Permission permission) {
    return everywhere.contains(permission) || somewhere.containsKey(permission);
  }

  public boolean may(Permission permission, String namespace) {
    return everywhere.contains(permission)
        || somewhere.getOrDefault(permission, Set.of()).contains(namespace);
  }

  /** In all namespaces, and for objects without a namespace. */
  public boolean mayEverywhere(Permission permission) {
    return everywhere.contains(permission);
  }

  /**
   * The namespaces where it is allowed: empty for all, otherwise a set that may itself be empty.
   */
  public Optional<Set<String>> namespaces(Permission permission) {
    return everywhere.contains(permission) ? Optional.empty()
        : Optional.of(somewhere.getOrDefault(permission, Set.of()));
  }

  /**
   * The namespaces where all of these are allowed: empty for all, otherwise a set that may itself
   * be empty.
   */
  public Optional<Set<String>> namespaces(Collection<Permission> permissions) {
    return permissions.stream().map(this::namespaces).flatMap(Optional::stream)
        .reduce((some, others) -> some.stream().filter(others::contains)
            .collect(Collectors.toUnmodifiableSet()));
  }

  /** All namespaces that are named. */
  Set<String> namespaces() {
    return somewhere.values().stream().flatMap(Set::stream).collect(Collectors.toUnmodifiableSet());
  }

  /** {@code tasks:create}, or {@code tasks:create in orders}, in the order of the permissions. */
  public List<String> texts() {
    return java.util.Arrays.stream(Permission.values())
        .flatMap(permission -> everywhere.contains(permission)
            ? java.util.stream.Stream.of(permission.text())
            : somewhere.getOrDefault(permission, Set.of()).stream().sorted()
                .map(namespace -> permission.text() + " in " + namespace))
        .toList();
  }

  @Override
  public String toString() {
    return texts().toString();
  }
}
