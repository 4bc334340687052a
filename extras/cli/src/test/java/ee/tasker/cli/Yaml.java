package ee.tasker.cli;

import ee.tasker.cli.convert.Conversion;
import jakarta.json.JsonValue;

/** How the command writes, for tests of other packages. */
public final class Yaml {
  private Yaml() {}

  public static String of(JsonValue value) {
    return Text.yaml(value);
  }

  /** The file that the command writes for the only template. */
  public static String file(Conversion conversion) {
    return Convert.text(conversion, conversion.templates().get(0));
  }
}
