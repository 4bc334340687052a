package ee.tasker.rest.http;

import ee.tasker.operation.Approvals;
import ee.tasker.operation.Approver;
import ee.tasker.operation.ConcurrencyPolicies;
import ee.tasker.operation.DeadLetters;
import ee.tasker.operation.Operations;
import ee.tasker.platform.ActingCaller;
import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Recheck;
import ee.tasker.platform.load.LargeWork;
import ee.tasker.schedule.Schedules;
import ee.tasker.security.Accounts;
import ee.tasker.security.Caller;
import ee.tasker.security.Callers;
import ee.tasker.security.Permission;
import ee.tasker.security.Verdict;
import ee.tasker.task.TaskRequest;
import ee.tasker.task.Tasks;
import ee.tasker.webhook.Webhooks;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Decides whether the caller of this request may do what it asks for; no other class does. {@link
 * PermissionFilter} applies
 * the annotation of the method; methods whose namespace is in the body call this class themselves.
 *
 * <p>If the caller may not even read a namespace, the answer is 404, as if the object did not
 * exist. Otherwise a missing
 * permission is 403.
 */
@RequestScoped
public class Access {
  /** What reading the events that a webhook sends needs. */
  static final List<Permission> OF_EVENTS = List.of(Permission.TASKS_READ,
      Permission.TASKS_CONTEXT_READ, Permission.STEPS_READ, Permission.APPROVALS_ASSIGN,
      Permission.DLQ_READ, Permission.SCHEDULES_READ);

  @Inject
  private Accounts accounts;

  @Inject
  private ActingCaller acting;

  @Inject
  private Callers callers;

  private Caller caller;
  private Permission permission;
  private HttpServletRequest current;

  void begin(Caller whoCalls, Permission required, HttpServletRequest request) {
    acting.set(whoCalls.actor());
    current = request;
    caller = whoCalls;
    permission = required;
  }

  /** Who sent this request; null before it is authenticated. */
  public Caller caller() {
    return caller;
  }

  /**
   * Checks the credentials and permissions of this request again while its response is open. To be
   * called on the request's
   * own thread.
   *
   * @param permitted what the caller is permitted with its present grants; empty when that is not
   *   enough any more
   */
  public <T> Recheck<T> recheck(Function<Caller, Optional<T>> permitted) {
    Supplier<Verdict> again = callers.again(current);
    String principal = caller.principal();
    Permission needed = permission;
    return new Recheck<>(() -> {
      Verdict verdict = again.get();
      if (verdict instanceof Verdict.Later) {
        return new Recheck.Outcome.PutOff<>();
      }
      if (!(verdict instanceof Verdict.Known known)
          || !known.caller().principal().equals(principal)) {
        return new Recheck.Outcome.Withdrawn<>(AccessFilter.refusal(new Verdict.Refused()));
      }
      Optional<T> now = permitted.apply(known.caller());
      return now.isPresent() ? new Recheck.Outcome.Permitted<>(now.get())
          : new Recheck.Outcome.Withdrawn<>(missing(needed, ""));
    });
  }

  /**
   * The same for what the method requires.
   *
   * @param namespace null for all
   */
  public Recheck<Caller> recheck(String namespace) {
    Permission needed = permission;
    return recheck(now -> Optional.of(now)
        .filter(known -> namespace == null ? known.grants().mayEverywhere(needed)
            : known.grants().may(needed, namespace)));
  }

  /** @throws Problem 403 not-permitted */
  public void requireSomewhere() {
    if (!caller.grants().may(permission)) {
      throw missing(permission, "");
    }
  }

  /** @throws Problem 403 not-permitted */
  void requireEverywhere() {
    if (!caller.grants().mayEverywhere(permission)) {
      throw missing(permission, " in all namespaces");
    }
  }

  /** @throws Problem 403 not-permitted */
  public void require(String namespace) {
    require(permission, namespace);
  }

  /**
   * Checks a permission in addition to that of the method.
   *
   * @param namespace null for all
   * @throws Problem 403 not-permitted
   */
  public void require(Permission other, String namespace) {
    if (namespace == null ? !caller.grants().mayEverywhere(other)
        : !caller.grants().may(other, namespace)) {
      throw missing(other, namespace == null ? " in all namespaces" : " in namespace " + namespace);
    }
  }

  /**
   * Checks that the caller may read all that a domain event contains.
   *
   * @param namespace null for all
   * @throws Problem 403 not-permitted
   */
  public void requireEvents(String namespace) {
    OF_EVENTS.forEach(permission -> require(permission, namespace));
  }

  /**
   * Whose share of this server a request takes: the namespace's that it names, if the caller may
   * act there, and otherwise the caller's, so that no caller takes the share of another.
   *
   * @param namespace null when the request names none
   */
  String share(String namespace) {
    if (caller == null) {
      return "callers without a name";
    }
    return namespace != null && permission != null && caller.grants().may(permission, namespace)
        ? LargeWork.share(namespace) : caller.principal();
  }

  /** The namespaces where the method's permission is granted; empty for all. */
  public Optional<Set<String>> namespaces() {
    return caller.grants().namespaces(permission);
  }

  private static Problem missing(Permission permission, String where) {
    return Problem.of(403, "not-permitted",
        "this needs the permission " + permission.text() + where);
  }

  /**
   * The request as it may be submitted: with its submitter, and with a parent only from a namespace
   * where the caller may
   * submit, because a child protects its parent from retention and a cancel of the parent reaches
   * the child. Any other
   * parent is answered as if it did not exist.
   *
   * @throws Problem 403 not-permitted
   */
  public TaskRequest submitted(TaskRequest request) {
    require(request.namespace());
    TaskRequest mine = request.submittedBy(caller.actor());
    return mine.hasParent()
        ? caller.grants().namespaces(permission).map(mine::parentIn).orElse(mine) : mine;
  }

  /** The same for what the method requires, in the namespace of a task, which never changes. */
  public Recheck<Caller> recheckForTask(UUID task) {
    return recheck(accounts.namespaceOf("task", task).orElseThrow(() -> Tasks.notFound(task)));
  }

  /**
   * Checks the method's permission in the namespace of a task.
   *
   * @throws Problem 403 not-permitted; 404 for a caller who may not read the task either
   */
  public void requireForTask(UUID task) {
    requireFor("task", task, Permission.TASKS_READ, Tasks.notFound(task));
  }

  /**
   * Checks a permission in addition to that of the method, in the namespace of a task that the
   * caller may see.
   *
   * @throws Problem 403 not-permitted
   */
  public void requireForTask(Permission other, UUID task) {
    if (!caller.grants().mayEverywhere(other)) {
      require(other, accounts.namespaceOf("task", task).orElseThrow(() -> Tasks.notFound(task)));
    }
  }

  void requireForDeadLetter(UUID entry) {
    requireFor("dead_letter", entry, Permission.DLQ_READ, DeadLetters.notFound(entry));
  }

  void requireForApproval(UUID approval) {
    requireFor("approval", approval, Permission.APPROVALS_READ, Approvals.notFound(approval));
  }

  /** The caller as the functions for approvals judge it. */
  public Approver approver() {
    JsonObjectBuilder rights = Json.build().createObjectBuilder()
        .add("assigns_in", namesOf(Permission.APPROVALS_ASSIGN))
        .add("decides_in", namesOf(Permission.APPROVALS_DECIDE))
        .add("groups", names(caller.groups()));
    if (caller.kind() == Caller.Kind.KEY) {
      rights.add("key_uuid", caller.uuid().toString());
    }
    return new Approver(caller.actor(), rights.build());
  }

  private JsonArrayBuilder namesOf(Permission other) {
    return names(caller.grants().namespaces(other).orElse(Set.of("*")));
  }

  private static JsonArrayBuilder names(Set<String> all) {
    JsonArrayBuilder names = Json.build().createArrayBuilder();
    all.stream().sorted().forEach(names::add);
    return names;
  }

  void requireForPolicy(UUID policy) {
    requireFor("policy", policy, Permission.POLICIES_READ, ConcurrencyPolicies.notFound(policy));
  }

  void requireForSchedule(UUID schedule) {
    requireFor("schedule", schedule, Permission.SCHEDULES_READ, Schedules.notFound(schedule));
  }

  void requireForWebhook(UUID webhook) {
    requireFor("webhook", webhook, Permission.WEBHOOKS_READ, Webhooks.notFound(webhook));
  }

  void requireForBulkAction(UUID token) {
    requireFor("bulk_action", token, Permission.TASKS_ACT, Operations.tokenNotFound());
  }

  private void requireFor(String kind, UUID uuid, Permission reading, Problem notFound) {
    requireSomewhere();
    if (caller.grants().mayEverywhere(permission)) {
      return;
    }
    String namespace = accounts.namespaceOf(kind, uuid)
        .filter(of -> caller.grants().may(permission, of) || caller.grants().may(reading, of))
        .orElseThrow(() -> notFound);
    require(namespace);
  }

  /**
   * Restricts a list to what the caller may see: adds {@code namespaces} to a database filter,
   * unless the caller may see
   * all of them.
   */
  public void limit(JsonObjectBuilder filter) {
    caller.grants().namespaces(permission).ifPresent(namespaces -> limit(filter, namespaces));
  }

  /**
   * The same for a filter by content, which would reveal that content to a caller who may list but
   * not read it: only
   * namespaces where the caller also has the other permissions.
   *
   * @param others possibly none
   * @param namespace the only requested namespace, or null
   * @throws Problem 403 not-permitted without the other permissions in that namespace, or in any
   *   that the caller may list
   */
  public void limit(JsonObjectBuilder filter, List<Permission> others, String namespace) {
    if (namespace != null) {
      others.forEach(other -> require(other, namespace));
      limit(filter);
      return;
    }
    Optional<Set<String>> all = where(others);
    if (!others.isEmpty() && all.filter(Set::isEmpty).isPresent()) {
      throw missing(
          others.stream().filter(other -> where(List.of(other)).filter(Set::isEmpty).isPresent())
              .findFirst().orElse(others.get(0)),
          "");
    }
    all.ifPresent(names -> limit(filter, names));
  }

  /** Where the caller has the permission of the method and these. */
  private Optional<Set<String>> where(List<Permission> others) {
    return caller.grants()
        .namespaces(Stream.concat(Stream.of(permission), others.stream()).toList());
  }

  /** To namespaces where the caller also has the other permission, possibly none. */
  public void limitToBoth(JsonObjectBuilder filter, Permission other) {
    where(List.of(other)).ifPresent(names -> limit(filter, names));
  }

  /** Where another permission is granted, for the database: an array of names, or null for all. */
  public JsonArray namespaces(Permission other) {
    return caller.grants().namespaces(other)
        .map(names -> Json.build().createArrayBuilder(names.stream().sorted().toList()).build())
        .orElse(null);
  }

  private static void limit(JsonObjectBuilder filter, Set<String> namespaces) {
    filter.add("namespaces", names(namespaces));
  }

  /** The objects whose member {@code namespace} the caller may see. */
  public JsonArray visible(JsonArray objects) {
    if (caller.grants().mayEverywhere(permission)) {
      return objects;
    }
    JsonArrayBuilder visible = Json.build().createArrayBuilder();
    objects.getValuesAs(JsonObject.class).stream()
        .filter(object -> caller.grants().may(permission, object.getString("namespace")))
        .forEach(visible::add);
    return visible.build();
  }
}
