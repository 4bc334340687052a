package ee.tasker.rest.http;

import ee.tasker.platform.ComponentSchemas;
import ee.tasker.platform.Json;
import ee.tasker.security.Accounts;
import ee.tasker.security.Caller;
import ee.tasker.security.Permission;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Removes from a response what its caller may not see, for every operation. Which permission each
 * member needs, and each action, stands in the OpenAPI document, see {@link MemberPermissions};
 * here is what is no member's own: histories, events, addresses. {@code tasks:context_read} shows
 * what came with the request: the context, the inputs that an operator gave a step, the values of
 * concurrency keys. {@code steps:read} shows what a step produced: results, errors, checkpoints. An
 * operation that changes something returns the whole document only to callers who may read it, and
 * its key and state to others. Filtering is idempotent, so a stored response can be filtered again
 * for a caller with fewer permissions.
 */
@RequestScoped
public class Visibility {
  private static final String SECRET = "secret";
  private static final Pattern ORIGIN = Pattern.compile("^(https?://[^/?]+).*");
  private static final Set<String> OF_CONTEXT = Set.of("context", "inputs", "violations");
  private static final Set<String> OF_RESULTS = Set.of("checkpoint", "result", "error", "metadata",
      "cause");
  private static final Set<String> OF_DOMAIN_EVENTS = Set.of("data", "datacontenttype",
      "taskererror");
  /**
   * Members that the engine writes about a move; all others come from the caller of a SQL function.
   */
  private static final Set<String> OF_MOVES = Set.of("action", "by", "reason", "error_type",
      "server", "forced", "since", "sqlstate",
      "faults", "state",
      "should_have_moved_at", "threshold_minutes", "stale_at", "violations", "policy");

  /**
   * The kind of document in a response. Public, because the container reads the annotation that
   * names it from a proxy in
   * another package.
   */
  public enum Content {
    TASK, STEP, DEAD_LETTER, APPROVAL, SCHEDULE, WEBHOOK, DELIVERY, OTHER
  }

  @Inject
  private Access access;

  @Inject
  private Accounts accounts;

  /** Needs no request, for responses that are sent later. */
  public static JsonObject task(Caller caller, JsonObject task) {
    String namespace = task.getString("namespace");
    return caller.grants().may(Permission.TASKS_READ, namespace)
        ? shown("Task", task, permission -> caller.grants().may(permission, namespace))
        : brief("Task", task);
  }

  /** A task as the caller of this request may see it. */
  public JsonObject task(JsonObject task) {
    return task(access.caller(), task);
  }

  /** A step as the caller may see it: whole, or in brief. */
  public JsonObject step(UUID task, JsonObject step) {
    Predicate<Permission> has = in("task", task);
    return has.test(Permission.STEPS_READ) ? shown("Step", step, has) : brief("Step", step);
  }

  /** For callers who may read the steps of the task. */
  public JsonArray steps(UUID task, JsonArray steps) {
    Predicate<Permission> has = in("task", task);
    return Listing.each(steps, step -> shown("Step", step, has));
  }

  /**
   * @param page with {@code workers}; a worker is drained by the caller that registered it, and by
   * operators
   */
  public JsonObject workers(JsonObject page) {
    return Listing.each("workers", page, this::worker);
  }

  /** A worker with the actions on it that the caller may take. */
  public JsonObject worker(JsonObject worker) {
    return mayDrain(worker) || !worker.containsKey("allowed_actions") ? worker
        : Json.build().createObjectBuilder(worker)
            .add("allowed_actions", JsonValue.EMPTY_JSON_ARRAY).build();
  }

  private boolean mayDrain(JsonObject worker) {
    var grants = access.caller().grants();
    return grants.may(Permission.STEPS_WORK) && (grants
        .mayEverywhere(Permission.SYSTEM_SERVERS_MANAGE)
        || Json.text(worker, "registered_by").filter(access.caller().actor()::equals).isPresent());
  }

  /** A dead letter as the caller may see it: with its steps' results, without them, or in brief. */
  public JsonObject deadLetter(JsonObject whole) {
    return may(Permission.DLQ_READ, whole)
        ? shown("DeadLetter", whole, permission -> may(permission, whole))
        : brief("DeadLetter", whole);
  }

  /** @param reply with {@code approval} */
  public JsonObject approval(JsonObject reply) {
    JsonObject approval = reply.getJsonObject("approval");
    return may(Permission.APPROVALS_READ, approval) ? reply
        : Json.build().createObjectBuilder(reply).add("approval", brief("Approval", approval))
            .build();
  }

  /** @param page with {@code entries} */
  public JsonObject deadLetters(JsonObject page) {
    return Listing.each("entries", page, this::deadLetter);
  }

  /** The history of a task without the contexts and results that the caller may not see. */
  public JsonArray history(UUID task, JsonArray entries) {
    boolean seesContext = sees(Permission.TASKS_CONTEXT_READ, task);
    boolean seesResults = sees(Permission.STEPS_READ, task);
    if (seesContext && seesResults) {
      return entries;
    }
    JsonArrayBuilder shown = Json.build().createArrayBuilder();
    for (JsonObject entry : entries.getValuesAs(JsonObject.class)) {
      JsonObject left = seesContext ? entry : withoutInside(OF_CONTEXT, entry);
      if (!seesResults) {
        left = withoutInside(OF_RESULTS, without(Set.of("error"), left));
        if (left.get("metadata") instanceof JsonObject metadata) {
          left = Json.build().createObjectBuilder(left).add("metadata", only(OF_MOVES, metadata))
              .build();
        }
      }
      shown.add(left);
    }
    return shown.build();
  }

  /** Removes members from an entry's details, its previous details, and the metadata of a move. */
  private static JsonObject withoutInside(Set<String> names, JsonObject entry) {
    JsonObjectBuilder left = Json.build().createObjectBuilder(entry);
    for (String name : List.of("details", "metadata")) {
      if (entry.get(name) instanceof JsonObject inner) {
        JsonObject less = without(names, inner);
        left.add(name, less.get("before") instanceof JsonObject before
            ? Json.build().createObjectBuilder(less).add("before", without(names, before)).build()
            : less);
      }
    }
    return left.build();
  }

  /** Holders and waiters without the values of the key, which come from contexts. */
  public JsonArray policies(JsonArray policies) {
    return Listing.each(policies, policy -> shown("ConcurrencyPolicy", policy,
        permission -> may(permission, policy)));
  }

  /**
   * A caller who may change but not read schedules gets the key and the version; {@code now} is for
   * the server only.
   */
  public JsonObject schedule(JsonObject whole) {
    JsonObject shown = without(Set.of("now"),
        shown("Schedule", whole, permission -> may(permission, whole)));
    // The engine's reason quotes the failure, which may quote the context.
    return may(Permission.TASKS_CONTEXT_READ, whole)
        || !"tasker".equals(Json.text(shown, "paused_by").orElse(""))
            ? shown : without(Set.of("pause_reason"), shown);
  }

  /** @param list the name of its schema */
  public JsonObject ofSchedule(UUID schedule, String list, JsonObject page) {
    return shown(list, page, in("schedule", schedule));
  }

  /** Checks a permission in addition to that of the method, in the namespace of a schedule. */
  public boolean seesSchedule(Permission permission, UUID schedule) {
    return sees(permission, "schedule", schedule);
  }

  /**
   * The path of an address may be a secret of its receiver: only callers who may change webhooks
   * see it.
   */
  public JsonObject webhook(JsonObject whole) {
    JsonObject webhook = shown("Webhook", whole, permission -> may(permission, whole));
    return may(Permission.WEBHOOKS_WRITE, whole) || !webhook.containsKey("url") ? webhook
        : Json.build().createObjectBuilder(webhook)
            .add("url", ORIGIN.matcher(webhook.getString("url")).replaceFirst("$1")).build();
  }

  public JsonObject delivery(UUID webhook, JsonObject whole) {
    return shown("WebhookDelivery", whole, in("webhook", webhook));
  }

  /** Checks a permission in addition to that of the method, in the namespace of a webhook. */
  public boolean seesWebhook(Permission permission, UUID webhook) {
    return sees(permission, "webhook", webhook);
  }

  /** What may be stored of an answer: not the secret of a webhook, which is shown once. */
  static String stored(Content content, String body) {
    return content == Content.WEBHOOK ? without(Set.of(SECRET), Json.parseObject(body)).toString()
        : body;
  }

  /** @param page with {@code events}, CloudEvents */
  public JsonObject domainEvents(JsonObject page) {
    JsonArrayBuilder shown = Json.build().createArrayBuilder();
    page.getJsonArray("events").getValuesAs(JsonObject.class)
        .forEach(event -> domainEvent(access.caller(), event).ifPresent(shown::add));
    return Json.build().createObjectBuilder(page).add("events", shown).build();
  }

  /**
   * Empty when the caller may not see that there is such an event. Of a step, data and errors come
   * from contexts and results; the engine's own data of a
   * task are what lists of tasks show, those of an approval what only those see who assign
   * approvals. Needs no request, for streams.
   */
  public static Optional<JsonObject> domainEvent(Caller caller, JsonObject event) {
    var grants = caller.grants();
    String namespace = event.getString("taskernamespace");
    String type = event.getString("type");
    boolean isOfSchedule = type.startsWith("tasker.schedule.");
    if (!grants.may(Permission.TASKS_READ, namespace)
        || isOfSchedule && !grants.may(Permission.SCHEDULES_READ, namespace)) {
      return Optional.empty();
    }
    boolean seesAll = isOfSchedule || type.startsWith("tasker.task.")
        || type.startsWith("tasker.approval.") && grants.may(Permission.APPROVALS_ASSIGN, namespace)
        || type.startsWith("tasker.dead_letter.") && grants.may(Permission.DLQ_READ, namespace)
        || !type.startsWith("tasker.") && grants.may(Permission.TASKS_CONTEXT_READ, namespace)
            && grants.may(Permission.STEPS_READ, namespace);
    return Optional.of(seesAll ? event : without(OF_DOMAIN_EVENTS, event));
  }

  /** Parked messages contain requests and results of any namespace, and their causes quote them. */
  public JsonObject deadMessages(JsonObject whole) {
    return shown("DeadMessagePage", whole, access.caller().grants()::mayEverywhere);
  }

  /** Checks a permission in addition to that of the method, in the namespace of a task. */
  public boolean sees(Permission permission, UUID task) {
    return sees(permission, "task", task);
  }

  private boolean sees(Permission permission, String kind, UUID uuid) {
    var grants = access.caller().grants();
    return grants.mayEverywhere(permission)
        || grants.may(permission) && accounts.namespaceOf(kind, uuid)
            .filter(namespace -> grants.may(permission, namespace)).isPresent();
  }

  /** Of an answer about one thing; each permission is looked up once. */
  private Predicate<Permission> in(String kind, UUID uuid) {
    Map<Permission, Boolean> known = new EnumMap<>(Permission.class);
    return permission -> known.computeIfAbsent(permission, asked -> sees(asked, kind, uuid));
  }

  private boolean may(Permission permission, JsonObject inNamespace) {
    var grants = access.caller().grants();
    return inNamespace.get("namespace") instanceof JsonString namespace
        ? grants.may(permission, namespace.getString())
        : grants.mayEverywhere(permission);
  }

  /** A stored response, filtered for its caller's present permissions. */
  String again(Content content, String body) {
    if (content == Content.OTHER) {
      return body;
    }
    JsonObject document = Json.parseObject(body);
    return switch (content) {
      case TASK -> task(document).toString();
      case STEP -> step(Json.uuid(document, "task_uuid"), document).toString();
      case DEAD_LETTER -> deadLetter(document).toString();
      case APPROVAL -> approval(document).toString();
      case SCHEDULE -> schedule(document).toString();
      case WEBHOOK -> webhook(document).toString();
      case DELIVERY -> delivery(Json.uuid(document, "webhook_uuid"), document).toString();
      case OTHER -> body;
    };
  }

  private static JsonObject shown(String schema, JsonObject document, Predicate<Permission> has) {
    return MemberPermissions.of(schema).shown(document, has);
  }

  private static JsonObject brief(String schema, JsonObject document) {
    return only(((Map<?, ?>) ComponentSchemas.of(schema + "InBrief").get("properties")).keySet(),
        document);
  }

  private static JsonObject only(Set<?> names, JsonObject document) {
    JsonObjectBuilder shown = Json.build().createObjectBuilder();
    document.forEach((name, value) -> {
      if (names.contains(name)) {
        shown.add(name, value);
      }
    });
    return shown.build();
  }

  private static JsonObject without(Set<String> names, JsonObject document) {
    JsonObjectBuilder shown = Json.build().createObjectBuilder(document);
    names.forEach(shown::remove);
    return shown.build();
  }
}
