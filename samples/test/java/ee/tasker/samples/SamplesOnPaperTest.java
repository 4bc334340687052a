package ee.tasker.samples;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SamplesOnPaperTest {
  private static final Path SAMPLES = Path.of("samples");
  /** Needs a real wait between its attempts. */
  private static final String OF_TIME = "server_requested_delay";
  /** Only the database evaluates the rules of its decision. */
  private static final String OF_RULES = "approval_routing";
  /** Waits for the decision of a user. */
  private static final String OF_PEOPLE = "loan_review";
  /** Only the database makes its batches. */
  private static final String OF_BATCHES = "product_import";
  /** Only the database submits its child tasks. */
  private static final String OF_CHILDREN = "project_purchase";
  /** Wait for a time, and for a signal. */
  private static final List<String> OF_WAITS = List.of("trial_period", "paid_order");

  private final PaperEngine engine = new PaperEngine(SAMPLES);

  static Stream<SampleCase> cases() throws IOException {
    return SampleCase.in(SAMPLES).stream()
        .filter(each -> !Set.of(OF_TIME, OF_RULES, OF_BATCHES, OF_PEOPLE, OF_CHILDREN)
            .contains(each.sample()))
        .filter(each -> !OF_WAITS.contains(each.sample()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void a_sample_comes_out_as_it_says(SampleCase sample) throws Exception {
    PaperEngine.Task task = engine.run(sample);

    assertThat(differences(sample.expected(), task)).isEmpty();
    assertThat(sample.expected().getJsonObject("steps").keySet())
        .as("every step is expected to become something")
        .containsExactlyInAnyOrderElementsOf(
            task.steps().getValuesAs(JsonObject.class).stream().map(step -> step.getString("name"))
                .toList());
  }

  private List<String> differences(JsonObject expected, PaperEngine.Task task) {
    List<String> differences = new ArrayList<>(
        Expectation.differences(expected, task.state(), task.steps()));
    if (expected.containsKey("started_tasks")) {
      expected.getJsonObject("started_tasks").forEach((stepName, value) -> {
        JsonObject started = value.asJsonObject();
        PaperEngine.Task child = Expectation.step(task.steps(), stepName)
            .map(step -> step.getJsonObject("result")
                .getString(started.getString("task_uuid_field")))
            .flatMap(uuid -> engine.task(UUID.fromString(uuid)))
            .orElseThrow();
        differences.addAll(differences(started.getJsonObject("expected"), child));
        assertThat(child.parentCorrelationId()).isEqualTo(task.correlationId());
      });
    }
    return differences;
  }
}
