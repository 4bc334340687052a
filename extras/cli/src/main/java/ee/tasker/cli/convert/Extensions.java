package ee.tasker.cli.convert;

import ee.tasker.cli.convert.Finding.Kind;
import java.util.Map;

/** What is said of extensions and elements that nothing has translated. */
final class Extensions {
  record Known(Kind kind, String reason, String instead) {
  }

  private static final Known EACH_STEP = new Known(Kind.CHANGED,
      "needs no key: each step is an attempt and a transaction of its own", "");
  private static final Known LISTENER = new Known(Kind.MISSING, "has no counterpart",
      "do it in the handler, or publish an event with publishes_events and consume it");
  private static final Known CASE = new Known(Kind.MISSING, "calls a case of CMMN",
      "a template of its own, run as a child task");
  private static final Map<String, Known> ALL = Map.ofEntries(
      Map.entry("asyncBefore", EACH_STEP), Map.entry("asyncAfter", EACH_STEP),
      Map.entry("async", EACH_STEP), Map.entry("exclusive", EACH_STEP),
      Map.entry("documentation", new Known(Kind.LEFT_OUT, "is a comment", "description")),
      Map.entry("executionListener", LISTENER), Map.entry("taskListener", LISTENER),
      Map.entry("jobPriority", new Known(Kind.MISSING, "has no counterpart for a step",
          "the priority of a task is given with its submission")),
      Map.entry("taskPriority", new Known(Kind.MISSING, "has no counterpart for a step",
          "the priority of a task is given with its submission")),
      Map.entry("priority", new Known(Kind.MISSING, "has no counterpart",
          "the priority of a task is given with its submission")),
      Map.entry("followUpDate", new Known(Kind.MISSING, "has no counterpart",
          "approval.due, and approval.escalate_to")),
      Map.entry("inputOutput", new Known(Kind.MISSING, "has no counterpart here",
          "the path to the value, where a step reads it")),
      Map.entry("inputParameter", new Known(Kind.MISSING, "has no counterpart here",
          "the path to the value, where a step reads it")),
      Map.entry("field", new Known(Kind.MISSING, "has no counterpart here",
          "handler.initialization of a step with a handler")),
      Map.entry("expression", new Known(Kind.MISSING, "has no counterpart here",
          "a step before it whose handler does it")),
      Map.entry("caseRef", CASE), Map.entry("caseBinding", CASE), Map.entry("caseVersion", CASE),
      Map.entry("calledElementTenantId", new Known(Kind.MISSING, "has no counterpart",
          "a child is of a template in the same namespace, or task.namespace")),
      Map.entry("conditionExpression", new Known(Kind.MISSING, "has no counterpart here",
          "a decision with this condition")),
      Map.entry("resource", new Known(Kind.MISSING, "names a script outside the model",
          "code of a handler")),
      Map.entry("formHandlerClass", new Known(Kind.MISSING, "has no counterpart",
          "a step after it whose handler checks the values")),
      Map.entry("varMapping", new Known(Kind.MISSING, "has no counterpart",
          "task.context, and output of the child's template")),
      Map.entry("potentialStarter", new Known(Kind.MISSING, "has no counterpart",
          "a grant of the permission tasks:create in the namespace")),
      Map.entry("performer", new Known(Kind.LEFT_OUT, "is not read by Camunda either", "")),
      Map.entry("property", new Known(Kind.LEFT_OUT, "is not read by Camunda either", "")),
      Map.entry("modelerTemplate", new Known(Kind.LEFT_OUT, "concerns the modeler", "")),
      Map.entry("modelerTemplateVersion", new Known(Kind.LEFT_OUT, "concerns the modeler", "")),
      Map.entry("modelerTemplateIcon", new Known(Kind.LEFT_OUT, "concerns the modeler", "")),
      Map.entry("formRefVersion", new Known(Kind.LEFT_OUT, "belongs to formRef", "")),
      Map.entry("formKey", new Known(Kind.MISSING, "names a form outside the model",
          "approval.form, a JSON Schema of its fields")),
      Map.entry("formRef", new Known(Kind.MISSING, "names a form outside the model",
          "approval.form, a JSON Schema of its fields")),
      Map.entry("formRefBinding", new Known(Kind.LEFT_OUT, "belongs to formRef", "")),
      Map.entry("connector", new Known(Kind.MISSING, "has no counterpart",
          "a handler that calls the service")),
      Map.entry("properties", new Known(Kind.MISSING, "has no counterpart",
          "handler.initialization, if code reads them")),
      Map.entry("errorEventDefinition", new Known(Kind.MISSING,
          "of an external task has no counterpart",
          "the handler returns a result with error_code")),
      Map.entry("failedJobRetryTimeCycle", new Known(Kind.MISSING,
          "has no counterpart here", "retry of a step with a handler")),
      Map.entry("candidateStarterGroups", new Known(Kind.MISSING, "has no counterpart",
          "a grant of the permission tasks:create in the namespace")),
      Map.entry("candidateStarterUsers", new Known(Kind.MISSING, "has no counterpart",
          "a grant of the permission tasks:create in the namespace")),
      Map.entry("isStartableInTasklist", new Known(Kind.LEFT_OUT, "concerns the task list", "")),
      Map.entry("initiator", new Known(Kind.MISSING, "has no counterpart",
          "the task has the initiator of its request; approval.four_eyes looks at it")),
      Map.entry("standardLoopCharacteristics", new Known(Kind.MISSING,
          "has no counterpart, as loops have none", "retry, or a batch")),
      Map.entry("variableMappingClass", new Known(Kind.MISSING, "has no counterpart",
          "task.context, and output of the child's template")),
      Map.entry("variableMappingDelegateExpression", new Known(Kind.MISSING,
          "has no counterpart", "task.context, and output of the child's template")));
  private static final Known OTHER = new Known(Kind.MISSING, "has no counterpart",
      "do in a handler what it does");

  private Extensions() {}

  static Known of(String name) {
    return ALL.getOrDefault(name, OTHER);
  }
}
