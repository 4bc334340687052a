package shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The shop's WAR on a real server: order and task are committed or rolled back together. */
class OrdersIT {
  private static RunningShop shop;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    shop = RunningShop.start();
  }

  @AfterAll
  static void stop() throws IOException {
    if (shop != null) {
      shop.close();
    }
  }

  @Test
  void committed_order_has_a_task_that_runs_to_its_end() throws Exception {
    int before = Integer.parseInt(shop.sql("select quantity from shop.stock where article = 'teapot'"));

    HttpResponse<String> answer = shop.order("{\"customer\": \"Ann\", \"article\": \"teapot\", \"quantity\": 2}");

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    String order = find(answer.body(), "\"order_id\":(\\d+)");
    String task = find(answer.body(), "\"task_uuid\":\"([0-9a-f-]+)\"");
    shop.await("select state::text from tasker.tasks where task_uuid = '" + task + "'", "complete");
    assertThat(shop.sql("select grams from shop.orders where shipped_at is not null and order_id = " + order)).as("weighed by one step and shipped by the next").isEqualTo("500");
    assertThat(shop.sql("select quantity from shop.stock where article = 'teapot'")).isEqualTo(Integer.toString(before - 2));
  }

  @Test
  void order_that_is_rolled_back_after_its_task_was_submitted_leaves_neither() throws Exception {
    HttpResponse<String> answer = shop.order("{\"customer\": \"Bob, who wants too many\", \"article\": \"teapot\", \"quantity\": 1000}");

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(409);
    assertThat(shop.sql("select count(*) from shop.orders where customer like 'Bob%'")).isEqualTo("0");
    assertThat(shop.sql("select count(*) from tasker.tasks where initiator like 'Bob%'")).isEqualTo("0");
    assertThat(shop.sql("select count(*) from tasker.workflow_steps s where not exists (select from tasker.tasks t where t.task_uuid = s.task_uuid)")).isEqualTo("0");
  }

  @Test
  void pages_of_both_are_in_one_application_and_each_rest_interface_keeps_to_itself() throws Exception {
    assertThat(shop.status("/openapi")).as("the product's description").isEqualTo(200);
    assertThat(shop.status("/shop/orders")).as("ours, which only takes orders in").isEqualTo(405);
    assertThat(shop.status("/v1/orders")).as("ours below the product's address").isEqualTo(404);
    assertThat(shop.status("/shop/templates")).as("the product's below our address").isEqualTo(404);
  }

  private static String find(String text, String pattern) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertThat(matcher.find()).as(pattern + " in " + text).isTrue();
    return matcher.group(1);
  }
}
