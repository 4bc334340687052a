package ee.tasker.cli;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * The task that was submitted last with this configuration, for each server: what {@code --last}
 * means, whoever else submits tasks.
 */
final class LastTask {
  private static final String FILE = "last-tasks.json";

  private LastTask() {}

  /**
   * A folder that cannot be written to keeps no command from working: {@link #load} tells that
   * there is none.
   */
  static void save(Invocation in, String task) {
    Path folder = Profiles.folder(in.terminal());
    JsonObjectBuilder tasks = Json.createObjectBuilder();
    try {
      saved(folder).forEach(tasks::add);
      Profiles.write(folder, FILE,
          Text.pretty(tasks.add(in.client().url().toString(), task).build()));
    } catch (IOException | UsageException | UncheckedIOException e) {
      if (in.flag("--debug")) {
        in.terminal().err().println("Not remembered for --last: " + Text.printable(Faults.text(e)));
      }
    }
  }

  static UUID load(Invocation in) {
    String url = in.client().url().toString();
    try {
      return UUID.fromString(saved(Profiles.folder(in.terminal())).getString(url));
    } catch (IOException | RuntimeException e) {
      throw new UsageException("--last: no task was submitted from here to " + url);
    }
  }

  private static JsonObject saved(Path folder) throws IOException {
    Path file = folder.resolve(FILE);
    if (!Files.exists(file)) {
      return JsonObject.EMPTY_JSON_OBJECT;
    }
    return Text.parse(Files.readString(file), FILE) instanceof JsonObject tasks ? tasks
        : JsonObject.EMPTY_JSON_OBJECT;
  }
}
