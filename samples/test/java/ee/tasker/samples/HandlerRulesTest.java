package ee.tasker.samples;

import static ee.tasker.samples.StepStub.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.handler.PermanentStepException;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.customersuccess.CheckRefundPolicy;
import ee.tasker.samples.customersuccess.ExecuteRefundWorkflow;
import ee.tasker.samples.customersuccess.RefundStarter;
import ee.tasker.samples.customersuccess.ValidateRefundRequest;
import ee.tasker.samples.ecommerce.CreateOrder;
import ee.tasker.samples.ecommerce.ProcessPayment;
import ee.tasker.samples.ecommerce.RefundPayment;
import ee.tasker.samples.ecommerce.ReleaseInventory;
import ee.tasker.samples.ecommerce.ValidateCart;
import ee.tasker.samples.payments.ValidatePaymentEligibility;
import ee.tasker.samples.retries.BusyOnce;
import ee.tasker.samples.subscriptions.StartTrial;
import jakarta.json.JsonObject;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HandlerRulesTest {

  @ParameterizedTest(name = "{0} at {1}: {2} + {3} + {4} = {5}")
  @CsvSource({
    "1, 99.99, 99.99, 8.00, 9.99, 117.98",
    "1, 100.00, 100.00, 8.00, 0.00, 108.00",
    "4, 25.00, 100.00, 8.00, 0.00, 108.00",
    "3, 0.335, 1.01, 0.08, 9.99, 11.08",
    "1, 0.01, 0.01, 0.00, 9.99, 10.00"})
  void a_cart_costs_its_lines_and_tax_and_below_100_shipping(int quantity, String price,
      String subtotal, String tax, String shipping, String total) throws Exception {
    JsonObject cart = success(new ValidateCart(), StepStub.withInput("""
        {'customer_email': 'a@b', 'items': [{'sku': 's', 'name': 'n', 'quantity': %d, 'unit_price': %s}]}
        """.formatted(quantity, price)));

    assertThat(List.of(cart.get("subtotal").toString(), cart.get("tax").toString(),
        cart.get("shipping").toString(), cart.get("total").toString()))
        .containsExactly(subtotal, tax, shipping, total);
  }

  @ParameterizedTest(name = "{1}")
  @CsvSource(delimiter = '|', value = {
    "{'customer_email': 'a@b', 'items': []} | items is empty",
    "{'customer_email': 'a@b'} | context.items is missing",
    "{'items': []} | context.customer_email is missing",
    "{'customer_email': 'a@b', 'items': [{'name': 'n', 'quantity': 1, 'unit_price': 1}]} | items[0].sku is missing",
    "{'customer_email': 'a@b', 'items': [{'sku': 's', 'quantity': 1, 'unit_price': 1}]} | items[0].name is missing",
    "{'customer_email': 'a@b', 'items': [{'sku': 's', 'name': 'n', 'quantity': 1.5, 'unit_price': 1}]} | whole number",
    "{'customer_email': 'a@b', 'items': [{'sku': 's', 'name': 'n', 'quantity': 1, 'unit_price': 0}]} | more than 0",
    "{'customer_email': 'a@b', 'items': [7]} | items[0] must be an object"})
  void a_bad_cart_is_refused_permanently_with_a_reason(String context, String complaint) {
    assertThatThrownBy(() -> new ValidateCart().handle(StepStub.withInput(context)))
        .isInstanceOf(PermanentStepException.class)
        .hasMessageContaining(complaint);
  }

  @Test
  void a_payment_tried_again_has_the_ids_of_the_first_attempt() throws Exception {
    StepStub step = StepStub.withInput("{}").result("validate_cart", "{'total': 96.39}");

    JsonObject first = success(new ProcessPayment(), step.attempt(1, 2));
    JsonObject second = success(new ProcessPayment(), step.attempt(2, 2));

    assertThat(second).isEqualTo(first);
    assertThat(first.getString("transaction_id")).matches("txn_[0-9a-f]{16}");
    assertThat(first.getString("authorization_code")).matches("[0-9a-f]{12}");
  }

  @Test
  void a_compensation_gives_back_what_the_result_says() throws Exception {
    JsonObject refund = success(new RefundPayment(),
        StepStub.withInput("{}")
            .stepInputs("{'result': {'payment_id': 'pay_1', 'amount': 96.39}}"));
    JsonObject release = success(new ReleaseInventory(),
        StepStub.withInput("{}").stepInputs(
            "{'result': {'reservations': [{'reservation_id': 'res_1'}, {'reservation_id': 'res_2'}]}}"));

    assertThat(refund.getJsonNumber("amount").bigDecimalValue()).isEqualByComparingTo("96.39");
    assertThat(refund.getString("payment_id")).isEqualTo("pay_1");
    assertThat(release.getJsonArray("released")).hasToString("[\"res_1\",\"res_2\"]");
  }

  @Test
  void a_trial_lasts_the_days_of_the_template_or_the_seconds_of_the_context() throws Exception {
    StartTrial handler = new StartTrial(
        Clock.fixed(Instant.parse("2028-02-23T00:00:00Z"), ZoneOffset.UTC));

    JsonObject days = success(handler, StepStub.withInput("{}").config(json("{'days': 30}")));
    JsonObject seconds = success(handler,
        StepStub.withInput("{'trial_seconds': 3}").config(json("{'days': 30}")));

    assertThat(days).isEqualTo(
        json(
            "{'started_at': '2028-02-23T00:00:00Z', 'remind_at': '2028-03-21T00:00:00Z', 'ends_at': '2028-03-24T00:00:00Z'}"));
    assertThat(seconds).isEqualTo(
        json(
            "{'started_at': '2028-02-23T00:00:00Z', 'remind_at': '2028-02-23T00:00:02.700Z', 'ends_at': '2028-02-23T00:00:03Z'}"));
  }

  @Test
  void an_order_is_promised_in_seven_days() throws Exception {
    Clock leapDayEve = Clock.fixed(Instant.parse("2028-02-23T23:59:59Z"), ZoneOffset.UTC);

    JsonObject order = success(new CreateOrder(leapDayEve), StepStub.withInput("{}")
        .result("validate_cart", "{'total': 1}")
        .result("process_payment", "{'transaction_id': 'txn_1'}")
        .result("update_inventory", "{'reservations': []}"));

    assertThat(order.getString("estimated_delivery")).isEqualTo("2028-03-01");
    assertThat(order.getString("order_id")).matches("ORD-[0-9A-F]{10}");
  }

  @ParameterizedTest(name = "{0} {1}: {2}")
  @CsvSource({
    "pay_stolen_2, mallory@example.com, 98.43, true",
    "pay_stolen_47, mallory@example.com, 85.49, true",
    "pay_order_1001, ada@example.com, 22.35, false"})
  void a_refund_is_refused_above_a_fraud_score_of_85(String payment, String email, String score,
      boolean isRefused) {
    StepOutcome outcome = new ValidatePaymentEligibility().handle(StepStub.withInput("""
        {'payment_id': '%s', 'customer_email': '%s', 'refund_amount': 1, 'refund_reason': 'fraud'}
        """.formatted(payment, email)));

    assertThat(ValidatePaymentEligibility.fraudScore(payment, email)).isEqualByComparingTo(score);
    assertThat(outcome)
        .isInstanceOf(isRefused ? StepOutcome.PermanentFailure.class : StepOutcome.Success.class);
  }

  @ParameterizedTest(name = "{0} for {1}: {2}")
  @CsvSource({
    "50.00, late_delivery, auto_approved",
    "50.01, late_delivery, standard_review",
    "500.00, late_delivery, standard_review",
    "500.01, late_delivery, manager_review",
    "500.00, wrong_item, auto_approved",
    "500.01, wrong_item, manager_review",
    "499.00, defective_product, auto_approved",
    "499.00, duplicate_charge, auto_approved"})
  void a_refund_request_goes_the_way_of_its_amount_and_reason(String amount, String reason,
      String path)
      throws Exception {
    JsonObject policy = success(new CheckRefundPolicy(), StepStub.named("check_refund_policy")
        .result("validate_refund_request",
            "{'refund_amount': %s, 'refund_reason': '%s', 'customer_tier': 'gold'}"
                .formatted(amount, reason)));

    assertThat(policy.getString("approval_path")).isEqualTo(path);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({"cust_VIP_1, premium", "premium-7, premium", "gold-vip, premium", "Gold_8, gold",
    "cust_17, standard"})
  void a_customer_id_tells_the_tier(String customer, String tier) throws Exception {
    JsonObject request = success(new ValidateRefundRequest(), StepStub.withInput("""
        {'ticket_id': 'T', 'customer_id': '%s', 'refund_amount': 10000, 'customer_email': 'a@b'}
        """.formatted(customer)));

    assertThat(request.getString("customer_tier")).isEqualTo(tier);
  }

  @Test
  void a_refund_started_again_gives_the_key_of_the_first_attempt() throws Exception {
    List<String> keys = new ArrayList<>();
    ExecuteRefundWorkflow handler = new ExecuteRefundWorkflow((context, correlationId, key) -> {
      keys.add(key);
      return new RefundStarter.StartedRefund(new UUID(0, 1), keys.size() > 1);
    });
    StepStub step = StepStub.named("execute_refund_workflow").context("{}")
        .result("get_manager_approval", "{'approved': true}")
        .result("validate_refund_request",
            "{'ticket_id': 'T', 'refund_amount': 5, 'refund_reason': 'late_delivery', 'customer_email': 'a@b'}");

    success(handler, step.attempt(1, 3));
    JsonObject second = success(handler, step.attempt(2, 3));

    assertThat(keys).hasSize(2).containsOnly(keys.get(0));
    assertThat(second.getBoolean("was_already_started")).isTrue();
  }

  @ParameterizedTest(name = "after {0} ms: as asked {1}, for backoff {2}")
  @CsvSource({"999, false, false", "1000, true, false", "20000, true, true"})
  void a_busy_server_measures_how_long_it_was_left_alone(long waitedMs, boolean asAsked,
      boolean forBackoff)
      throws Exception {
    Clock start = Clock.fixed(Instant.parse("2026-01-01T00:00:00Z"), ZoneOffset.UTC);
    StepStub step = StepStub.named("busy_once");

    StepOutcome first = new BusyOnce(start).handle(step);
    JsonObject second = success(new BusyOnce(Clock.offset(start, Duration.ofMillis(waitedMs))),
        step.attempt(2, 3));

    assertThat(first).isInstanceOfSatisfying(StepOutcome.RetryableFailure.class,
        failure -> assertThat(failure.delay()).contains(Duration.ofSeconds(1)));
    assertThat(second.getBoolean("waited_as_asked")).isEqualTo(asAsked);
    assertThat(second.getBoolean("waited_for_backoff")).isEqualTo(forBackoff);
  }

  @Test
  void an_expectation_names_every_difference() {
    JsonObject expected = json("""
        {'state': 'complete', 'steps': {
          'a': {'state': 'complete', 'attempts': 1, 'result': {'n': 1.0, 'list': [1, 2], 'id': '*'}},
          'b': {'state': 'error', 'mentions': ['Boom']},
          'c': {'state': 'pending'}}}""");
    JsonObject actual = json("""
        {'steps': [
          {'name': 'a', 'state': 'complete', 'attempts': 2, 'result': {'n': 1.00, 'list': [1], 'extra': 0}},
          {'name': 'b', 'state': 'error', 'attempts': 1, 'error': 'Bang'}]}""");

    assertThat(Expectation.differences(expected, "error", actual.getJsonArray("steps")))
        .hasSize(6)
        .anySatisfy(difference -> assertThat(difference).startsWith("state: expected complete"))
        .anySatisfy(difference -> assertThat(difference).startsWith("a.attempts: expected 1"))
        .anySatisfy(
            difference -> assertThat(difference).startsWith("a.result.list: expected 2 elements"))
        .anySatisfy(
            difference -> assertThat(difference).startsWith("a.result.id: expected any value"))
        .anySatisfy(
            difference -> assertThat(difference).startsWith("b: expected a mention of \"Boom\""))
        .anySatisfy(difference -> assertThat(difference).startsWith("c: there is no such step"));
  }

  private static JsonObject success(StepHandler handler, StepStub step) throws Exception {
    StepOutcome outcome = handler.handle(step);
    assertThat(outcome).isInstanceOf(StepOutcome.Success.class);
    return ((StepOutcome.Success) outcome).result().asJsonObject();
  }
}
