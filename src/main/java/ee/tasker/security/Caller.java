package ee.tasker.security;

import ee.tasker.platform.JsonbCheck;
import java.util.Locale;
import java.util.UUID;

/**
 * Who is authenticated.
 *
 * @param uuid of the user or key; null for those whom the database does not know
 */
public record Caller(Kind kind, String name, UUID uuid, Grants grants) {

  /** How somebody is known: by a password, by an API key, by a signed token, or by another identity store. */
  public enum Kind {
    USER, KEY, TOKEN, EXTERNAL;

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final int LONGEST = 128;

  /**
   * Whether histories and logs can keep it, the namespaces of its grants included. Names of users and keys are checked by the database; those of tokens and of
   * other identity stores come from outside.
   */
  boolean isRecordable() {
    return !name.isBlank() && name.length() <= LONGEST && JsonbCheck.complaint(name).isEmpty()
        && grants.namespaces().stream().allMatch(namespace -> JsonbCheck.complaint(namespace).isEmpty());
  }

  /** What is this caller's and no other's: two API keys may have one name. */
  public String principal() {
    return uuid == null ? actor() : kind.text() + ":" + uuid;
  }

  /** As histories and logs name them: users by their name, others with their kind before it. */
  public String actor() {
    return kind == Kind.USER ? name : kind.text() + ":" + name;
  }
}
