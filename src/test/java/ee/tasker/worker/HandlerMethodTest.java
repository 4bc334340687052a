package ee.tasker.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.json.Json;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HandlerMethodTest {

  /** Not public, as a handler may well be. */
  static class Desk implements StepHandler {
    @Override
    public StepOutcome handle(StepContext step) {
      return StepOutcome.success(Json.createValue("handle"));
    }

    public StepOutcome charge(StepContext step) {
      return StepOutcome.success(Json.createValue("charge"));
    }

    public StepOutcome.Success exact(StepContext step) {
      return new StepOutcome.Success(Json.createValue("exact"));
    }

    public StepOutcome failing(StepContext step) throws IOException {
      throw new IOException("line");
    }

    public StepOutcome panicking(StepContext step) {
      throw new StackOverflowError();
    }

    public String wrong(StepContext step) {
      return "";
    }

    public StepOutcome withoutContext() {
      return StepOutcome.success();
    }

    StepOutcome hidden(StepContext step) {
      return StepOutcome.success();
    }
  }

  private final StepHandler desk = new Desk();

  @Test
  void call_is_the_handler_itself() {
    assertThat(HandlerMethod.of(desk, "call")).containsSame(desk);
  }

  @Test
  void named_method_is_called() throws Exception {
    assertThat(HandlerMethod.of(desk, "charge").orElseThrow().handle(null))
        .isEqualTo(StepOutcome.success(Json.createValue("charge")));
    assertThat(HandlerMethod.of(desk, "exact").orElseThrow().handle(null))
        .isEqualTo(StepOutcome.success(Json.createValue("exact")));
    assertThat(HandlerMethod.of(desk, "handle").orElseThrow().handle(null))
        .isEqualTo(StepOutcome.success(Json.createValue("handle")));
  }

  @Test
  void what_it_throws_comes_as_it_was_thrown() {
    assertThatThrownBy(() -> HandlerMethod.of(desk, "failing").orElseThrow().handle(null))
        .isExactlyInstanceOf(IOException.class)
        .hasMessage("line");
    assertThatThrownBy(() -> HandlerMethod.of(desk, "panicking").orElseThrow().handle(null))
        .isExactlyInstanceOf(StackOverflowError.class);
  }

  @Test
  void only_public_methods_from_context_to_outcome_count() {
    for (String name : new String[]{"wrong", "withoutContext", "hidden", "nothing", "toString", "",
      "call2"}) {
      assertThat(HandlerMethod.of(desk, name)).as(name).isEmpty();
    }
  }

  @Test
  void two_beans_for_one_name_are_refused_and_both_are_named() {
    Map<String, HandlerRegistry.Found<StepHandler>> byName = new HashMap<>();
    HandlerRegistry.add(byName, "desk", new HandlerRegistry.Found<>(desk, Desk.class));

    assertThatThrownBy(() -> HandlerRegistry.add(byName, "desk",
        new HandlerRegistry.Found<>(new Desk(), String.class)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("desk", Desk.class.getName(), "java.lang.String");
  }

  @Test
  void two_beans_of_one_class_are_two() {
    Map<String, HandlerRegistry.Found<StepHandler>> byName = new HashMap<>();
    HandlerRegistry.add(byName, "desk", new HandlerRegistry.Found<>(desk, Desk.class));

    assertThatThrownBy(() -> HandlerRegistry.add(byName, "desk",
        new HandlerRegistry.Found<>(new Desk(), Desk.class)))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void handler_may_be_called_by_the_name_of_its_own_class() {
    Map<String, HandlerRegistry.Found<StepHandler>> byName = new HashMap<>();
    HandlerRegistry.Found<StepHandler> found = new HandlerRegistry.Found<>(desk, Desk.class);
    HandlerRegistry.add(byName, "shop.Desk", found);
    HandlerRegistry.add(byName, "shop.Desk", found);

    assertThat(byName).containsExactly(Map.entry("shop.Desk", found));
  }
}
