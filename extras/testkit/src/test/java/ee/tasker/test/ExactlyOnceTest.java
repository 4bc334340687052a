package ee.tasker.test;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepOutcome;
import jakarta.json.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What {@code docs/exactly-once.md} says: effects under everything that makes a step run again. */
@TaskerTest
class ExactlyOnceTest {
  private static final int ORDERS = 12;
  private static final String ORDER = """
      name: order
      namespace_name: shop
      version: "1.0.0"
      steps:
        - name: charge
          handler: {callable: shop.Charge}
          retry: {max_attempts: 3, backoff_base_ms: 1000}
        - name: ship
          dependencies: [charge]
          handler: {callable: shop.Ship}
      """;
  private static final String MAIL = """
      name: mail
      namespace_name: shop
      version: "1.0.0"
      steps:
        - name: tell_customer
          handler: {callable: shop.TellCustomer}
          retry: {retryable: false, on_worker_lost: abandon}
      """;

  /** Keeps idempotency keys, and counts what it takes from cards. Its network is bad. */
  private static final class Provider {
    private final Map<String, String> receipts = new HashMap<>();
    private final Map<String, Integer> amounts = new HashMap<>();
    private final Random network = new Random(7);
    private int requests;
    private int charges;

    String charge(String key, int amount) {
      requests++;
      if (network.nextInt(4) == 0) {
        throw new IllegalStateException("the request was lost");
      }
      Integer before = amounts.putIfAbsent(key, amount);
      if (before != null && before != amount) {
        throw new IllegalArgumentException("the key was used for another amount");
      }
      String receipt = receipts.computeIfAbsent(key, none -> "R" + ++charges);
      if (network.nextInt(3) == 0) {
        throw new IllegalStateException("the answer was lost");
      }
      return receipt;
    }
  }

  private static StepOutcome charge(StepContext step, Provider provider,
      Function<StepContext, String> key) {
    String receipt = provider.charge(key.apply(step), step.input().getInt("amount"));
    if (step.checkpoint().isEmpty()) {
      // The charge is made; a step may go on later, and then asks again.
      return StepOutcome.yield(Json.createValue(receipt), Duration.ofHours(1));
    }
    return StepOutcome.success(Json.createObjectBuilder().add("receipt", receipt).build());
  }

  /** Orders whose servers die after the charge, and which an operator repairs until they end. */
  private static List<TaskRun> orders(Tasker tasker, Provider provider,
      Function<StepContext, String> key) {
    List<TaskRun> tasks = new ArrayList<>();
    for (int i = 0; i < ORDERS; i++) {
      Workflow order = tasker.workflow(ORDER)
          .with("shop.Charge", step -> charge(step, provider, key))
          .with("shop.Ship", step -> StepOutcome.success());
      if (i % 3 == 0) {
        order.crashingAfter("charge", 1);
      }
      TaskRun task = order.submit("{\"amount\": " + (i + 1) + "}").run();
      for (int repairs = 0; !task.state().isTerminal() && repairs < 50; repairs++) {
        if (repairs % 2 == 0) {
          task.retryStep("charge", "the provider answers again").run();
        } else {
          task.retry("the provider answers again").run();
        }
      }
      assertThat(task.state().toString()).as(task.story()).isEqualToIgnoringCase("complete");
      tasks.add(task);
    }
    return tasks;
  }

  @Test
  void provider_that_keeps_keys_charges_each_order_once(Tasker tasker) {
    Provider provider = new Provider();

    List<TaskRun> tasks = orders(tasker, provider, StepContext::idempotencyToken);

    assertThat(provider.charges).isEqualTo(ORDERS);
    assertThat(provider.requests).as("the faults happened").isGreaterThan(2 * ORDERS);
    assertThat(tasks.stream().map(task -> task.result("charge").getString("receipt")).distinct())
        .as("each order has the receipt of its own charge").hasSize(ORDERS);
  }

  /** What the provider counts would be wrong with another key: the test can tell. */
  @Test
  void key_of_the_attempt_charges_orders_more_than_once(Tasker tasker) {
    Provider provider = new Provider();

    orders(tasker, provider, StepContext::attemptToken);

    assertThat(provider.charges).isGreaterThan(ORDERS);
  }

  @Test
  void mail_that_may_have_been_sent_is_not_sent_again(Tasker tasker) {
    List<String> sent = new ArrayList<>();
    Workflow mail = tasker.workflow(MAIL).with("shop.TellCustomer", step -> {
      sent.add(step.input().getString("to"));
      return StepOutcome.success();
    });

    TaskRun task = mail.crashingAfter("tell_customer", 1).submit("{\"to\": \"ann\"}").run();

    assertThat(task.state().toString()).as(task.story()).isEqualToIgnoringCase(
        "blocked_by_failures");
    assertThat(sent).containsExactly("ann");
    assertThat(task.completeStep("tell_customer", Json.createObjectBuilder().build(),
        "the log of the mail system has it").run().state().toString())
        .isEqualToIgnoringCase("complete");
    assertThat(sent).containsExactly("ann");
  }
}
