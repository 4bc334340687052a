package ee.tasker.cli.convert;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The flow of a process without its loops: nodes in an order in which each comes after those that
 * lead to it. Embedded sub-processes are part of the flow of the process.
 */
final class BpmnGraph {
  /** Made of an embedded sub-process: where it begins, and where all of it has ended. */
  static final String BEGIN = "begin";
  static final String END = "end";
  private static final int MOST_NODES = 2_000;

  static final class Node {
    final XmlElement element;
    final String kind;
    final List<Flow> in = new ArrayList<>();
    final List<Flow> out = new ArrayList<>();
    /** Boundary events, in the order of the document. */
    final List<Node> boundary = new ArrayList<>();
    /** That to which this boundary event is attached. */
    Node host;

    Node(XmlElement element, String kind) {
      this.element = element;
      this.kind = kind;
    }

    String id() {
      return element.id();
    }

    boolean is(String... kinds) {
      return List.of(kinds).contains(kind);
    }
  }

  /** @param element null for one inside or around a sub-process that no sequence flow draws */
  record Flow(XmlElement element, Node from, Node to) {
    Optional<XmlElement> condition() {
      return element == null ? Optional.empty() : element.child("conditionExpression");
    }

    boolean isDefault() {
      return element != null
          && from.element.attribute("default").filter(element.id()::equals).isPresent();
    }
  }

  private final Map<String, Node> byId = new LinkedHashMap<>();
  /** Where flows into an element end and flows out of it begin, if it is a sub-process. */
  private final Map<String, Node> entries = new HashMap<>();
  private final Map<String, Node> ends = new HashMap<>();
  /** Nodes inside a sub-process, with its beginning and its end. */
  private final Map<Node, List<Node>> brackets = new LinkedHashMap<>();
  private final List<Node> nodes = new ArrayList<>();
  private final List<Flow> loops = new ArrayList<>();
  private final List<XmlElement> dangling = new ArrayList<>();
  private List<Node> order = List.of();

  private BpmnGraph() {}

  static BpmnGraph of(XmlElement process, Predicate<XmlElement> isNode) {
    BpmnGraph graph = new BpmnGraph();
    List<XmlElement> flows = new ArrayList<>();
    graph.collect(process, isNode, flows, null, null);
    flows.forEach(graph::connect);
    graph.links();
    graph.attach();
    graph.bracket();
    graph.sort();
    return graph;
  }

  private void collect(XmlElement scope, Predicate<XmlElement> isNode,
      List<XmlElement> flows, Node begin, Node end) {
    for (XmlElement child : scope.children()) {
      if (child.is("sequenceFlow")) {
        flows.add(child.read());
      } else if (isNode.test(child)) {
        if (nodes.size() >= MOST_NODES) {
          throw new UnreadableException("a process has more than " + MOST_NODES + " elements");
        }
        if (child.is("subProcess") || child.is("transaction")) {
          Node inside = add(child, BEGIN);
          Node after = new Node(child, END);
          ends.put(child.id(), after);
          collect(child, isNode, flows, inside, after);
          nodes.add(after);
        } else {
          Node node = add(child, child.name());
          if (begin != null) {
            brackets.put(node, List.of(begin, end));
          }
        }
        if (begin != null && entries.containsKey(child.id())
            && !brackets.containsKey(entries.get(child.id()))) {
          brackets.put(entries.get(child.id()), List.of(begin, end));
        }
      }
    }
  }

  private Node add(XmlElement element, String kind) {
    Node node = new Node(element.read(), kind);
    nodes.add(node);
    byId.put(element.id(), node);
    entries.put(element.id(), node);
    ends.put(element.id(), node);
    return node;
  }

  private void connect(XmlElement flow) {
    Node from = ends.get(flow.attribute("sourceRef").orElse(""));
    Node to = entries.get(flow.attribute("targetRef").orElse(""));
    if (from == null || to == null) {
      dangling.add(flow);
    } else {
      connect(new Flow(flow, from, to));
    }
  }

  private static void connect(Flow flow) {
    flow.from().out.add(flow);
    flow.to().in.add(flow);
  }

  /** A link event leads to the one that catches its name. */
  private void links() {
    Map<String, Node> targets = new HashMap<>();
    for (Node node : nodes) {
      if (node.is("intermediateCatchEvent")) {
        node.element.child("linkEventDefinition").flatMap(link -> link.attribute("name"))
            .ifPresent(name -> targets.put(name, node));
      }
    }
    for (Node node : nodes) {
      if (node.is("intermediateThrowEvent")) {
        node.element.child("linkEventDefinition").flatMap(link -> link.attribute("name"))
            .map(targets::get)
            .ifPresent(target -> connect(new Flow(null, node, target)));
      }
    }
  }

  private void attach() {
    for (Node node : nodes) {
      if (node.is("boundaryEvent")) {
        // The end of a sub-process comes after all that could be interrupted.
        node.host = ends.get(node.element.attribute("attachedToRef").orElse(""));
        if (node.host != null) {
          node.host.boundary.add(node);
        }
      }
    }
  }

  private void bracket() {
    brackets.forEach((node, pair) -> {
      Node last = node.is(BEGIN) ? ends.get(node.id()) : node;
      if (node.in.isEmpty() && node.host == null && !isCompensation(node)
          && (node.is("startEvent") || !hasStart(node))) {
        connect(new Flow(null, pair.get(0), node));
      }
      if (last.out.isEmpty() && !isCompensation(node)
          && !(node.is("boundaryEvent") && node.element.child("compensateEventDefinition")
              .isPresent())) {
        connect(new Flow(null, last, pair.get(1)));
      }
    });
    // One without anything inside.
    for (Node node : nodes) {
      if (node.is(BEGIN) && node.out.isEmpty()) {
        connect(new Flow(null, node, ends.get(node.id())));
      }
    }
  }

  /** Whether a start event begins the process or sub-process around the node. */
  static boolean hasStart(Node node) {
    return node.element.parent().children().stream().anyMatch(each -> each.is("startEvent"));
  }

  static boolean isCompensation(Node node) {
    return node.element.attribute("isForCompensation").filter("true"::equals).isPresent();
  }

  private record Visit(Node node, Deque<Flow> flows, Deque<Node> events) {
    Visit(Node node) {
      this(node, new ArrayDeque<>(node.out), new ArrayDeque<>(node.boundary));
    }
  }

  /** Depth first; a flow to a node that is being visited closes a loop and is taken out. */
  private void sort() {
    Set<Node> seen = new HashSet<>();
    Set<Node> open = new HashSet<>();
    List<Node> finished = new ArrayList<>();
    List<Node> roots = new ArrayList<>(
        nodes.stream().filter(node -> node.in.isEmpty() && node.host == null).toList());
    // A loop that nothing leads to.
    roots.addAll(nodes);
    for (Node root : roots) {
      Deque<Visit> stack = new ArrayDeque<>();
      if (seen.add(root)) {
        open.add(root);
        stack.push(new Visit(root));
      }
      while (!stack.isEmpty()) {
        Visit visit = stack.peek();
        Node next = null;
        if (!visit.flows().isEmpty()) {
          Flow flow = visit.flows().pop();
          if (open.contains(flow.to())) {
            loops.add(flow);
          } else {
            next = flow.to();
          }
        } else if (!visit.events().isEmpty()) {
          next = visit.events().pop();
        } else {
          stack.pop();
          open.remove(visit.node());
          finished.add(visit.node());
        }
        if (next != null && seen.add(next)) {
          open.add(next);
          stack.push(new Visit(next));
        }
      }
    }
    loops.forEach(flow -> {
      flow.from().out.remove(flow);
      flow.to().in.remove(flow);
    });
    Collections.reverse(finished);
    order = finished;
  }

  List<Node> order() {
    return order;
  }

  List<Flow> loops() {
    return loops;
  }

  /** Flows that begin or end at nothing that is known. */
  List<XmlElement> dangling() {
    return dangling;
  }

  Optional<Node> node(String id) {
    return Optional.ofNullable(byId.get(id));
  }

  /**
   * For each node that can be reached: the last one that all ways from the given node go through.
   * Where that is the given node itself, two ways meet that have nothing in common.
   */
  Map<Node, Node> dominators(Node start) {
    Map<Node, Node> immediate = new HashMap<>();
    Map<Node, Integer> position = new HashMap<>();
    immediate.put(start, start);
    position.put(start, 0);
    for (Node node : order) {
      if (node == start) {
        continue;
      }
      Node found = null;
      List<Node> before = new ArrayList<>(node.in.stream().map(Flow::from).toList());
      if (node.host != null) {
        before.add(node.host);
      }
      for (Node parent : before) {
        if (immediate.containsKey(parent)) {
          found = found == null ? parent : common(found, parent, immediate, position);
        }
      }
      if (found != null) {
        immediate.put(node, found);
        position.put(node, position.size());
      }
    }
    return immediate;
  }

  private static Node common(Node one, Node other, Map<Node, Node> immediate,
      Map<Node, Integer> position) {
    Node left = one;
    Node right = other;
    while (left != right) {
      if (position.get(left) > position.get(right)) {
        left = immediate.get(left);
      } else {
        right = immediate.get(right);
      }
    }
    return left;
  }

  /** Whether every way from the one to an end leads through the other. */
  static boolean leadsTo(Node from, Node through) {
    Deque<Node> open = new ArrayDeque<>(List.of(from));
    Set<Node> seen = new HashSet<>(open);
    while (!open.isEmpty()) {
      Node node = open.pop();
      if (node == through) {
        continue;
      }
      if (node.out.isEmpty()) {
        return false;
      }
      node.out.stream().map(Flow::to).filter(seen::add).forEach(open::push);
      node.boundary.stream().filter(event -> !event.out.isEmpty()).filter(seen::add)
          .forEach(open::push);
    }
    return true;
  }
}
