package ee.tasker.rest.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MediaTypesTest {

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "*/*", "*/*;q=0.1", "application/json",
    "application/json, text/*;q=0.5 ,*/*",
    "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2",
    "text/plain; a=\"b, \\\"c\\\"\"; d=e, application/vnd.x+json;", "application/json,"})
  void ranges_of_media_types(String accept) {
    assertThat(accepts(accept)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"nonsense", "a/b/c", "application/json, nonsense", "/", "a/", "/b",
    "application/json; boundary=\"", "a b/c",
    "a/b;=c", "\u00fc/json"})
  void what_is_none(String accept) {
    assertThat(accepts(accept)).isFalse();
    assertThat(MediaTypes.isWellFormed(accept)).isFalse();
  }

  @Test
  void content_has_one_type_or_none() {
    assertThat(MediaTypes.isWellFormed(null)).isTrue();
    assertThat(MediaTypes.isWellFormed("application/json;charset=utf-8")).isTrue();
    assertThat(MediaTypes.isWellFormed("application/json, text/plain")).isFalse();
    assertThat(MediaTypes.isWellFormed("")).isFalse();
  }

  private static boolean accepts(String accept) {
    return MediaTypes.areWellFormed(Collections.enumeration(List.of("*/*", accept)));
  }
}
