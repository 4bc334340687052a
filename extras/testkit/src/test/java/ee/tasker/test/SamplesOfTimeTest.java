package ee.tasker.test;

import static ee.tasker.test.TaskAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.engine.model.TaskState;
import ee.tasker.samples.ecommerce.CreateOrder;
import ee.tasker.samples.ecommerce.ReleaseInventory;
import ee.tasker.samples.ecommerce.SendConfirmation;
import ee.tasker.samples.ecommerce.UpdateInventory;
import ee.tasker.samples.ecommerce.ValidateCart;
import ee.tasker.samples.subscriptions.BeginSubscription;
import ee.tasker.samples.subscriptions.RemindCustomer;
import ee.tasker.samples.subscriptions.StartTrial;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** The samples that wait, with their own handlers, on the clock of the kit. */
@TaskerTest
class SamplesOfTimeTest {
  private static final Path SAMPLES = Path.of("../../samples");
  private static final String CART = """
      {"items": [{"sku": "MUG-01", "name": "Coffee mug", "quantity": 2, "unit_price": 25.00}], "customer_email": "grace@example.com"}""";

  private static Workflow trial(Tasker tasker) {
    InstantSource clock = tasker::now;
    return tasker.workflow(SAMPLES.resolve("trial_period/template.yaml"))
        .with(new StartTrial(clock.withZone(ZoneOffset.UTC))).with(new RemindCustomer())
        .with(new BeginSubscription());
  }

  private static Workflow order(Tasker tasker) {
    return tasker.workflow(SAMPLES.resolve("paid_order/template.yaml")).with(new ValidateCart())
        .with(new UpdateInventory())
        .with(new ReleaseInventory()).with(new CreateOrder()).with(new SendConfirmation());
  }

  @Test
  void trial_reminds_after_27_days_and_ends_after_30(Tasker tasker) {
    Instant start = tasker.now();
    TaskRun task = trial(tasker)
        .submit("{\"customer\": \"grace@example.com\", \"plan\": \"professional\"}");

    tasker.advance(Duration.ofDays(27).minusSeconds(1));
    assertThat(task).isIn(TaskState.WAITING_FOR_DEPENDENCIES).step("remind").isIn("pending");
    tasker.advance(Duration.ofSeconds(1));
    assertThat(task).step("remind").isComplete().step("trial").isIn("pending");
    tasker.advance(Duration.ofDays(3).minusSeconds(1));
    assertThat(task).step("trial").isIn("pending");
    tasker.advance(Duration.ofSeconds(1));

    assertThat(task).isComplete();
    assertThat(task.result("begin_subscription").getString("begins_at"))
        .isEqualTo(start.plus(Duration.ofDays(30)).toString());
    tasker.checkHistory();
  }

  @Test
  void order_that_is_paid_in_time_is_confirmed(Tasker tasker) {
    TaskRun task = order(tasker).submit(CART);
    tasker.advance(Duration.ofSeconds(9));

    task.signal("paid", "{\"transaction_id\": \"txn_4711\", \"amount\": 63.99}").run();

    assertThat(task).isComplete().step("create_order").isComplete();
    assertThat(task.compensation()).isEmpty();
    tasker.checkHistory();
  }

  @Test
  void order_that_is_not_paid_in_time_releases_what_it_reserved(Tasker tasker) {
    TaskRun task = order(tasker).submit(CART);

    tasker.advance(Duration.ofSeconds(10));

    assertThat(task).isIn(TaskState.ERROR).isCompensated("update_inventory").step("process_payment")
        .hasFailed().hasError("wait_timed_out")
        .step("create_order").isIn("cancelled");
    assertThat(task.result("update_inventory:compensation").getJsonArray("released")).hasSize(1);
    tasker.checkHistory();
  }
}
