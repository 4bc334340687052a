package ee.tasker.document;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.platform.Json;
import jakarta.json.JsonValue;
import org.junit.jupiter.api.Test;

class SealedPlacesTest {
  private static final JsonValue MARK = Json.string("sealed");

  private static SealedPlaces places(String schema) {
    return SealedPlaces.of(Json.parse(schema));
  }

  private static String replaced(String schema, String document) {
    return places(schema).replace(Json.parse(document), value -> MARK).toString();
  }

  @Test
  void a_schema_without_the_keyword_seals_nothing() {
    for (String schema : new String[]{"{}", "true", "false",
      "{\"properties\": {\"a\": {\"type\": \"string\", \"x-sealed\": false}}, \"items\": false}"}) {
      assertThat(places(schema).isNone()).as(schema).isTrue();
      assertThat(places(schema).toJson()).isEqualTo(JsonValue.NULL);
    }
  }

  @Test
  void members_elements_and_the_whole_are_found() {
    String schema = """
        {"properties": {"name": {"x-sealed": true}, "id": {},
                        "cards": {"items": {"properties": {"number": {"x-sealed": true}}}}},
         "allOf": [{"properties": {"name": {}, "mail": {"x-sealed": true}}},
                   {"properties": {"cards": {"items": {"properties": {"pin": {"x-sealed": true}}}}}}]}
        """;

    assertThat(replaced(schema,
        "{\"name\": {\"a\": 1}, \"id\": 2, \"mail\": null, \"cards\": [{\"number\": 3, \"pin\": 4,"
            + " \"of\": 5}, 6, {}]}"))
        .isEqualTo(
            "{\"name\":\"sealed\",\"id\":2,\"mail\":\"sealed\",\"cards\":[{\"number\":\"sealed\","
                + "\"pin\":\"sealed\",\"of\":5},6,{}]}");
    assertThat(replaced(schema, "{\"id\": 2}")).isEqualTo("{\"id\":2}");
    assertThat(replaced(schema, "[1]")).isEqualTo("[1]");
    assertThat(replaced("{\"x-sealed\": true, \"properties\": {\"a\": {}}}", "{\"a\": 1}"))
        .isEqualTo("\"sealed\"");
  }

  @Test
  void a_pointer_leads_to_a_sealed_value_or_into_one() {
    SealedPlaces places = places("{\"properties\": {\"a/b\": {\"x-sealed\": true}, \"cards\":"
        + " {\"items\": {\"properties\": {\"pin\": {\"x-sealed\": true}}}}}}");

    assertThat(places.cover("/a~1b")).isTrue();
    assertThat(places.cover("/a~1b/0/c")).isTrue();
    assertThat(places.cover("/cards/12/pin")).isTrue();
    for (String other : new String[]{"", "/", "/cards", "/cards/0", "/cards/0/name", "/other",
      "/other/pin"}) {
      assertThat(places.cover(other)).as(other).isFalse();
    }
    assertThat(places("{\"x-sealed\": true}").cover("")).isTrue();
    assertThat(places("{\"x-sealed\": true}").cover("/a")).isTrue();
  }

  @Test
  void it_says_what_a_path_has_to_do_with_it() {
    SealedPlaces places = places("{\"properties\": {\"customer\": {\"properties\": {\"iban\":"
        + " {\"x-sealed\": true}}}, \"secret\": {\"x-sealed\": true}}}");

    assertThat(places.concerns("customer", "iban")).isTrue();
    assertThat(places.concerns("customer")).as("has one in it").isTrue();
    assertThat(places.concerns("secret", "a", "b")).as("is in one").isTrue();
    assertThat(places.concerns("customer", "id")).isFalse();
    assertThat(places.concerns("other")).isFalse();
  }
}
