package ee.tasker.rest.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import ee.tasker.platform.BodySchema;
import ee.tasker.platform.Json;
import ee.tasker.step.ClaimedStep;
import ee.tasker.step.StepSpec;
import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import jakarta.json.JsonObject;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** A worker outside the servers gets the members that the OpenAPI document names, and no other. */
@DatabaseTest
class ClaimedStepDocumentsTest {
  @Test
  void claimed_step_has_the_members_of_its_schema() {
    JsonObject step = claimed(UnaryOperator.identity());

    assertThat(BodySchema.of("ClaimedStep").names()).containsAll(step.keySet());
    assertThatCode(() -> BodySchema.of("ClaimedStep").check(step, (body, violations) -> {}))
        .as("what is required is there").doesNotThrowAnyException();
  }

  @Test
  void claimed_step_has_the_options_of_its_definition_besides_its_own_members() {
    JsonObject options = Json.parseObject("{\"color\": \"red\", \"method\": \"other\"}");
    JsonObject step = claimed(definition -> Json.build().createObjectBuilder(definition)
        .add("handler_options", options).build());

    assertThat(step.getString("color")).isEqualTo("red");
    assertThat(step.getString("method")).isEqualTo("call");
  }

  private static JsonObject claimed(UnaryOperator<JsonObject> change) {
    Dag.of("a").started();
    try (Sql sql = Sql.open()) {
      JsonObject claimed = sql.array("select tasker.claim_steps(gen_random_uuid(), 1)")
          .getJsonObject(0);
      JsonObject definition = sql.array("select tasker.get_step_definitions(array[?])",
          ClaimedStep.templateStepUuid(claimed)).getJsonObject(0);
      StepSpec spec = StepSpec.of(change.apply(definition));
      return ClaimedStepDocuments.of(List.of(ClaimedStep.of(claimed, spec)),
          UnaryOperator.identity()).build().getJsonObject(0);
    }
  }
}
