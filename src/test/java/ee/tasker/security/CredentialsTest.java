package ee.tasker.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

class CredentialsTest {

  private static String basic(String pair) {
    return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void a_password_may_have_colons_and_any_letters() {
    assertThat(Credentials.of(basic("ann:a:b pässword"), null))
        .isEqualTo(new Credentials.Password("ann", "a:b pässword"));
    assertThat(Credentials.of(basic("ann:x").replace("Basic ", "bAsIc  "), null))
        .isEqualTo(new Credentials.Password("ann", "x"));
  }

  @Test
  void a_key_comes_in_three_ways() {
    Credentials key = new Credentials.ApiKey("tkr_abc");

    assertThat(Credentials.of(null, "tkr_abc")).isEqualTo(key);
    assertThat(Credentials.of("ApiKey tkr_abc", null)).isEqualTo(key);
    assertThat(Credentials.of("Bearer tkr_abc", null)).isEqualTo(key);
    assertThat(Credentials.of("Bearer abc", null)).isEqualTo(new Credentials.Token("abc"));
  }

  @Test
  void what_is_nothing_of_this_could_not_be_right() {
    for (String header : List.of("", "Basic", "Basic ===", basic("nocolon"), basic(":nobody"),
        basic("a\0b:c"), "Digest x", "ApiKey abc",
        "tkr_abc")) {
      assertThat(Credentials.of(header, null)).as(header).isEqualTo(new Credentials.Unreadable());
    }
    assertThat(Credentials.of("ApiKey tkr_a", "tkr_a")).as("two at once")
        .isEqualTo(new Credentials.Unreadable());
    assertThat(Credentials.of(null, "abc")).isEqualTo(new Credentials.Unreadable());
    assertThat(Credentials.of(null, null)).isNull();
  }

  @Test
  void none_of_them_shows_its_secret() {
    assertThat(List
        .of(new Credentials.Password("ann", "s3cret"), new Credentials.ApiKey("tkr_s3cret"),
            new Credentials.Token("s3cret"))
        .toString()).doesNotContain("s3cret");
  }
}
