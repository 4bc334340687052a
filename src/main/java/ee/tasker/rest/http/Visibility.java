package ee.tasker.rest.http;

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
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Removes from a response what its caller may not see, for every operation. {@code
 * tasks:context_read} shows what came with
 * the request: the context, the inputs that an operator gave a step, the values of concurrency
 * keys. {@code steps:read}
 * shows what a step produced: results, errors, checkpoints. An operation that changes something
 * returns the whole document
 * only to callers who may read it, and its key and state to others. Filtering is idempotent, so a
 * stored response can be
 * filtered again for a caller with fewer permissions.
 */
@RequestScoped
public class Visibility {
  private static final String SECRET = "secret";
  private static final Pattern ORIGIN = Pattern.compile("^(https?://[^/?]+).*");
  private static final String ALLOWED_ACTIONS = "allowed_actions";
  /** What needs no permission to submit tasks besides, of the actions on a schedule. */
  private static final Set<String> WITHOUT_SUBMISSION = Set.of("delete", "pause");
  /** What sends no events, of the actions on a webhook and its deliveries. */
  private static final Set<String> WITHOUT_EVENTS = Set.of("delete", "discard", "pause", "ping");
  private static final Set<String> TASK_IN_BRIEF = Set.of("task_uuid", "namespace", "state",
      "correlation_id");
  private static final Set<String> STEP_IN_BRIEF = Set.of("step_uuid", "task_uuid", "name", "state",
      "attempts");
  private static final Set<String> DEAD_LETTER_IN_BRIEF = Set.of("dlq_entry_uuid", "task_uuid",
      "namespace", "resolution_status");
  private static final Set<String> APPROVAL_IN_BRIEF = Set.of("approval_uuid", "task_uuid",
      "namespace", "state");
  private static final Set<String> SCHEDULE_IN_BRIEF = Set.of("schedule_uuid", "namespace", "name",
      "version");
  /** The message of a failure may quote the context. */
  private static final Set<String> OF_SCHEDULE_CONTEXT = Set.of("now", "context", "last_failure");
  private static final Set<String> OF_SCHEDULE_FAILURES = Set.of("message", "failure");
  private static final Set<String> WEBHOOK_IN_BRIEF = Set.of("webhook_uuid", "namespace", "name",
      "version", SECRET);
  private static final Set<String> DELIVERY_IN_BRIEF = Set.of("delivery_uuid", "webhook_uuid",
      "state");
  private static final Set<String> OF_DELIVERY_EVENTS = Set.of("task_uuid", "schedule_uuid",
      "event_type", "event_uuid", "position");
  private static final Set<String> OF_CONTEXT = Set.of("context", "inputs", "violations");
  private static final Set<String> OF_OUTPUT = Set.of("output", "output_error");
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
    if (!caller.grants().may(Permission.TASKS_READ, namespace)) {
      return only(TASK_IN_BRIEF, task);
    }
    JsonObject allowed = withAllowed(task,
        action -> permissionsFor(action).stream()
            .allMatch(permission -> caller.grants().may(permission, namespace)));
    boolean seesContext = caller.grants().may(Permission.TASKS_CONTEXT_READ, namespace);
    JsonObject shown = seesContext ? allowed : withoutDocuments(Set.of("context"), allowed);
    // An output is made from results, and its mapping may copy the context into it.
    return seesContext && caller.grants().may(Permission.STEPS_READ, namespace) ? shown
        : withoutDocuments(OF_OUTPUT, shown);
  }

  /** A task as the caller of this request may see it. */
  public JsonObject task(JsonObject task) {
    return task(access.caller(), task);
  }

  /** A step as the caller may see it: whole, or in brief. */
  public JsonObject step(UUID task, JsonObject step) {
    return sees(Permission.STEPS_READ, task)
        ? withAllowed(step, action -> sees(Permission.STEPS_RESOLVE, task))
        : only(STEP_IN_BRIEF, step);
  }

  /** For callers who may read the steps of the task. */
  public JsonArray steps(UUID task, JsonArray steps) {
    boolean mayAct = sees(Permission.STEPS_RESOLVE, task);
    return Listing.each(steps, step -> withAllowed(step, action -> mayAct));
  }

  /** What an action on a task needs, as its resource requires it. */
  private static Set<Permission> permissionsFor(String action) {
    return switch (action) {
      case "cancel" -> Set.of(Permission.TASKS_CANCEL);
      case "compensate" -> Set.of(Permission.TASKS_ACT, Permission.TASKS_CANCEL);
      case "fork" -> Set.of(Permission.TASKS_ACT, Permission.TASKS_CREATE);
      case "signal" -> Set.of(Permission.TASKS_SIGNAL);
      default -> Set.of(Permission.TASKS_ACT);
    };
  }

  /** The actions that the state allows, without those that the caller lacks the permission for. */
  private static JsonObject withAllowed(JsonObject document, Predicate<String> isPermitted) {
    JsonArrayBuilder allowed = Json.build().createArrayBuilder();
    if (!(document.get(ALLOWED_ACTIONS) instanceof JsonArray actions)) {
      return document;
    }
    actions.getValuesAs(JsonString.class).stream()
        .filter(action -> isPermitted.test(action.getString())).forEach(allowed::add);
    return Json.build().createObjectBuilder(document).add(ALLOWED_ACTIONS, allowed).build();
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
    return withAllowed(worker, action -> mayDrain(worker));
  }

  private boolean mayDrain(JsonObject worker) {
    var grants = access.caller().grants();
    return grants.may(Permission.STEPS_WORK) && (grants
        .mayEverywhere(Permission.SYSTEM_SERVERS_MANAGE)
        || Json.text(worker, "registered_by").filter(access.caller().actor()::equals).isPresent());
  }

  /** A dead letter as the caller may see it: with its steps' results, without them, or in brief. */
  public JsonObject deadLetter(JsonObject whole) {
    if (!may(Permission.DLQ_READ, whole)) {
      return only(DEAD_LETTER_IN_BRIEF, whole);
    }
    JsonObject entry = withAllowed(whole, action -> may(Permission.DLQ_UPDATE, whole));
    if (may(Permission.STEPS_READ, entry)
        || !(entry.get("task_snapshot") instanceof JsonObject snapshot)) {
      return entry;
    }
    JsonObjectBuilder shown = Json.build().createObjectBuilder(entry);
    if (snapshot.get("steps") instanceof JsonArray steps) {
      shown.add("task_snapshot",
          Json.build().createObjectBuilder(snapshot).add("steps", withoutEach(OF_RESULTS, steps)));
    }
    if (entry.get("metadata") instanceof JsonObject metadata) {
      shown.add("metadata", without(OF_RESULTS, metadata));
    }
    return shown.build();
  }

  /** @param reply with {@code approval} */
  public JsonObject approval(JsonObject reply) {
    JsonObject approval = reply.getJsonObject("approval");
    return may(Permission.APPROVALS_READ, approval) ? reply
        : Json.build().createObjectBuilder(reply).add("approval", only(APPROVAL_IN_BRIEF, approval))
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
    return Listing.each(policies, this::policy);
  }

  private JsonObject policy(JsonObject policy) {
    if (may(Permission.TASKS_CONTEXT_READ, policy)) {
      return policy;
    }
    JsonObjectBuilder shown = Json.build().createObjectBuilder(policy);
    for (String name : List.of("holders", "waiters")) {
      if (policy.get(name) instanceof JsonArray slots) {
        shown.add(name, withoutEach(Set.of("key"), slots));
      }
    }
    return shown.build();
  }

  /**
   * A caller who may change but not read schedules gets the key and the version; {@code now} is for
   * the server only.
   */
  public JsonObject schedule(JsonObject whole) {
    if (!may(Permission.SCHEDULES_READ, whole)) {
      return only(SCHEDULE_IN_BRIEF, whole);
    }
    JsonObject schedule = withAllowed(whole, action -> may(Permission.SCHEDULES_WRITE, whole)
        && (WITHOUT_SUBMISSION.contains(action) || may(Permission.TASKS_CREATE, whole)));
    if (may(Permission.TASKS_CONTEXT_READ, schedule)) {
      return without(Set.of("now"), schedule);
    }
    JsonObject shown = without(OF_SCHEDULE_CONTEXT, schedule);
    return "tasker".equals(Json.text(schedule, "paused_by").orElse(""))
        ? without(Set.of("pause_reason"), shown) : shown;
  }

  /** Fires or backfills of a schedule, as {@code {plural: [...], next}}. */
  public JsonObject ofSchedule(UUID schedule, String plural, JsonObject page) {
    return seesSchedule(Permission.TASKS_CONTEXT_READ, schedule) ? page
        : Json.build().createObjectBuilder(page)
            .add(plural, withoutEach(OF_SCHEDULE_FAILURES, page.getJsonArray(plural))).build();
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
    if (!may(Permission.WEBHOOKS_READ, whole)) {
      return only(WEBHOOK_IN_BRIEF, whole);
    }
    JsonObject webhook = withAllowed(whole, action -> may(Permission.WEBHOOKS_WRITE, whole)
        && (WITHOUT_EVENTS.contains(action)
            || Access.OF_EVENTS.stream().allMatch(permission -> may(permission, whole))));
    return may(Permission.WEBHOOKS_WRITE, webhook) ? webhook
        : Json.build().createObjectBuilder(webhook)
            .add("url", ORIGIN.matcher(webhook.getString("url")).replaceFirst("$1")).build();
  }

  /** A response may quote the event, which comes from contexts and results. */
  public JsonObject delivery(UUID webhook, JsonObject whole) {
    if (!seesWebhook(Permission.WEBHOOKS_READ, webhook)) {
      return only(DELIVERY_IN_BRIEF, whole);
    }
    JsonObject delivery = withAllowed(whole, action -> seesWebhook(Permission.WEBHOOKS_WRITE,
        webhook)
        && (WITHOUT_EVENTS.contains(action)
            || Access.OF_EVENTS.stream().allMatch(permission -> seesWebhook(permission, webhook))));
    JsonObject shown = seesEvents(webhook) ? delivery : without(Set.of("last_response"), delivery);
    return seesWebhook(Permission.TASKS_READ, webhook) ? shown : without(OF_DELIVERY_EVENTS, shown);
  }

  private boolean seesEvents(UUID webhook) {
    return seesWebhook(Permission.TASKS_CONTEXT_READ, webhook)
        && seesWebhook(Permission.STEPS_READ, webhook)
        && seesWebhook(Permission.APPROVALS_ASSIGN, webhook)
        && seesWebhook(Permission.DLQ_READ, webhook);
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
    boolean mayReplay = access.caller().grants().mayEverywhere(Permission.MESSAGES_REPLAY);
    JsonObject page = Listing.each("messages", whole,
        message -> withAllowed(message, action -> mayReplay));
    if (access.caller().grants().mayEverywhere(Permission.TASKS_CONTEXT_READ)
        && access.caller().grants().mayEverywhere(Permission.STEPS_READ)) {
      return page;
    }
    return Json.build().createObjectBuilder(page)
        .add("messages",
            withoutEach(Set.of("message", "cause", "headers"), page.getJsonArray("messages")))
        .build();
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

  private static JsonObject only(Set<String> names, JsonObject document) {
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

  /** Their sizes tell of them as well. */
  private static JsonObject withoutDocuments(Set<String> names, JsonObject document) {
    JsonObject shown = without(names, document);
    return shown.get("document_bytes") instanceof JsonObject bytes
        ? Json.build().createObjectBuilder(shown).add("document_bytes", without(names, bytes))
            .build()
        : shown;
  }

  private static JsonArray withoutEach(Set<String> names, JsonArray documents) {
    return Listing.each(documents, document -> without(names, document));
  }
}
