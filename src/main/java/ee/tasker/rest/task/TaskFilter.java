package ee.tasker.rest.task;

import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Refusals;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.Filters;
import ee.tasker.rest.http.Parameters;
import ee.tasker.security.Permission;
import ee.tasker.template.model.Limits;
import ee.tasker.template.model.SearchAttributes;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.ws.rs.core.UriInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The query parameters that select tasks, for lists and counts: within the namespaces that the
 * caller may list.
 */
public final class TaskFilter {
  static final String ORDER = "order";
  private static final Set<String> FLAGS = Set.of("sla_breached", "roots");
  private static final Set<String> STATE_LISTS = Set.of("state", "state_not");
  /** Each may be given once. */
  public static final Set<String> FILTERS = Set.of(
      "namespace", "name", "name_not", "name_prefix", "version", "state", "state_not", "initiator",
      "source_system", "correlation_id",
      "parent_correlation_id", "sla_breached", "roots", "task_uuid", "failed_step", "error_type",
      "error_signature", "attribute_value",
      "tag", "created_after", "created_before", "updated_after", "updated_before",
      "completed_after", "completed_before");
  /** May be repeated. */
  public static final String ATTRIBUTE = "attribute";
  /** Of a step that stands in error: what the caller may read with {@code steps:read}. */
  static final Set<String> OF_STEPS = Set.of("failed_step", "error_type", "error_signature");
  /** In one request: what a page has. */
  private static final int MOST_UUIDS = 100;

  private TaskFilter() {
  }

  /**
   * @param order of the list; null for the default
   * @throws Problem 400 with the parameter, 403 not-permitted
   */
  static JsonObject read(UriInfo uri, Access access, String order) {
    JsonObjectBuilder filter = Json.build().createObjectBuilder();
    if (order != null) {
      filter.add(ORDER, checked(ORDER, order));
    }
    for (String key : FILTERS) {
      String value = uri.getQueryParameters().getFirst(key);
      if (value != null) {
        filter.add(key, checked(key, value));
      }
    }
    List<Permission> needed = new ArrayList<>();
    JsonObject attributes = attributes(uri.getQueryParameters().getOrDefault(ATTRIBUTE, List.of()));
    if (!attributes.isEmpty()) {
      filter.add("attributes", attributes);
    }
    if (!attributes.isEmpty() || uri.getQueryParameters().containsKey("attribute_value")) {
      needed.add(Permission.TASKS_CONTEXT_READ);
    }
    if (OF_STEPS.stream().anyMatch(uri.getQueryParameters()::containsKey)) {
      needed.add(Permission.STEPS_READ);
    }
    access.limit(filter, needed, uri.getQueryParameters().getFirst("namespace"));
    return filter.build();
  }

  /** @throws Problem 400 when the database knows no such attribute */
  static JsonObject checked(JsonObject reply) {
    if (!Refusals.outcome(reply).isEmpty()) {
      throw Problem.invalid(ATTRIBUTE, reply.getString("message"));
    }
    return reply;
  }

  /** Parses {@code name:value}; the value may contain colons and may be empty. */
  private static JsonObject attributes(List<String> given) {
    if (given.size() > Limits.SEARCH_ATTRIBUTES) {
      throw Problem.invalid(ATTRIBUTE,
          "must be given at most " + Limits.SEARCH_ATTRIBUTES + " times");
    }
    Map<String, String> values = new TreeMap<>();
    for (String each : given) {
      int colon = each.indexOf(':');
      if (colon < 0 || !SearchAttributes.isName(each.substring(0, colon))) {
        throw Problem.invalid(ATTRIBUTE,
            "must be the name of a search attribute, a colon and its value, as in order:A-17");
      }
      String name = each.substring(0, colon);
      String value = each.substring(colon + 1);
      if (value.codePointCount(0, value.length()) > Limits.SEARCH_ATTRIBUTE_VALUE) {
        throw Problem.invalid(ATTRIBUTE, "the value of " + name + " must have at most "
            + Limits.SEARCH_ATTRIBUTE_VALUE + " characters");
      }
      if (values.put(name, value) != null) {
        throw Problem.invalid(ATTRIBUTE, "must name " + name + " once");
      }
    }
    JsonObjectBuilder attributes = Json.build().createObjectBuilder();
    values.forEach(attributes::add);
    return attributes.build();
  }

  private static String checked(String key, String value) {
    if (STATE_LISTS.contains(key)
        && !TasksResource.STATES.containsAll(List.of(value.split(",", -1)))) {
      throw Problem.invalid(key, "must be one or more states, separated by commas; allowed: "
          + String.join(", ", TasksResource.STATES.stream().sorted().toList()));
    }
    if (ORDER.equals(key) && !Set.of("newest", "oldest").contains(value)) {
      throw Problem.invalid(key, "must be newest or oldest");
    }
    if (FLAGS.contains(key) && !Set.of("true", "false").contains(value)) {
      throw Problem.invalid(key, "must be true or false");
    }
    if (key.endsWith("_after") || key.endsWith("_before")) {
      return Parameters.time(value)
          .orElseThrow(() -> Problem.invalid(key,
              "must be a date and time with an offset, as in 2026-01-31T12:00:00Z"))
          .toString();
    }
    if ("task_uuid".equals(key)) {
      String[] uuids = value.split(",", -1);
      if (uuids.length > MOST_UUIDS) {
        throw Problem.invalid(key, "must be at most " + MOST_UUIDS + " uuids, separated by commas");
      }
      return Stream.of(uuids).map(uuid -> Parameters.uuid(key, uuid).toString())
          .collect(Collectors.joining(","));
    }
    if (key.endsWith("correlation_id")) {
      return Parameters.uuid(key, value).toString();
    }
    return Filters.bounded(key, value);
  }
}
