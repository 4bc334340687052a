package ee.tasker.rest.http;

import ee.tasker.platform.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.function.UnaryOperator;

/**
 * The format of every list: an object with the list under its plural, and {@code next}, which is
 * the {@code cursor} of the
 * next page or null.
 */
public final class Listing {

  private Listing() {
  }

  /** A list with a single page. */
  public static JsonObject whole(String plural, JsonValue list) {
    return Json.build().createObjectBuilder().add(plural, list).addNull("next").build();
  }

  /** A page with each of its objects as the caller may see it. */
  public static JsonObject each(String plural, JsonObject page, UnaryOperator<JsonObject> shown) {
    return Json.build().createObjectBuilder(page)
        .add(plural, each(page.getJsonArray(plural), shown)).build();
  }

  public static JsonArray each(JsonArray list, UnaryOperator<JsonObject> shown) {
    JsonArrayBuilder all = Json.build().createArrayBuilder();
    list.getValuesAs(JsonObject.class).forEach(each -> all.add(shown.apply(each)));
    return all.build();
  }
}
