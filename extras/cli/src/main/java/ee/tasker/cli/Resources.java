package ee.tasker.cli;

import ee.tasker.client.Call;
import ee.tasker.client.Operation;
import ee.tasker.client.TaskerClient;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The documents of tasks and steps, and the sources of templates, as resources of the Model Context
 * Protocol: an assistant reads one when
 * it needs it, and no answer has to carry it. Of a long document the part from {@code offset} on is
 * read.
 */
final class Resources {
  private static final String PARTS = "{?pointer,offset}";
  private static final String PART_OF_URI = "([^/?#]+)";
  private static final Pattern URI = Pattern.compile("tasker://([^?#]+)(?:\\?([^#]*))?");

  /** A kind of resource. */
  private record Kind(Operation operation, String path, String title, String description,
      String type) {

    Optional<Map<String, String>> variables(String asked) {
      List<String> names = Pattern.compile("\\{(\\w+)\\}").matcher(path).results()
          .map(found -> found.group(1)).toList();
      Matcher found = Pattern
          .compile(path.replaceAll("\\{\\w+\\}", Matcher.quoteReplacement(PART_OF_URI)))
          .matcher(asked);
      if (!found.matches()) {
        return Optional.empty();
      }
      Map<String, String> variables = new HashMap<>();
      for (int i = 0; i < names.size(); i++) {
        variables.put(names.get(i), decoded(found.group(i + 1)));
      }
      return Optional.of(variables);
    }
  }

  private static final List<Kind> KINDS = List.of(
      new Kind(Operation.READ_TASK_DOCUMENT, "tasks/{task_uuid}/{document}", "A document of a task",
          "document is context or output; pointer is a JSON pointer to a part of it.",
          "application/json"),
      new Kind(Operation.READ_STEP_DOCUMENT, "tasks/{task_uuid}/steps/{step_uuid}/{document}",
          "A document of a step",
          "document is result, error, inputs or checkpoint, of the latest attempt; pointer is a JSON pointer to a part of it.",
          "application/json"),
      new Kind(Operation.GET_TEMPLATE, "templates/{namespace}/{name}/{version}",
          "The source of a template",
          "As it was registered, with its comments.", "application/yaml"));

  private Resources() {}

  /** As {@code resources/templates/list} answers it. */
  static JsonArray templates() {
    var templates = Json.createArrayBuilder();
    KINDS.forEach(kind -> templates.add(Json.createObjectBuilder()
        .add("uriTemplate",
            "tasker://" + kind.path()
                + (kind.operation() == Operation.GET_TEMPLATE ? "{?offset}" : PARTS))
        .add("name", kind.operation().name().toLowerCase(Locale.ROOT)).add("title", kind.title())
        .add("description", kind.description()).add("mimeType", kind.type())));
    return templates.build();
  }

  /**
   * As {@code resources/read} answers it.
   *
   * @throws UsageException if there is no such kind of resource
   */
  static JsonObject read(TaskerClient client, String uri) {
    Matcher asked = URI.matcher(uri);
    if (asked.matches()) {
      for (Kind kind : KINDS) {
        Optional<Map<String, String>> variables = kind.variables(asked.group(1));
        if (variables.isPresent()) {
          return Json.createObjectBuilder()
              .add("contents",
                  Json.createArrayBuilder().add(Json.createObjectBuilder().add("uri", uri)
                      .add("mimeType", kind.type())
                      .add("text", text(client, kind, variables.get(), query(asked.group(2))))))
              .build();
        }
      }
    }
    throw new UsageException("there is no resource " + uri + "; there are "
        + String.join(", ", KINDS.stream().map(kind -> "tasker://" + kind.path()).toList()));
  }

  private static String text(TaskerClient client, Kind kind, Map<String, String> variables,
      Map<String, String> query) {
    String offset = query.getOrDefault("offset", "0");
    if (!offset.matches("\\d{1,9}")) {
      throw new UsageException("offset must be a number of characters");
    }
    if (kind.operation() == Operation.GET_TEMPLATE) {
      Call call = Call.of(kind.operation());
      variables.forEach(call::path);
      JsonObject template = client.send(call).json();
      String source = template.get("source") instanceof JsonString text ? text.getString()
          : Text.yaml(template.get("configuration"));
      int from = source.offsetByCodePoints(0,
          Math.min(Integer.parseInt(offset), source.codePointCount(0, source.length())));
      int to = Math.min(source.length(), from + Mcp.LONGEST_TEXT);
      return source.substring(from, to)
          + (to < source.length() ? rest(source.codePointCount(0, to)) : "");
    }
    Call part = Call.of(kind.operation()).query("offset", offset).query("limit", Mcp.LONGEST_TEXT)
        .query("pointer", query.get("pointer"));
    variables.forEach(part::path);
    JsonObject read = client.send(part).json();
    return read.getString("text")
        + (read.get("next_offset") instanceof JsonNumber next ? rest(next.longValue()) : "");
  }

  private static String rest(long next) {
    return "\n… cut here: the rest has offset=" + next;
  }

  private static Map<String, String> query(String query) {
    Map<String, String> values = new HashMap<>();
    for (String pair : query == null || query.isEmpty() ? new String[0] : query.split("&")) {
      int equals = pair.indexOf('=');
      String name = equals < 0 ? pair : pair.substring(0, equals);
      if (!name.equals("pointer") && !name.equals("offset")) {
        throw new UsageException(
            "a resource has no parameter " + name + "; there are pointer and offset");
      }
      values.put(name, equals < 0 ? "" : decoded(pair.substring(equals + 1)));
    }
    return values;
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
