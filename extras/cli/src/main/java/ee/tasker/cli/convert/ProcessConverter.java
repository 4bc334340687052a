package ee.tasker.cli.convert;

import ee.tasker.cli.convert.BpmnGraph.Flow;
import ee.tasker.cli.convert.BpmnGraph.Node;
import ee.tasker.cli.convert.Finding.Kind;
import jakarta.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One process: follows its flow, makes a step of each activity, a decision of each way that is
 * chosen, and a dependency of each way that is taken. Gateways that only join, and events that do
 * nothing, leave no step.
 */
final class ProcessConverter {
  private static final int DEFAULT_DECISION_DEPTH = 3;
  private static final int DEEPEST_DECISION = 16;
  private static final Set<String> NODES = Set.of("startEvent", "endEvent", "boundaryEvent",
      "intermediateCatchEvent", "intermediateThrowEvent", "task", "manualTask", "serviceTask",
      "sendTask", "receiveTask", "userTask", "scriptTask", "businessRuleTask", "callActivity",
      "subProcess", "transaction", "adHocSubProcess", "exclusiveGateway", "inclusiveGateway",
      "parallelGateway", "eventBasedGateway", "complexGateway");
  private static final Set<String> DRAWN = Set.of("laneSet", "dataObject", "dataObjectReference",
      "dataStoreReference", "textAnnotation", "group", "association", "ioSpecification",
      "property", "category");

  private final CamundaModel model;
  private final XmlElement process;
  private final String namespace;
  private final String version;
  private final BpmnGraph graph;
  private final Map<Node, List<Exit>> exits = new HashMap<>();
  private final Map<Flow, List<Exit>> flowExits = new HashMap<>();
  private final Set<Node> dead = new HashSet<>();
  /** Activities that compensate a step. */
  private final Set<Node> undoing = new HashSet<>();
  private final Map<String, Object> lifecycle = new LinkedHashMap<>();
  private final StepNames names;
  private final StepFlow steps;
  private final Variables variables;
  private final HandlerMapper handlers;
  private final EventMapper events;
  private final ActivityMapper activities;
  private final DecisionMapper decisions;
  private boolean isParallel;

  ProcessConverter(CamundaModel model, XmlElement process, String namespace, String version) {
    this.model = model;
    this.process = process;
    this.namespace = namespace;
    this.version = version(version);
    graph = BpmnGraph.of(process, ProcessConverter::isNode);
    names = new StepNames(model);
    steps = new StepFlow(names);
    variables = new Variables(steps.steps(), model);
    decisions = new DecisionMapper(model, namespace, variables);
    FormFields forms = new FormFields(model);
    handlers = new HandlerMapper(model, namespace);
    events = new EventMapper(model, variables, forms, handlers);
    activities = new ActivityMapper(model, variables, handlers,
        new ApprovalMapper(model, variables, forms), events);
  }

  private static boolean isNode(XmlElement element) {
    return element.isBpmn() && NODES.contains(element.name()) && !isEventSubProcess(element);
  }

  private static boolean isEventSubProcess(XmlElement element) {
    return element.is("subProcess")
        && element.attribute("triggeredByEvent").filter("true"::equals).isPresent();
  }

  private String version(String given) {
    Optional<String> tag = process.extension("versionTag");
    if (given != null) {
      return given;
    }
    if (tag.isPresent() && !tag.get().matches("(0|[1-9]\\d*)(\\.(0|[1-9]\\d*)){2}")) {
      model.found(Kind.CHANGED, process,
          "the version tag " + tag.get() + " is no semantic version; the version is 1.0.0",
          "--version gives another one");
      return "1.0.0";
    }
    return tag.orElse("1.0.0");
  }

  String name() {
    return process.id().length() <= 64 ? process.id() : process.id().substring(0, 64);
  }

  /** Empty, and told, if nothing is done in the process. */
  Optional<JsonObject> template() {
    if (!name().equals(process.id())) {
      model.found(Kind.CHANGED, process, "the template is called " + name(), "");
    }
    scope(process);
    joins();
    if (process.children().stream().filter(child -> child.is("startEvent")).count() > 1) {
      model.found(Kind.MISSING, process, "has several start events: here all ways begin at once",
          "a template for each, or a decision that begins");
    }
    graph.loops().forEach(this::loop);
    graph.dangling().forEach(flow -> model.found(Kind.MISSING, flow,
        "the sequence flow begins or ends at an element that is not part of the process",
        "a dependency between the two steps that it joins"));
    graph.order().forEach(this::convert);
    graph.order().stream().filter(BpmnGraph::isCompensation)
        .filter(node -> !node.is(BpmnGraph.END) && undoing.add(node))
        .forEach(node -> model.found(Kind.MISSING, node.element,
            "no boundary event says what it compensates", "compensation of a step"));
    process.extension("historyTimeToLive").ifPresent(this::retention);
    process.descendants().forEach(this::unread);
    variables.tell();
    if (isParallel) {
      lifecycle.put("on_step_error", "continue");
    }
    depth(steps.decisionDepth());
    if (steps.steps().isEmpty()) {
      model.found(Kind.LEFT_OUT, process, "nothing is done in the process; it has no template", "");
      return Optional.empty();
    }
    Map<String, Object> template = new LinkedHashMap<>();
    template.put("name", name());
    template.put("namespace_name", namespace);
    template.put("version", version);
    process.attribute("name").ifPresent(text -> template.put("description", shortened(text)));
    variables.inputSchema().ifPresent(schema -> template.put("input_schema", schema));
    if (!lifecycle.isEmpty()) {
      template.put("lifecycle", lifecycle);
    }
    template.put("steps", steps.steps().values().stream().map(StepDraft::json).toList());
    return Optional.of(StepDraft.value(template).asJsonObject());
  }

  private void depth(int decisions) {
    if (decisions > DEEPEST_DECISION) {
      model.found(Kind.MISSING, process, "has " + decisions + " decisions that follow from each"
          + " other, more than " + DEEPEST_DECISION, "a part of it in a template of its own");
    }
    if (decisions > DEFAULT_DECISION_DEPTH) {
      lifecycle.put("max_decision_depth", Math.min(decisions, DEEPEST_DECISION));
    }
  }

  private void retention(String days) {
    String number = days.matches("P\\d{1,5}D") ? days.substring(1, days.length() - 1) : days;
    if (number.matches("\\d{1,5}") && Integer.parseInt(number) <= 36_500) {
      lifecycle.put("retention_days", Integer.parseInt(number));
    } else {
      model.found(Kind.MISSING, process, "historyTimeToLive " + days + " is no number of days",
          "lifecycle.retention_days");
    }
  }

  /** What stands in a process or sub-process beside the flow. */
  private void scope(XmlElement scope) {
    for (XmlElement child : scope.children()) {
      if (isEventSubProcess(child)) {
        missing(child, "an event sub-process has no counterpart",
            "lifecycle.max_duration for a time limit, on_failure: compensate for an error, or a"
                + " task of its own that is submitted with the event");
        child.readAll();
      } else if (child.isBpmn() && DRAWN.contains(child.name())) {
        if (!child.is("association")) {
          model.found(Kind.LEFT_OUT, child, child.name() + " is part of the drawing", "");
        }
        child.readAll();
      } else if (child.is("subProcess") || child.is("transaction")) {
        scope(child);
      }
    }
  }

  private void missing(XmlElement element, String message, String instead) {
    String inside = element.children().stream().filter(ProcessConverter::isNode)
        .map(XmlElement::id).collect(Collectors.joining(", "));
    model.found(Kind.MISSING, element, message + (inside.isEmpty() ? "" : " (with " + inside + ")"),
        instead);
  }

  private void loop(Flow flow) {
    XmlElement where = flow.element() == null ? flow.from().element : flow.element();
    model.found(Kind.MISSING, where,
        "the flow goes back from " + flow.from().id() + " to " + flow.to().id()
            + ", and a task has no loops: this way now ends",
        "retry repeats what failed, a batch repeats for each item, and a child task of the same"
            + " template repeats a part");
    if (flow.element() != null) {
      flow.element().readAll();
    }
  }

  /** Where tokens meet that a join does not expect. */
  private void joins() {
    Set<String> told = new HashSet<>();
    for (Node split : graph.order()) {
      long ways = split.out.size() + split.boundary.size();
      if (ways < 2) {
        continue;
      }
      boolean chooses = split.is("exclusiveGateway", "eventBasedGateway");
      boolean all = !chooses && split.out.size() > 1;
      isParallel |= all;
      Map<Node, Node> dominators = graph.dominators(split);
      for (Node join : graph.order()) {
        if (join == split || dominators.get(join) != split || join.in.size() < 2) {
          continue;
        }
        boolean waits = join.is("parallelGateway", "inclusiveGateway", BpmnGraph.END);
        if (all && !waits && !join.is("endEvent") && told.add(join.id())) {
          boolean byCondition = split.is("inclusiveGateway")
              || split.out.stream().anyMatch(flow -> flow.condition().isPresent());
          model.found(byCondition ? Kind.DIFFERS : Kind.MISSING, join.element,
              "runs once for each way that arrives from " + split.id()
                  + "; here it runs once, when all have arrived",
              "let a parallel gateway join them, or give each way a step of its own");
        } else if (chooses && join.is("parallelGateway") && told.add(join.id())) {
          model.found(Kind.DIFFERS, join.element,
              "waits for ways that " + split.id()
                  + " does not take together; here it waits for those that were taken",
              "");
        }
      }
    }
  }

  private void convert(Node node) {
    if (isDead(node)) {
      dead.add(node);
      if (!node.is(BpmnGraph.BEGIN, BpmnGraph.END, "boundaryEvent")) {
        model.found(node.in.isEmpty() ? Kind.LEFT_OUT : Kind.MISSING, node.element,
            node.in.isEmpty() ? "nothing leads to it, so that it never begins"
                : "is reached only through what has no counterpart; it has no step",
            node.in.isEmpty() ? "" : "a step after those that replace what leads to it");
        node.element.readAll();
      }
      return;
    }
    if (BpmnGraph.isCompensation(node)) {
      if (node.is(BpmnGraph.BEGIN)) {
        dead.add(node);
      }
      return;
    }
    if (exits.containsKey(node)) {
      return;
    }
    if (node.is("boundaryEvent")) {
      // Those of activities with a step have a way out by now, or have been told.
      if (node.element.child("compensateEventDefinition").isEmpty() && dead.add(node)) {
        events.unmapped(node.element, "belongs to an activity that has no step of its own",
            "a step with a handler");
      }
      return;
    }
    switch (node.kind) {
      case "startEvent" -> {
        events.start(node.element);
        after(node, arriving(node), null);
      }
      case "endEvent" -> ended(node);
      case "exclusiveGateway", "inclusiveGateway" -> gateway(node);
      case "complexGateway" -> {
        model.found(Kind.MISSING, node.element, "a complex gateway has no counterpart",
            "decisions, and a deferred_convergence");
        exits.put(node, arriving(node));
      }
      case "eventBasedGateway" -> events(node);
      case "task", "manualTask" -> {
        model.found(Kind.LEFT_OUT, node.element, "nothing is done in " + node.kind
            + "; it has no step", "");
        after(node, arriving(node), null);
      }
      case "parallelGateway" -> {
        exits.put(node, arriving(node));
        node.out.forEach(flow -> flow.condition().ifPresent(condition -> {
          condition.readAll();
          model.found(Kind.LEFT_OUT, flow.element(),
              "a parallel gateway takes all ways, whatever their conditions say", "");
        }));
      }
      case BpmnGraph.BEGIN -> exits.put(node, arriving(node));
      case BpmnGraph.END -> subProcess(node);
      case "intermediateThrowEvent" -> thrown(node);
      case "intermediateCatchEvent" -> {
        if (node.element.child("linkEventDefinition").isPresent()) {
          exits.put(node, arriving(node));
        } else {
          activity(node);
        }
      }
      default -> activity(node);
    }
  }

  /** All of its ways come from boundary events that lead nowhere, or it has none. */
  private boolean isDead(Node node) {
    if (node.is("boundaryEvent")) {
      return dead.contains(node) || node.host != null && dead.contains(node.host);
    }
    if (node.in.isEmpty()) {
      return !node.is("startEvent") && !BpmnGraph.isCompensation(node)
          && BpmnGraph.hasStart(node);
    }
    return node.in.stream().allMatch(flow -> dead.contains(flow.from()));
  }

  private List<Exit> arriving(Node node) {
    Set<Exit> arriving = new LinkedHashSet<>();
    for (Flow flow : node.in) {
      arriving.addAll(flowExits.containsKey(flow) ? flowExits.get(flow)
          : exits.getOrDefault(flow.from(), List.of()));
    }
    return List.copyOf(arriving);
  }

  private void ended(Node node) {
    XmlElement element = node.element;
    exits.put(node,
        arrive(node, events.end(element, names.of(element), lifecycle, isParallel)));
  }

  private void thrown(Node node) {
    Optional<StepDraft> step = events.thrown(node.element, names.of(node.element), lifecycle);
    after(node, arrive(node, step), step.orElse(null));
  }

  private List<Exit> arrive(Node node, Optional<StepDraft> made) {
    List<Exit> arriving = arriving(node);
    if (made.isEmpty()) {
      return arriving;
    }
    append(node, made.get(), arriving);
    return List.of(new Exit(made.get(), null));
  }

  private void subProcess(Node node) {
    XmlElement element = node.element;
    if (element.is("transaction")) {
      model.found(Kind.DIFFERS, element, "a transaction is part of the task",
          "lifecycle.on_failure: compensate undoes what the whole task has done");
    }
    element.child("multiInstanceLoopCharacteristics").ifPresent(loop -> {
      missing(element, "a sub-process for each item of a list has no counterpart; it runs once",
          "a template of its own, and a batch worker whose handler submits it");
      loop.readAll();
    });
    for (Node event : node.boundary) {
      events.unmapped(event.element, "interrupts a sub-process",
          "make it a template of its own, which a step runs: timeout_seconds limits it, and its"
              + " failure is that of the step");
      dead.add(event);
    }
    after(node, arriving(node), null);
  }

  private void activity(Node node) {
    XmlElement element = node.element;
    String name = names.of(element);
    List<Exit> arriving = arriving(node);
    variables.readAfter(arriving.stream().map(exit -> exit.step().name()).toList());
    StepDraft step = activities.step(element, name);
    List<StepDraft> before = activities.itemsOf(element, step);
    for (StepDraft first : before) {
      append(node, first, arriving);
      arriving = List.of(new Exit(first, null));
    }
    append(node, step, arriving);
    activities.outputs(element, step);
    boundary(node, step);
  }

  private void boundary(Node node, StepDraft step) {
    List<Node> routed = new ArrayList<>();
    List<String> conditions = new ArrayList<>();
    for (Node event : node.boundary) {
      if (event.element.child("compensateEventDefinition").isPresent()) {
        compensation(event, step);
        continue;
      }
      boolean hasWay = event.out.stream().anyMatch(flow -> doesWork(flow.to(), new HashSet<>()));
      Optional<String> condition = events.boundary(event.element, node.element, step, hasWay);
      if (condition.isPresent() && !event.out.isEmpty()) {
        routed.add(event);
        conditions.add(condition.get());
      } else {
        dead.add(event);
      }
    }
    List<Exit> leading = List.of(new Exit(step, null));
    if (!routed.isEmpty()) {
      StepDraft decision = made(step.name() + "_outcome").put("type", "decision");
      append(node, decision, leading);
      for (int i = 0; i < routed.size(); i++) {
        decision.rule(conditions.get(i), List.of(i + 1));
        exits.put(routed.get(i), List.of(new Exit(decision, i + 1)));
      }
      decision.rule(null, List.of(0));
      leading = List.of(new Exit(decision, 0));
    }
    after(node, leading, step);
  }

  /** Whether a way leads to anything but an end. */
  private boolean doesWork(Node node, Set<Node> seen) {
    return seen.add(node)
        && (!node.is("endEvent", "exclusiveGateway", "parallelGateway", "inclusiveGateway",
            BpmnGraph.END) || node.out.stream().anyMatch(flow -> doesWork(flow.to(), seen)));
  }

  private void compensation(Node event, StepDraft step) {
    event.element.readAll();
    Optional<Node> handler = process.descendants().filter(each -> each.is("association"))
        .filter(each -> each.attribute("sourceRef").filter(event.id()::equals).isPresent())
        .flatMap(each -> each.attribute("targetRef").stream()).findFirst().flatMap(graph::node);
    if (handler.isEmpty()) {
      model.found(Kind.MISSING, event.element, "no association names what compensates",
          "compensation of the step " + step.name());
    } else {
      undoing.add(handler.get());
      handlers.compensation(handler.get().element, step);
    }
  }

  /** What follows an activity: all of its flows, or those whose conditions hold. */
  private void after(Node node, List<Exit> leading, StepDraft step) {
    exits.put(node, leading);
    boolean chooses = node.out.stream().anyMatch(flow -> flow.condition().isPresent());
    if (chooses) {
      StepDraft decision = made((step == null ? names.of(node.element) : step.name()) + "_next")
          .put("type", "decision");
      append(node, decision, leading);
      flowExits.putAll(decisions.decide(node, decision, true));
    }
  }

  private void gateway(Node node) {
    List<Exit> arriving = arriving(node);
    exits.put(node, arriving);
    boolean hasNoCondition = node.out.stream().noneMatch(flow -> flow.condition().isPresent());
    if (hasNoCondition && node.is("inclusiveGateway")) {
      everyWay(node);
      return;
    }
    if (hasNoCondition && node.out.size() < 2) {
      return;
    }
    StepDraft decision = new StepDraft(names.of(node.element)).put("type", "decision");
    describe(decision, node.element);
    append(node, decision, arriving);
    flowExits.putAll(decisions.decide(node, decision, node.is("inclusiveGateway")));
  }

  /** Without a condition all ways are taken, but for the default one. */
  private void everyWay(Node node) {
    if (node.out.size() > 1) {
      node.out.stream().filter(Flow::isDefault).forEach(decisions::isTakenToo);
    }
  }

  private static void describe(StepDraft step, XmlElement element) {
    element.attribute("name").ifPresent(text -> step.put("description", shortened(text)));
  }

  static String shortened(String text) {
    String line = text.replaceAll("\\s+", " ").strip();
    return line.length() <= 255 ? line : line.substring(0, 254) + "…";
  }

  /** The first of some events: one message or signal, and perhaps a time after which it is late. */
  private void events(Node node) {
    List<Node> targets = node.out.stream().map(Flow::to).toList();
    List<Node> messages = targets.stream().filter(events::isMessage).toList();
    List<Node> timers = targets.stream()
        .filter(target -> events.duration(target.element).isPresent()).toList();
    StepDraft decision;
    if (messages.size() == 1 && timers.size() == 1 && targets.size() == 2) {
      XmlElement message = messages.get(0).element;
      StepDraft step = activities.step(message, names.of(message));
      events.timed(step, events.duration(timers.get(0).element).orElseThrow());
      append(node, step, arriving(node));
      activities.outputs(message, step);
      decision = new StepDraft(names.of(node.element)).put("type", "decision");
      append(node, decision, List.of(new Exit(step, null)));
      decision.rule(events.timedOut(step), List.of(1));
      decision.rule(null, List.of(0));
      after(messages.get(0), List.of(new Exit(decision, 0)), step);
      after(timers.get(0), List.of(new Exit(decision, 1)), null);
      timers.get(0).element.readAll();
    } else {
      model.found(Kind.MISSING, node.element,
          "waits for the first of several events; a step waits for one signal, and for a time",
          "one signal whose payload says what happened, and a decision");
      decision = new StepDraft(names.of(node.element)).put("type", "decision")
          .put("handler", Map.of("callable", namespace + "." + names.of(node.element)));
      append(node, decision, arriving(node));
      for (int i = 0; i < node.out.size(); i++) {
        flowExits.put(node.out.get(i), List.of(new Exit(decision, i)));
      }
    }
    exits.put(node, List.of(new Exit(decision, 0)));
  }

  private void append(Node node, StepDraft step, List<Exit> arriving) {
    steps.append(step, arriving, exit -> canSkip(exit, node));
  }

  /** Whether all that its decision can choose arrives here. */
  private boolean canSkip(Exit exit, Node node) {
    return graph.order().stream().filter(each -> flowsOf(each, exit.step())).findFirst()
        .filter(each -> each.out.stream().anyMatch(Flow::isDefault))
        .filter(each -> BpmnGraph.leadsTo(each, node)).isPresent();
  }

  private boolean flowsOf(Node node, StepDraft decision) {
    return node.out.stream().anyMatch(flow -> flowExits.getOrDefault(flow, List.of()).stream()
        .anyMatch(exit -> exit.step() == decision));
  }

  private StepDraft made(String name) {
    return new StepDraft(names.unique(name));
  }

  /** What nothing has read has no counterpart. */
  private void unread(XmlElement element) {
    if (element.isBpmn() && !element.isRead() && !element.name().matches(
        "incoming|outgoing|extensionElements|process|timeDuration")
        || element.isCamunda() && !element.isRead()) {
      Extensions.Known known = Extensions.of(element.name());
      model.found(known.kind(), element,
          (element.isCamunda() ? "camunda:" : "") + element.name() + " " + known.reason(),
          known.instead());
      element.readAll();
    }
    if (!element.isBpmn() && !element.isCamunda() && element.parent().is("extensionElements")) {
      model.found(Kind.LEFT_OUT, element, element.name() + " is not an extension of Camunda", "");
    }
    if (element.isBpmn() || element.isCamunda()) {
      for (String key : element.unreadExtensions()) {
        Extensions.Known known = Extensions.of(key);
        model.found(known.kind(), element, "camunda:" + key + " " + known.reason(),
            known.instead());
      }
    }
  }
}
