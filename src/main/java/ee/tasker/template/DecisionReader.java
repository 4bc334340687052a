package ee.tasker.template;

import ee.tasker.template.StepDraft.Expression;
import ee.tasker.template.StepDraft.Named;
import ee.tasker.template.model.DecisionRules;
import ee.tasker.template.model.Limits;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Reads {@code rules} and {@code otherwise} of a decision.
 *
 * @param choices     every name that a rule gives, with its position
 * @param expressions the predicates
 * @param rules       may be called only when the template has no problem; empty without {@code
 *   rules}
 */
record DecisionReader(List<Named> choices, List<Expression> expressions,
    Supplier<Optional<DecisionRules>> rules) {
  private record RuleDraft(Optional<String> when, List<Named> then) {
    DecisionRules.Rule rule() {
      return new DecisionRules.Rule(when.orElseThrow(), names(then));
    }
  }

  static DecisionReader read(Keys step, Optional<Named> name) {
    List<Expression> expressions = new ArrayList<>();
    var place = step.find("rules");
    var elements = place.flatMap(Located::list);
    elements.filter(list -> list.isEmpty() || list.size() > Limits.RULES)
        .ifPresent(list -> place.get()
            .refuse("must have 1 to " + Limits.RULES + " rules, but has " + list.size()));
    var drafts = elements.orElse(List.of()).stream()
        .flatMap(element -> element.keys().stream()).map(keys -> rule(keys, name, expressions))
        .toList();
    var otherwisePlace = step.find("otherwise");
    otherwisePlace.filter(given -> place.isEmpty())
        .ifPresent(given -> given.refuse("belongs to a decision by rules"));
    var otherwise = otherwisePlace.map(DecisionReader::chosen).orElse(List.of());
    List<Named> choices = new ArrayList<>();
    drafts.forEach(draft -> choices.addAll(draft.then()));
    choices.addAll(otherwise);
    return new DecisionReader(choices, expressions, () -> place.map(given -> new DecisionRules(
        drafts.stream().map(RuleDraft::rule).toList(), names(otherwise))));
  }

  private static RuleDraft rule(Keys keys, Optional<Named> name, List<Expression> expressions) {
    var when = keys.require("when").flatMap(value -> value.word(Limits.EXPRESSION).map(path -> {
      expressions.add(new Expression(name.map(Named::name), "predicate", path, value));
      return path;
    }));
    var then = keys.require("then").map(DecisionReader::chosen).orElse(List.of());
    keys.refuseOthers();
    return new RuleDraft(when, then);
  }

  private static List<Named> chosen(Located place) {
    var elements = place.list().orElse(List.of());
    if (elements.size() > Limits.STEPS_PER_DECISION) {
      place.refuse(
          "must have at most " + Limits.STEPS_PER_DECISION + " steps, but has " + elements.size());
    }
    List<Named> chosen = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    elements.forEach(element -> element.word(Limits.STEP_NAME).ifPresent(step -> {
      if (seen.add(step)) {
        chosen.add(new Named(step, element));
      } else {
        element.refuse("step \"" + step + "\" appears twice");
      }
    }));
    return chosen;
  }

  private static List<String> names(List<Named> named) {
    return named.stream().map(Named::name).toList();
  }
}
