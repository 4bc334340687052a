package ee.tasker.platform;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.json.Json;
import jakarta.json.JsonValue;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonbCheckTest {

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "ä", "日本", "\ud83d\ude00", "\n\t", "\uffff", "\u0001"})
  void text_that_comes_back_as_it_went_is_storable(String text) {
    assertThat(JsonbCheck.complaint(text)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"\u0000", "a\u0000b", "\ud800", "\udc00", "\ude00\ud83d", "a\ud83d", "\ud83dx"})
  void text_that_would_not_is_not(String text) {
    assertThat(JsonbCheck.complaint(text)).isPresent();
    assertThat(JsonbCheck.complaint(
        Json.createObjectBuilder().add("a", Json.createArrayBuilder().add(text)).build()))
        .isPresent();
    assertThat(JsonbCheck.complaint(Json.createObjectBuilder().add(text, 1).build())).isPresent();
  }

  @Property
  boolean complaint_is_made_exactly_when_utf_8_or_postgresql_would_lose_something(
      @ForAll @StringLength(max = 8) @CharRange(from = '\u0000',
          to = '\uffff') @CharRange(from = '\ud7f0', to = '\ue00f') @Chars('\0') String text) {
    boolean survives = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8)
        .equals(text) && text.indexOf(0) < 0;
    return JsonbCheck.complaint(text).isEmpty() == survives;
  }

  @Property
  boolean cleaned_text_is_storable_and_clean_text_stays(
      @ForAll @StringLength(max = 8) @CharRange(from = '\u0000',
          to = '\uffff') @CharRange(from = '\ud7f0', to = '\ue00f') @Chars('\0') String text) {
    String clean = JsonbCheck.cleaned(text);
    return JsonbCheck.complaint(clean).isEmpty()
        && (JsonbCheck.complaint(text).isPresent() || clean.equals(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1e1001", "-1e999999999", "1e-1001", "1e-999999999"})
  void number_that_java_would_not_read_again_is_not_storable(String number) {
    assertThat(JsonbCheck.complaint(Json.createValue(new BigDecimal(number)))).isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"0", "-0.0", "1e300", "123456789012345678901234567890.123456789", "1e-300"})
  void number_of_a_size_that_occurs_is(String number) {
    assertThat(JsonbCheck.complaint(Json.createValue(new BigDecimal(number)))).isEmpty();
  }

  @Test
  void nesting_has_an_end() {
    JsonValue deep = JsonValue.EMPTY_JSON_ARRAY;
    for (int i = 1; i < 500; i++) {
      deep = Json.createArrayBuilder().add(deep).build();
    }

    assertThat(JsonbCheck.complaint(deep)).isEmpty();
    assertThat(JsonbCheck.complaint(Json.createArrayBuilder().add(deep).build())).isPresent();
  }
}
