package ee.tasker.rest;

import ee.tasker.rest.Contract.Operation;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/**
 * Requests made from the schemas of a contract: right ones, nearly right ones, and wrong ones of
 * many kinds. The same seed and the same things make the same requests.
 */
final class FuzzedRequests {
  private static final List<String> TEXTS = List.of("", " ", "\u0000", "a\u0000b", "\ud800",
      "x\udc00", "\ud83d\ude80 \u202eabc",
      "Ünïcødé 漢字", "x".repeat(129), "x".repeat(1_001), "y".repeat(70_000),
      "'; drop table tasker.tasks; --", "\" or 1=1 --", "${jndi:ldap://127.0.0.1/x}", "%s%n%d",
      "../../../etc/passwd",
      "<script>alert(1)</script>", "null", "-1", "1e400", "{\"a\":1}", "\r\nX-More: 1",
      "9999-99-99T99:99:99Z", "+999999999-12-31T23:59:59Z", "infinity",
      "00000000-0000-0000-0000-000000000000", "\\u0000", "\\", "%", "*",
      "_", "\u2028", "\ufeff", "\uffff");
  private static final List<String> RAW = List.of("%00", "%ff", "%c0%af", "..%2f..", "%2e%2e",
      "a%2Fb", "a;b=c", "%20", "%25",
      "x".repeat(2_000), "%F0%9F%9A%80", "-", "~", "a+b", "%5c", "%0d%0a");
  private static final List<String> LITERALS = List.of("null", "true", "[]", "{}", "-1", "0", "1.5",
      "1e2", "9223372036854775808",
      "-9223372036854775809", "2147483648", "1e999999999", "-1e-999999999", "9".repeat(1_500),
      "[[[[[[[[]]]]]]]]", "\"\\ud800\"", "\"\\u0000\"", "[null]", "{\"\":null}", "\"text\"",
      "[\"a\",1]");
  private static final List<String> TYPES = List.of("application/json; charset=utf-16",
      "application/jsonx", "text/html", "application/xml",
      "multipart/form-data", "application/x-www-form-urlencoded", "json", "*/*",
      "application/json;charset=nonsense", "application/json; boundary=\"",
      "application/merge-patch+json", "application/octet-stream",
      "a/b/c", "APPLICATION/JSON");
  private static final int OFTEN = 5;

  private final Contract contract;
  private final Map<String, List<String>> known;
  private final Random random;

  /**
   * @param isPlain whether it is of the operation that it was made for: its path was not bent, nor
   * its method
   */
  record Fuzzed(Operation operation, String method, String uri, Map<String, String> headers,
      byte[] body, boolean isPlain) {

    @Override
    public String toString() {
      String text = new String(body, StandardCharsets.UTF_8);
      return method + " " + uri + " " + headers + " "
          + (text.length() > 600 ? text.substring(0, 600) + "… (" + text.length() + ")" : text);
    }
  }

  /** @param known values that mean something, by the name of the member or parameter */
  FuzzedRequests(Contract contract, Map<String, List<String>> known, long seed) {
    this.contract = contract;
    this.known = known;
    this.random = new Random(seed);
  }

  private boolean once(int in) {
    return random.nextInt(in) == 0;
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  Fuzzed next(Operation operation) {
    // Half of the bodies are right, so that what is behind the checks is reached too.
    boolean isPlain = true;
    String uri = operation.path();
    for (JsonObject parameter : operation.parameters("path").toList()) {
      boolean isBent = once(12);
      isPlain &= !isBent;
      String value = isBent ? one(RAW) : encoded(text(parameter, OFTEN));
      // Without a value it is another path.
      isPlain &= !value.isEmpty();
      uri = uri.replace("{" + parameter.getString("name") + "}", value);
    }
    String query = query(operation);
    Map<String, String> headers = headers(operation);
    byte[] body = operation.hasBody() ? body(operation, headers)
        : once(15) ? "{\"a\": 1}".getBytes(StandardCharsets.UTF_8) : new byte[0];
    String method = operation.method();
    if (once(40)) {
      method = one(List.of("PUT", "PATCH", "POST", "DELETE", "GET", "OPTIONS", "PROPFIND"));
      isPlain &= method.equals(operation.method());
    }
    isPlain &= !headers.getOrDefault("Accept", "*/*").contains("nonsense");
    return new Fuzzed(operation, method, uri + (query.isEmpty() ? "" : "?" + query), headers, body,
        isPlain);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private String query(Operation operation) {
    List<String> parts = new ArrayList<>();
    operation.parameters("query").forEach(parameter -> {
      if (parameter.getBoolean("required", false) ? !once(20) : once(3)) {
        String name = parameter.getString("name");
        parts.add(name + "=" + (once(15) ? one(RAW) : encoded(text(parameter, OFTEN))));
        if (once(40)) {
          parts.add(name + "=" + encoded(text(parameter, OFTEN)));
        }
      }
    });
    if (once(30)) {
      parts.add(one(List.of("colour=red", "=", "&&", "%00=1", "limit", "a=%ff",
          "x".repeat(300) + "=1", "wait=-1")));
    }
    return String.join("&", parts);
  }

  private Map<String, String> headers(Operation operation) {
    Map<String, String> headers = new LinkedHashMap<>();
    operation.parameters("header").filter(parameter -> once(4))
        .forEach(parameter -> headers.put(parameter.getString("name"), once(3)
            ? one(List.of("", "\"\"", "x".repeat(300), "\"a", "a\"b", "key\twith\ttabs",
                "5-5-5-x-1", "-1", "k k"))
            : "key-" + random.nextInt(40)));
    if (once(20)) {
      headers.put("Accept", one(List.of("text/nonsense", "application/xml, nonsense/*", "*/*;q=0.1",
          "application/json", "nonsense")));
    }
    if (once(20)) {
      headers.put("X-Correlation-Id",
          one(List.of("abc", UUID.randomUUID().toString(), "x".repeat(200), "<b>")));
    }
    if (once(20)) {
      headers.put("traceparent",
          one(List.of("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-xyz",
              "x".repeat(200),
              "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")));
    }
    if (once(60)) {
      headers.put("Content-Encoding", one(List.of("gzip", "br", "nonsense")));
    }
    return headers;
  }

  private byte[] body(Operation operation, Map<String, String> headers) {
    JsonObject content = operation.value().getJsonObject("requestBody").getJsonObject("content");
    String type = one(List.copyOf(content.keySet()));
    headers.put("Content-Type", once(25) ? one(TYPES) : type);
    if (once(100)) {
      headers.remove("Content-Type");
    }
    String text = type.equals("application/json") && !operation.id().contains("Template")
        ? right(content.getJsonObject(type).getJsonObject("schema"), "", 0).toString() : template();
    int bent = random.nextInt(3);
    for (int i = 0; i < bent; i++) {
      text = bend(text);
    }
    if (once(60)) {
      return new byte[]{'{', '"', (byte) 0xff, (byte) 0xfe, '"', ':', '1', '}'};
    }
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private String template() {
    String name = "fuzzed_" + random.nextInt(1_000);
    String yaml = """
        name: NAME
        namespace_name: testing
        version: "1.0.0"
        identity_strategy: always_unique
        steps:
          - name: a
            handler: {callable: testing.Echo}
            retry: {max_attempts: 1}
          - name: b
            dependencies: [a]
            handler: {callable: testing.Echo}
        """.replace("NAME", name);
    return switch (random.nextInt(8)) {
      case 0 -> yaml.replace("dependencies: [a]",
          "dependencies: [" + one(List.of("b", "c", "a, a", "1", "{}", "*x", "\"\"")) + "]");
      case 1 -> yaml.replace("identity_strategy: always_unique",
          one(List.of("identity_strategy: none", "system_dependencies: 1",
              "!!java.lang.Runtime {}", "a: &a [*a]", "lifecycle: []",
              "input_schema: {type: nothing}", "\tname: x")));
      case 2 -> yaml.replace("1.0.0",
          one(List.of("1", "1.0", "x.y.z", "1.0.0-" + "r".repeat(50), "999999999999.0.0")));
      case 3 -> yaml.substring(0, random.nextInt(yaml.length()));
      case 4 -> yaml.replace("name: a", "name: "
          + one(List.of("\"\\0\"", "\"\\ud800\"", "x".repeat(300), "[a]", "null", "'a b/c'", "~")));
      case 5 -> yaml.replace("handler: {callable: testing.Echo}",
          one(List.of("handler: testing.Echo", "handler: {}", "handler: {callable: ''}",
              "handler: {callable: testing.Echo, method: 1}")));
      default -> yaml;
    };
  }

  /** One thing about a text is made wrong, as a text: what comes of it need not be JSON. */
  private String bend(String text) {
    int at = text.isEmpty() ? 0 : random.nextInt(text.length());
    List<Integer> values = new ArrayList<>();
    for (int i = text.indexOf(':'); i >= 0; i = text.indexOf(':', i + 1)) {
      values.add(i);
    }
    int value = values.isEmpty() ? -1 : one(values);
    int end = value < 0 ? -1 : endOfValue(text, value + 1);
    return switch (random.nextInt(16)) {
      case 0 -> text.substring(0, at);
      case 1 ->
        text.substring(0, at)
            + one(List.of("\u0000", "\"", "{", "}", ",", ":", "\\", "é", "[", "\u0001", "0"))
            + text.substring(at);
      case 2 -> text.replaceFirst("\\{", "{\"more\": 1, ");
      case 3 -> text.replaceFirst("\\{(\"[^\"]*\":)", "{$1 1, $1 ");
      case 4 -> "[".repeat(depth()) + "]".repeat(3);
      case 5 -> "\ufeff" + text;
      case 6 -> one(List.of("", "null", "[]", "\"\"", "0", "{}", "[{}]", "{\"a\"", "[" + text + "]",
          text + text));
      case 7 ->
        once(4) ? text.replaceFirst("\\{", "{\"" + "k".repeat(1_100_000) + "\": 1, ") : text;
      default -> value < 0 ? text : text.substring(0, value + 1) + weird() + text.substring(end);
    };
  }

  private int depth() {
    return one(List.of(10, 64, 65, 127, 129, 1_000, 100_000));
  }

  private String weird() {
    return switch (random.nextInt(8)) {
      case 0, 1, 2 -> one(LITERALS);
      case 3 -> "[".repeat(depth()) + "]".repeat(depth());
      case 4 -> {
        int depth = depth();
        yield "[".repeat(depth) + "]".repeat(depth);
      }
      case 5 -> "{\"a\":".repeat(70) + "1" + "}".repeat(70);
      default -> Json.createValue(one(TEXTS)).toString();
    };
  }

  private static int endOfValue(String text, int from) {
    int open = 0;
    boolean isText = false;
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      if (isText) {
        i += c == '\\' ? 1 : 0;
        isText = c != '"';
      } else if (c == '"') {
        isText = true;
      } else if (c == '{' || c == '[') {
        open++;
      } else if ((c == '}' || c == ']' || c == ',' || c == '\n') && open == 0) {
        return i;
      } else if (c == '}' || c == ']') {
        open--;
      }
    }
    return text.length();
  }

  /** The value of a parameter; one in {@code wrong} has nothing to do with its schema. */
  private String text(JsonObject parameter, int wrong) {
    if (once(wrong)) {
      return one(TEXTS).replaceAll("[\ud800-\udfff]", "").replaceAll("(?s)(.{3000}).*", "$1");
    }
    JsonValue value = right(parameter.getJsonObject("schema"), parameter.getString("name"), 0);
    return value instanceof JsonString string ? string.getString() : value.toString();
  }

  /** A value that fits the schema, as far as this knows schemas. */
  private JsonValue right(JsonObject given, String name, int depth) {
    JsonObject schema = contract.resolved(given);
    if (schema.containsKey("enum")) {
      return one(schema.getJsonArray("enum"));
    }
    if (schema.containsKey("anyOf")) {
      return right(one(schema.getJsonArray("anyOf").getValuesAs(JsonObject.class)), name, depth);
    }
    JsonValue type = schema.get("type");
    String kind = type instanceof JsonString text ? text.getString()
        : type == null ? one(List.of("object", "string", "integer", "null", "array"))
            : one(type.asJsonArray().getValuesAs(JsonString.class)).getString();
    return switch (kind) {
      case "null" -> JsonValue.NULL;
      case "boolean" -> random.nextBoolean() ? JsonValue.TRUE : JsonValue.FALSE;
      case "integer", "number" -> Json.createValue(number(schema, name));
      case "array" -> array(schema, name, depth);
      case "object" -> object(schema, name, depth);
      default -> Json.createValue(string(schema, name));
    };
  }

  private int number(JsonObject schema, String name) {
    int least = schema.getInt("minimum", 0);
    // No waiting longer than that.
    int most = name.equals("wait") ? 1 : schema.getInt("maximum", 1_000);
    return switch (random.nextInt(3)) {
      case 0 -> least;
      case 1 -> most;
      default -> least + random.nextInt(Math.max(1, Math.min(most - least, 1_000_000)));
    };
  }

  private String string(JsonObject schema, String name) {
    if (known.containsKey(name) && !once(8)) {
      return one(known.get(name));
    }
    return switch (schema.getString("format", "")) {
      case "uuid" -> new UUID(random.nextLong(), random.nextLong()).toString();
      case "date-time" -> "20" + (10 + random.nextInt(80)) + "-03-04T05:06:07Z";
      default -> {
        int length = Math.max(schema.getInt("minLength", 0),
            once(10) ? schema.getInt("maxLength", 30) : 1 + random.nextInt(12));
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
          text.append((char) ('a' + random.nextInt(26)));
        }
        yield text.toString();
      }
    };
  }

  private JsonValue array(JsonObject schema, String name, int depth) {
    JsonArrayBuilder array = Json.createArrayBuilder();
    int length = Math.max(schema.getInt("minItems", 0), random.nextInt(3));
    for (int i = 0; i < length; i++) {
      array.add(schema.containsKey("items") ? right(schema.getJsonObject("items"), name, depth + 1)
          : JsonValue.NULL);
    }
    return array.build();
  }

  private JsonValue object(JsonObject schema, String name, int depth) {
    JsonObjectBuilder object = Json.createObjectBuilder();
    if (!schema.containsKey("properties")) {
      object.add("way", one(List.of("permanent", "fine"))).add("who", "x");
      return object.build();
    }
    List<String> required = new ArrayList<>();
    if (schema.containsKey("required")) {
      schema.getJsonArray("required").getValuesAs(JsonString.class)
          .forEach(member -> required.add(member.getString()));
    }
    List<String> alternatives = new ArrayList<>();
    if (schema.containsKey("oneOf")) {
      schema.getJsonArray("oneOf").getValuesAs(JsonObject.class)
          .forEach(each -> alternatives.add(each.getJsonArray("required").getString(0)));
      required.add(one(alternatives));
    }
    schema.getJsonObject("properties").forEach((member, of) -> {
      if (required.contains(member) || !alternatives.contains(member) && once(3)) {
        object.add(member, right(of.asJsonObject(), member, depth + 1));
      }
    });
    return object.build();
  }
}
