package ee.tasker.webhook;

import ee.tasker.platform.Json;
import ee.tasker.testing.Sql;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** What servers and operators do with webhooks, in SQL and with the time that the test gives. */
final class WebhookDesk {
  static final String SECRET = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

  private final Sql sql;
  private final UUID server = UUID.randomUUID();

  WebhookDesk(Sql sql) {
    this.sql = sql;
  }

  /** More members in JSON overwrite the defaults. */
  static JsonObject members(String more) {
    JsonObjectBuilder webhook = Json.build().createObjectBuilder().add("name", "books")
        .add("url", "https://books.example.com/in")
        .add("secret", SECRET).add("timeout_seconds", 15).add("max_attempts", 20)
        .add("max_in_flight", 4).add("backoff_seconds", 10)
        .add("backoff_cap_seconds", 600).add("pause_after_hours", 24);
    return webhook.addAll(Json.build().createObjectBuilder(Json.parseObject("{" + more + "}")))
        .build();
  }

  UUID create(String more) {
    return UUID.fromString(save(members(more), null, null).getString("webhook_uuid"));
  }

  JsonObject save(JsonObject webhook, UUID uuid, Integer version) {
    return sql.object("select tasker.save_webhook(?::jsonb, 'ann', 'test', ?::uuid, ?::int)",
        webhook.toString(), uuid, version);
  }

  JsonObject change(UUID webhook, String action, String data) {
    return sql.object("select tasker.change_webhook(?, ?, 'ann', 'test', ?::jsonb)", webhook,
        action, data);
  }

  JsonObject claimReply(int limit, int reserved, Instant now) {
    return sql.object("select tasker.claim_deliveries(?, ?, ?, ?)", server, limit, reserved, now);
  }

  List<JsonObject> claim(int limit, Instant now) {
    return claimReply(limit, 0, now).getJsonArray("deliveries").getValuesAs(JsonObject.class);
  }

  /** @param more members of the result besides, with a comma before */
  JsonObject settle(JsonObject delivery, int status, String more, Instant now) {
    return sql.object("select tasker.settle_deliveries(?::jsonb, ?)",
        "[{\"delivery_uuid\": \"" + delivery.getString("delivery_uuid")
            + "\", \"claim\": " + delivery.getInt("claim") + ", \"status\": " + status + more
            + "}]",
        now);
  }

  JsonObject settle(JsonObject delivery, int status, Instant now) {
    return settle(delivery, status, "", now);
  }

  JsonObject document(UUID webhook) {
    return sql
        .object("select tasker.get_webhook_documents(jsonb_build_object('webhook_uuid', ?::uuid))",
            webhook)
        .getJsonArray("webhooks").getJsonObject(0);
  }

  List<JsonObject> deliveries(UUID webhook, String filter) {
    return sql.object("select tasker.list_webhook_deliveries(?, ?::jsonb, 1000)", webhook, filter)
        .getJsonArray("deliveries")
        .getValuesAs(JsonObject.class);
  }
}
