package ee.tasker.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.handler.BatchResult;
import ee.tasker.handler.PermanentStepException;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BatchPagesTest {
  private final List<Integer> reads = new ArrayList<>();

  private Optional<JsonArray> page(int size, int after, int limit) {
    reads.add(after);
    JsonArrayBuilder page = Json.createArrayBuilder();
    for (int number = after + 1; number <= Math.min(size, after + limit); number++) {
      page.add(Json.createObjectBuilder().add("batch_number", number).add("batch_id", "" + number)
          .add("result", number));
    }
    return Optional.of(page.build());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 199, 200, 201, 400, 1001})
  void each_batch_comes_once_and_in_order(int size) {
    BatchPages pages = new BatchPages((after, limit) -> page(size, after, limit), "work");
    List<String> seen = new ArrayList<>();
    while (pages.hasNext()) {
      assertThat(pages.hasNext()).isTrue();
      BatchResult batch = pages.next();
      seen.add(batch.batchId());
      assertThat(batch.error()).isEmpty();
    }

    assertThat(seen).hasSize(size).doesNotHaveDuplicates();
    assertThat(reads).hasSize((size + 199) / 200 + 1).isSorted();
    assertThatThrownBy(pages::next).isInstanceOf(NoSuchElementException.class);
  }

  @Test
  void a_page_of_long_results_that_ends_early_is_not_the_last() {
    BatchPages pages = new BatchPages((after, limit) -> page(5, after, 2), "work");
    List<String> seen = new ArrayList<>();
    pages.forEachRemaining(batch -> seen.add(batch.batchId()));

    assertThat(seen).containsExactly("1", "2", "3", "4", "5");
    assertThat(reads).containsExactly(0, 2, 4, 5);
  }

  @Test
  void a_step_without_such_a_batch_fails_permanently() {
    assertThatThrownBy(new BatchPages((after, limit) -> Optional.empty(), "work")::hasNext)
        .isInstanceOf(PermanentStepException.class)
        .hasMessageContaining("work");
  }
}
