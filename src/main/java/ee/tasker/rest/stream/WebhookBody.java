package ee.tasker.rest.stream;

import ee.tasker.platform.Author;
import ee.tasker.platform.Json;
import ee.tasker.rest.http.Authors;
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
 * @param author    the caller, when the request does not name another
 */
record WebhookBody(JsonObject webhook, String namespace, String url, Optional<String> secret,
    Integer version, Author author) {

  static WebhookBody create(JsonObject body, String actor) {
    return read(body, true, actor);
  }

  static WebhookBody update(JsonObject body, String actor) {
    return read(body, false, actor);
  }

  private static WebhookBody read(JsonObject body, boolean isNew, String actor) {
    Members members = new Members(body);
    JsonObjectBuilder webhook = Json.build().createObjectBuilder();
    String namespace = null;
    String secret = null;
    if (isNew) {
      namespace = members.optionalText("namespace", 29);
      if (namespace != null && !namespace.isEmpty() && !TemplateKey.isNamespace(namespace)) {
        members.wrong("namespace", "must be a letter followed by letters, digits and underscores");
      }
      Members.addGiven(webhook, "namespace", namespace);
      webhook.add("name", members.text("name", 64));
      secret = members.optionalText("secret", 100);
      Members.addGiven(webhook, "from", point(members));
    }
    String url = members.text("url", 2_000);
    webhook.add("url", url);
    Members.addGiven(webhook, "description", members.optionalText("description", 1_000));
    List<String> types = members.texts("event_types", 100, 255);
    if (types != null && types.isEmpty()) {
      members.wrong("event_types", "must not be empty; leave it out for all types");
    }
    Members.addGiven(webhook, "event_types", types);
    Members.addGiven(webhook, "template_name", members.optionalText("template", 64));
    webhook.add("timeout_seconds", members.number("timeout_seconds", 1, 60, 15))
        .add("max_attempts", members.number("max_attempts", 1, 100, 20))
        .add("max_in_flight", members.number("max_in_flight", 1, 32, 4))
        .add("backoff_seconds", members.number("backoff_seconds", 1, 3_600, 5))
        .add("backoff_cap_seconds", members.number("backoff_cap_seconds", 1, 86_400, 21_600))
        .add("pause_after_hours", members.number("pause_after_hours", 1, 720, 120));
    Integer version = isNew ? null
        : members.required("version", members.number("version", 1, Integer.MAX_VALUE), null);
    return new WebhookBody(webhook.build(), namespace, url, Optional.ofNullable(secret), version,
        Authors.of(members, actor, isNew ? "new webhook" : "changed webhook"));
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
}
