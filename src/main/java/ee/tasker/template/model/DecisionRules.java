package ee.tasker.template.model;

import java.util.HashSet;
import java.util.List;

/**
 * How a decision without a handler chooses: by the first rule that holds.
 *
 * @param rules     in the order in which they are tried, at least one
 * @param otherwise the steps to create when no rule holds; none by default
 */
public record DecisionRules(List<Rule> rules, List<String> otherwise) {

  /**
   * One rule.
   *
   * @param when a predicate, SQL/JSON path over {@code {context, results, task}}
   * @param then the names of the steps to create when it holds, each once; may be empty
   */
  public record Rule(String when, List<String> then) {
    public Rule {
      Checks.text(when, "rules.when", Limits.EXPRESSION);
      then = distinct(then, "rules.then");
    }
  }

  public DecisionRules {
    Checks.present(rules, "rules");
    rules = List.copyOf(rules);
    Checks.range(rules.size(), "the number of rules", 1, Limits.RULES);
    otherwise = distinct(otherwise, "otherwise");
  }

  private static List<String> distinct(List<String> names, String field) {
    Checks.present(names, field);
    Checks.require(new HashSet<>(names).size() == names.size(), field + " must not repeat a step");
    Checks.require(names.size() <= Limits.STEPS_PER_DECISION,
        field + " must be at most " + Limits.STEPS_PER_DECISION + " steps");
    return List.copyOf(names);
  }
}
