package ee.tasker.template;

import ee.tasker.template.StepDraft.Expression;
import ee.tasker.template.model.TemplateDefinition;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A template whose text has been read but whose expressions have not been checked: only the
 * database parses them. A caller
 * that can reach it reports what {@code tasker.check_expressions} finds with {@link #refuse} and
 * then concludes. Not
 * thread-safe.
 */
public final class TemplateScan {
  private final Problems problems;
  private final Optional<TemplateDefinition> definition;
  private final Map<String, Located> identity;
  private final Map<String, StepDraft> steps;
  private final List<Expression> expressions;

  TemplateScan(Problems problems, Optional<TemplateDefinition> definition,
      Map<String, Located> identity, Map<String, StepDraft> steps, Collection<StepDraft> drafts,
      List<Expression> ofTemplate) {
    this.problems = problems;
    this.definition = definition;
    this.identity = identity;
    this.steps = steps;
    expressions = Stream
        .concat(drafts.stream().flatMap(draft -> draft.expressions().stream()), ofTemplate.stream())
        .toList();
  }

  public boolean hasExpressions() {
    return !expressions.isEmpty();
  }

  /** The names of the steps, each with those of its parents. */
  public JsonObject graph() {
    var graph = JsonText.object();
    steps.forEach((name, step) -> {
      var parents = JsonText.array();
      step.dependencies().keySet().forEach(parents::add);
      graph.add(name, parents);
    });
    return graph.build();
  }

  /**
   * As {@code tasker.check_expressions} takes them; the index of a finding is the position in this
   * list.
   */
  public JsonArray expressions() {
    var list = JsonText.array();
    expressions.forEach(expression -> {
      var json = JsonText.object().add("kind", expression.kind())
          .add("expression",
              Set.of("mapping", "payload").contains(expression.kind())
                  ? JsonText.parse(expression.text())
                  : JsonText.string(expression.text()));
      expression.step().ifPresent(step -> json.add("step", step));
      list.add(json);
    });
    return list.build();
  }

  /**
   * Reports what is wrong with one of the expressions, at its position in the text.
   *
   * @param pointer where in a mapping it is, as a JSON pointer; empty for a path
   */
  public void refuse(int index, String pointer, String message, Optional<String> unknownStep) {
    NodePointer.follow(expressions.get(index).place(), pointer)
        .refuse(message
            + unknownStep.map(name -> problems.suggestion(name, steps.keySet())).orElse(""));
  }

  /**
   * Reports why the template cannot be registered beside those that are, at the key that says so.
   */
  void refuseIdentity(String key, String message) {
    identity.get(key).refuse(message);
  }

  /** The template, if no problem has been reported, or else all of them. */
  public TemplateReading conclude() {
    return problems.none() ? new TemplateReading.Read(definition.orElseThrow())
        : new TemplateReading.Invalid(problems.inOrder());
  }
}
