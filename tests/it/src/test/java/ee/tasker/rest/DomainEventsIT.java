package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Domain events over HTTP, and observers in the server. */
@AgainstServer
class DomainEventsIT {
  private final TaskerClient tasker;
  private final String name = "events_" + UUID.randomUUID().toString().substring(0, 8);

  DomainEventsIT(TaskerClient tasker) {
    this.tasker = tasker;
    tasker.register("/testing/templates.yaml");
  }

  private Answer register(String steps) {
    return tasker.postTemplate("name: " + name
        + "\nnamespace_name: testing\nversion: 1.0.0\nidentity_strategy: always_unique\nsteps:\n"
        + steps.indent(2));
  }

  private List<JsonObject> events(String query) {
    return tasker.get("/v1/domain-events?name=" + name + query).object().getJsonArray("events")
        .getValuesAs(JsonObject.class);
  }

  @Test
  void a_result_is_published_as_a_cloud_event_and_readers_go_on_behind_it() {
    assertThat(register("- {name: pay, handler: {callable: testing.Echo}, publishes_events: "
        + "[{name: order.paid, payload: {order: $.context.order, paid: $.results.pay.text}, schema: {type: object, required: [order]}}]}\n")
        .status())
        .isIn(200, 201);
    UUID task = tasker.submit("testing", name, "{'order': 'A-17', 'text': 'yes'}");
    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");

    JsonObject page = tasker.get("/v1/domain-events?task=" + task).object();

    JsonObject event = page.getJsonArray("events").getJsonObject(0);
    assertThat(event.getString("type")).isEqualTo("order.paid");
    assertThat(event.getString("subject")).isEqualTo(task.toString());
    assertThat(event.getJsonObject("data").toString())
        .isEqualTo("{\"paid\":\"yes\",\"order\":\"A-17\"}");
    assertThat(event.containsKey("taskererror")).isFalse();
    UUID again = tasker.submit("testing", name, "{'order': 'A-18', 'text': 'no'}");
    assertThat(tasker.awaitTerminalOrBlocked(again).getString("state")).isEqualTo("complete");
    assertThat(events("&cursor=" + page.getJsonNumber("position"))).singleElement()
        .satisfies(next -> assertThat(next.getString("subject")).isEqualTo(again.toString()));
    assertThat(events("&type=order.lost")).isEmpty();
    assertThat(tasker.get("/v1/domain-events?cursor=x").status()).isEqualTo(400);
    assertThat(tasker.get("/v1/domain-events?colour=red").fields()).containsExactly("colour");
  }

  @Test
  void observers_are_called_after_the_commit_and_one_that_fails_stops_no_other_event() {
    assertThat(register("""
        - name: refuse
          handler: {callable: testing.Echo}
          publishes_events: [{name: observer.refused, delivery_mode: fast}]
        - name: pay
          dependencies: [refuse]
          handler: {callable: testing.Echo}
          publishes_events: [{name: observer.paid, delivery_mode: broadcast}, {name: quiet.paid}]
        - {name: observed, dependencies: [pay], signal: {name: observed}}
        """).status()).isIn(200, 201);
    UUID task = tasker.submit("testing", name, "{'order': 'A-17'}");

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");

    assertThat(tasker.steps(task).get("observed").getString("result")).isEqualTo("observer.paid");
  }

  @Test
  void a_template_whose_events_cannot_be_made_is_refused() {
    assertThat(
        register(
            "- {name: pay, handler: {callable: testing.Echo}, publishes_events: [{name: a, payload: {b: $.results.ship}}]}\n")
            .body())
        .contains("there is no step");
    assertThat(register(
        "- {name: pay, handler: {callable: testing.Echo}, publishes_events: [{name: a, schema: {pattern: x}}]}\n")
        .body())
        .contains("has the keyword pattern");
    assertThat(register(
        "- {name: pay, handler: {callable: testing.Echo}, publishes_events: [{name: a, publisher: X}]}\n")
        .body())
        .contains("a mapping under payload does");
    assertThat(register(
        "- {name: pay, handler: {callable: testing.Echo}, publishes_events: [{name: tasker.task.completed}]}\n")
        .body())
        .contains("must not begin with tasker.");
  }
}
