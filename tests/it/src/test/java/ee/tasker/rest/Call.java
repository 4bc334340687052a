package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * A request of an operation that the contract describes; its answer is judged by the contract. Each
 * change makes another one.
 */
record Call(Contract contract, Contract.Operation operation, Map<String, String> path,
    Map<String, String> query, Map<String, String> headers, String type, String body) {

  static Call of(Contract contract, String operation) {
    assertThat(contract.operation(operation)).as("an operation %s in the document", operation)
        .isNotNull();
    return new Call(contract, contract.operation(operation), Map.of(), Map.of(), Map.of(), null,
        null);
  }

  private static Map<String, String> with(Map<String, String> map, String name, Object value) {
    Map<String, String> more = new LinkedHashMap<>(map);
    more.put(name, value.toString());
    return more;
  }

  Call path(String name, Object value) {
    return new Call(contract, operation, with(path, name, value), query, headers, type, body);
  }

  Call query(String name, Object value) {
    return new Call(contract, operation, path, with(query, name, value), headers, type, body);
  }

  Call header(String name, String value) {
    return new Call(contract, operation, path, query, with(headers, name, value), type, body);
  }

  /** In single quotes. */
  Call json(String json) {
    return body("application/json", TaskerClient.quoted(json));
  }

  Call body(String mediaType, String text) {
    return new Call(contract, operation, path, query, headers, mediaType, text);
  }

  /** The same about something that is not there. */
  Call aboutNothing() {
    Map<String, String> nothing = new LinkedHashMap<>();
    operation.parameters("path").forEach(parameter -> nothing.put(parameter.getString("name"),
        "uuid".equals(parameter.getJsonObject("schema").getString("format", ""))
            ? UUID.randomUUID().toString() : "nothing"));
    return new Call(contract, operation, nothing, query, headers, type, body);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  String uri() {
    String uri = operation.path();
    for (Map.Entry<String, String> part : path.entrySet()) {
      uri = uri.replace("{" + part.getKey() + "}", encoded(part.getValue()));
    }
    assertThat(uri).as("all parts of the path are given").doesNotContain("{");
    return uri + (query.isEmpty() ? "" : "?"
        + query.entrySet().stream()
            .map(each -> encoded(each.getKey()) + "=" + encoded(each.getValue()))
            .collect(Collectors.joining("&")));
  }

  Answer sendAs(TaskerClient caller) {
    HttpRequest.Builder request = caller.request(uri()).setHeader("Accept", "*/*")
        .method(operation.method(), body == null ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofString(body));
    headers.forEach(request::setHeader);
    if (type != null) {
      request.setHeader("Content-Type", type);
    }
    Answer answer = operation.id().startsWith("stream") ? caller.sendForBeginning(request)
        : caller.send(request);
    contract.check(operation, answer);
    return answer;
  }

  /** Fails the test unless the document allows this request. */
  Call right() {
    assertThat(contract.complaints(operation, query, type, body))
        .as("%s is asked as described: %s", operation, this).isEmpty();
    return this;
  }

  @Override
  public String toString() {
    return operation.method() + " " + uri() + " " + body;
  }
}
