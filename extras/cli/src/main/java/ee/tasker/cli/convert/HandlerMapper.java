package ee.tasker.cli.convert;

import ee.tasker.cli.convert.Finding.Kind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The code that an activity names, as a handler: its name, configuration and retries. */
final class HandlerMapper {
  private static final Pattern BEAN = Pattern.compile("[$#]\\{\\s*([A-Za-z_]\\w*)\\s*\\}");
  private static final Pattern METHOD = Pattern
      .compile("[$#]\\{\\s*([A-Za-z_]\\w*)\\.([A-Za-z_]\\w*)\\((.*)\\)\\s*\\}", Pattern.DOTALL);
  private static final Pattern CYCLE = Pattern.compile("R(\\d{1,4})/(P[^/]+)");
  /** What Camunda does by itself. */
  private static final Map<String, String> BUILT_IN = Map.of(
      "mail", "the task that sends mail has no counterpart",
      "shell", "the task that runs a command has no counterpart");
  private static final long LONGEST_BASE = 3_600_000;
  private static final long LONGEST_BACKOFF = 86_400_000;

  private final CamundaModel model;
  private final String namespace;

  HandlerMapper(CamundaModel model, String namespace) {
    this.model = model;
    this.namespace = namespace;
  }

  void service(XmlElement element, StepDraft step) {
    step.put("handler", handler(element, step));
    configure(element, step);
  }

  /** The configuration and the retries of the handler that the step has. */
  void configure(XmlElement element, StepDraft step) {
    Map<String, Object> initialization = initialization(element);
    if (!initialization.isEmpty() && step.get("handler") instanceof Map<?, ?> named) {
      Map<String, Object> handler = new LinkedHashMap<>();
      named.forEach((key, value) -> handler.put((String) key, value));
      handler.put("initialization", initialization);
      step.put("handler", handler);
    }
    retry(element, step);
  }

  /** If none is named, it is one that is to be written, and told. */
  Map<String, Object> handler(XmlElement element, StepDraft step) {
    Optional<String> topic = element.extension("topic");
    Optional<String> builtIn = element.extension("type").filter(BUILT_IN::containsKey);
    Optional<String> delegate = element.extension("delegateExpression");
    Optional<String> type = element.extension("class");
    Optional<String> expression = element.extension("expression");
    Optional<String> decision = element.extension("decisionRef");
    if (decision.isPresent()) {
      element.extension("decisionRefBinding");
      element.extension("decisionRefVersion");
      element.extension("decisionRefVersionTag");
      element.extension("decisionRefTenantId");
      element.extension("mapDecisionResult");
      return toBeWritten(element, step, Kind.MISSING, "the decision table " + decision.get()
          + " of DMN has no counterpart; a decision with rules chooses steps");
    }
    if (builtIn.isPresent()) {
      return toBeWritten(element, step, Kind.MISSING, BUILT_IN.get(builtIn.get()));
    }
    if (topic.isPresent() && !Juel.isExpression(topic.get())) {
      return named(element, topic.get());
    }
    if (type.isPresent()) {
      return named(element, type.get());
    }
    Matcher bean = BEAN.matcher(delegate.or(() -> expression).orElse(""));
    if (bean.matches()) {
      return named(element, bean.group(1));
    }
    Matcher method = METHOD.matcher(expression.or(() -> delegate).orElse(""));
    if (method.matches()) {
      Map<String, Object> handler = named(element, method.group(1));
      handler.put("method", method.group(2));
      if (!method.group(3).isBlank()) {
        model.found(Kind.WRITE, element, "the method gets (" + method.group(3).strip() + ")",
            "the handler reads them from the context and the results");
      }
      return handler;
    }
    return toBeWritten(element, step, Kind.WRITE,
        topic.or(() -> delegate).or(() -> expression).map(text -> "\"" + text
            + "\" names no handler").orElse("names no code"));
  }

  private Map<String, Object> named(XmlElement element, String callable) {
    model.found(Kind.WRITE, element, "is done by the handler " + callable,
        "move the code to a handler of this name");
    return ordered("callable", callable);
  }

  /** Fields of a class, and constant input parameters. */
  private Map<String, Object> initialization(XmlElement element) {
    Map<String, Object> initialization = new LinkedHashMap<>();
    for (XmlElement field : element.extensionElements("field")) {
      String name = field.attribute("name").orElse("field");
      Optional<String> text = field.attribute("stringValue")
          .or(() -> field.camundaChildren("string").stream().map(XmlElement::text).findFirst());
      field.camundaChildren("expression");
      if (text.isPresent()) {
        initialization.put(name, text.get());
      } else {
        model.found(Kind.WRITE, element, "the field " + name + " is an expression",
            "the handler reads it from the context and the results");
      }
    }
    for (XmlElement parameter : parameters(element, "inputParameter")) {
      String name = parameter.attribute("name").orElse("parameter");
      if (parameter.children().isEmpty() && !Juel.isExpression(parameter.text())) {
        initialization.put(name, parameter.text());
      } else {
        model.found(Kind.WRITE, element, "the input parameter " + name + " is "
            + (parameter.children().isEmpty() ? parameter.text() : "a "
                + parameter.children().get(0).name()),
            "the handler reads it from the context and the results");
        parameter.readAll();
      }
    }
    return initialization;
  }

  Map<String, Object> toBeWritten(XmlElement element, StepDraft step, Kind kind, String reason) {
    Map<String, Object> handler = ordered("callable", namespace + "." + step.name());
    step.put("handler", handler);
    model.found(kind, element, reason, "write the handler " + handler.get("callable"));
    return handler;
  }

  void retry(XmlElement element, StepDraft step) {
    for (XmlElement cycle : element.extensionElements("failedJobRetryTimeCycle")) {
      Matcher form = CYCLE.matcher(cycle.text());
      List<String> waits = form.matches() ? List.of(form.group(2))
          : List.of(cycle.text().split(","));
      List<Long> milliseconds = waits.stream().map(String::strip)
          .map(Durations::milliseconds).flatMap(Optional::stream).toList();
      int attempts = form.matches() ? Integer.parseInt(form.group(1)) : waits.size() + 1;
      if (milliseconds.size() != waits.size() || attempts > 100 || attempts < 1) {
        model.found(Kind.MISSING, cycle, "the retries " + cycle.text() + " cannot be read",
            "retry.max_attempts, backoff_base_ms and max_backoff_ms");
        continue;
      }
      Map<String, Object> retry = ordered("max_attempts", attempts);
      long first = Math.max(1, milliseconds.get(0));
      long last = Math.max(first, milliseconds.get(milliseconds.size() - 1));
      if (first > LONGEST_BASE || last > LONGEST_BACKOFF || milliseconds.size() > 1) {
        model.found(Kind.DIFFERS, cycle, "waits between attempts grow from "
            + Math.min(first, LONGEST_BASE) + " ms to " + Math.min(last, LONGEST_BACKOFF)
            + " ms", "");
      }
      retry.put("backoff_base_ms", Math.min(first, LONGEST_BASE));
      retry.put("max_backoff_ms", Math.min(last, LONGEST_BACKOFF));
      step.put("retry", retry);
    }
  }

  void compensation(XmlElement handler, StepDraft step) {
    StepDraft undo = new StepDraft(handler.id());
    service(handler, undo);
    Map<String, Object> compensation = new LinkedHashMap<>();
    compensation.put("handler", undo.get("handler"));
    if (undo.has("retry")) {
      compensation.put("retry", undo.get("retry"));
    }
    step.put("compensation", compensation);
    if (!Set.of("serviceTask", "sendTask", "businessRuleTask").contains(handler.name())) {
      model.found(Kind.MISSING, handler, "a " + handler.name() + " compensates nothing",
          "compensation.handler");
      handler.readAll();
    }
  }

  static List<XmlElement> parameters(XmlElement element, String name) {
    return element.extensionElements("inputOutput").stream()
        .flatMap(each -> each.camundaChildren(name).stream()).toList();
  }

  static Map<String, Object> ordered(String key, Object value) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put(key, value);
    return map;
  }

  static void describe(StepDraft step, XmlElement element) {
    String text = element.attribute("name").orElse("");
    String more = element.child("documentation").map(XmlElement::text).orElse("");
    String all = text.isEmpty() || more.isEmpty() ? text + more : text + ". " + more;
    if (!all.isBlank()) {
      step.put("description", ProcessConverter.shortened(all));
    }
  }
}
