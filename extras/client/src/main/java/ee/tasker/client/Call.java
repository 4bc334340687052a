package ee.tasker.client;

import jakarta.json.JsonStructure;
import jakarta.json.JsonValue;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One request for an {@link Operation}: its parameters and body. Not thread-safe. */
public final class Call {
  private static final Pattern PARAMETER = Pattern.compile("\\{([a-z_]+)}");

  private final Operation operation;
  private final Map<String, String> path = new LinkedHashMap<>();
  private final List<Map.Entry<String, String>> query = new ArrayList<>();
  private final Map<String, String> headers = new LinkedHashMap<>();
  private String contentType;
  private String body;
  private Duration patience = Duration.ZERO;

  private Call(Operation operation) {
    this.operation = operation;
  }

  public static Call of(Operation operation) {
    return new Call(operation);
  }

  /** A parameter of the path; required for every one that the operation has. */
  public Call path(String name, Object value) {
    path.put(name, value.toString());
    return this;
  }

  /** A parameter of the query; several of one name are all sent, null sends nothing. */
  public Call query(String name, Object value) {
    if (value != null) {
      query.add(Map.entry(name, value.toString()));
    }
    return this;
  }

  /** A header; {@code Idempotency-Key} replaces the one that the client would generate. */
  public Call header(String name, String value) {
    headers.put(name, value);
    return this;
  }

  /** The JSON body. */
  public Call body(JsonStructure json) {
    return body("application/json", ((JsonValue) json).toString());
  }

  /** A body of another type: a template in {@code application/yaml}. */
  public Call body(String type, String text) {
    contentType = type;
    body = text;
    return this;
  }

  /**
   * How much longer than usual the answer may take, because the request asks the server to wait.
   */
  public Call patience(Duration longer) {
    patience = longer;
    return this;
  }

  public Operation operation() {
    return operation;
  }

  String target() {
    StringBuilder target = new StringBuilder();
    Matcher parameters = PARAMETER.matcher(operation.path());
    while (parameters.find()) {
      String value = path.get(parameters.group(1));
      if (value == null || value.isEmpty()) {
        throw new IllegalArgumentException(
            operation.id() + " needs the path parameter " + parameters.group(1));
      }
      parameters.appendReplacement(target, Matcher.quoteReplacement(segment(value)));
    }
    parameters.appendTail(target);
    char separator = '?';
    for (Map.Entry<String, String> parameter : query) {
      target.append(separator).append(encode(parameter.getKey())).append('=')
          .append(encode(parameter.getValue()));
      separator = '&';
    }
    return target.toString();
  }

  /** A value that would change the path ({@code .}, {@code ..}) is no name of anything either. */
  private static String segment(String value) {
    if (value.equals(".") || value.equals("..")) {
      throw new IllegalArgumentException("\"" + value + "\" cannot be part of a path");
    }
    return encode(value);
  }

  private static String encode(String value) {
    return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
  }

  Map<String, String> headers() {
    return headers;
  }

  String contentType() {
    return contentType;
  }

  String body() {
    return body;
  }

  Duration patience() {
    return patience;
  }
}
