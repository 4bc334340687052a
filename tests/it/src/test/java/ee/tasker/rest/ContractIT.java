package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.rest.Contract.Operation;
import ee.tasker.rest.http.RequestKeys;
import ee.tasker.run.Login;
import ee.tasker.security.Permission;
import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * A client of every operation that the server's own OpenAPI document has: asked correctly, without
 * credentials, without permission, about another's namespace, about nothing, and
 * wrongly. Status, headers, media type and body of each answer are as {@link Contract described}. A
 * new operation is among them by itself, and fails for want of a scenario.
 */
@AgainstServer
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ContractIT {
  private static final Set<String> FOR_EVERY_CALLER = Set.of("getMe", "getOpenApi",
      "getOpenApiYaml", "signIn", "signOut");
  /**
   * Needs more tasks than one bulk action may have, or a request that is still being answered
   * (KeyedRequestsIT); the only administrator (AccessIT); a key (SealedDocumentsIT).
   */
  private static final Set<String> SEEN_ELSEWHERE = Set.of("previewBulkAction 409", "pause 409",
      "resume 409", "setConcurrencyLimit 409",
      "deleteSchedule 409", "pauseSchedule 409", "resumeSchedule 409", "triggerSchedule 409",
      "backfillSchedule 409", "cancelBackfill 409",
      "setRetentionPolicy 409", "openDeadLetter 409",
      "submitTasks 409", "eraseTasks 409", "saveView 409", "deleteView 409",
      "replayDeadMessage 409",
      "changeUser 409", "revokeKey 409", "revokeGrant 409",
      "drainWorker 409", "deleteWebhook 409", "pauseWebhook 409", "resumeWebhook 409",
      "pingWebhook 409", "replayWebhook 409",
      "rotateWebhookSecret 409", "retryWebhookDelivery 409", "discardWebhookDelivery 409",
      "openTask 409", "openStep 409");

  private final TaskerClient admin;
  private final TaskerClient anonymous;
  private final Contract contract;
  private ContractScenarios scenarios;

  ContractIT(TaskerClient admin) {
    this.admin = admin;
    anonymous = admin.with(Map.of());
    contract = new Contract(admin.get("/openapi").object());
  }

  @BeforeAll
  void prepare() {
    scenarios = new ContractScenarios(contract, admin);
  }

  @AfterAll
  void putBack() {
    scenarios.putBack();
  }

  private Stream<DynamicTest> each(Stream<Operation> operations, Consumer<Operation> test) {
    return operations.map(
        operation -> DynamicTest.dynamicTest(operation.toString(), () -> test.accept(operation)));
  }

  private Stream<Operation> all() {
    return contract.operations().stream();
  }

  private Stream<Operation> closed() {
    return all().filter(operation -> operation.describes(401));
  }

  private Stream<Operation> guarded() {
    return closed().filter(operation -> !FOR_EVERY_CALLER.contains(operation.id()));
  }

  private Call right(Operation operation) {
    assertThat(scenarios.of(operation)).as("a scenario for %s", operation).isNotNull();
    return scenarios.of(operation).get().right();
  }

  private static void assertStatus(Answer answer, Integer... statuses) {
    assertThat(answer.status()).as("%s", answer).isIn((Object[]) statuses);
  }

  @Order(1)
  @TestFactory
  Stream<DynamicTest> what_is_asked_rightly_is_answered_as_described() {
    return each(all(),
        operation -> assertThat(right(operation).sendAs(admin).status() / 100).isEqualTo(2));
  }

  @Order(2)
  @TestFactory
  Stream<DynamicTest> a_request_without_credentials_is_refused_as_described() {
    return each(closed(), operation -> assertStatus(right(operation).sendAs(anonymous), 401));
  }

  @Order(2)
  @Test
  void who_guesses_is_refused_as_described() {
    TaskerClient guesser = admin.with(Map.of("Authorization",
        new Login("nobody " + UUID.randomUUID(), "a wrong password").basic()));
    Call me = Call.of(contract, "getMe");
    Answer last = me.sendAs(guesser);
    for (int guess = 0; guess < 30 && last.status() == 401; guess++) {
      last = me.sendAs(guesser);
    }
    assertStatus(last, 429);
  }

  @Order(3)
  @TestFactory
  Stream<DynamicTest> a_request_without_permission_is_refused_as_described() {
    Map<String, TaskerClient> allBut = new HashMap<>();
    return each(guarded(), operation -> {
      String permission = operation.value().getString("x-permission");
      TaskerClient caller = allBut.computeIfAbsent(permission, each -> admin.asOneWhoMay(
          Arrays.stream(Permission.values()).map(Permission::text)
              .filter(text -> !text.equals(permission)).toList()));
      assertStatus(right(operation).sendAs(caller), 403);
    });
  }

  @Order(4)
  @TestFactory
  Stream<DynamicTest> what_is_about_another_namespace_is_answered_as_described() {
    TaskerClient foreigner = admin
        .asOneWhoMay(Arrays.stream(Permission.values())
            .map(permission -> permission.text() + " in elsewhere").toList());
    return each(guarded(), operation -> {
      Answer answer = right(operation).sendAs(foreigner);
      // What lists, or belongs to no namespace, answers what may be seen of it.
      assertThat(answer.status()).as("%s", answer).isIn(200, 207, 403, 404);
      if (operation.path().contains("{task_uuid}")) {
        assertStatus(answer, 404);
      }
    });
  }

  @Order(5)
  @TestFactory
  Stream<DynamicTest> what_is_about_nothing_is_refused_as_described() {
    return each(all().filter(operation -> operation.path().contains("{")),
        operation -> assertStatus(right(operation).aboutNothing().sendAs(admin),
            operation.parameters().containsKey("server_uuid") ? 409 : 404));
  }

  @Order(6)
  @TestFactory
  Stream<DynamicTest> what_is_asked_wrongly_is_refused_as_described() {
    return each(all().filter(Operation::isUnderV1), operation -> {
      assertStatus(right(operation).query("colour", "red").sendAs(admin), 400);
      if (operation.hasBody()) {
        assertStatus(right(operation).body("application/pdf", "%PDF").sendAs(admin), 415);
        assertStatus(right(operation)
            .body("application/json",
                "\"" + "x".repeat(
                    Set.of("submitTasks", "submitResults", "saveCheckpoints")
                        .contains(operation.id()) ? 17_000_000 : 1_100_000)
                    + "\"")
            .sendAs(admin), 413);
      }
    });
  }

  @Order(6)
  @Test
  void metrics_of_what_there_is_not_are_refused_as_described() {
    assertStatus(Call.of(contract, "getMetrics").query("of", "both").sendAs(admin), 400);
  }

  @Order(7)
  @TestFactory
  Stream<DynamicTest> what_is_answered_otherwise_because_of_what_is_there_is_as_described() {
    return contract.operations().stream().flatMap(operation -> scenarios.byState(operation)
        .entrySet().stream().map(other -> DynamicTest
            .dynamicTest(other.getKey() + " " + operation,
                () -> assertStatus(other.getValue().get().right().sendAs(admin), other.getKey()))));
  }

  @Order(8)
  @TestFactory
  Stream<DynamicTest> a_key_of_another_request_is_refused_as_described() {
    return each(all().filter(operation -> operation.parameters().containsKey(RequestKeys.HEADER)),
        operation -> {
          String key = "contract-" + UUID.randomUUID();
          Call first = right(operation).header(RequestKeys.HEADER, key);
          assertThat(first.sendAs(admin).status() / 100).isEqualTo(2);
          Answer reused = (first.body() == null ? first.query("reason", "another")
              : first.body(first.type(), first.body().replace("ann", "bob"))).sendAs(admin);
          assertStatus(reused, 422);
        });
  }

  @Order(9)
  @Test
  void every_answer_that_is_described_was_seen() {
    List<String> unseen = contract.operations().stream().sorted(Comparator.comparing(Operation::id))
        .flatMap(operation -> {
          Set<String> described = new TreeSet<>(
              operation.value().getJsonObject("responses").keySet());
          // The access filter returns 429 before it knows the operation; servers in trouble return
          // 503 and the rest. 408 needs a slow body: SlowBodiesIT.
          described.removeAll(Set.of("408", "429", "503", "default"));
          contract.seen(operation).forEach(status -> described.remove(status.toString()));
          return described.stream().map(status -> operation.id() + " " + status);
        }).filter(answer -> !SEEN_ELSEWHERE.contains(answer)).collect(Collectors.toList());

    assertThat(unseen).isEmpty();
  }
}
