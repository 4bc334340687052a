package ee.tasker.rest.http;

import ee.tasker.platform.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;

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
}
