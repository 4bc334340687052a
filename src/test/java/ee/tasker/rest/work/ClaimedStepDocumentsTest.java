package ee.tasker.rest.work;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.platform.BodySchema;
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
    Dag.of("a").started();
    try (Sql sql = Sql.open()) {
      JsonObject claimed = sql.array("select tasker.claim_steps(gen_random_uuid(), 1)")
          .getJsonObject(0);
      JsonObject definition = sql.array("select tasker.get_step_definitions(array[?])",
          ClaimedStep.templateStepUuid(claimed)).getJsonObject(0);

      assertThat(ClaimedStepDocuments
          .of(List.of(ClaimedStep.of(claimed, StepSpec.of(definition))), UnaryOperator.identity())
          .build().getJsonObject(0).keySet())
          .containsExactlyInAnyOrderElementsOf(BodySchema.of("ClaimedStep").names());
    }
  }
}
