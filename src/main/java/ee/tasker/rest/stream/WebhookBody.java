package ee.tasker.rest.stream;

import ee.tasker.platform.Json;
import ee.tasker.rest.http.ActionReader;
import ee.tasker.rest.http.Members;
import ee.tasker.rest.http.Parameters;
import ee.tasker.template.model.TemplateKey;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a request says about a webhook.
 *
 * @param webhook   each member with its value or its default, under the names of the database
 * @param namespace of a new webhook; null for all
 * @param url       also in {@code webhook}
 * @param secret    of a new webhook, when its author gives one
 * @param version   that the author saw; null for a new webhook
 * @param by        null when the request does not say
 */
record WebhookBody(JsonObject webhook, String namespace, String url, Optional<String> secret,
    Integer version, String by, String reason) {

  static WebhookBody create(JsonObject body) {
    return read(body, true);
  }

  static WebhookBody update(JsonObject body) {
    return read(body, false);
  }

  private static WebhookBody read(JsonObject body, boolean isNew) {
    Members members = new Members(body);
    JsonObjectBuilder webhook = Json.build().createObjectBuilder();
    String namespace = null;
    String secret = null;
    if (isNew) {
      namespace = members.optionalText("namespace", 29);
      if (namespace != null && !namespace.isEmpty() && !TemplateKey.isNamespace(namespace)) {
        members.wrong("namespace", "must be a letter followed by letters, digits and underscores");
      }
      add(webhook, "namespace", namespace);
      webhook.add("name", members.text("name", 64));
      secret = members.optionalText("secret", 100);
      add(webhook, "from", point(members));
    }
    String url = members.text("url", 2_000);
    webhook.add("url", url);
    add(webhook, "description", members.optionalText("description", 1_000));
    List<String> types = members.texts("event_types", 100, 255);
    if (types != null && types.isEmpty()) {
      members.wrong("event_types", "must not be empty; leave it out for all types");
    } else if (types != null) {
      webhook.add("event_types", Json.build().createArrayBuilder(types));
    }
    add(webhook, "template_name", members.optionalText("template", 64));
    addNumber(members, webhook, "timeout_seconds", 1, 60, 15);
    addNumber(members, webhook, "max_attempts", 1, 100, 20);
    addNumber(members, webhook, "max_in_flight", 1, 32, 4);
    addNumber(members, webhook, "backoff_seconds", 1, 3_600, 5);
    addNumber(members, webhook, "backoff_cap_seconds", 1, 86_400, 21_600);
    addNumber(members, webhook, "pause_after_hours", 1, 720, 120);
    Integer version = isNew ? null : members.number("version", 1, Integer.MAX_VALUE);
    if (!isNew && version == null && !members.has("version")) {
      members.wrong("version", "is required");
    }
    String by = members.optionalText("requested_by", ActionReader.WHO);
    String reason = members.optionalText("reason", ActionReader.WHY);
    members.check();
    return new WebhookBody(webhook.build(), namespace, url, Optional.ofNullable(secret), version,
        by, reason == null ? isNew ? "new webhook" : "changed webhook" : reason);
  }

  /** The point of the feed in the member {@code from}; null when absent or wrong. */
  static String point(Members members) {
    String from = members.optionalText("from", 64);
    if (from == null || Set.of("now", "beginning").contains(from) || from.matches("[0-9]{1,18}")) {
      return from;
    }
    return Parameters.time(from).map(Object::toString).orElseGet(() -> {
      members.wrong("from",
          "must be now, beginning, a position of the feed, or a date and time with an offset");
      return null;
    });
  }

  private static void add(JsonObjectBuilder object, String name, String value) {
    if (value != null) {
      object.add(name, value);
    }
  }

  private static void addNumber(Members members, JsonObjectBuilder webhook, String name, int least,
      int most, int fallback) {
    Integer number = members.number(name, least, most);
    webhook.add(name, number == null ? fallback : number);
  }
}
