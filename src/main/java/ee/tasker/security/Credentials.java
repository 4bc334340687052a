package ee.tasker.security;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;

/** The credentials of a request. None of them shows its secret in {@code toString}. */
sealed interface Credentials {
  /** The prefix of API keys, which distinguishes them from tokens. */
  String KEY_PREFIX = "tkr_";

  /** Name and password. */
  record Password(String name, String password) implements Credentials {
    @Override
    public String toString() {
      return "Password of " + name;
    }
  }

  /** An API key. */
  record ApiKey(String key) implements Credentials {
    @Override
    public String toString() {
      return "ApiKey";
    }
  }

  /** A signed token. */
  record Token(String token) implements Credentials {
    @Override
    public String toString() {
      return "Token";
    }
  }

  /** The token of a session, from the cookie of the console. */
  record Session(String token) implements Credentials {
    @Override
    public String toString() {
      return "Session";
    }
  }

  /** Credentials that cannot be valid. */
  record Unreadable() implements Credentials {
  }

  /** @return null when both are null */
  static Credentials of(String authorization, String apiKey) {
    if (authorization == null) {
      return apiKey == null ? null : key(apiKey.strip());
    }
    if (apiKey != null) {
      return new Unreadable();
    }
    String header = authorization.strip();
    int space = header.indexOf(' ');
    String value = space < 0 ? "" : header.substring(space + 1).strip();
    return switch (space < 0 ? "" : header.substring(0, space).toLowerCase(Locale.ROOT)) {
      case "basic" -> basic(value);
      case "apikey" -> key(value);
      case "bearer" -> value.startsWith(KEY_PREFIX) ? key(value) : new Token(value);
      default -> new Unreadable();
    };
  }

  private static Credentials key(String value) {
    return value.startsWith(KEY_PREFIX) && value.length() < 200 ? new ApiKey(value)
        : new Unreadable();
  }

  private static Credentials basic(String value) {
    try {
      String pair = StandardCharsets.UTF_8.newDecoder()
          .decode(ByteBuffer.wrap(Base64.getDecoder().decode(value))).toString();
      int colon = pair.indexOf(':');
      return colon < 1 || pair.indexOf('\0') >= 0 ? new Unreadable()
          : new Password(pair.substring(0, colon), pair.substring(colon + 1));
    } catch (IllegalArgumentException | CharacterCodingException e) {
      return new Unreadable();
    }
  }
}
