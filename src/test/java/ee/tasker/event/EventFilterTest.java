package ee.tasker.event;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.json.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class EventFilterTest {
  private static final UUID ONE = UUID.randomUUID();
  private static final UUID TWO = UUID.randomUUID();
  private static final UUID THREE = UUID.randomUUID();

  private static Event.Move move(UUID task) {
    return Event.Move.of(Json.createObjectBuilder().add("id", "1").add("event", "task")
        .add("data",
            Json.createObjectBuilder().add("task_uuid", task.toString()).add("namespace", "orders")
                .add("to_state", "pending"))
        .build());
  }

  @Test
  void some_tasks_and_no_others_and_only_with_the_other_members() {
    EventFilter filter = new EventFilter(Optional.empty(), Set.of(ONE, TWO),
        Map.of("namespace", "orders"));

    assertThat(List.of(ONE, TWO, THREE)).extracting(task -> filter.accepts(move(task)))
        .containsExactly(true, true, false);
    assertThat(new EventFilter(Optional.empty(), Set.of(ONE), Map.of("namespace", "payments"))
        .accepts(move(ONE))).isFalse();
    assertThat(new EventFilter(Optional.empty(), Map.of()).accepts(move(THREE))).isTrue();
    assertThat(new EventFilter(Optional.of(ONE), Map.of()).accepts(move(TWO))).isFalse();
  }
}
