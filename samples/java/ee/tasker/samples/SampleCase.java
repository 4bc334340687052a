package ee.tasker.samples;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A request of a sample and its expected result: {@code request-<name>.json} and {@code
 * expected-<name>.json} in the
 * sample's folder, or both without a name.
 *
 * @param sample the folder's name
 * @param name   empty for {@code request.json}
 */
public record SampleCase(String sample, String name, Path template, JsonObject request,
    JsonObject expected) {
  private static final String REQUEST = "request";
  private static final String JSON = ".json";

  /** All cases below a folder of samples, ordered by name. */
  public static List<SampleCase> in(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder, 2)) {
      return files.filter(SampleCase::isRequest).sorted().map(SampleCase::of).toList();
    }
  }

  /**
   * Whether repeating the request returns the same task, as it does unless the template says
   * otherwise.
   */
  public boolean isStrict() throws IOException {
    String strategy = "identity_strategy: ";
    return Files.readString(template).lines().filter(line -> line.startsWith(strategy))
        .allMatch(line -> line.equals(strategy + "strict"));
  }

  @Override
  public String toString() {
    return name.isEmpty() ? sample : sample + "/" + name;
  }

  private static boolean isRequest(Path file) {
    String name = file.getFileName().toString();
    return name.startsWith(REQUEST) && name.endsWith(JSON);
  }

  private static SampleCase of(Path request) {
    String file = request.getFileName().toString();
    String suffix = file.substring(REQUEST.length(), file.length() - JSON.length());
    Path folder = request.getParent();
    return new SampleCase(folder.getFileName().toString(),
        suffix.isEmpty() ? "" : suffix.substring(1), folder.resolve("template.yaml"), read(request),
        read(folder.resolve("expected" + suffix + JSON)));
  }

  private static JsonObject read(Path file) {
    try (JsonReader reader = Json.createReader(Files.newBufferedReader(file))) {
      return reader.readObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
