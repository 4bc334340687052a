package ee.tasker.webhook;

import ee.tasker.platform.AfterCommit;
import ee.tasker.platform.Author;
import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Refusals;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.transaction.Transactional;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The component's facade: reads and changes webhooks, and keeps the books of their deliveries.
 * Thread-safe.
 */
@ApplicationScoped
@Transactional
public class Webhooks {
  private static final Log LOG = Log.of(Webhooks.class);
  private static final JsonObject NOTHING = Json.build().createObjectBuilder().build();

  @Inject
  private WebhookGateway gateway;

  @Inject
  private Settings settings;

  @Inject
  private AfterCommit afterCommit;

  @Inject
  private DeliveryCalls calls;

  /** Makes and claims deliveries for this server, which sends them after this transaction. */
  @Transactional(Transactional.TxType.REQUIRES_NEW)
  public Delivery.Claimed claim(int limit, int reserved) {
    return gateway.claimDeliveries(limit, reserved);
  }

  /** Records what became of deliveries. */
  @Transactional(Transactional.TxType.REQUIRES_NEW)
  public void settle(List<Delivery.Result> results) {
    WebhookGateway.Settled settled = gateway.settleDeliveries(results);
    for (WebhookGateway.DeadLetter dead : settled.dead()) {
      LOG.write(LogEvent.DELIVERY_DEAD, "webhook", dead.webhook(), "delivery", dead.delivery(),
          "event", dead.event(), "attempts", dead.attempts(), "cause", dead.cause());
    }
    settled.paused().forEach(paused -> LOG.write(LogEvent.WEBHOOK_PAUSED, "webhook",
        paused.webhook(), "cause", paused.cause()));
  }

  /** @param before null for the first page, otherwise the {@code next} of the page before */
  public JsonObject list(JsonObject filter, int limit, UUID before) {
    return gateway.getWebhookDocuments(filter, limit, before);
  }

  /** @throws Problem 404 webhook-not-found */
  public JsonObject describe(UUID uuid) {
    return gateway.find(uuid).orElseThrow(() -> notFound(uuid));
  }

  /**
   * @param webhook the members that its author sets, each with a value or its default
   * @param secret  empty to make one
   * @return the document of the new webhook with its {@code secret}, which is not shown again
   * @throws Problem 400 when the address or the secret is wrong; 409 webhook-exists,
   *   too-many-webhooks
   */
  public JsonObject create(JsonObject webhook, String url, Optional<String> secret, Author author) {
    new TargetRules(settings.webhooks()).check(url);
    String key = key(secret);
    UUID uuid = gateway.savedUuid(Refusals.check(
        gateway.saveWebhook(Json.build().createObjectBuilder(webhook).add("secret", key).build(),
            author.by(), author.reason(), null, null),
        () -> Problem.of(500, "internal-error", "a new webhook is missing")));
    log("create_webhook", uuid, author);
    return withSecret(describe(uuid), key);
  }

  private static String key(Optional<String> secret) {
    if (secret.isPresent() && !Signature.isSecret(secret.get())) {
      throw Problem.invalid("secret", "must be whsec_ and 24 to 64 bytes in Base64");
    }
    return secret.orElseGet(Signature::newSecret);
  }

  private static JsonObject withSecret(JsonObject webhook, String secret) {
    return Json.build().createObjectBuilder(webhook).add("secret", secret).build();
  }

  /**
   * @param version that the author saw
   * @throws Problem 400 when the address is wrong; 404 webhook-not-found, 409
   *   webhook-version-changed
   */
  public JsonObject update(UUID uuid, int version, JsonObject webhook, String url, Author author) {
    new TargetRules(settings.webhooks()).check(url);
    Refusals.check(gateway.saveWebhook(webhook, author.by(), author.reason(), uuid, version),
        () -> notFound(uuid));
    return changed(uuid, "update_webhook", author);
  }

  /** @throws Problem 404 webhook-not-found */
  public JsonObject pause(UUID uuid, Author author) {
    change(uuid, "pause", author, NOTHING);
    return changed(uuid, "pause_webhook", author);
  }

  /** @throws Problem 404 webhook-not-found */
  public JsonObject resume(UUID uuid, Author author) {
    change(uuid, "resume", author, NOTHING);
    return changed(uuid, "resume_webhook", author);
  }

  /** @throws Problem 404 webhook-not-found */
  public JsonObject delete(UUID uuid, Author author) {
    JsonObject last = describe(uuid);
    change(uuid, "delete", author, NOTHING);
    log("delete_webhook", uuid, author);
    return last;
  }

  /**
   * @param overlapSeconds how long the present secret signs beside the new one
   * @return the webhook with its new {@code secret}
   * @throws Problem 400 when the secret is wrong; 404 webhook-not-found
   */
  public JsonObject rotateSecret(UUID uuid, Optional<String> secret, int overlapSeconds,
      Author author) {
    String key = key(secret);
    change(uuid, "rotate_secret", author,
        Json.build().createObjectBuilder().add("secret", key).add("overlap_seconds", overlapSeconds)
            .build());
    log("rotate_webhook_secret", uuid, author);
    return withSecret(describe(uuid), key);
  }

  /**
   * Sends an event of the type {@code tasker.ping}, once.
   *
   * @return its delivery
   * @throws Problem 404 webhook-not-found
   */
  public JsonObject ping(UUID uuid, Author author) {
    UUID delivery = gateway.deliveryUuid(change(uuid, "ping", author, NOTHING));
    log("ping_webhook", uuid, author);
    afterCommit.run(calls::claim);
    return delivery(uuid, delivery);
  }

  /**
   * Sends each matching event of the feed from a point on again.
   *
   * @param from {@code beginning}, a position or a time
   * @throws Problem 404 webhook-not-found
   */
  public JsonObject replay(UUID uuid, String from, Author author) {
    change(uuid, "replay", author, Json.build().createObjectBuilder().add("from", from).build());
    return changed(uuid, "replay_webhook", author);
  }

  private JsonObject change(UUID uuid, String action, Author author, JsonObject data) {
    return Refusals.check(gateway.changeWebhook(uuid, action, author.by(), author.reason(), data),
        () -> notFound(uuid));
  }

  /** @param before null for the first page, otherwise the {@code next} of the page before */
  public JsonObject deliveries(UUID uuid, JsonObject filter, int limit, UUID before) {
    return gateway.listWebhookDeliveries(uuid, filter, limit, before);
  }

  /** @throws Problem 404 delivery-not-found */
  public JsonObject delivery(UUID uuid, UUID delivery) {
    JsonObjectBuilder filter = Json.build().createObjectBuilder().add("delivery_uuid",
        delivery.toString());
    return gateway.firstDelivery(uuid, filter.build())
        .orElseThrow(() -> deliveryNotFound(uuid, delivery));
  }

  /**
   * Sends a dead letter again.
   *
   * @throws Problem 404 delivery-not-found, 409 delivery-not-movable
   */
  public JsonObject retry(UUID uuid, UUID delivery, Author author) {
    return changed(uuid, delivery, "retry", author);
  }

  /**
   * Sends a delivery no more.
   *
   * @throws Problem 404 delivery-not-found, 409 delivery-not-movable
   */
  public JsonObject discard(UUID uuid, UUID delivery, Author author) {
    return changed(uuid, delivery, "discard", author);
  }

  private JsonObject changed(UUID uuid, UUID delivery, String action, Author author) {
    Refusals.check(gateway.changeDelivery(uuid, delivery, action, author.by(), author.reason()),
        () -> deliveryNotFound(uuid, delivery));
    log(action + "_delivery", uuid, author);
    afterCommit.run(calls::claim);
    return delivery(uuid, delivery);
  }

  private JsonObject changed(UUID uuid, String action, Author author) {
    log(action, uuid, author);
    afterCommit.run(calls::claim);
    return describe(uuid);
  }

  private static void log(String action, UUID uuid, Author author) {
    LOG.write(LogEvent.OPERATOR_ACTED, "action", action, "webhook", uuid, "by", author.by(),
        "reason", author.reason());
  }

  public static Problem notFound(UUID uuid) {
    return Problem.of(404, "webhook-not-found", "there is no webhook " + uuid);
  }

  private static Problem deliveryNotFound(UUID uuid, UUID delivery) {
    return Problem.of(404, "delivery-not-found",
        "there is no delivery " + delivery + " of webhook " + uuid);
  }
}
