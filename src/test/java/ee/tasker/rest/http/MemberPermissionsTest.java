package ee.tasker.rest.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.platform.ComponentSchemas;
import ee.tasker.platform.Json;
import ee.tasker.security.Permission;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemberPermissionsTest {
  private static final Predicate<Permission> ALL = permission -> true;

  /** All members of a component, and of those that it consists of. */
  private static JsonObject whole(String name) {
    JsonObjectBuilder document = Json.build().createObjectBuilder();
    add(ComponentSchemas.of(name), document);
    return document.build();
  }

  private static void add(Map<?, ?> schema, JsonObjectBuilder document) {
    ComponentSchemas.referenced(schema)
        .ifPresent(name -> add(ComponentSchemas.of(name), document));
    if (schema.get("allOf") instanceof List<?> parts) {
      parts.forEach(part -> add((Map<?, ?>) part, document));
    }
    if (schema.get("properties") instanceof Map<?, ?> members) {
      members.forEach((member, ofMember) -> {
        if (((Map<?, ?>) ofMember).get("items") instanceof Map<?, ?> items
            && items.get("enum") instanceof List<?> words) {
          JsonArrayBuilder all = Json.build().createArrayBuilder();
          words.forEach(word -> all.add((String) word));
          document.add((String) member, all);
        } else {
          document.add((String) member, "shown");
        }
      });
    }
  }

  private static Predicate<Permission> without(String permission) {
    return asked -> !asked.text().equals(permission);
  }

  private static Set<String> hidden(JsonObject document, JsonObject shown) {
    Set<String> hidden = new TreeSet<>(document.keySet());
    hidden.removeAll(shown.keySet());
    return hidden;
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    "Task | tasks:context_read | context output output_error",
    "Task | steps:read | output output_error",
    "Step | tasks:context_read | ''",
    "DeadLetter | steps:read | ''",
    "Schedule | tasks:context_read | context last_failure",
    "ScheduleFire | tasks:context_read | message",
    "Backfill | tasks:context_read | failure",
    "SlotEntry | tasks:context_read | key",
    "WebhookDelivery | tasks:read | event_type event_uuid position schedule_uuid task_uuid",
    "WebhookDelivery | tasks:context_read | last_response",
    "WebhookDelivery | steps:read | last_response",
    "WebhookDelivery | approvals:assign | last_response",
    "WebhookDelivery | dlq:read | last_response",
    "Webhook | webhooks:write | secret",
    "DeadMessage | tasks:context_read | cause headers message",
    "DeadMessage | steps:read | cause headers message"})
  void member_needs_its_permissions(String schema, String lacking, String members) {
    JsonObject document = whole(schema);
    MemberPermissions permissions = MemberPermissions.of(schema);

    assertThat(permissions.shown(document, ALL)).isSameAs(document);
    assertThat(String.join(" ",
        hidden(document, permissions.shown(document, without(lacking))))).isEqualTo(members);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    "Schedule | schedules:read | name namespace schedule_uuid version",
    "Webhook | webhooks:read | name namespace secret version webhook_uuid",
    "WebhookDelivery | webhooks:read | delivery_uuid state webhook_uuid"})
  void caller_that_may_not_read_it_gets_the_required_members(String schema, String lacking,
      String members) {
    assertThat(String.join(" ", new TreeSet<>(
        MemberPermissions.of(schema).shown(whole(schema), without(lacking)).keySet())))
        .isEqualTo(members);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    "Task | tasks:cancel | fail fork resolve retry signal",
    "Task | tasks:act | cancel signal",
    "Task | tasks:create | cancel compensate fail resolve retry signal",
    "Task | tasks:signal | cancel compensate fail fork resolve retry",
    "Step | steps:resolve | ''",
    "Schedule | schedules:write | ''",
    "Schedule | tasks:create | delete pause",
    "Webhook | webhooks:write | ''",
    "Webhook | tasks:read | delete pause ping",
    "Webhook | schedules:read | delete pause ping",
    "WebhookDelivery | dlq:read | discard",
    "DeadLetter | dlq:update | ''",
    "DeadMessage | messages:replay | ''"})
  void action_needs_its_permissions(String schema, String lacking, String actions) {
    assertThat(String.join(" ", MemberPermissions.of(schema)
        .shown(whole(schema), without(lacking)).getJsonArray("allowed_actions")
        .getValuesAs(JsonString::getString))).isEqualTo(actions);
  }

  @Test
  void what_is_inside_a_member_is_hidden_too() {
    JsonObject letter = Json.parseObject("""
        {"task_snapshot": {"state": "error", "steps": [
           {"name": "a", "result": 1, "error": {"type": "x"}}, {"name": "b", "cause": "y"}]},
         "metadata": {"reason": "z", "checkpoint": {}}}""");
    JsonObject task = Json.parseObject("""
        {"document_bytes": {"context": 5, "output": 6, "result": 7}}""");
    JsonObject page = Json.parseObject("""
        {"messages": [{"queue_name": "q", "message": {}}], "next": null}""");

    assertThat(MemberPermissions.of("DeadLetter").shown(letter, without("steps:read")))
        .isEqualTo(Json.parseObject("""
            {"task_snapshot": {"state": "error", "steps": [{"name": "a"}, {"name": "b"}]},
             "metadata": {"reason": "z"}}"""));
    assertThat(MemberPermissions.of("Task").shown(task, without("tasks:context_read")))
        .isEqualTo(Json.parseObject("{\"document_bytes\": {\"result\": 7}}"));
    assertThat(MemberPermissions.of("DeadMessagePage").shown(page, without("steps:read")))
        .isEqualTo(Json.parseObject("""
            {"messages": [{"queue_name": "q"}], "next": null}"""));
  }

  @Test
  void an_unknown_schema_shows_nothing() {
    assertThatThrownBy(() -> MemberPermissions.of("Nothing"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
