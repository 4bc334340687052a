package ee.tasker.security;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PasswordHashesTest {

  @Test
  void the_password_matches_and_nothing_else_does() {
    String hash = PasswordHashes.hash("correct horse battery");

    assertThat(hash).startsWith("PBKDF2WithHmacSHA512:210000:").doesNotContain("correct");
    assertThat(PasswordHashes.isHash(hash)).isTrue();
    assertThat(PasswordHashes.matches("correct horse battery", hash)).isTrue();
    assertThat(PasswordHashes.matches("correct horse batterz", hash)).isFalse();
    assertThat(PasswordHashes.matches("", hash)).isFalse();
    assertThat(PasswordHashes.hash("correct horse battery")).isNotEqualTo(hash);
  }

  @Test
  void it_is_pbkdf2_as_others_compute_it() {
    // Python: hashlib.pbkdf2_hmac('sha512', b'secret password', bytes([0, 1, 2, 3]), 210000, 32)
    assertThat(
        PasswordHashes.matches("secret password",
            "PBKDF2WithHmacSHA512:210000:AAECAw==:FjeoZefxjbiB5IL5HLXPlpJVUChJ/+ITWWsXq+kWZ8s="))
        .isTrue();
  }

  @Test
  void what_is_no_hash_matches_nothing() {
    assertThat(PasswordHashes.matches("x", null)).isFalse();
    assertThat(PasswordHashes.matches("x", "x")).isFalse();
    assertThat(PasswordHashes.matches("x", "MD5:1:AAAA:AAAA")).isFalse();
    assertThat(PasswordHashes.isHash("PBKDF2WithHmacSHA512:0:AAAA:AAAA")).isFalse();
  }
}
