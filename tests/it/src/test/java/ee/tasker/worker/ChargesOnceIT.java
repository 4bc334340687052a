package ee.tasker.worker;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.TestServer;
import ee.tasker.worker.SellingShop.Order;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * What {@code docs/exactly-once.md} says, with the application of {@code examples/worker} and a
 * provider that keeps keys: each order is charged once, whatever makes its step run again. Answers
 * are lost, applications die, an operator resets the step, and the database is restored.
 */
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ChargesOnceIT {
  private final SellingShop shop = new SellingShop();

  @BeforeAll
  void start() {
    shop.start();
  }

  @AfterAll
  void stop() {
    shop.close();
  }

  private List<Order> order(int orders) {
    return Stream.generate(shop::order).limit(orders).toList();
  }

  @Test
  void orders_are_charged_once_when_answers_are_lost_and_applications_die() {
    List<Order> orders = new ArrayList<>();
    int before = shop.provider.requests();
    for (int round = 0; round < 2; round++) {
      TestServer doomed = shop.startAnother();
      shop.provider.hold();
      orders.addAll(order(25));
      // More than one application takes: some are of the one that dies.
      shop.awaitUnderWay(SellingShop.CAPACITY + 1);
      doomed.kill();
      doomed.close();
      shop.provider.goOn();
    }

    shop.awaitSold(orders);

    shop.assertEachIs(1, orders);
    assertThat(shop.provider.requests() - before)
        .as("with the lost answers, and those of the dead")
        .isGreaterThan(orders.size() + orders.size() / 3);
    assertThat(shop.provider.mails(Order.names(orders)).keySet()).as("mails of an order")
        .isSubsetOf(0, 1);
  }

  @Test
  void operator_who_resets_the_step_does_not_charge_again_unless_he_says_so() {
    shop.provider.loseAnswers(true);
    List<Order> orders = order(2);
    for (Order order : orders) {
      assertThat(shop.tasker().awaitTerminalOrBlocked(order.task()).getString("state"))
          .isEqualTo("blocked_by_failures");
    }
    shop.provider.loseAnswers(false);

    shop.reset(orders.get(0).task(), "charge", "");
    shop.reset(orders.get(1).task(), "charge", ", 'new_idempotency_token': true");
    shop.awaitSold(orders);

    shop.assertEachIs(1, orders.subList(0, 1));
    shop.assertEachIs(2, orders.subList(1, 2));
  }

  /** To a time at which some had been charged, and no result was stored. */
  @Test
  void restored_database_charges_nothing_again() {
    shop.provider.hold();
    List<Order> orders = order(20);
    shop.awaitUnderWay(SellingShop.CAPACITY);
    shop.backUp();
    shop.provider.goOn();
    shop.awaitSold(orders);
    shop.assertEachIs(1, orders);
    int asked = shop.provider.requests();

    shop.restore();
    shop.awaitSold(orders);

    assertThat(shop.provider.requests()).as("they were all asked for again")
        .isGreaterThanOrEqualTo(asked + orders.size());
    shop.assertEachIs(1, orders);
  }
}
