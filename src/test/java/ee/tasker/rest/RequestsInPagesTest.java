package ee.tasker.rest;

import static ee.tasker.testing.Sources.files;
import static ee.tasker.testing.Sources.text;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The body of each request that a page sends with curl fits the schema of its operation. */
class RequestsInPagesTest {
  /** Sent to show what is refused. */
  private static final String REFUSED = "\"contxt\"";
  private static final Pattern BLOCK = Pattern.compile("(?s)```\\w*\n(.*?)```");
  /** Method, path and body, which ends at a quote that no variable of the shell follows. */
  private static final Pattern REQUEST = Pattern.compile("(?s)\\bcurl [^\n]*?(?:-X (\\w+) )?"
      + "\"?\\$BASE(/v1[^\\s\"?]*)(?:(?!curl )[^'])*?-H 'Content-Type: application/json'"
      + "(?: -H '[^']*')*\\s*\\\\?\\s*(?: -H '[^']*'\\s*\\\\?\\s*)*-d '(.*?\\})'(?![$\\w])");

  private final JsonObject document = Json
      .createReader(new StringReader(new OpenApiDocument().json())).readObject();

  @Test
  void bodies_of_requests_fit_the_schemas_of_their_operations() {
    List<String> wrong = new ArrayList<>();
    int checked = 0;
    for (Path page : pages()) {
      for (MatchResult block : BLOCK.matcher(text(page)).results().toList()) {
        for (MatchResult request : REQUEST.matcher(block.group(1)).results().toList()) {
          String body = request.group(3).replaceAll("'\\$\\w+'",
              "01a1fc6e-1d0d-71ce-8f50-9e108c662c91");
          if (body.contains(REFUSED)) {
            continue;
          }
          checked++;
          String method = request.group(1) == null ? "post"
              : request.group(1).toLowerCase(Locale.ROOT);
          JsonObject schema = schema(method, request.group(2).replaceAll("\\$\\w+", "x"));
          if (schema == null) {
            wrong.add(page + ": no such operation takes a body: " + request.group());
          } else {
            JsonValue sent = Json.createReader(new StringReader(body)).readValue();
            List<?> complaints = OpenApiSchemas.of(document, schema).validate(sent).complaints();
            if (!complaints.isEmpty()) {
              wrong.add(page + ": " + complaints + ": " + body);
            }
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(checked).isGreaterThan(10);
  }

  private JsonObject schema(String method, String path) {
    return document.getJsonObject("paths").entrySet().stream()
        .filter(entry -> path.matches(entry.getKey().replaceAll("\\{[^}]*}", "[^/:]+")))
        .map(entry -> entry.getValue().asJsonObject().getJsonObject(method))
        .filter(operation -> operation != null && operation.containsKey("requestBody"))
        .map(operation -> operation.getJsonObject("requestBody").getJsonObject("content")
            .getJsonObject("application/json").getJsonObject("schema"))
        .findFirst().orElse(null);
  }

  private static List<Path> pages() {
    return Stream.of("docs", "samples", "examples", "clients")
        .flatMap(folder -> files(Path.of(folder), ".md").stream()).toList();
  }
}
