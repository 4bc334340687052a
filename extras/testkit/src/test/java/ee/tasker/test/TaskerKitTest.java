package ee.tasker.test;

import static ee.tasker.test.TaskAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.engine.model.TaskState;
import ee.tasker.handler.Handles;
import ee.tasker.handler.PermanentStepException;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.json.Json;
import jakarta.json.JsonValue;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

@TaskerTest
class TaskerKitTest {
  private static final String LINEAR = """
      {name: linear, namespace_name: kit, version: "1.0.0", identity_strategy: always_unique, steps: [
        {name: a, handler: {callable: kit.Do}, retry: {max_attempts: 2, backoff: linear, backoff_base_ms: 60000}, timeout_seconds: 30},
        {name: b, dependencies: [a], handler: {callable: kit.Do}},
        {name: c, dependencies: [b], handler: {callable: kit.Do}},
        {name: d, dependencies: [c], handler: {callable: kit.Do}}]}""";

  private static StepOutcome does(StepContext step) {
    return StepOutcome.success(Json.createObjectBuilder().add("did", step.stepName()).build());
  }

  @Handles({"kit.Do", "kit.Other"})
  private static final class Do implements StepHandler {
    private final List<String> ran = new ArrayList<>();

    @Override
    public StepOutcome handle(StepContext step) {
      ran.add(step.stepName());
      return does(step);
    }

    public StepOutcome otherwise(StepContext step) {
      ran.add(step.stepName() + " otherwise");
      return StepOutcome.success(JsonValue.NULL);
    }
  }

  @Test
  void children_run_with_their_own_handlers_and_their_failures_are_retried_on_the_virtual_clock(
      Tasker tasker) {
    Workflow charge = tasker
        .workflow(
            """
        {name: charge, namespace_name: bank, version: "1.0.0", input_schema: {type: object, required: [amount]},
         output: {paid: "$.context.amount"}, steps: [{name: take, handler: {callable: bank.Take}, retry: {max_attempts: 1}}]}""")
        .with("bank.Take", TaskerKitTest::does);
    Workflow order = tasker.workflow("""
        {name: order, namespace_name: kit, version: "1.0.0", steps: [
          {name: price, handler: {callable: kit.Do}},
          {name: pay, dependencies: [price], task: {namespace: bank, name: charge, context: {amount: 7}},
           retry: {max_attempts: 2, backoff: linear, backoff_base_ms: 60000}},
          {name: ship, dependencies: [pay], handler: {callable: kit.Do}}]}""").with(new Do());
    charge.failing("take", 1, StepOutcome.permanent("Declined", "no"));

    TaskRun task = order.submit("{}").run();

    assertThat(task).isComplete().step("pay").hasResult("{\"paid\": 7}");
    assertThat(task.child("pay")).isComplete();
    assertThat(task.output()).containsOnlyKeys("ship");
    tasker.checkHistory();
  }

  @Test
  void a_child_whose_context_does_not_fit_fails_its_step(Tasker tasker) {
    tasker.workflow("""
        {name: strict, namespace_name: bank, version: "1.0.0", input_schema: {type: object, required: [amount]},
         steps: [{name: take, handler: {callable: bank.Take}}]}""");
    TaskRun task = tasker
        .workflow(
            """
        {name: caller, namespace_name: kit, version: "1.0.0", steps: [{name: pay, task: {namespace: bank, name: strict}}]}""")
        .submit("{}")
        .run();

    assertThat(task).isBlocked().step("pay").hasError("child_failed");
    assertThat(task.child("pay")).isIn(TaskState.ERROR);
  }

  @Test
  void a_handler_is_found_by_its_annotation_its_class_and_its_method(Tasker tasker) {
    Do handler = new Do();
    Workflow workflow = tasker.with(handler).workflow("""
        {name: names, namespace_name: kit, version: "1.0.0", steps: [
          {name: a, handler: {callable: kit.Other}},
          {name: b, dependencies: [a], handler: {callable: "%s"}},
          {name: c, dependencies: [b], handler: {callable: kit.Do, method: otherwise}}]}"""
        .formatted(Do.class.getName()));

    assertThat(workflow.submit().run()).isComplete();
    assertThat(handler.ran).containsExactly("a", "b", "c otherwise");
  }

  @Test
  void a_handler_sees_what_its_ancestors_left(Tasker tasker) {
    TaskRun task = tasker
        .workflow(LINEAR).with("kit.Do", step -> StepOutcome.success(Json.createObjectBuilder()
            .add("known",
                Json.createArrayBuilder(step.dependencyNames().stream()
                    .filter(name -> step.result(name).isPresent()).sorted().toList()))
            .build()))
        .submit().run();

    assertThat(task).isComplete().step("d").hasResult("{\"known\": [\"a\", \"b\", \"c\"]}");
  }

  @Test
  void the_clock_stands_still_until_it_is_moved(Tasker tasker) {
    Instant start = tasker.now();
    TaskRun task = tasker.workflow(LINEAR).with("kit.Do", TaskerKitTest::does)
        .failing("a", 1, StepOutcome.retryable("Busy", "busy"))
        .submit();

    tasker.runUntilIdle();
    assertThat(task).isIn(TaskState.WAITING_FOR_RETRY);
    tasker.advance(Duration.ofSeconds(45));
    assertThat(task).isIn(TaskState.WAITING_FOR_RETRY);
    tasker.advance(Duration.ofSeconds(30));
    assertThat(task).isComplete().step("a").hasAttempts(2);
    assertThat(tasker.now()).isEqualTo(start.plusSeconds(75));
  }

  @Test
  void a_run_moves_the_clock_as_far_as_it_has_to(Tasker tasker) {
    Instant start = tasker.now();
    TaskRun task = tasker.workflow(LINEAR).with("kit.Do", TaskerKitTest::does)
        .failing("a", 1, StepOutcome.retryableAfter(Duration.ofDays(20), "Busy", "busy")).submit()
        .run();

    assertThat(task).isComplete();
    assertThat(Duration.between(start, tasker.now())).isBetween(Duration.ofDays(20),
        Duration.ofDays(20).plusSeconds(2));
  }

  @Test
  void what_a_handler_throws_is_what_a_server_makes_of_it(Tasker tasker) {
    TaskRun task = tasker.workflow(LINEAR).with("kit.Do", step -> {
      throw step.stepName().equals("a") ? new PermanentStepException("NoSuchCustomer", "who?")
          : new IllegalStateException();
    }).submit().run();

    assertThat(task).isBlocked().step("a").hasFailed().hasAttempts(1).hasError("NoSuchCustomer")
        .step("b").isIn("pending");
  }

  @Test
  void an_assertion_in_a_handler_fails_the_test(Tasker tasker) {
    TaskRun task = tasker.workflow(LINEAR).with("kit.Do", step -> {
      throw new AssertionError("as the test wants it");
    }).submit();

    assertThatThrownBy(task::run).isInstanceOf(AssertionError.class)
        .hasMessage("as the test wants it");
  }

  @Test
  void a_time_out_takes_its_time(Tasker tasker) {
    Instant start = tasker.now();
    TaskRun task = tasker.workflow(LINEAR).with("kit.Do", TaskerKitTest::does).timingOut("a", 2)
        .submit().run();

    assertThat(task).isBlocked().step("a").hasAttempts(2).hasError("handler_timeout");
    assertThat(Duration.between(start, tasker.now()))
        .isGreaterThanOrEqualTo(Duration.ofSeconds(30 + 30));
    assertThatThrownBy(() -> tasker.workflow(LINEAR).with("kit.Do", TaskerKitTest::does)
        .timingOut("b", 1).submit().run())
        .isInstanceOf(IllegalStateException.class).hasMessageContaining("b cannot time out");
  }

  @Test
  void a_server_that_dies_is_recovered_from(Tasker tasker) {
    Do handler = new Do();
    TaskRun task = tasker.workflow(LINEAR).with(handler).crashingBefore("b", 1)
        .crashingAfter("c", 1).submit().run();

    assertThat(task).isComplete();
    assertThat(handler.ran).containsExactly("a", "b", "c", "c", "d");
    tasker.checkHistory();
  }

  @Test
  void all_attempts_of_a_step_give_other_systems_the_same_idempotency_token(Tasker tasker) {
    List<String> seen = new ArrayList<>();
    TaskRun task = tasker.workflow(LINEAR).with("kit.Do", step -> {
      if (step.stepName().equals("b")) {
        assertThat(step.idempotencyToken()).isEqualTo(step.stepUuid().toString());
        seen.add(step.attemptToken().substring(36));
      }
      return StepOutcome.success();
    }).crashingAfter("b", 1).submit().run();

    assertThat(task).isComplete();
    assertThat(seen).containsExactly(":1", ":2");
  }

  @Test
  void a_checkpoint_outlives_the_server(Tasker tasker) {
    List<String> seen = new ArrayList<>();
    TaskRun task = tasker.workflow(LINEAR).with("kit.Do", step -> {
      seen.add(step.checkpoint().map(JsonValue::toString).orElse("none"));
      step.checkpoint(Json.createValue(step.stepName()));
      return StepOutcome.success();
    }).crashingAfter("a", 1).submit().run();

    assertThat(task).isComplete();
    assertThat(seen).containsExactly("none", "\"a\"", "none", "none", "none");
  }

  @Test
  void a_step_that_yields_goes_on_from_its_checkpoint_when_its_time_has_come(Tasker tasker) {
    List<String> seen = new ArrayList<>();
    TaskRun task = tasker.workflow(LINEAR).with("kit.Do", step -> {
      seen.add(step.stepName() + " " + step.attempt() + " "
          + step.checkpoint().map(JsonValue::toString).orElse("none"));
      return step.stepName().equals("b") && step.checkpoint().isEmpty()
          ? StepOutcome.yield(Json.createValue("half way"), Duration.ofHours(3))
          : StepOutcome.success();
    }).submit().run();

    assertThat(task).isComplete();
    assertThat(seen).containsExactly("a 1 none", "b 1 none", "b 1 \"half way\"", "c 1 none",
        "d 1 none");
    tasker.checkHistory();
  }

  @Test
  void a_decision_creates_what_it_chooses(Tasker tasker) {
    Workflow routing = tasker
        .workflow(
            """
        {name: routing, namespace_name: kit, version: "1.0.0", identity_strategy: always_unique, steps: [
          {name: start, handler: {callable: kit.Do}},
          {name: route, type: decision, dependencies: [start], handler: {callable: kit.Route}},
          {name: left, dependencies: [route], handler: {callable: kit.Do}},
          {name: right, dependencies: [route], handler: {callable: kit.Do}},
          {name: join, type: deferred_convergence, dependencies: [left, right], handler: {callable: kit.Do}}]}""")
        .with("kit.Do", TaskerKitTest::does)
        .with("kit.Route",
            step -> StepOutcome.decide(JsonValue.TRUE, step.input().getString("to")));

    assertThat(routing.submit("{\"to\": \"left\"}").run()).isComplete().hasSteps("start", "route",
        "left", "join");
    assertThat(routing.submit("{\"to\": \"up\"}").run()).isBlocked().step("route").hasFailed();
    tasker.checkHistory();
  }

  @Test
  void a_decision_by_rules_needs_no_handler(Tasker tasker) {
    Workflow routing = tasker.workflow("""
        {name: rules, namespace_name: kit, version: "1.0.0", identity_strategy: always_unique, steps: [
          {name: start, handler: {callable: kit.Do}},
          {name: route, type: decision, dependencies: [start], rules: [{when: "$.context.amount > 100", then: [large]}], otherwise: [small]},
          {name: large, dependencies: [route], handler: {callable: kit.Do}},
          {name: small, dependencies: [route], handler: {callable: kit.Do}}]}""").with("kit.Do",
        TaskerKitTest::does);

    assertThat(routing.submit("{\"amount\": 101}").run()).isComplete().hasSteps("start", "route",
        "large");
    assertThat(routing.submit("{\"amount\": 100}").run()).isComplete().hasSteps("start", "route",
        "small");
  }

  private static final String TRIAL = """
      {name: trial, namespace_name: kit, version: "1.0.0", identity_strategy: always_unique, steps: [
        {name: welcome, handler: {callable: kit.Do}},
        {name: payment, dependencies: [welcome], signal: {name: paid, timeout: P30D, on_timeout: {amount: 0}, schema: {type: object, required: [amount]}}},
        {name: rest, dependencies: [payment], wait: {for: P1D}},
        {name: close, dependencies: [rest], handler: {callable: kit.Do}}]}""";

  @Test
  void thirty_days_pass_at_once(Tasker tasker) {
    Instant start = tasker.now();
    TaskRun task = tasker.workflow(TRIAL).with("kit.Do", TaskerKitTest::does).submit();

    tasker.advance(Duration.ofDays(29));
    assertThat(task).step("payment").isIn("pending").step("welcome").isComplete();
    assertThat(task.run()).isComplete().step("payment").hasResult("{\"amount\": 0}");
    assertThat(Duration.between(start, tasker.now())).isBetween(Duration.ofDays(31),
        Duration.ofDays(31).plusSeconds(2));
    tasker.checkHistory();
  }

  @Test
  void a_signal_ends_a_wait(Tasker tasker) {
    TaskRun task = tasker.workflow(TRIAL).with("kit.Do", TaskerKitTest::does).submit();
    assertThatThrownBy(() -> task.signal("paid", "{}")).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("amount");
    assertThatThrownBy(() -> task.signal("sent", "{}")).isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("paid");

    assertThat(task.signal("paid", "{\"amount\": 7}").run()).isComplete().step("payment")
        .hasResult("{\"amount\": 7}");
    tasker.checkHistory();
  }

  @Test
  void a_user_decides_an_approval_or_the_clock_does(Tasker tasker) {
    Workflow workflow = tasker.workflow("""
        {name: asked, namespace_name: kit, version: 1.0.0, identity_strategy: always_unique, steps: [
          {name: review, approval: {title: t, candidates: {roles: [clerk]}, due: P2D, on_due: {approved: false},
            form: {type: object, required: [limit]}}}]}
        """);
    TaskRun task = workflow.submit();
    tasker.runUntilIdle();
    assertThatThrownBy(() -> task.decide("review", "ann", true, "{}", "clerk"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("limit");
    assertThatThrownBy(() -> task.decide("review", "ann", true, "{\"limit\": 5}"))
        .isInstanceOf(IllegalStateException.class);

    assertThat(task.decide("review", "ann", true, "{\"limit\": 5}", "clerk").run()).isComplete();
    org.assertj.core.api.Assertions.assertThat(task.result("review").getString("decided_by"))
        .isEqualTo("ann");
    TaskRun late = workflow.submit().run();
    assertThat(late).isComplete();
    org.assertj.core.api.Assertions.assertThat(late.result("review").getBoolean("approved"))
        .isFalse();
    tasker.checkHistory();
  }

  @Test
  void a_task_starts_when_its_request_says(Tasker tasker) {
    Workflow workflow = tasker.workflow(LINEAR).with("kit.Do", TaskerKitTest::does);
    TaskRun task = workflow.submit(workflow.request().delay(Duration.ofHours(5)));

    tasker.advance(Duration.ofHours(4));
    assertThat(task).isIn(TaskState.PENDING);
    assertThat(task.run()).isComplete();
  }

  @Test
  void a_batch_is_worked_off(Tasker tasker) {
    TaskRun task = tasker.workflow("""
        {name: products, namespace_name: kit, version: "1.0.0", steps: [
          {name: cut, type: batchable, batch_config: {worker_template: load, items: "$.context.products[*]", batch_size: 2}},
          {name: load, type: batch_worker, dependencies: [cut], handler: {callable: kit.Load}, batch_config: {worker_template: load, parallelism: 2}},
          {name: sum, dependencies: [load], handler: {callable: kit.Do}}]}""")
        .with("kit.Do", TaskerKitTest::does)
        .with("kit.Load", step -> StepOutcome.success(step.stepInputs()))
        .submit("{\"products\": [1, 2, 3, 4, 5]}").run();

    assertThat(task).isComplete().hasSteps("cut", "load", "load_001", "load_002", "load_003",
        "sum");
    tasker.checkHistory();
  }

  @Test
  void what_was_done_is_undone_in_reverse_order_when_a_later_step_fails(Tasker tasker) {
    Workflow workflow = tasker.workflow("""
        name: trip
        namespace_name: demo
        version: "1.0.0"
        lifecycle: {on_failure: compensate}
        steps:
          - name: flight
            handler: {callable: demo.Book}
            compensation: {handler: {callable: demo.Cancel}}
          - name: hotel
            dependencies: [flight]
            handler: {callable: demo.Book}
            compensation: {handler: {callable: demo.Cancel}}
          - name: pay
            dependencies: [hotel]
            handler: {callable: demo.Pay}
        """)
        .with("demo.Book",
            step -> StepOutcome.success(Json.createValue("booked " + step.stepName())))
        .with("demo.Cancel", step -> StepOutcome.success())
        .with("demo.Pay", step -> StepOutcome.success());
    assertThat(workflow.submit("{}").run()).isComplete();

    TaskRun task = workflow.failing("pay", 1, StepOutcome.permanent("NoMoney", "sorry"))
        .submit("{\"trip\": 2}").run();

    assertThat(task).isCompensated("hotel", "flight").step("pay").hasError("NoMoney");
    assertThatThrownBy(() -> TaskAssert.assertThat(task).isCompensated("flight", "hotel"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("those undone are [hotel, flight]").hasMessageContaining("pay");
    tasker.checkHistory();
  }

  @Test
  void results_publish_events(Tasker tasker) {
    Workflow workflow = tasker.workflow("""
        name: paid
        namespace_name: demo
        version: "1.0.0"
        steps:
          - name: charge
            handler: {callable: demo.Charge}
            publishes_events:
              - {name: order.paid, payload: {order: $.context.order, total: $.results.charge.amount}}
              - {name: order.declined, condition: permanent_failure}
        """).with("demo.Charge",
        step -> StepOutcome.success(Json.createObjectBuilder().add("amount", 7).build()));

    TaskRun paid = workflow.submit("{\"order\": \"A-17\"}").run();
    TaskRun declined = workflow.failing("charge", 1, StepOutcome.permanent("NoMoney", "sorry"))
        .submit("{\"order\": \"B\"}").run();

    assertThat(paid).hasPublished("order.paid", "{\"total\": 7, \"order\": \"A-17\"}")
        .hasNotPublished("order.declined");
    assertThat(declined).isBlocked().hasPublished("order.declined").hasNotPublished("order.paid");
    assertThat(paid.events()).extracting(TaskRun.Event::step).containsExactly("charge");
    assertThatThrownBy(() -> TaskAssert.assertThat(paid).hasPublished("order.paid", "{}"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("order.paid with {} and has published")
        .hasMessageContaining("attempt 1");
  }

  @Test
  void an_operator_repairs(Tasker tasker) {
    Workflow workflow = tasker.workflow(LINEAR).with("kit.Do", TaskerKitTest::does).failing("a", 2,
        StepOutcome.permanent("No", "no"));

    TaskRun retried = workflow.submit().run();
    assertThat(retried).isBlocked();
    assertThat(retried.retry("mended").run()).isBlocked();
    assertThat(retried.retryStep("a", "mended again").run()).isComplete().step("a")
        .hasResult("{\"did\": \"a\"}");

    workflow.failing("b", 1, StepOutcome.permanent("No", "no"))
        .failing("c", 1, StepOutcome.permanent("No", "no"))
        .failing("d", 1, StepOutcome.permanent("No", "no"));
    TaskRun helped = workflow.submit().run();
    helped.completeStep("b", Json.createObjectBuilder().add("by", "hand").build(),
        "seen in the ledger").run();
    helped.resolveStep("c", "not needed").run();
    assertThat(helped).isBlocked().step("b").hasResult("{\"by\": \"hand\"}");
    assertThat(helped.resolve("closed")).isIn(TaskState.RESOLVED_MANUALLY);
    assertThatThrownBy(() -> helped.retryStep("d", "too late"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("already ended");
    tasker.checkHistory();
  }

  @Test
  void a_cancel_stops_what_has_not_run(Tasker tasker) {
    TaskRun task = tasker.workflow(LINEAR).with("kit.Do", TaskerKitTest::does)
        .failing("b", 1, StepOutcome.retryableAfter(Duration.ofDays(1), "Busy", "busy")).submit();
    tasker.runUntilIdle();

    assertThat(task.cancel("no longer wanted").run()).isCancelled().step("a").isComplete().step("c")
        .isIn("cancelled");
  }

  @Test
  void a_handler_sees_the_cancel_of_its_task(Tasker tasker) {
    List<TaskRun> tasks = new ArrayList<>();
    tasks.add(tasker.workflow(LINEAR).with("kit.Do", step -> {
      tasks.get(0).cancel("while it runs");
      return step.isCancelRequested() ? StepOutcome.cancelled("stopped") : StepOutcome.success();
    }).submit());

    assertThat(tasks.get(0).run()).isCancelled().step("a").isIn("cancelled");
  }

  @Test
  void a_handler_that_was_not_given_is_named(Tasker tasker) {
    TaskRun task = tasker.workflow(LINEAR).submit();

    assertThatThrownBy(task::run).isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("step a")
        .hasMessageContaining("with(\"kit.Do\", …)");
  }

  @Test
  void a_handler_cannot_move_the_clock(Tasker tasker) {
    List<Throwable> thrown = new ArrayList<>();
    tasker.workflow(LINEAR).with("kit.Do", step -> {
      try {
        tasker.advance(Duration.ofDays(1));
      } catch (IllegalStateException e) {
        thrown.add(e);
      }
      return StepOutcome.success();
    }).submit().run();

    assertThat(thrown).hasSize(4)
        .allSatisfy(e -> assertThat(e).hasMessageContaining("a handler cannot"));
    assertThatThrownBy(() -> tasker.advance(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void what_does_not_fit_is_refused_before_anything_runs(Tasker tasker) {
    assertThatThrownBy(() -> tasker.workflow("name: x\nsteps: [{name: a, handlr: {}}]"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2:19").hasMessageContaining("did you mean \"handler\"");
    assertThatThrownBy(() -> tasker.workflow("""
        {name: r, namespace_name: kit, version: "1.0.0", steps: [
          {name: start, handler: {callable: kit.Do}},
          {name: route, type: decision, dependencies: [start], rules: [{when: "$.results.strt.x > 1", then: [b]}]},
          {name: b, dependencies: [route], handler: {callable: kit.Do}}]}"""))
        .hasMessageContaining("3:71").hasMessageContaining("strt")
        .hasMessageContaining("start");
    assertThatThrownBy(
        () -> tasker.workflowResource("demo/greeting.yaml").submit("{\"name\": \"\"}"))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("context/name");
    assertThatThrownBy(() -> tasker.workflowResource("demo/none.yaml"))
        .hasMessageContaining("demo/none.yaml");
    assertThatThrownBy(() -> tasker.workflow(LINEAR).failing("z", 1, StepOutcome.success()))
        .hasMessageContaining("no step z");
    assertThatThrownBy(() -> tasker.workflow(LINEAR.replace("name: d,", "name: e,")))
        .hasMessageContaining("a change needs a new version");
    assertThatThrownBy(() -> tasker.with(TaskerKitTest::does))
        .hasMessageContaining("a lambda has no name");
  }

  @Test
  void the_identity_of_a_request_counts(Tasker tasker) {
    Workflow workflow = tasker.workflow(LINEAR.replace("identity_strategy: always_unique, ", ""))
        .with("kit.Do", TaskerKitTest::does);
    TaskRun first = workflow.submit("{\"order\": 1}");
    TaskRun again = workflow.submit("{\"order\": 1}");

    assertThat(again.uuid()).isEqualTo(first.uuid());
    assertThat(again.isDuplicate()).isTrue();
    assertThat(workflow.submit("{\"order\": 2}").isDuplicate()).isFalse();
    assertThat(workflow.submit(workflow.request().idempotencyKey("another")).isDuplicate())
        .isFalse();
  }

  @Test
  void a_result_must_fit_its_schema(Tasker tasker) {
    TaskRun task = tasker
        .workflow(
            """
        {name: schema, namespace_name: kit, version: "1.0.0", steps: [
          {name: a, handler: {callable: kit.Do}, result_schema: {type: object, required: [id]}}]}""")
        .with("kit.Do", TaskerKitTest::does)
        .submit().run();

    assertThat(task).isBlocked().step("a").hasError("result_schema_violation");
  }

  @Test
  void what_is_not_met_ends_with_the_story(Tasker tasker) {
    TaskRun task = tasker.workflow(LINEAR).with("kit.Do", TaskerKitTest::does)
        .failing("b", 1, StepOutcome.permanent("NoSuchCustomer", "who?")).submit("{\"n\": 1}")
        .run();

    assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> assertThat(task).isComplete())
        .withMessageContaining("should be complete and is blocked_by_failures")
        .withMessageContaining("submitted {\"n\":1}")
        .withMessageContaining("attempt 1 of 3: permanent_failure {\"type\":\"NoSuchCustomer\"")
        .withMessageContaining("c")
        .withMessageContaining("why: ");
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> assertThat(task).step("b").hasAttempts(2))
        .withMessageContaining("step b should have had 2 attempts and had 1");
    assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> assertThat(task).step("z"));
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> assertThat(task).step("a").hasResult("{}"));
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> assertThat(task).step("b").hasError("Other"));
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> assertThat(task).hasSteps("a", "b"));
  }

  @Test
  void damage_is_noticed(Tasker tasker) throws SQLException {
    tasker.workflow(LINEAR).with("kit.Do", TaskerKitTest::does).submit().run();
    tasker.checkHistory();
    try (Connection connection = tasker.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("set session_replication_role = replica");
      statement.execute("update tasker.workflow_steps set state = 'error'");
    }

    assertThatExceptionOfType(AssertionError.class).isThrownBy(tasker::checkHistory)
        .withMessageContaining("broken promises");
  }

  @Test
  void tests_do_not_see_each_other() {
    try (Tasker one = Tasker.open(); Tasker other = Tasker.open()) {
      TaskRun here = one.workflow(LINEAR).with("kit.Do", TaskerKitTest::does).submit();
      TaskRun there = other.workflow(LINEAR).with("kit.Do", TaskerKitTest::does).submit().run();

      assertThat(there).isComplete();
      assertThat(here).step("a").hasAttempts(1).isIn("enqueued");
    }
  }

  /** The time of the first test, in which the database starts, does not count. */
  @Test
  void a_linear_workflow_is_quick(Tasker first) {
    first.workflow(LINEAR).with("kit.Do", TaskerKitTest::does).submit().run();
    List<Long> times = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      long began = System.nanoTime();
      try (Tasker tasker = Tasker.open()) {
        assertThat(tasker.workflow(LINEAR).with("kit.Do", TaskerKitTest::does).submit().run())
            .isComplete();
      }
      times.add((System.nanoTime() - began) / 1_000_000);
    }
    times.sort(null);
    System.out.println(
        "a linear workflow of four steps, with a database of its own: median " + times.get(10)
            + " ms, slowest " + times.get(19) + " ms");
  }
}
