package ee.tasker.platform;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * The schemas among the components of the OpenAPI document, as YAML is read: read when the first is
 * asked for, and kept for those that are asked for later.
 */
public final class ComponentSchemas {
  private static final String DOCUMENT = "META-INF/tasker/openapi.yaml";
  private static final String REFERENCE = "#/components/schemas/";
  private static final Map<?, ?> ALL = read();

  private ComponentSchemas() {
  }

  /** @throws IllegalArgumentException if there is none of this name */
  public static Map<?, ?> of(String name) {
    if (ALL.get(name) instanceof Map<?, ?> schema) {
      return schema;
    }
    throw new IllegalArgumentException("the document has no schema " + name);
  }

  /** The name of the component that a schema refers to; empty when it is one itself. */
  public static Optional<String> referenced(Map<?, ?> schema) {
    return schema.get("$ref") instanceof String reference
        ? Optional.of(reference.substring(REFERENCE.length())) : Optional.empty();
  }

  private static Map<?, ?> read() {
    try (InputStream stream = ComponentSchemas.class.getClassLoader()
        .getResourceAsStream(DOCUMENT)) {
      String text = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
      // The last part: the paths before it take longer to read.
      Map<?, ?> part = (Map<?, ?>) new Load(LoadSettings.builder().setLabel(DOCUMENT).build())
          .loadFromString(text.substring(text.indexOf("\n  schemas:\n")));
      return (Map<?, ?>) part.get("schemas");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
