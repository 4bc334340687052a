package ee.tasker.rest.stream;

import ee.tasker.platform.Author;
import ee.tasker.platform.Json;
import ee.tasker.platform.Members;
import ee.tasker.platform.Violations;
import ee.tasker.rest.http.Authors;
import ee.tasker.rest.http.Parameters;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.util.Optional;
import java.util.Set;

/**
 * What a valid request says about a webhook.
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

  static WebhookBody read(JsonObject body, String actor) {
    Integer version = Members.integer(body, "version");
    JsonObjectBuilder webhook = Members.given(body, "namespace", "name", "url", "description",
        "timeout_seconds", "max_attempts", "max_in_flight", "backoff_seconds",
        "backoff_cap_seconds", "pause_after_hours");
    Members.addGiven(webhook, "event_types", Members.texts(body, "event_types"));
    Members.addGiven(webhook, "template_name", body.get("template"));
    if (version == null) {
      webhook.add("from", point(body));
    }
    return new WebhookBody(webhook.build(), body.getString("namespace", null),
        body.getString("url"), Json.text(body, "secret"), version,
        Authors.of(body, actor, version == null ? "new webhook" : "changed webhook"));
  }

  /** What the schemas do not say about the member {@code from}. */
  static void check(JsonObject body, Violations violations) {
    String from = body.getString("from", null);
    if (from != null && !isPosition(from) && Parameters.time(from).isEmpty()) {
      violations.add("from",
          "must be now, beginning, a position of the feed, or a date and time with an offset");
    }
  }

  /** The point of the feed in the member {@code from} of a valid body. */
  static String point(JsonObject body) {
    String from = body.getString("from");
    return isPosition(from) ? from : Parameters.time(from).orElseThrow().toString();
  }

  private static boolean isPosition(String from) {
    return Set.of("now", "beginning").contains(from) || from.matches("[0-9]{1,18}");
  }
}
