package ee.tasker.template;

import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Changes one value somewhere in a JSON document. */
final class JsonMutation {
  private JsonMutation() {}

  static JsonValue changeOneValue(JsonValue value, Random random) {
    if (value instanceof JsonObject object && !object.isEmpty()) {
      var names = new ArrayList<>(object.keySet());
      var chosen = names.get(random.nextInt(names.size()));
      var changed = JsonText.object();
      object.forEach((name, member) -> changed.add(name,
          name.equals(chosen) ? changeOneValue(member, random) : member));
      return changed.build();
    }
    if (value instanceof JsonArray array && !array.isEmpty()) {
      int chosen = random.nextInt(array.size());
      var changed = JsonText.array();
      for (int i = 0; i < array.size(); i++) {
        changed.add(i == chosen ? changeOneValue(array.get(i), random) : array.get(i));
      }
      return changed.build();
    }
    var other = List.of(JsonText.number(BigDecimal.valueOf(1 + random.nextInt(100))),
        JsonValue.NULL, JsonValue.TRUE,
        JsonValue.FALSE,
        JsonText.string(value instanceof JsonString text ? text.getString() + "x" : "x"));
    return other.get(random.nextInt(other.size()));
  }
}
