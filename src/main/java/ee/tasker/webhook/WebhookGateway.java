package ee.tasker.webhook;

import ee.tasker.platform.ActingCaller;
import ee.tasker.platform.Json;
import ee.tasker.platform.config.ServerIdentity;
import ee.tasker.platform.sql.SqlFunctions;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Calls the SQL functions for webhooks. */
@Dependent
class WebhookGateway {
  @Inject
  private SqlFunctions sql;

  @Inject
  private ServerIdentity server;

  @Inject
  private ActingCaller caller;

  private void tellCaller() {
    sql.run("begin_action(cast(? as text))", caller.name());
  }

  JsonObject saveWebhook(JsonObject webhook, String by, String reason, UUID uuid, Integer version) {
    tellCaller();
    return sql.object("save_webhook(cast(? as jsonb), ?, ?, cast(? as uuid), cast(? as int))",
        webhook, by, reason, uuid,
        version);
  }

  JsonObject changeWebhook(UUID uuid, String action, String by, String reason, JsonObject data) {
    tellCaller();
    return sql.object("change_webhook(cast(? as uuid), ?, ?, ?, cast(? as jsonb))", uuid, action,
        by, reason, data);
  }

  JsonObject changeDelivery(UUID webhook, UUID delivery, String action, String by, String reason) {
    tellCaller();
    return sql.object("change_delivery(cast(? as uuid), cast(? as uuid), ?, ?, ?)", webhook,
        delivery, action, by, reason);
  }

  JsonObject getWebhookDocuments(JsonObject filter, int limit, UUID before) {
    return sql.answer("get_webhook_documents(cast(? as jsonb), ?, cast(? as uuid))", filter, limit,
        before).asJsonObject();
  }

  Optional<JsonObject> find(UUID uuid) {
    return first(getWebhookDocuments(
        Json.build().createObjectBuilder().add("webhook_uuid", uuid.toString()).build(), 1, null)
        .getJsonArray("webhooks"));
  }

  private static Optional<JsonObject> first(JsonArray documents) {
    return documents.getValuesAs(JsonObject.class).stream().findFirst();
  }

  /** From the reply of {@link #saveWebhook}. */
  UUID savedUuid(JsonObject reply) {
    return Json.uuid(reply, "webhook_uuid");
  }

  /** From the reply of {@link #changeWebhook} for a ping. */
  UUID deliveryUuid(JsonObject reply) {
    return Json.uuid(reply, "delivery_uuid");
  }

  Optional<JsonObject> firstDelivery(UUID webhook, JsonObject filter) {
    return first(listWebhookDeliveries(webhook, filter, 1, null).getJsonArray("deliveries"));
  }

  JsonObject listWebhookDeliveries(UUID webhook, JsonObject filter, int limit, UUID before) {
    return sql
        .answer("list_webhook_deliveries(cast(? as uuid), cast(? as jsonb), ?, cast(? as uuid))",
            webhook, filter, limit, before)
        .asJsonObject();
  }

  Delivery.Claimed claimDeliveries(int limit, int reserved) {
    JsonObject reply = sql.object("claim_deliveries(cast(? as uuid), ?, ?)", server.uuid(), limit,
        reserved);
    List<Delivery> deliveries = reply.getJsonArray("deliveries").getValuesAs(JsonObject.class)
        .stream().map(WebhookGateway::delivery)
        .toList();
    return new Delivery.Claimed(deliveries, reply.getBoolean("more"),
        reply.get("next_due_in_ms") instanceof JsonNumber ms ? ms.longValue() : null);
  }

  private static Delivery delivery(JsonObject claimed) {
    return new Delivery(Json.uuid(claimed, "delivery_uuid"), claimed.getInt("claim"),
        Json.uuid(claimed, "webhook_uuid"), claimed.getString("url"),
        claimed.getJsonArray("secrets").getValuesAs(JsonString.class).stream()
            .map(JsonString::getString).toList(),
        claimed.getInt("timeout_seconds"), claimed.getInt("attempt"),
        Json.uuid(claimed, "event_uuid"), claimed.getJsonNumber("at").longValueExact(),
        claimed.getJsonObject("event").toString());
  }

  /** A delivery that got its last attempt. */
  record DeadLetter(UUID webhook, UUID delivery, UUID event, int attempts, String cause) {
  }

  /** A webhook that was paused because of its receiver. */
  record Paused(UUID webhook, String cause) {
  }

  record Settled(List<DeadLetter> dead, List<Paused> paused) {
  }

  Settled settleDeliveries(List<Delivery.Result> results) {
    JsonArrayBuilder array = Json.build().createArrayBuilder();
    results.forEach(result -> array.add(result(result)));
    JsonObject reply = sql.object("settle_deliveries(cast(? as jsonb))", array.build());
    return new Settled(
        reply.getJsonArray("dead").getValuesAs(JsonObject.class).stream()
            .map(dead -> new DeadLetter(Json.uuid(dead, "webhook_uuid"),
                Json.uuid(dead, "delivery_uuid"), Json.uuid(dead, "event_uuid"),
                dead.getInt("attempts"), dead.getString("cause")))
            .toList(),
        reply.getJsonArray("paused").getValuesAs(JsonObject.class).stream()
            .map(
                paused -> new Paused(Json.uuid(paused, "webhook_uuid"), paused.getString("reason")))
            .toList());
  }

  private static JsonObjectBuilder result(Delivery.Result result) {
    JsonObjectBuilder object = Json.build().createObjectBuilder()
        .add("delivery_uuid", result.delivery().uuid().toString())
        .add("claim", result.delivery().claim()).add("duration_ms", result.durationMs())
        .add("released", result.isReleased())
        .add("failure", Json.string(result.failure()))
        .add("response", Json.string(result.response()));
    if (result.status() != null) {
      object.add("status", result.status());
    }
    if (result.retryAfterSeconds() != null) {
      object.add("retry_after_seconds", result.retryAfterSeconds());
    }
    return object;
  }
}
