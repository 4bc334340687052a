package ee.tasker.cli.convert;

import java.util.stream.Collectors;
import java.util.stream.Stream;

/** BPMN models of tests, without the drawing. */
final class Models {
  private static final String DEFINITIONS = """
      <?xml version="1.0" encoding="UTF-8"?>
      <bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL"
          xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
          xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" id="m"
          targetNamespace="http://example.org">
        <bpmn:message id="m_paid" name="paid" />
        <bpmn:signal id="s_opened" name="opened" />
        <bpmn:error id="e_declined" name="declined" errorCode="declined" />
        <bpmn:escalation id="x_late" name="late" escalationCode="late" />
        <bpmn:process id="p" isExecutable="true">
      %s</bpmn:process>
      </bpmn:definitions>
      """;

  private Models() {}

  static String of(String... parts) {
    return DEFINITIONS.formatted(String.join("\n", parts) + "\n");
  }

  /** {@code a -> b -> c} */
  static String flow(String way) {
    String[] ids = way.split(" -> ");
    return Stream.iterate(1, i -> i < ids.length, i -> i + 1)
        .map(i -> "<bpmn:sequenceFlow id=\"f_" + ids[i - 1] + "_" + ids[i] + "\" sourceRef=\""
            + ids[i - 1] + "\" targetRef=\"" + ids[i] + "\" />")
        .collect(Collectors.joining("\n"));
  }

  static String flowIf(String from, String to, String condition) {
    return "<bpmn:sequenceFlow id=\"f_" + from + "_" + to + "\" sourceRef=\"" + from
        + "\" targetRef=\"" + to
        + "\"><bpmn:conditionExpression xsi:type=\"bpmn:tFormalExpression\">"
        + condition.replace("&", "&amp;").replace("<", "&lt;") + "</bpmn:conditionExpression>"
        + "</bpmn:sequenceFlow>";
  }

  /** External tasks whose topics are their ids, and a start and an end. */
  static String tasks(String... ids) {
    return "<bpmn:startEvent id=\"start\" /><bpmn:endEvent id=\"end\" />"
        + Stream.of(ids).map(Models::task).collect(Collectors.joining("\n"));
  }

  static String task(String id) {
    return "<bpmn:serviceTask id=\"" + id + "\" camunda:type=\"external\" camunda:topic=\"" + id
        + "\" />";
  }

  /** Several elements of one kind: {@code exclusiveGateway g default="f_g_a"}. */
  static String element(String kind, String id, String attributes, String... content) {
    return "<bpmn:" + kind + " id=\"" + id + "\" " + attributes + ">" + String.join("", content)
        + "</bpmn:" + kind + ">";
  }

  static String extensions(String... content) {
    return "<bpmn:extensionElements>" + String.join("", content) + "</bpmn:extensionElements>";
  }

  static String timer(String kind, String text) {
    return "<bpmn:timerEventDefinition><bpmn:" + kind + " xsi:type=\"bpmn:tFormalExpression\">"
        + text + "</bpmn:" + kind + "></bpmn:timerEventDefinition>";
  }
}
