package ee.tasker.rest.stream;

import ee.tasker.platform.Author;
import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.Authors;
import ee.tasker.rest.http.Filters;
import ee.tasker.rest.http.Listing;
import ee.tasker.rest.http.Locations;
import ee.tasker.rest.http.OncePerKey;
import ee.tasker.rest.http.Parameters;
import ee.tasker.rest.http.RequestBodies;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.rest.http.Visibility;
import ee.tasker.security.Permission;
import ee.tasker.webhook.Webhooks;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.Set;
import java.util.UUID;

/**
 * Webhooks over HTTP. What makes one send events needs, besides {@code webhooks:write}, what
 * reading them needs: {@code tasks:read}, {@code tasks:context_read},
 * {@code steps:read}, {@code approvals:assign}, {@code dlq:read} and {@code schedules:read} in its
 * namespace.
 */
@Path("webhooks")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class WebhooksResource {
  private static final Set<String> STATES = Set.of("pending", "in_flight", "delivered", "dead",
      "discarded");

  @Inject
  private Webhooks webhooks;

  @Inject
  private RequestBodies bodies;

  @Inject
  private Access access;

  @Inject
  private Visibility visibility;

  @Inject
  private Locations locations;

  @Requires(value = Permission.WEBHOOKS_READ, in = Scope.ASKED)
  @GET
  public String list(@QueryParam("namespace") String namespace, @QueryParam("name") String name,
      @QueryParam("paused") String paused, @QueryParam("failing") String failing,
      @QueryParam("limit") String limit, @QueryParam("cursor") String cursor) {
    JsonObjectBuilder filter = Filters.ofPausable(namespace, name, paused, failing);
    access.limit(filter);
    JsonObject page = webhooks.list(filter.build(), Parameters.number("limit", limit, 25, 1, 100),
        Parameters.optionalUuid("cursor", cursor));
    return Listing.each("webhooks", page, visibility::webhook).toString();
  }

  /** The only answer, besides that of rotate-secret, that has the secret. */
  @Requires(value = Permission.WEBHOOKS_WRITE, in = Scope.ASKED)
  @POST
  @OncePerKey(shows = Visibility.Content.WEBHOOK)
  @Consumes(MediaType.APPLICATION_JSON)
  public Response create(InputStream body) {
    WebhookBody asked = WebhookBody.read(
        bodies.object(body, "NewWebhook", WebhookBody::check), access.caller().actor());
    access.require(asked.namespace());
    access.requireEvents(asked.namespace());
    JsonObject created = webhooks.create(asked.webhook(), asked.url(), asked.secret(),
        asked.author());
    return locations.created("webhooks/" + created.getString("webhook_uuid"),
        visibility.webhook(created));
  }

  @Requires(value = Permission.WEBHOOKS_READ, in = Scope.WEBHOOK)
  @GET
  @Path("{webhook_uuid}")
  public String describe(@PathParam("webhook_uuid") UUID webhookUuid) {
    return visibility.webhook(webhooks.describe(webhookUuid))
        .toString();
  }

  @Requires(value = Permission.WEBHOOKS_WRITE, in = Scope.WEBHOOK)
  @PUT
  @OncePerKey(shows = Visibility.Content.WEBHOOK)
  @Path("{webhook_uuid}")
  @Consumes(MediaType.APPLICATION_JSON)
  public String update(@PathParam("webhook_uuid") UUID uuid, InputStream body) {
    WebhookBody asked = WebhookBody.read(bodies.object(body, "WebhookChange"),
        access.caller().actor());
    requireEvents(uuid);
    return visibility
        .webhook(
            webhooks.update(uuid, asked.version(), asked.webhook(), asked.url(), asked.author()))
        .toString();
  }

  private void requireEvents(UUID uuid) {
    access.requireEvents(Json.text(webhooks.describe(uuid), "namespace").orElse(null));
  }

  @Requires(value = Permission.WEBHOOKS_WRITE, in = Scope.WEBHOOK)
  @DELETE
  @OncePerKey(shows = Visibility.Content.WEBHOOK)
  @Path("{webhook_uuid}")
  public String delete(@PathParam("webhook_uuid") UUID uuid,
      @QueryParam("requested_by") String requestedBy, @QueryParam("reason") String reason) {
    return visibility.webhook(webhooks.delete(uuid, Authors.of(requestedBy, reason))).toString();
  }

  @Requires(value = Permission.WEBHOOKS_WRITE, in = Scope.WEBHOOK)
  @POST
  @OncePerKey(shows = Visibility.Content.WEBHOOK)
  @Path("{webhook_uuid}/pause")
  @Consumes(MediaType.APPLICATION_JSON)
  public String pause(@PathParam("webhook_uuid") UUID uuid, InputStream body) {
    return visibility
        .webhook(webhooks.pause(uuid, Authors.of(bodies.object(body, "WebhookAction"))))
        .toString();
  }

  @Requires(value = Permission.WEBHOOKS_WRITE, in = Scope.WEBHOOK)
  @POST
  @OncePerKey(shows = Visibility.Content.WEBHOOK)
  @Path("{webhook_uuid}/resume")
  @Consumes(MediaType.APPLICATION_JSON)
  public String resume(@PathParam("webhook_uuid") UUID uuid, InputStream body) {
    Author author = Authors.of(bodies.object(body, "WebhookAction"));
    requireEvents(uuid);
    return visibility.webhook(webhooks.resume(uuid, author)).toString();
  }

  @Requires(value = Permission.WEBHOOKS_WRITE, in = Scope.WEBHOOK)
  @POST
  @OncePerKey(shows = Visibility.Content.WEBHOOK)
  @Path("{webhook_uuid}/rotate-secret")
  @Consumes(MediaType.APPLICATION_JSON)
  public String rotateSecret(@PathParam("webhook_uuid") UUID uuid, InputStream body) {
    JsonObject asked = bodies.object(body, "WebhookRotation");
    requireEvents(uuid);
    return visibility.webhook(webhooks.rotateSecret(uuid, Json.text(asked, "secret"),
        asked.getInt("overlap_seconds"), Authors.of(asked))).toString();
  }

  @Requires(value = Permission.WEBHOOKS_WRITE, in = Scope.WEBHOOK)
  @POST
  @OncePerKey(shows = Visibility.Content.DELIVERY)
  @Path("{webhook_uuid}/ping")
  @Consumes(MediaType.APPLICATION_JSON)
  public Response ping(@PathParam("webhook_uuid") UUID uuid, InputStream body) {
    JsonObject delivery = webhooks.ping(uuid, Authors.of(bodies.object(body, "WebhookAction")));
    return locations.answer(202,
        "webhooks/" + uuid + "/deliveries/" + delivery.getString("delivery_uuid"),
        visibility.delivery(uuid, delivery));
  }

  @Requires(value = Permission.WEBHOOKS_WRITE, in = Scope.WEBHOOK)
  @POST
  @OncePerKey(shows = Visibility.Content.WEBHOOK)
  @Path("{webhook_uuid}/replay")
  @Consumes(MediaType.APPLICATION_JSON)
  public String replay(@PathParam("webhook_uuid") UUID uuid, InputStream body) {
    JsonObject asked = bodies.object(body, "WebhookReplay", WebhookBody::check);
    String from = WebhookBody.point(asked);
    requireEvents(uuid);
    return visibility.webhook(webhooks.replay(uuid, from, Authors.of(asked))).toString();
  }

  @Requires(value = Permission.WEBHOOKS_READ, in = Scope.WEBHOOK)
  @GET
  @Path("{webhook_uuid}/deliveries")
  public String deliveries(@PathParam("webhook_uuid") UUID uuid,
      @QueryParam("state") String state, @QueryParam("task") String task,
      @QueryParam("event") String event, @QueryParam("limit") String limit,
      @QueryParam("cursor") String cursor) {
    JsonObjectBuilder filter = Json.build().createObjectBuilder();
    Filters.addWord(filter, "state", state, STATES);
    Filters.addUuid(filter, "task", "task_uuid", task);
    Filters.addUuid(filter, "event", "event_uuid", event);
    if ((task != null || event != null) && !visibility.seesWebhook(Permission.TASKS_READ, uuid)) {
      throw Problem.of(403, "not-permitted",
          "a filter by task or event needs the permission tasks:read in the namespace of the webhook");
    }
    webhooks.describe(uuid);
    JsonObject page = webhooks.deliveries(uuid, filter.build(),
        Parameters.number("limit", limit, 25, 1, 100), Parameters.optionalUuid("cursor", cursor));
    return Listing.each("deliveries", page, delivery -> visibility.delivery(uuid, delivery))
        .toString();
  }

  @Requires(value = Permission.WEBHOOKS_READ, in = Scope.WEBHOOK)
  @GET
  @Path("{webhook_uuid}/deliveries/{delivery_uuid}")
  public String delivery(@PathParam("webhook_uuid") UUID uuid,
      @PathParam("delivery_uuid") UUID deliveryUuid) {
    return visibility
        .delivery(uuid, webhooks.delivery(uuid, deliveryUuid))
        .toString();
  }

  @Requires(value = Permission.WEBHOOKS_WRITE, in = Scope.WEBHOOK)
  @POST
  @OncePerKey(shows = Visibility.Content.DELIVERY)
  @Path("{webhook_uuid}/deliveries/{delivery_uuid}/retry")
  @Consumes(MediaType.APPLICATION_JSON)
  public String retry(@PathParam("webhook_uuid") UUID uuid,
      @PathParam("delivery_uuid") UUID delivery, InputStream body) {
    Author author = Authors.of(bodies.object(body, "WebhookAction"));
    requireEvents(uuid);
    return visibility.delivery(uuid, webhooks.retry(uuid, delivery, author)).toString();
  }

  @Requires(value = Permission.WEBHOOKS_WRITE, in = Scope.WEBHOOK)
  @POST
  @OncePerKey(shows = Visibility.Content.DELIVERY)
  @Path("{webhook_uuid}/deliveries/{delivery_uuid}/discard")
  @Consumes(MediaType.APPLICATION_JSON)
  public String discard(@PathParam("webhook_uuid") UUID uuid,
      @PathParam("delivery_uuid") UUID delivery, InputStream body) {
    return visibility
        .delivery(uuid,
            webhooks.discard(uuid, delivery, Authors.of(bodies.object(body, "WebhookAction"))))
        .toString();
  }
}
