package ee.tasker.cli.convert;

import ee.tasker.cli.convert.Finding.Kind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What an activity of a model is as a step. */
final class ActivityMapper {
  private static final Set<String> STEPS = Set.of("serviceTask", "sendTask", "receiveTask",
      "userTask", "scriptTask", "businessRuleTask", "callActivity", "intermediateCatchEvent",
      "exclusiveGateway", "inclusiveGateway", "eventBasedGateway");

  private final CamundaModel model;
  private final Variables variables;
  private final HandlerMapper handlers;
  private final ApprovalMapper approvals;
  private final EventMapper events;

  ActivityMapper(CamundaModel model, Variables variables, HandlerMapper handlers,
      ApprovalMapper approvals, EventMapper events) {
    this.model = model;
    this.variables = variables;
    this.handlers = handlers;
    this.approvals = approvals;
    this.events = events;
  }

  /** Whether an element usually is a step, so that its name is of interest. */
  static boolean isStep(XmlElement element) {
    return STEPS.contains(element.name());
  }

  /** A step for an activity, or for an event that is waited for. */
  StepDraft step(XmlElement element, String name) {
    StepDraft step = new StepDraft(name);
    HandlerMapper.describe(step, element);
    switch (element.name()) {
      case "userTask" -> approvals.approval(element, step);
      case "receiveTask", "intermediateCatchEvent" -> events.caught(element, step);
      case "callActivity" -> child(element, step);
      case "scriptTask" -> {
        handlers.toBeWritten(element, step, Kind.MISSING, "a script has no counterpart");
        element.child("script").ifPresent(XmlElement::readAll);
        element.extension("resource");
        handlers.configure(element, step);
      }
      case "adHocSubProcess" -> {
        handlers.toBeWritten(element, step, Kind.MISSING,
            "an ad-hoc sub-process has no counterpart (with "
                + element.children().stream().flatMap(each -> each.attribute("id").stream())
                    .collect(Collectors.joining(", "))
                + ")");
        element.readAll();
      }
      default -> handlers.service(element, step);
    }
    return step;
  }

  private void child(XmlElement element, StepDraft step) {
    Optional<String> called = element.attribute("calledElement");
    element.extension("calledElementBinding");
    Optional<String> tag = element.extension("calledElementVersionTag");
    Optional<String> number = element.extension("calledElementVersion");
    if (called.isEmpty() || Juel.isExpression(called.get())) {
      handlers.toBeWritten(element, step, Kind.MISSING,
          called.map(text -> "the called process " + text
              + " is computed").orElse("calls no process"));
      element.extensionElements("in").forEach(XmlElement::readAll);
      element.extensionElements("out").forEach(XmlElement::readAll);
      return;
    }
    Map<String, Object> task = HandlerMapper.ordered("name", called.get());
    tag.filter(text -> text.matches("(0|[1-9]\\d*)(\\.(0|[1-9]\\d*)){2}"))
        .ifPresentOrElse(text -> task.put("version", text),
            () -> tag.or(() -> number).ifPresent(text -> model.found(Kind.DIFFERS, element,
                "the version " + text + " is no semantic version: the latest is called",
                "task.version")));
    Map<String, Object> context = new LinkedHashMap<>();
    for (XmlElement in : element.extensionElements("in")) {
      Optional<String> source = in.attribute("source").map(text -> "${" + text + "}")
          .or(() -> in.attribute("sourceExpression"));
      Optional<String> target = in.attribute("target");
      if (in.attribute("businessKey").isPresent()) {
        model.found(Kind.CHANGED, element, "a child has the correlation id of its parent", "");
      } else if (source.isPresent() && target.isPresent()) {
        variables.read(element, source.get(), "the variable for " + target.get())
            .ifPresent(path -> context.put(target.get(), path));
      } else {
        model.found(Kind.MISSING, element, "a child gets no variables that are not named",
            "name each in task.context");
      }
      in.readAll();
    }
    if (!context.isEmpty()) {
      task.put("context", context);
    }
    step.put("task", task);
    for (XmlElement out : element.extensionElements("out")) {
      Optional<String> source = out.attribute("source");
      if (source.isPresent() && out.attribute("target").isPresent()) {
        variables.setBy(step, out.attribute("target").get(), "." + Juel.key(source.get()));
        model.found(Kind.WRITE, element, "reads " + source.get() + " of the child",
            "output of the template " + called.get() + " has this member");
      } else {
        model.found(Kind.MISSING, element, "the result of a child is its output",
            "name what is read in output of its template");
      }
      out.readAll();
    }
  }

  /** Makes a step the worker of a batch, and gives the step that cuts the list. */
  List<StepDraft> itemsOf(XmlElement element, StepDraft step) {
    Optional<XmlElement> loop = element.child("multiInstanceLoopCharacteristics");
    if (loop.isEmpty()) {
      return List.of();
    }
    Optional<String> collection = loop.get().extension("collection")
        .or(() -> loop.get().child("loopDataInputRef").map(XmlElement::text));
    Optional<String> items = collection.flatMap(text -> variables.read(element,
        Juel.isExpression(text) ? text : "${" + text + "}", "the collection"));
    String item = loop.get().extension("elementVariable").orElse("item");
    if (loop.get().child("completionCondition").isPresent()) {
      model.found(Kind.MISSING, element, "a completion condition has no counterpart",
          "failure_strategy and tolerate of batch_config");
    }
    loop.get().readAll();
    if (items.isEmpty()) {
      model.found(Kind.MISSING, element, "does not run for each item of a list that is known;"
          + " it runs once", "batch_config.items, a path to a list");
      return List.of();
    }
    if (!step.has("handler")) {
      handlers.toBeWritten(element, step, Kind.MISSING, "the worker of a batch runs a handler, and "
          + element.name() + " for each item has no counterpart");
      List.of("approval", "signal", "wait", "task").forEach(key -> step.remove(key));
    }
    model.found(Kind.WRITE, element, "runs for each item of " + items.get(),
        "the handler reads \"" + item + "\" as items[0] of its inputs");
    boolean sequential = loop.get().attribute("isSequential").filter("true"::equals).isPresent();
    Map<String, Object> cut = HandlerMapper.ordered("worker_template", step.name());
    cut.put("items", items.get() + "[*]");
    StepDraft batchable = new StepDraft(step.name() + "_items").put("type", "batchable")
        .put("batch_config", cut);
    Map<String, Object> run = HandlerMapper.ordered("worker_template", step.name());
    if (sequential) {
      run.put("parallelism", 1);
    }
    step.put("type", "batch_worker").put("batch_config", run);
    return List.of(batchable);
  }

  /** The variables that the model says an activity sets. */
  void outputs(XmlElement element, StepDraft step) {
    element.extension("resultVariable").ifPresent(name -> result(element, step, name));
    for (XmlElement parameter : HandlerMapper.parameters(element, "outputParameter")) {
      parameter.attribute("name").ifPresent(name -> result(element, step, name));
      parameter.readAll();
    }
  }

  private void result(XmlElement element, StepDraft step, String variable) {
    if (step.has("batch_config")) {
      model.found(Kind.MISSING, element, "the results of a batch are a list",
          "the step after it reads them");
      return;
    }
    variables.setBy(step, variable, "." + Juel.key(variable));
    model.found(step.has("handler") ? Kind.WRITE : Kind.DIFFERS, element,
        "sets the variable " + variable, "the result of the step has a member " + variable);
  }
}
