package ee.tasker.security;

import ee.tasker.platform.JsonbCheck;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;

/**
 * An authenticated caller.
 *
 * @param uuid   of the user or key; null for callers that are not in the database
 * @param groups of a caller of another identity store: its roles
 */
public record Caller(Kind kind, String name, UUID uuid, Grants grants, Set<String> groups) {
  public Caller {
    groups = Set.copyOf(groups);
  }

  Caller(Kind kind, String name, UUID uuid, Grants grants) {
    this(kind, name, uuid, grants, Set.of());
  }

  /**
   * How the caller authenticated: by password, by API key, by signed token, or with another
   * identity store.
   */
  public enum Kind {
    USER, KEY, TOKEN, EXTERNAL;

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final int LONGEST = 128;

  /**
   * Whether histories and logs can store the name and the namespaces of the grants. The database
   * checks names of users and
   * keys; those from tokens and other identity stores are external.
   */
  boolean isRecordable() {
    return !name.isBlank() && name.length() <= LONGEST && JsonbCheck.complaint(name).isEmpty()
        && grants.namespaces().stream()
            .allMatch(namespace -> JsonbCheck.complaint(namespace).isEmpty());
  }

  /** Identifies exactly this caller: two API keys may share a name. */
  public String principal() {
    return uuid == null ? actor() : kind.text() + ":" + uuid;
  }

  /** The name for histories and logs: users by their name, others prefixed with their kind. */
  public String actor() {
    return kind == Kind.USER ? name : kind.text() + ":" + name;
  }
}
