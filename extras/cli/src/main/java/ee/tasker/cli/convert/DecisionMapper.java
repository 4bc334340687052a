package ee.tasker.cli.convert;

import ee.tasker.cli.convert.BpmnGraph.Flow;
import ee.tasker.cli.convert.BpmnGraph.Node;
import ee.tasker.cli.convert.Finding.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Conditions of flows as rules of a decision. */
final class DecisionMapper {
  private static final int MOST_INCLUSIVE = 6;

  private final CamundaModel model;
  private final String namespace;
  private final Variables variables;

  DecisionMapper(CamundaModel model, String namespace, Variables variables) {
    this.model = model;
    this.namespace = namespace;
    this.variables = variables;
  }

  /**
   * Rules for the flows out of a node, or a handler if one of the conditions needs code.
   *
   * @return the way that each flow is
   */
  Map<Flow, List<Exit>> decide(Node node, StepDraft decision, boolean inclusive) {
    Map<Flow, List<Exit>> chosen = new HashMap<>();
    List<Flow> conditional = new ArrayList<>();
    List<String> predicates = new ArrayList<>();
    List<Integer> always = new ArrayList<>();
    Integer otherwise = null;
    boolean needsCode = false;
    for (int i = 0; i < node.out.size(); i++) {
      Flow flow = node.out.get(i);
      chosen.put(flow, List.of(new Exit(decision, i)));
      Optional<XmlElement> condition = flow.condition();
      if (flow.isDefault() || condition.isEmpty() && !inclusive && otherwise == null) {
        otherwise = i;
      } else if (condition.isEmpty()) {
        always.add(i);
      } else {
        conditional.add(flow);
        Optional<String> predicate = predicate(flow, condition.get(), decision);
        needsCode |= predicate.isEmpty();
        predicates.add(predicate.orElse(""));
      }
    }
    if (inclusive && conditional.size() > MOST_INCLUSIVE) {
      model.found(Kind.MISSING, node.element, "chooses among more than " + MOST_INCLUSIVE
          + " conditions at once", "a handler that returns StepOutcome.decide");
      needsCode = true;
    }
    if (needsCode) {
      decision.put("handler", Map.of("callable", namespace + "." + decision.name()));
      model.found(Kind.WRITE, node.element,
          "a handler " + namespace + "." + decision.name() + " decides",
          "it returns StepOutcome.decide with the names of the steps that follow");
      return chosen;
    }
    List<Integer> options = conditional.stream().map(node.out::indexOf).toList();
    if (!inclusive) {
      for (int i = 0; i < options.size(); i++) {
        decision.rule(predicates.get(i), List.of(options.get(i)));
      }
    } else {
      subsets(options.size()).forEach(subset -> {
        List<Integer> all = new ArrayList<>(always);
        subset.forEach(index -> all.add(options.get(index)));
        decision.rule(subset.stream().map(index -> inParentheses(predicates.get(index)))
            .collect(Collectors.joining(" && ")), all);
      });
    }
    List<Integer> last = new ArrayList<>(always);
    if (conditional.isEmpty()) {
      // The first way without a condition, whatever else there is; a decision has a rule.
      decision.rule("1 == 1", List.of(otherwise));
    }
    if (otherwise != null) {
      last.add(otherwise);
      if (inclusive && !always.isEmpty()) {
        isTakenToo(node.out.get(otherwise));
      }
    } else if (always.isEmpty()) {
      model.found(Kind.DIFFERS, node.element,
          "has no default flow: where no condition holds nothing is chosen, and Camunda makes an"
              + " incident",
          "");
    }
    decision.rule(null, last);
    return chosen;
  }

  /** Notes a default way that is beside one without a condition. */
  void isTakenToo(Flow flow) {
    model.found(Kind.MISSING, flow.element(),
        "the default way is never taken beside one without a condition; here it is taken, too",
        "take it out of the model");
  }

  private static String inParentheses(String predicate) {
    return predicate.contains("||") ? "(" + predicate + ")" : predicate;
  }

  /** All but the empty one, those with most members first: the first that holds is all that do. */
  private static List<List<Integer>> subsets(int size) {
    List<List<Integer>> subsets = new ArrayList<>();
    for (int bits = 1; bits < 1 << size; bits++) {
      List<Integer> subset = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        if ((bits >> i & 1) == 1) {
          subset.add(i);
        }
      }
      subsets.add(subset);
    }
    subsets.sort((one, other) -> other.size() - one.size());
    return subsets;
  }

  private Optional<String> predicate(Flow flow, XmlElement condition, StepDraft decision) {
    condition.read();
    if (condition.attribute("language").isPresent()
        || condition.extension("resource").isPresent()) {
      model.found(Kind.MISSING, flow.element(), "the condition is a script",
          "write it as a comparison, or let a handler decide");
      return Optional.empty();
    }
    UnaryOperator<String> read = name -> variables.path(name, flow.element());
    variables.readAfter(decision.dependencies());
    try {
      return Optional.of(Juel.predicate(condition.text(), read));
    } catch (Juel.UnknownException e) {
      model.found(Kind.MISSING, flow.element(), "the condition " + e.getMessage(),
          "let a handler compute it, or decide");
      return Optional.empty();
    }
  }
}
