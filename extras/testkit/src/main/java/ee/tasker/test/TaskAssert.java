package ee.tasker.test;

import ee.tasker.engine.model.TaskState;
import ee.tasker.platform.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What a test expects of a task. What is not met is an {@link AssertionError} that ends with
 * {@linkplain TaskRun#story() the story of the task}.
 */
public final class TaskAssert {
  private final TaskRun task;

  private TaskAssert(TaskRun task) {
    this.task = task;
  }

  public static TaskAssert assertThat(TaskRun task) {
    return new TaskAssert(task);
  }

  public TaskAssert isComplete() {
    return isIn(TaskState.COMPLETE);
  }

  /** A step has failed permanently, and an operator has to decide what becomes of the task. */
  public TaskAssert isBlocked() {
    return isIn(TaskState.BLOCKED_BY_FAILURES);
  }

  public TaskAssert isCancelled() {
    return isIn(TaskState.CANCELLED);
  }

  public TaskAssert isIn(TaskState state) {
    return check(task.state() == state, "the task should be " + state + " and is " + task.state());
  }

  /**
   * The task has these steps, in any order, and no others: what a decision did not choose does not
   * exist.
   */
  public TaskAssert hasSteps(String... names) {
    Set<String> found = task.steps().keySet();
    return check(found.equals(Set.copyOf(Arrays.asList(names))),
        "the task should have the steps " + Arrays.toString(names) + " and has " + found);
  }

  /** @throws AssertionError if there is no such step */
  public StepAssert step(String name) {
    TaskRun.Step step = task.steps().get(name);
    check(step != null,
        "the task should have a step " + name + " and has " + task.steps().keySet());
    return new StepAssert(step);
  }

  /** Everything that was to be undone has been, and it is these steps, in this order. */
  public TaskAssert isCompensated(String... steps) {
    check(task.compensation().equals(Optional.of("compensated")),
        "the task should be compensated and is "
            + task.compensation().orElse("not to be compensated"));
    return check(task.compensated().equals(Arrays.asList(steps)),
        "the steps " + Arrays.toString(steps) + " should have been undone, and those undone are "
            + task.compensated());
  }

  /** A result has published an event of that name, and its data can be read. */
  public TaskAssert hasPublished(String event) {
    return check(published(event).anyMatch(each -> each.error() == JsonValue.NULL),
        "the task should have published " + event + " and has published " + task.events());
  }

  /** @param json the data of one of the events of that name */
  public TaskAssert hasPublished(String event, String json) {
    JsonValue data = Json.parse(json);
    return check(
        published(event)
            .anyMatch(each -> each.error() == JsonValue.NULL && each.data().equals(data)),
        "the task should have published " + event + " with " + data + " and has published "
            + task.events());
  }

  public TaskAssert hasNotPublished(String event) {
    return check(published(event).findAny().isEmpty(),
        "the task should not have published " + event + " and has published " + task.events());
  }

  private Stream<TaskRun.Event> published(String event) {
    return task.events().stream().filter(each -> each.name().equals(event));
  }

  private TaskAssert check(boolean met, String message) {
    if (!met) {
      throw new AssertionError(message + "\n" + task.story());
    }
    return this;
  }

  /** What a test expects of a step of the task. */
  public final class StepAssert {
    private final TaskRun.Step step;

    private StepAssert(TaskRun.Step step) {
      this.step = step;
    }

    public StepAssert isComplete() {
      return isIn("complete");
    }

    /** It has failed permanently. */
    public StepAssert hasFailed() {
      return isIn("error");
    }

    /** @param state as SQL and REST spell it */
    public StepAssert isIn(String state) {
      return that(step.state().equals(state), "should be " + state + " and is " + step.state());
    }

    public StepAssert hasAttempts(int attempts) {
      return that(step.attempts() == attempts,
          "should have had " + attempts + " attempts and had " + step.attempts());
    }

    /** @param json compared as JSON: neither blanks nor the order of members count */
    public StepAssert hasResult(String json) {
      return hasResult(Json.parse(json));
    }

    public StepAssert hasResult(JsonValue result) {
      return that(step.result().equals(result),
          "should have the result " + result + " and has " + step.result());
    }

    /** @param type the {@code type} of its latest error, for instance {@code handler_timeout} */
    public StepAssert hasError(String type) {
      return that(
          step.error() instanceof JsonObject error && error.get("type") instanceof JsonString found
              && found.getString().equals(type),
          "should have an error of type " + type + " and has " + step.error());
    }

    /** Another step of the same task. */
    public StepAssert step(String name) {
      return TaskAssert.this.step(name);
    }

    private StepAssert that(boolean met, String message) {
      check(met, "step " + step.name() + " " + message);
      return this;
    }
  }
}
