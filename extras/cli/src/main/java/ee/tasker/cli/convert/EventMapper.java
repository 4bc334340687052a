package ee.tasker.cli.convert;

import ee.tasker.cli.convert.BpmnGraph.Node;
import ee.tasker.cli.convert.Finding.Kind;
import jakarta.json.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What events wait for, do, and mean for the activity to which they are attached. */
final class EventMapper {
  private static final int LONGEST_TIMEOUT = 86_400;

  private final CamundaModel model;
  private final Variables variables;
  private final FormFields forms;
  private final HandlerMapper handlers;

  EventMapper(CamundaModel model, Variables variables, FormFields forms, HandlerMapper handlers) {
    this.model = model;
    this.variables = variables;
    this.forms = forms;
    this.handlers = handlers;
  }

  void start(XmlElement element) {
    forms.read(element).forEach(
        field -> variables.field(field.name(), field.schema(), field.isRequired()));
    for (XmlElement event : definitions(element)) {
      switch (event.name()) {
        case "timerEventDefinition" -> model.found(Kind.MISSING, element,
            "a template is not started by a timer", "tasker schedule create");
        case "messageEventDefinition" -> model.found(Kind.CHANGED, element,
            "a message starts no task by itself", "its receiver submits one: POST /v1/tasks");
        default -> model.found(Kind.MISSING, element,
            "a template is not started by a " + kind(event),
            "what causes it submits a task: POST /v1/tasks, or TaskSubmissions");
      }
      event.readAll();
    }
  }

  private static List<XmlElement> definitions(XmlElement event) {
    return event.children().stream()
        .filter(each -> each.isBpmn() && each.name().endsWith("EventDefinition")).toList();
  }

  private static String kind(XmlElement definition) {
    return definition.name().replace("EventDefinition", "");
  }

  void caught(XmlElement element, StepDraft step) {
    Optional<XmlElement> timer = element.child("timerEventDefinition");
    if (timer.isPresent()) {
      timer(element, step);
      timer.get().readAll();
      return;
    }
    Optional<XmlElement> message = element.is("receiveTask") ? Optional.of(element)
        : element.child("messageEventDefinition");
    Optional<XmlElement> signal = element.child("signalEventDefinition");
    Optional<String> name = message.flatMap(each -> model.name(each, "messageRef", "name"))
        .or(() -> signal.flatMap(each -> model.name(each, "signalRef", "name")));
    signal.ifPresent(each -> model.found(Kind.DIFFERS, element,
        "a signal goes to the tasks that its sender names, by UUID or by correlation id", ""));
    if (message.isEmpty() && signal.isEmpty()) {
      String kind = definitions(element).stream().map(EventMapper::kind).findFirst()
          .orElse("none");
      definitions(element).forEach(XmlElement::readAll);
      model.found(Kind.MISSING, element, "waits for a " + kind + ", which has no counterpart",
          "the signal " + step.name() + " ends the wait");
    } else if (name.filter(text -> text.length() > 64 || Juel.isExpression(text)).isPresent()) {
      model.found(Kind.MISSING, element, "the name " + name.get()
          + " is computed, or has more than 64 characters",
          "the signal " + step.name() + ", and a correlation id");
      name = Optional.empty();
    }
    step.put("signal", HandlerMapper.ordered("name", name.orElse(step.name())));
  }

  private void timer(XmlElement element, StepDraft step) {
    Optional<String> duration = duration(element);
    XmlElement timer = element.child("timerEventDefinition").orElseThrow();
    Optional<String> date = timer.child("timeDate").map(XmlElement::text);
    if (duration.isPresent()) {
      step.put("wait", Map.of("for", duration.get()));
    } else if (date.filter(Juel::isExpression).isPresent()) {
      String until = variables.read(element, date.get(), "the date")
          .orElse("$.context." + Juel.key(step.name() + "_at"));
      step.put("wait", Map.of("until", until));
      model.found(Kind.DIFFERS, element, "waits until " + until,
          "an instant with an offset, as a text: 2027-01-31T12:00:00Z");
    } else {
      String until = "$.context." + Juel.key(step.name() + "_at");
      step.put("wait", Map.of("until", until));
      model.found(date.isPresent() ? Kind.WRITE : Kind.MISSING, element,
          date.map(text -> "the date " + text + " belongs into the context")
              .orElse("a cycle, or a duration that is computed, has no counterpart"),
          "the task waits until " + until);
    }
  }

  private Optional<String> timer(XmlElement event, XmlElement host, StepDraft step,
      boolean hasWay, String duration) {
    if (step.get("approval") instanceof Map<?, ?> given) {
      Map<String, Object> approval = new LinkedHashMap<>();
      given.forEach((key, value) -> approval.put((String) key, value));
      approval.put("due", duration);
      if (hasWay) {
        approval.put("on_due", Map.of("approved", false));
      }
      step.put("approval", approval);
      return hasWay ? Optional.of("$.results." + Juel.key(step.name()) + ".decided_by == null")
          : Optional.empty();
    }
    if (step.get("signal") instanceof Map<?, ?> signal) {
      if (hasWay) {
        timed(step, duration);
        return Optional.of(timedOut(step));
      }
      Map<String, Object> limited = HandlerMapper.ordered("name", signal.get("name"));
      limited.put("timeout", duration);
      step.put("signal", limited);
      return Optional.empty();
    }
    long seconds = Durations.milliseconds(duration).orElse(Long.MAX_VALUE) / 1000;
    if (seconds > LONGEST_TIMEOUT || step.has("batch_config")) {
      model.found(Kind.MISSING, event, "no attempt is limited to " + duration,
          "lifecycle.max_duration limits the task");
      return Optional.empty();
    }
    step.put("timeout_seconds", (int) Math.max(1, seconds));
    if (hasWay) {
      model.found(Kind.MISSING, event, "after " + duration + " the attempt of " + step.name()
          + " fails and is retried; its own way is not taken",
          "lifecycle.on_failure: compensate, or a handler that watches the time and returns a"
              + " result for a decision");
    } else {
      model.found(Kind.DIFFERS, event, "is timeout_seconds: an attempt that takes longer fails,"
          + " and is retried as retry says", "");
    }
    return Optional.empty();
  }

  /** The constant duration of a timer. */
  Optional<String> duration(XmlElement event) {
    return event.child("timerEventDefinition").flatMap(timer -> timer.child("timeDuration"))
        .map(XmlElement::text).flatMap(Durations::iso);
  }

  boolean isMessage(Node node) {
    return node.is("receiveTask") || node.is("intermediateCatchEvent")
        && (node.element.child("messageEventDefinition").isPresent()
            || node.element.child("signalEventDefinition").isPresent());
  }

  /** Lets a step that waits for a signal go on after a time. */
  void timed(StepDraft step, String duration) {
    if (step.get("signal") instanceof Map<?, ?> given) {
      Map<String, Object> signal = HandlerMapper.ordered("name", given.get("name"));
      signal.put("timeout", duration);
      signal.put("on_timeout", Map.of("timed_out", true));
      step.put("signal", signal);
    }
  }

  String timedOut(StepDraft step) {
    return "$.results." + Juel.key(step.name()) + ".timed_out == true";
  }

  /** A step for what an end event does; empty for one that only ends. */
  Optional<StepDraft> end(XmlElement element, String name, Map<String, Object> lifecycle,
      boolean isParallel) {
    if (element.child("terminateEventDefinition").isPresent()) {
      if (isParallel) {
        model.found(Kind.MISSING, element, "ends its way only; other ways go on",
            "a decision before the ways part, or a cancel of the task");
      }
      return Optional.empty();
    }
    Optional<XmlElement> error = element.child("errorEventDefinition");
    if (error.isPresent()) {
      StepDraft step = new StepDraft(name);
      HandlerMapper.describe(step, element);
      handlers.toBeWritten(element, step, Kind.WRITE, "ends the task in error");
      model.found(Kind.WRITE, element, "the handler returns StepOutcome.permanent",
          "with the type " + model.name(error.get(), "errorRef", "errorCode").orElse(name));
      step.put("retry", Map.of("retryable", false));
      return Optional.of(step);
    }
    return thrown(element, name, lifecycle);
  }

  /** A step for what an event does when it is reached. */
  Optional<StepDraft> thrown(XmlElement element, String name, Map<String, Object> lifecycle) {
    List<XmlElement> definitions = definitions(element);
    if (definitions.isEmpty() || definitions.get(0).is("linkEventDefinition")) {
      definitions.forEach(XmlElement::read);
      return Optional.empty();
    }
    XmlElement definition = definitions.get(0).read();
    StepDraft step = new StepDraft(name);
    HandlerMapper.describe(step, element);
    switch (definition.name()) {
      case "messageEventDefinition" -> {
        step.put("handler", handlers.handler(definition, step));
        handlers.retry(element, step);
      }
      case "signalEventDefinition" -> {
        handlers.toBeWritten(element, step, Kind.WRITE, "a signal is sent to tasks that are named");
        model.found(Kind.WRITE, element, "the handler sends the signal "
            + model.name(definition, "signalRef", "name").orElse(name),
            "TaskSignals, or POST /v1/signals/{name}; events for others are publishes_events");
      }
      case "compensateEventDefinition" -> {
        handlers.toBeWritten(element, step, Kind.WRITE, "compensation follows a failure");
        model.found(definition.attribute("activityRef").isPresent()
            || element.is("intermediateThrowEvent") ? Kind.MISSING : Kind.WRITE, element,
            "the handler returns StepOutcome.permanent: everything that is complete is"
                + " undone, and the task ends as error",
            "lifecycle.on_failure is compensate");
        step.put("retry", Map.of("retryable", false));
        lifecycle.put("on_failure", "compensate");
      }
      default -> handlers.toBeWritten(element, step, Kind.MISSING,
          "a " + kind(definition) + " event has no counterpart");
    }
    definition.readAll();
    return Optional.of(step);
  }

  void unmapped(XmlElement event, String what, String instead) {
    String kind = definitions(event).stream().map(EventMapper::kind).findFirst().orElse("none");
    model.found(Kind.MISSING, event, "the boundary event (" + kind + ") " + what, instead);
    event.readAll();
  }

  /**
   * What the event means for its step.
   *
   * @param hasWay whether its way does something
   * @return the condition under which its way is taken; empty if it is not
   */
  Optional<String> boundary(XmlElement event, XmlElement host, StepDraft step, boolean hasWay) {
    Optional<String> duration = duration(event);
    boolean interrupts = event.attribute("cancelActivity").filter("false"::equals).isEmpty();
    if (!interrupts) {
      unmapped(event, "does not interrupt its activity",
          "approval.escalate_to, lifecycle.sla_minutes, or a branch beside it with a wait");
      return Optional.empty();
    }
    if (duration.isPresent()) {
      event.readAll();
      return timer(event, host, step, hasWay, duration.get());
    }
    Optional<XmlElement> error = event.child("errorEventDefinition");
    if (error.isPresent() && step.has("handler") && !step.has("batch_config")) {
      String path = "$.results." + Juel.key(step.name()) + ".error_code";
      error.get().extension("errorCodeVariable")
          .ifPresent(name -> variables.setBy(step, name, ".error_code"));
      error.get().extension("errorMessageVariable")
          .ifPresent(name -> variables.setBy(step, name, ".error_message"));
      Optional<String> code = model.name(error.get(), "errorRef", "errorCode");
      model.found(Kind.WRITE, event, "an error of the business is a result",
          "the handler returns StepOutcome.success with error_code"
              + code.map(text -> " \"" + text + "\"").orElse(""));
      event.readAll();
      return Optional.of(code.map(text -> path + " == "
          + Json.createValue(text)).orElse("exists(" + path + ")"));
    }
    unmapped(event, "cannot be routed from " + host.id(),
        "a result that says what happened, and a decision; or lifecycle.on_failure: compensate");
    return Optional.empty();
  }
}
