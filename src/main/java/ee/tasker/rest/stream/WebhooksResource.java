package ee.tasker.rest.stream;

import ee.tasker.platform.Author;
import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.Authors;
import ee.tasker.rest.http.Filters;
import ee.tasker.rest.http.Locations;
import ee.tasker.rest.http.Members;
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
import jakarta.json.JsonArrayBuilder;
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
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.io.InputStream;
import java.util.Optional;
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
  private static final int DAY = 86_400;

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

  @Context
  private UriInfo uri;

  @Requires(value = Permission.WEBHOOKS_READ, in = Scope.ASKED)
  @GET
  public String list(@QueryParam("namespace") String namespace, @QueryParam("name") String name,
      @QueryParam("paused") String paused, @QueryParam("failing") String failing,
      @QueryParam("limit") String limit, @QueryParam("cursor") String cursor) {
    Parameters.checkKnown(uri, Set.of("namespace", "name", "paused", "failing", "limit", "cursor"));
    JsonObjectBuilder filter = Json.build().createObjectBuilder();
    Filters.add(filter, "namespace", namespace);
    Filters.add(filter, "name", name);
    Filters.addWord(filter, "paused", paused, Filters.FLAG);
    Filters.addWord(filter, "failing", failing, Filters.FLAG);
    access.limit(filter);
    JsonObject page = webhooks.list(filter.build(), Parameters.number("limit", limit, 25, 1, 100),
        Parameters.optionalUuid("cursor", cursor));
    JsonArrayBuilder shown = Json.build().createArrayBuilder();
    page.getJsonArray("webhooks").getValuesAs(JsonObject.class)
        .forEach(webhook -> shown.add(visibility.webhook(webhook)));
    return Json.build().createObjectBuilder(page).add("webhooks", shown).build().toString();
  }

  /** The only answer, besides that of rotate-secret, that has the secret. */
  @Requires(value = Permission.WEBHOOKS_WRITE, in = Scope.ASKED)
  @POST
  @OncePerKey(shows = Visibility.Content.WEBHOOK)
  @Consumes(MediaType.APPLICATION_JSON)
  public Response create(InputStream body) {
    Parameters.checkKnown(uri, Set.of());
    WebhookBody asked = WebhookBody.create(bodies.object(body));
    access.require(asked.namespace());
    access.requireEvents(asked.namespace());
    JsonObject created = webhooks.create(asked.webhook(), asked.url(), asked.secret(),
        author(asked));
    return Response.status(201)
        .header(Locations.HEADER,
            locations.of(uri, "webhooks/" + created.getString("webhook_uuid")))
        .entity(visibility.webhook(created).toString()).build();
  }

  private Author author(WebhookBody asked) {
    return new Author(asked.by() == null ? access.caller().actor() : asked.by(), asked.reason());
  }

  @Requires(value = Permission.WEBHOOKS_READ, in = Scope.WEBHOOK)
  @GET
  @Path("{webhook_uuid}")
  public String describe(@PathParam("webhook_uuid") String webhookUuid) {
    Parameters.checkKnown(uri, Set.of());
    return visibility.webhook(webhooks.describe(Parameters.uuid("webhook_uuid", webhookUuid)))
        .toString();
  }

  @Requires(value = Permission.WEBHOOKS_WRITE, in = Scope.WEBHOOK)
  @PUT
  @OncePerKey(shows = Visibility.Content.WEBHOOK)
  @Path("{webhook_uuid}")
  @Consumes(MediaType.APPLICATION_JSON)
  public String update(@PathParam("webhook_uuid") String webhookUuid, InputStream body) {
    Parameters.checkKnown(uri, Set.of());
    UUID uuid = Parameters.uuid("webhook_uuid", webhookUuid);
    WebhookBody asked = WebhookBody.update(bodies.object(body));
    requireEvents(uuid);
    return visibility
        .webhook(
            webhooks.update(uuid, asked.version(), asked.webhook(), asked.url(), author(asked)))
        .toString();
  }

  private void requireEvents(UUID uuid) {
    access.requireEvents(Json.text(webhooks.describe(uuid), "namespace").orElse(null));
  }

  @Requires(value = Permission.WEBHOOKS_WRITE, in = Scope.WEBHOOK)
  @DELETE
  @OncePerKey(shows = Visibility.Content.WEBHOOK)
  @Path("{webhook_uuid}")
  public String delete(@PathParam("webhook_uuid") String webhookUuid,
      @QueryParam("requested_by") String requestedBy, @QueryParam("reason") String reason) {
    Parameters.checkKnown(uri, Set.of("requested_by", "reason"));
    UUID uuid = Parameters.uuid("webhook_uuid", webhookUuid);
    return visibility.webhook(webhooks.delete(uuid, Authors.of(requestedBy, reason))).toString();
  }

  @Requires(value = Permission.WEBHOOKS_WRITE, in = Scope.WEBHOOK)
  @POST
  @OncePerKey(shows = Visibility.Content.WEBHOOK)
  @Path("{webhook_uuid}/pause")
  @Consumes(MediaType.APPLICATION_JSON)
  public String pause(@PathParam("webhook_uuid") String webhookUuid, InputStream body) {
    Parameters.checkKnown(uri, Set.of());
    UUID uuid = Parameters.uuid("webhook_uuid", webhookUuid);
    return visibility.webhook(webhooks.pause(uuid, Authors.of(new Members(bodies.object(body)))))
        .toString();
  }

  @Requires(value = Permission.WEBHOOKS_WRITE, in = Scope.WEBHOOK)
  @POST
  @OncePerKey(shows = Visibility.Content.WEBHOOK)
  @Path("{webhook_uuid}/resume")
  @Consumes(MediaType.APPLICATION_JSON)
  public String resume(@PathParam("webhook_uuid") String webhookUuid, InputStream body) {
    Parameters.checkKnown(uri, Set.of());
    UUID uuid = Parameters.uuid("webhook_uuid", webhookUuid);
    Author author = Authors.of(new Members(bodies.object(body)));
    requireEvents(uuid);
    return visibility.webhook(webhooks.resume(uuid, author)).toString();
  }

  @Requires(value = Permission.WEBHOOKS_WRITE, in = Scope.WEBHOOK)
  @POST
  @OncePerKey(shows = Visibility.Content.WEBHOOK)
  @Path("{webhook_uuid}/rotate-secret")
  @Consumes(MediaType.APPLICATION_JSON)
  public String rotateSecret(@PathParam("webhook_uuid") String webhookUuid, InputStream body) {
    Parameters.checkKnown(uri, Set.of());
    UUID uuid = Parameters.uuid("webhook_uuid", webhookUuid);
    Members members = new Members(bodies.object(body));
    String secret = members.optionalText("secret", 100);
    Integer overlap = members.number("overlap_seconds", 0, 30 * DAY);
    Author author = Authors.of(members);
    requireEvents(uuid);
    return visibility.webhook(webhooks.rotateSecret(uuid, Optional.ofNullable(secret),
        overlap == null ? DAY : overlap, author)).toString();
  }

  @Requires(value = Permission.WEBHOOKS_WRITE, in = Scope.WEBHOOK)
  @POST
  @OncePerKey(shows = Visibility.Content.DELIVERY)
  @Path("{webhook_uuid}/ping")
  @Consumes(MediaType.APPLICATION_JSON)
  public Response ping(@PathParam("webhook_uuid") String webhookUuid, InputStream body) {
    Parameters.checkKnown(uri, Set.of());
    UUID uuid = Parameters.uuid("webhook_uuid", webhookUuid);
    JsonObject delivery = webhooks.ping(uuid, Authors.of(new Members(bodies.object(body))));
    return Response.status(202)
        .header(Locations.HEADER,
            locations.of(uri,
                "webhooks/" + uuid + "/deliveries/" + delivery.getString("delivery_uuid")))
        .entity(visibility.delivery(uuid, delivery).toString()).build();
  }

  @Requires(value = Permission.WEBHOOKS_WRITE, in = Scope.WEBHOOK)
  @POST
  @OncePerKey(shows = Visibility.Content.WEBHOOK)
  @Path("{webhook_uuid}/replay")
  @Consumes(MediaType.APPLICATION_JSON)
  public String replay(@PathParam("webhook_uuid") String webhookUuid, InputStream body) {
    Parameters.checkKnown(uri, Set.of());
    UUID uuid = Parameters.uuid("webhook_uuid", webhookUuid);
    Members members = new Members(bodies.object(body));
    String from = members.required("from", WebhookBody.point(members), "");
    Author author = Authors.of(members);
    requireEvents(uuid);
    return visibility.webhook(webhooks.replay(uuid, from, author)).toString();
  }

  @Requires(value = Permission.WEBHOOKS_READ, in = Scope.WEBHOOK)
  @GET
  @Path("{webhook_uuid}/deliveries")
  public String deliveries(@PathParam("webhook_uuid") String webhookUuid,
      @QueryParam("state") String state, @QueryParam("task") String task,
      @QueryParam("event") String event, @QueryParam("limit") String limit,
      @QueryParam("cursor") String cursor) {
    Parameters.checkKnown(uri, Set.of("state", "task", "event", "limit", "cursor"));
    UUID uuid = Parameters.uuid("webhook_uuid", webhookUuid);
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
    JsonArrayBuilder shown = Json.build().createArrayBuilder();
    page.getJsonArray("deliveries").getValuesAs(JsonObject.class)
        .forEach(delivery -> shown.add(visibility.delivery(uuid, delivery)));
    return Json.build().createObjectBuilder(page).add("deliveries", shown).build().toString();
  }

  @Requires(value = Permission.WEBHOOKS_READ, in = Scope.WEBHOOK)
  @GET
  @Path("{webhook_uuid}/deliveries/{delivery_uuid}")
  public String delivery(@PathParam("webhook_uuid") String webhookUuid,
      @PathParam("delivery_uuid") String deliveryUuid) {
    Parameters.checkKnown(uri, Set.of());
    UUID uuid = Parameters.uuid("webhook_uuid", webhookUuid);
    return visibility
        .delivery(uuid, webhooks.delivery(uuid, Parameters.uuid("delivery_uuid", deliveryUuid)))
        .toString();
  }

  @Requires(value = Permission.WEBHOOKS_WRITE, in = Scope.WEBHOOK)
  @POST
  @OncePerKey(shows = Visibility.Content.DELIVERY)
  @Path("{webhook_uuid}/deliveries/{delivery_uuid}/retry")
  @Consumes(MediaType.APPLICATION_JSON)
  public String retry(@PathParam("webhook_uuid") String webhookUuid,
      @PathParam("delivery_uuid") String deliveryUuid, InputStream body) {
    Parameters.checkKnown(uri, Set.of());
    UUID uuid = Parameters.uuid("webhook_uuid", webhookUuid);
    UUID delivery = Parameters.uuid("delivery_uuid", deliveryUuid);
    Author author = Authors.of(new Members(bodies.object(body)));
    requireEvents(uuid);
    return visibility.delivery(uuid, webhooks.retry(uuid, delivery, author)).toString();
  }

  @Requires(value = Permission.WEBHOOKS_WRITE, in = Scope.WEBHOOK)
  @POST
  @OncePerKey(shows = Visibility.Content.DELIVERY)
  @Path("{webhook_uuid}/deliveries/{delivery_uuid}/discard")
  @Consumes(MediaType.APPLICATION_JSON)
  public String discard(@PathParam("webhook_uuid") String webhookUuid,
      @PathParam("delivery_uuid") String deliveryUuid, InputStream body) {
    Parameters.checkKnown(uri, Set.of());
    UUID uuid = Parameters.uuid("webhook_uuid", webhookUuid);
    UUID delivery = Parameters.uuid("delivery_uuid", deliveryUuid);
    return visibility
        .delivery(uuid,
            webhooks.discard(uuid, delivery, Authors.of(new Members(bodies.object(body)))))
        .toString();
  }
}
