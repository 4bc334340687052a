package ee.tasker.samples.analytics;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonBuilderFactory;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import jakarta.json.JsonReaderFactory;
import jakarta.json.JsonString;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * Reads a file of JSON lines from the class path into one table: the names of the columns once,
 * then a row of values
 * per line, which is a third of the file's size. {@code handler.initialization} names the {@code
 * resource} and the
 * {@code columns}.
 */
@ApplicationScoped
@Handles("analytics.ExtractInventory")
public class ExtractInventory implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) throws IOException {
    Fields config = Fields.of("initialization", step.config());
    String resource = config.text("resource");
    JsonArray columns = config.array("columns");
    try (InputStream in = open(resource)) {
      if (in == null) {
        return StepOutcome.permanent("DataSetMissing", resource + " is not on the class path");
      }
      JsonArray rows = rows(in, columns.getValuesAs(JsonString::getString));
      return StepOutcome.success(Json.createObjectBuilder()
          .add("resource", resource)
          .add("row_count", rows.size())
          .add("columns", columns)
          .add("rows", rows)
          .build());
    }
  }

  private static JsonArray rows(InputStream in, List<String> columns) throws IOException {
    JsonReaderFactory readers = Json.createReaderFactory(Map.of());
    JsonBuilderFactory builders = Json.createBuilderFactory(Map.of());
    JsonArrayBuilder rows = builders.createArrayBuilder();
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.isBlank()) {
        continue;
      }
      try (JsonReader reader = readers.createReader(new StringReader(line))) {
        JsonObject object = reader.readObject();
        JsonArrayBuilder row = builders.createArrayBuilder();
        columns.forEach(column -> row.add(object.get(column)));
        rows.add(row);
      }
    }
    return rows.build();
  }

  /** The application's class path first: the data need not be in the same jar as this class. */
  private static InputStream open(String resource) {
    ClassLoader application = Thread.currentThread().getContextClassLoader();
    InputStream in = application == null ? null : application.getResourceAsStream(resource);
    return in != null ? in : ExtractInventory.class.getClassLoader().getResourceAsStream(resource);
  }
}
