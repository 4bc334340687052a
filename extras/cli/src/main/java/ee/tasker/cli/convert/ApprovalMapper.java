package ee.tasker.cli.convert;

import ee.tasker.cli.convert.Finding.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** User tasks as approvals. */
final class ApprovalMapper {
  private static final Pattern USER = Pattern.compile("user\\((.*)\\)");
  private static final Pattern GROUP = Pattern.compile("group\\((.*)\\)");

  private final CamundaModel model;
  private final Variables variables;
  private final FormFields forms;

  ApprovalMapper(CamundaModel model, Variables variables, FormFields forms) {
    this.model = model;
    this.variables = variables;
    this.forms = forms;
  }

  void approval(XmlElement element, StepDraft step) {
    Map<String, Object> approval = new LinkedHashMap<>();
    approval.put("title", title(element, step));
    Map<String, Object> show = new LinkedHashMap<>();
    for (XmlElement parameter : HandlerMapper.parameters(element, "inputParameter")) {
      Optional<String> path = parameter.children().isEmpty()
          ? variables.read(parameter, parameter.text(), "the input parameter") : Optional.empty();
      parameter.readAll();
      path.ifPresent(found -> show.put(parameter.attribute("name").orElse("value"), found));
    }
    if (!show.isEmpty()) {
      approval.put("show", show);
    }
    boolean decides = false;
    Map<String, Object> fields = new LinkedHashMap<>();
    List<String> required = new ArrayList<>();
    for (FormFields.Field field : forms.read(element)) {
      if (field.isDecision()) {
        decides = true;
        variables.setBy(step, field.name(), ".approved");
        model.found(Kind.CHANGED, element,
            "the field " + field.name() + " is the decision itself", "");
      } else {
        fields.put(field.name(), field.schema());
        variables.setBy(step, field.name(), ".values." + Juel.key(field.name()));
        if (field.isRequired()) {
          required.add(field.name());
        }
      }
    }
    if (!fields.isEmpty()) {
      approval.put("form", Variables.schema(fields, required));
    }
    approval.put("candidates", candidates(element));
    approval.put("due", due(element));
    approval.put("on_reject", decides ? "result" : "error");
    step.put("approval", approval);
  }

  private Object title(XmlElement element, StepDraft step) {
    String name = element.attribute("name").orElse(step.name()).replaceAll("\\s+", " ");
    if (!Juel.isExpression(name)) {
      String text = name.length() <= 300 ? name : name.substring(0, 300);
      return text.startsWith("$") ? "$" + text : text;
    }
    List<Object> parts = new ArrayList<>();
    Matcher expression = Pattern.compile("[$#]\\{[^{}]*\\}").matcher(name);
    int end = 0;
    while (expression.find() && parts.size() < 18) {
      if (expression.start() > end) {
        parts.add(name.substring(end, expression.start()));
      }
      variables.read(element, expression.group(), "the name").ifPresent(parts::add);
      end = expression.end();
    }
    if (end < name.length()) {
      parts.add(name.substring(end));
    }
    return parts.isEmpty() ? step.name() : parts;
  }

  private Map<String, Object> candidates(XmlElement element) {
    Map<String, Object> candidates = new LinkedHashMap<>();
    List<String> roles = names(element, element.extension("candidateGroups").orElse(""));
    List<String> users = names(element, element.extension("candidateUsers").orElse(""));
    List<String> assigned = names(element, element.extension("assignee").orElse(""));
    assigned.addAll(names(element, resources(element, "humanPerformer")));
    for (String owner : resources(element, "potentialOwner").split(",")) {
      Matcher user = USER.matcher(owner.strip());
      Matcher group = GROUP.matcher(owner.strip());
      if (user.matches()) {
        users.addAll(names(element, user.group(1)));
      } else {
        roles.addAll(names(element, group.matches() ? group.group(1) : owner));
      }
    }
    List<String> all = new ArrayList<>(users);
    assigned.stream().filter(user -> !all.contains(user)).forEach(all::add);
    if (!assigned.isEmpty() && !(roles.isEmpty() && users.isEmpty())) {
      model.found(Kind.DIFFERS, element, "the assignee is one of those who may decide", "");
    }
    if (!roles.isEmpty()) {
      candidates.put("roles", roles);
    }
    if (!all.isEmpty()) {
      candidates.put("users", all);
    }
    if (candidates.isEmpty()) {
      model.found(Kind.DIFFERS, element,
          "names nobody who may decide; here it is the role approver", "approval.candidates");
      candidates.put("roles", List.of("approver"));
    }
    return candidates;
  }

  /** As BPMN has it without Camunda, with commas between them. */
  private static String resources(XmlElement element, String kind) {
    return element.children(kind).stream()
        .flatMap(each -> {
          each.readAll();
          return each.descendants();
        })
        .filter(each -> each.is("formalExpression")).map(XmlElement::text)
        .collect(Collectors.joining(","));
  }

  private List<String> names(XmlElement element, String list) {
    List<String> names = new ArrayList<>();
    for (String name : list.split(",")) {
      String text = name.strip();
      if (Juel.isExpression(text)) {
        variables.read(element, text, "the candidate").ifPresent(names::add);
      } else if (!text.isEmpty()) {
        names.add(text);
      }
    }
    return names;
  }

  private String due(XmlElement element) {
    Optional<String> given = element.extension("dueDate");
    if (given.isEmpty()) {
      return "P10Y";
    }
    model.found(Kind.DIFFERS, element, "at the due date the step fails with approval_timed_out",
        "approval.on_due decides, and escalate_to asks others");
    if (Juel.isExpression(given.get())) {
      return variables.read(element, given.get(), "the due date").orElse("P10Y");
    }
    return Durations.iso(given.get()).orElseGet(() -> {
      model.found(Kind.MISSING, element, "the due date " + given.get() + " is no duration",
          "a duration, or a path to an instant");
      return "P10Y";
    });
  }
}
