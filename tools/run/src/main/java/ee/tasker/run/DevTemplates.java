package ee.tasker.run;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Registers templates with the running server as any other client does. */
final class DevTemplates {

  private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
      .connectTimeout(Duration.ofSeconds(2))
      .build();
  private final URI base;
  private final Login login;

  DevTemplates(URI base, Login login) {
    this.base = base;
    this.login = login;
  }

  /**
   * @param  shown the name of the file in messages
   * @return       what to print: what was registered, or each problem as {@code file:line:column:
   *   error: …}
   */
  List<String> register(Path file, String shown) throws IOException, InterruptedException {
    var text = Files.readString(file);
    var verdict = post("/v1/templates/validate", text);
    if (verdict.statusCode() != 200)
      return List.of(shown + ": " + sentence(verdict));
    var answer = object(verdict.body());
    if (!answer.getBoolean("valid")) {
      var lines = new ArrayList<String>();
      for (var problem : answer.getJsonArray("problems").getValuesAs(JsonObject.class)) {
        var path = problem.getString("path", "");
        lines.add(shown + ":" + problem.getInt("line", 1) + ":" + problem.getInt("column", 1)
            + ": error: "
            + (path.isEmpty() ? "" : path + ": ") + problem.getString("message"));
      }
      return lines;
    }
    var registered = post("/v1/templates", text);
    return switch (registered.statusCode()) {
      case 201 -> lines(shown, "registered as ", object(registered.body()));
      case 200 -> lines(shown, "registered already as ", object(registered.body()));
      case 409 -> List.of(shown + ":" + lineOfVersion(text) + ": error: " + sentence(registered));
      default -> List.of(shown + ": error: " + sentence(registered));
    };
  }

  private static List<String> lines(String shown, String done, JsonObject answer) {
    var lines = new ArrayList<String>();
    lines.add(shown + ": " + done + name(answer));
    for (var warning : answer.getJsonArray("warnings").getValuesAs(JsonString.class))
      lines.add(shown + ": warning: " + warning.getString());
    return lines;
  }

  private static String name(JsonObject template) {
    return template.getString("namespace", "") + "/" + template.getString("name", "") + ":"
        + template.getString("version", "");
  }

  private static String lineOfVersion(String text) {
    var lines = text.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).startsWith("version:"))
        return (i + 1) + ":1";
    }
    return "1:1";
  }

  private static String sentence(HttpResponse<String> response) {
    try {
      var problem = object(response.body());
      return problem.getString("detail",
          problem.getString("title", "refused with " + response.statusCode()));
    } catch (RuntimeException e) {
      return "the server answered " + response.statusCode();
    }
  }

  private HttpResponse<String> post(String path, String text)
      throws IOException, InterruptedException {
    return http.send(HttpRequest.newBuilder(base.resolve(path)).timeout(Duration.ofSeconds(20))
        .header("Content-Type", "application/yaml")
        .header("Authorization", login.basic()).POST(HttpRequest.BodyPublishers.ofString(text))
        .build(), HttpResponse.BodyHandlers.ofString());
  }

  private static JsonObject object(String text) {
    try (var reader = Json.createReader(new StringReader(text))) {
      return reader.readObject();
    }
  }
}
