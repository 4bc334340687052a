package ee.tasker.security;

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

  /** What is this caller's and no other's: two API keys may have one name. */
  public String principal() {
    return uuid == null ? actor() : kind.text() + ":" + uuid;
  }

  /** As histories and logs name them: users by their name, others with their kind before it. */
  public String actor() {
    return kind == Kind.USER ? name : kind.text() + ":" + name;
  }
}
