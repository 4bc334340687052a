package ee.tasker.cli.convert;

import static ee.tasker.cli.convert.Models.element;
import static ee.tasker.cli.convert.Models.extensions;
import static ee.tasker.cli.convert.Models.flow;
import static ee.tasker.cli.convert.Models.flowIf;
import static ee.tasker.cli.convert.Models.task;
import static ee.tasker.cli.convert.Models.tasks;
import static ee.tasker.cli.convert.Models.timer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.cli.Yaml;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.test.TaskRun;
import ee.tasker.test.Tasker;
import ee.tasker.test.Workflow;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.camunda.bpm.model.bpmn.Bpmn;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is made of a model is registered, and runs to its end, on a real database. */
class CamundaModelTest {
  private static final Path EXAMPLE = Path.of("../../examples/camunda-7");
  private static final Consumer<TaskRun> NOTHING = task -> {};
  private static Tasker tasker;
  private static int models;

  /**
   * @param results of handlers by their names; others give an empty object
   * @param then    what happens from outside
   * @param state   the end of the task
   * @param done    the steps that are complete at the end, without those that only join
   */
  private record Case(String name, String model, String context, Map<String, String> results,
      Consumer<TaskRun> then, String state, List<String> done) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Case ends(String name, String context, Map<String, String> results,
      Consumer<TaskRun> then, String done, String... model) {
    return new Case(name, Models.of(model), context, results, then, "complete",
        done.isEmpty() ? List.of() : List.of(done.split(" ")));
  }

  @BeforeAll
  static void open() {
    tasker = Tasker.open();
  }

  @AfterAll
  static void close() {
    tasker.close();
  }

  /** What tests convert fits the public schema, as the models of users do. */
  private static Conversion convert(String model) {
    Bpmn.readModelFromStream(new ByteArrayInputStream(model.getBytes(StandardCharsets.UTF_8)));
    return read(model);
  }

  private static Conversion read(String model) {
    return CamundaModel.convert(model, "shop", null, Yaml::of);
  }

  /** Each model in a namespace of its own: templates of one name and version do not change. */
  private static Workflow workflow(String text, Map<String, String> results) {
    Workflow workflow = tasker.workflow(
        text.replace("namespace_name: shop", "namespace_name: shop" + ++models));
    Pattern.compile("callable: \"?([\\w.]+)").matcher(text).results()
        .map(found -> found.group(1)).distinct().forEach(name -> workflow.with(name,
            new AnyHandler(json(results.getOrDefault(name, "{}")))));
    return workflow;
  }

  /** Also for the methods that models name. */
  public static final class AnyHandler implements StepHandler {
    private final JsonObject result;

    AnyHandler(JsonObject result) {
      this.result = result;
    }

    @Override
    public StepOutcome handle(StepContext step) {
      return StepOutcome.success(result);
    }

    public StepOutcome run(StepContext step) {
      return handle(step);
    }

    public StepOutcome write(StepContext step) {
      return handle(step);
    }
  }

  private static JsonObject json(String text) {
    return Json.createReader(new StringReader(text)).readObject();
  }

  static Stream<Case> mapped() {
    String xor = tasks("a", "b", "c", "d") + element("exclusiveGateway", "g",
        "default=\"f_g_b\"") + flow("start -> c -> g -> b -> d -> end") + flow("a -> d")
        + flowIf("g", "a", "${amount > 100 && kind == 'gold'}");
    String skip = tasks("a", "d") + element("exclusiveGateway", "g", "default=\"f_g_j\"")
        + element("exclusiveGateway", "j", "") + flow("start -> g -> j -> d -> end")
        + flowIf("g", "a", "${amount > 100}") + flow("a -> j");
    String skipAnother = tasks("a", "b", "d") + element("exclusiveGateway", "g",
        "default=\"f_g_h\"") + element("exclusiveGateway", "h", "default=\"f_h_b\"")
        + flow("start -> g -> h -> b -> d -> end") + flowIf("g", "d", "${skip}")
        + flowIf("h", "a", "${more}") + flow("a -> d");
    String skipElsewhere = tasks("o", "q", "r", "d") + element("exclusiveGateway", "g",
        "default=\"f_g_h\"") + element("exclusiveGateway", "h", "default=\"f_h_d\"")
        + element("exclusiveGateway", "k", "default=\"f_k_q\"") + element("endEvent", "end2", "")
        + flow("start -> g -> h -> d -> end") + flowIf("h", "r", "${more}") + flow("r -> d")
        + flowIf("g", "k", "${other}") + flow("k -> q -> end2") + flowIf("k", "o", "${more}")
        + flow("o -> d");
    String skipOrEnd = tasks("a", "b", "d") + element("exclusiveGateway", "g",
        "default=\"f_g_d\"") + element("endEvent", "end2", "") + flow("start -> g -> d -> end")
        + flowIf("g", "a", "${way == 'a'}") + flow("a -> d") + flowIf("g", "b", "${way == 'b'}")
        + flow("b -> end2");
    String or = tasks("a", "b", "c", "d") + element("inclusiveGateway", "g",
        "default=\"f_g_c\"") + element("inclusiveGateway", "j", "")
        + flow("start -> g -> c -> j -> d -> end") + flowIf("g", "a", "${a or c}")
        + flowIf("g", "b", "${b}") + flow("a -> j") + flow("b -> j");
    String all = tasks("a", "b", "d") + element("inclusiveGateway", "g", "")
        + element("inclusiveGateway", "j", "") + flow("start -> g -> a -> j -> d -> end")
        + flow("g -> b -> j");
    String firstWay = tasks("a", "b") + element("exclusiveGateway", "g", "")
        + flow("start -> g -> a -> end") + flow("g -> b -> end");
    String atStart = tasks("a", "b") + flowIf("start", "a", "${toA}") + flow("a -> end")
        + flowIf("start", "b", "${toB}") + flow("b -> end");
    String whatever = tasks("a", "b") + element("parallelGateway", "g", "")
        + flow("start -> g") + flowIf("g", "a", "${toA}") + flowIf("g", "b", "${toB}")
        + flow("a -> end") + flow("b -> end");
    String and = tasks("a", "b", "c", "d") + element("parallelGateway", "g", "")
        + element("parallelGateway", "j", "") + element("exclusiveGateway", "x",
            "default=\"f_x_j\"")
        + flow("start -> g -> a -> j -> d -> end")
        + flow("g -> b -> x -> j") + flowIf("x", "c", "${more}") + flow("c -> j");
    String flows = tasks("a", "b", "c") + flow("start -> a") + flowIf("a", "b", "${toB}")
        + flowIf("a", "c", "${toC}") + flow("b -> end") + flow("c -> end");
    String form = extensions(
        "<camunda:formData><camunda:formField id=\"approved\" type=\"boolean\" />"
            + "<camunda:formField id=\"limit\" type=\"long\"><camunda:validation><camunda:constraint"
            + " name=\"required\" /><camunda:constraint name=\"max\" config=\"500\" /></camunda:validation>"
            + "</camunda:formField></camunda:formData>");
    String user = tasks("pay", "refuse") + element("userTask", "ask",
        "name=\"Pay ${amount}?\" camunda:candidateGroups=\"clerk,${team}\"", form)
        + element("exclusiveGateway", "g", "default=\"f_g_refuse\"")
        + flow("start -> ask -> g -> refuse -> end") + flow("pay -> end")
        + flowIf("g", "pay", "${approved && limit >= 100}");
    String owners = tasks("pay") + element("userTask", "ask", "", extensions(
        "<camunda:formProperty id=\"limit\" name=\"Limit\" type=\"long\" required=\"true\" />",
        "<camunda:formProperty id=\"note\" writable=\"false\" default=\"none\" />"),
        "<bpmn:potentialOwner><bpmn:resourceAssignmentExpression><bpmn:formalExpression>"
            + "user(ann), group(clerk), lead</bpmn:formalExpression>"
            + "</bpmn:resourceAssignmentExpression></bpmn:potentialOwner>")
        + element("exclusiveGateway", "g", "default=\"f_g_end\"") + flow("start -> ask -> g -> end")
        + flowIf("g", "pay", "${limit >= 100}") + flow("pay -> end");
    String late = tasks("a", "b") + element("userTask", "ask", "camunda:candidateUsers=\"ann\"")
        + element("boundaryEvent", "late", "attachedToRef=\"ask\"", timer("timeDuration", "P2D"))
        + flow("start -> ask -> a -> end") + flow("late -> b -> end");
    String receive = tasks("a", "b") + element("receiveTask", "pay", "messageRef=\"m_paid\"")
        + element("boundaryEvent", "late", "attachedToRef=\"pay\"", timer("timeDuration", "PT1H"))
        + flow("start -> pay -> a -> end") + flow("late -> b -> end");
    String first = tasks("a", "b") + element("eventBasedGateway", "g", "")
        + element("intermediateCatchEvent", "paid", "",
            "<bpmn:messageEventDefinition messageRef=\"m_paid\" />")
        + element("intermediateCatchEvent", "over", "", timer("timeDuration", "PT2H"))
        + flow("start -> g -> paid -> a -> end") + flow("g -> over -> b -> end");
    String declined = tasks("a", "b", "charge") + element("boundaryEvent", "no",
        "attachedToRef=\"charge\"", "<bpmn:errorEventDefinition errorRef=\"e_declined\" />")
        + flow("start -> charge -> a -> end") + flow("no -> b -> end");
    String undo = tasks("a", "b") + element("boundaryEvent", "undo_a", "attachedToRef=\"a\"",
        "<bpmn:compensateEventDefinition />")
        + "<bpmn:serviceTask id=\"release\" isForCompensation=\"true\" camunda:class=\"Release\" />"
        + flow("start -> a -> b -> end")
        + "<bpmn:association id=\"as\" sourceRef=\"undo_a\" targetRef=\"release\" />";
    String kinds = tasks()
        + "<bpmn:serviceTask id=\"a\" camunda:class=\"org.example.A\" />"
        + "<bpmn:serviceTask id=\"b\" camunda:delegateExpression=\"${beanB}\" />"
        + "<bpmn:sendTask id=\"c\" camunda:expression=\"${beanC.run()}\" />"
        + "<bpmn:businessRuleTask id=\"d\" camunda:type=\"external\" camunda:topic=\"D\" />"
        + "<bpmn:manualTask id=\"e\" /><bpmn:task id=\"f\" />"
        + flow("start -> a -> b -> c -> e -> f -> d -> end");
    String timers = tasks("a") + element("intermediateCatchEvent", "pause", "",
        timer("timeDuration", "PT1H"))
        + element("intermediateCatchEvent", "date", "",
            timer("timeDate", "${dueAt}"))
        + flow("start -> pause -> date -> a -> end");
    String events = tasks() + element("intermediateCatchEvent", "paid", "",
        "<bpmn:messageEventDefinition messageRef=\"m_paid\" />")
        + element("intermediateCatchEvent", "opened", "",
            "<bpmn:signalEventDefinition signalRef=\"s_opened\" />")
        + element("intermediateThrowEvent", "tell", "",
            "<bpmn:messageEventDefinition messageRef=\"m_paid\" camunda:delegateExpression=\"${tell}\" />")
        + element("intermediateThrowEvent", "shout", "",
            "<bpmn:signalEventDefinition signalRef=\"s_opened\" />")
        + flow("start -> paid -> opened -> tell -> shout -> end");
    String sub = tasks("a", "z") + element("subProcess", "s", "",
        "<bpmn:startEvent id=\"s1\" /><bpmn:endEvent id=\"s2\" />", task("b"), task("c"),
        element("exclusiveGateway", "g", "default=\"f_g_s2\""), flow("s1 -> b -> g -> s2"),
        flowIf("g", "c", "${more}"), flow("c -> s2")) + flow("start -> a -> s -> z -> end");
    String link = tasks("a", "b") + element("intermediateThrowEvent", "out", "",
        "<bpmn:linkEventDefinition name=\"L\" />")
        + element("intermediateCatchEvent", "in", "",
            "<bpmn:linkEventDefinition name=\"L\" />")
        + flow("start -> a -> out")
        + flow("in -> b -> end");
    String each = tasks("z") + element("serviceTask", "load",
        "camunda:type=\"external\" camunda:topic=\"load\"",
        "<bpmn:multiInstanceLoopCharacteristics isSequential=\"true\" camunda:collection=\"rows\" camunda:elementVariable=\"row\" />")
        + flow("start -> load -> z -> end");
    Consumer<TaskRun> paid = task -> task.signal("paid", "{\"amount\": 5}");
    Consumer<TaskRun> later = task -> tasker.advance(Duration.ofDays(3));
    return Stream.of(
        ends("kinds of service tasks", "{}", Map.of(), NOTHING, "a b c d", kinds),
        ends("exclusive, condition", "{\"amount\": 101, \"kind\": \"gold\"}", Map.of(), NOTHING,
            "c g a d", xor),
        ends("exclusive, default", "{\"amount\": 99, \"kind\": \"gold\"}", Map.of(), NOTHING,
            "c g b d", xor),
        ends("exclusive, nothing on the way", "{\"amount\": 1}", Map.of(), NOTHING, "g d", skip),
        ends("exclusive, something on the way", "{\"amount\": 101}", Map.of(), NOTHING, "g a d",
            skip),
        ends("a way past another decision", "{\"skip\": true}", Map.of(), NOTHING, "g d",
            skipAnother),
        ends("no way past another decision", "{\"skip\": false}", Map.of(), NOTHING, "g h b d",
            skipAnother),
        ends("a way past, in a branch that was not chosen", "{\"other\": true}", Map.of(), NOTHING,
            "g k q", skipElsewhere),
        ends("a way past, in the branch that was chosen", "{}", Map.of(), NOTHING, "g h d",
            skipElsewhere),
        ends("a way past, taken", "{\"way\": \"c\"}", Map.of(), NOTHING, "g d", skipOrEnd),
        ends("a way past, not taken", "{\"way\": \"a\"}", Map.of(), NOTHING, "g a d", skipOrEnd),
        ends("a way past, another end", "{\"way\": \"b\"}", Map.of(), NOTHING, "g b", skipOrEnd),
        ends("inclusive, both", "{\"a\": true, \"b\": true}", Map.of(), NOTHING, "g a b d", or),
        ends("inclusive, one", "{\"a\": false, \"b\": true}", Map.of(), NOTHING, "g b d", or),
        ends("inclusive, default", "{\"a\": false}", Map.of(), NOTHING, "g c d", or),
        ends("inclusive, no conditions", "{}", Map.of(), NOTHING, "a b d", all),
        ends("exclusive, no conditions", "{}", Map.of(), NOTHING, "g a", firstWay),
        ends("conditions at the start", "{\"toB\": true}", Map.of(), NOTHING, "start_next b",
            atStart),
        ends("parallel, whatever conditions say", "{\"toB\": true}", Map.of(), NOTHING, "a b",
            whatever),
        ends("parallel", "{\"more\": true}", Map.of(), NOTHING, "a b x c d", and),
        ends("parallel, one way is empty", "{\"more\": false}", Map.of(), NOTHING, "a b x d", and),
        ends("conditions at an activity", "{\"toB\": true, \"toC\": true}", Map.of(), NOTHING,
            "a a_next b c", flows),
        ends("user task, approved", "{\"amount\": 7, \"team\": \"lead\"}", Map.of(),
            task -> task.decide("ask", "ann", true, "{\"limit\": 200}", "lead"),
            "ask g pay", user),
        ends("user task, rejected", "{\"amount\": 7, \"team\": \"lead\"}", Map.of(),
            task -> task.decide("ask", "ann", false, null, "clerk"), "ask g refuse", user),
        ends("user task, a user who may decide", "{}", Map.of(),
            task -> task.decide("ask", "ann", true, "{\"limit\": 100}"), "ask g pay", owners),
        ends("user task, a group that may decide", "{}", Map.of(),
            task -> task.decide("ask", "bob", true, "{\"limit\": 99}", "lead"), "ask g", owners),
        ends("user task, in time", "{}", Map.of(),
            task -> task.decide("ask", "ann", true, null), "ask ask_outcome a", late),
        ends("user task, late", "{}", Map.of(), later, "ask ask_outcome b", late),
        ends("receive task, in time", "{}", Map.of(), paid, "pay pay_outcome a", receive),
        ends("receive task, late", "{}", Map.of(), later, "pay pay_outcome b", receive),
        ends("first of two events, message", "{}", Map.of(), paid, "paid g a", first),
        ends("first of two events, timer", "{}", Map.of(), later, "paid g b", first),
        ends("error that is caught", "{}", Map.of("charge", "{\"error_code\": \"declined\"}"),
            NOTHING, "charge charge_outcome b", declined),
        ends("no error", "{}", Map.of(), NOTHING, "charge charge_outcome a", declined),
        ends("timers", "{\"dueAt\": \"2026-01-01T00:00:00Z\"}", Map.of(), later, "pause date a",
            timers),
        ends("messages and signals", "{}", Map.of(), task -> {
          task.signal("paid", "1");
          tasker.runUntilIdle();
          task.signal("opened", "2");
        }, "paid opened tell shout", events),
        ends("sub-process", "{\"more\": true}", Map.of(), NOTHING, "a b g c z", sub),
        ends("sub-process, one way is empty", "{\"more\": false}", Map.of(), NOTHING, "a b g z",
            sub),
        ends("link", "{}", Map.of(), NOTHING, "a b", link),
        ends("multi-instance", "{\"rows\": [1, 2]}", Map.of(), NOTHING,
            "load_items load load_001 load_002 z", each),
        ends("compensation, not needed", "{}", Map.of(), NOTHING, "a b", undo));
  }

  @Test
  void a_default_way_beside_one_without_a_condition_is_missing() {
    Conversion conversion = convert(Models.of(tasks("a", "b", "c")
        + element("inclusiveGateway", "g", "default=\"f_g_c\"") + flow("start -> g -> c -> end")
        + flow("g -> b -> end") + flowIf("g", "a", "${x}") + flow("a -> end")));

    assertThat(conversion.findings())
        .filteredOn(finding -> finding.kind() == Finding.Kind.MISSING).extracting(Finding::where)
        .containsExactly("f_g_c");
  }

  @ParameterizedTest
  @MethodSource("mapped")
  void model_runs_to_the_end_that_its_drawing_says(Case model) {
    Conversion conversion = convert(model.model());
    String text = conversion.templates().get(0).text();
    assertThat(conversion.findings()).as(text)
        .filteredOn(finding -> finding.kind() == Finding.Kind.MISSING).isEmpty();

    TaskRun task = workflow(text, model.results()).submit(model.context());
    tasker.runUntilIdle();
    model.then().accept(task);
    tasker.runUntilIdle();

    assertThat(task.state().toString().toLowerCase(java.util.Locale.ROOT)).as(task + text)
        .isEqualTo(model.state());
    assertThat(task.steps().values().stream().filter(step -> step.state().equals("complete"))
        .map(TaskRun.Step::name).filter(name -> !name.matches(".*_way_\\d|.*_join|begin")))
        .as(task + text).containsExactlyInAnyOrderElementsOf(model.done());
  }

  @Test
  void called_process_is_a_child_task_whose_output_is_read() {
    tasker.workflow("""
        {name: child, namespace_name: shop%d, version: 1.0.0, output: {tracking: $.context.order},
         steps: [{name: c, handler: {callable: c}}]}""".formatted(models + 1))
        .with("c", step -> StepOutcome.success());
    Conversion conversion = convert(Models.of(tasks("a", "b")
        + element("callActivity", "call", "calledElement=\"child\"",
            extensions("<camunda:in source=\"id\" target=\"order\" />",
                "<camunda:out source=\"tracking\" target=\"code\" />"))
        + element("exclusiveGateway", "g", "default=\"f_g_b\"")
        + flow("start -> call -> g -> b -> end") + flow("a -> end")
        + flowIf("g", "a", "${code == 'T1'}")));

    TaskRun task = workflow(conversion.templates().get(0).text(), Map.of())
        .submit("{\"id\": \"T1\"}").run();

    assertThat(task.steps().keySet()).as(task.toString()).containsExactlyInAnyOrder("call", "g",
        "a");
  }

  @Test
  void failure_undoes_what_has_a_compensation() {
    Conversion conversion = convert(Models.of(tasks("a") + element("boundaryEvent", "undo_a",
        "attachedToRef=\"a\"", "<bpmn:compensateEventDefinition />")
        + "<bpmn:serviceTask id=\"release\" isForCompensation=\"true\" camunda:class=\"Release\" />"
        + element("endEvent", "undone", "", "<bpmn:compensateEventDefinition />")
        + flow("start -> a -> undone")
        + "<bpmn:association id=\"as\" sourceRef=\"undo_a\" targetRef=\"release\" />"));
    Workflow workflow = workflow(conversion.templates().get(0).text(), Map.of())
        .with("shop.undone", step -> StepOutcome.permanent("undone", "as the model says"));

    TaskRun task = workflow.submit("{}").run();

    assertThat(task.compensated()).as(task.toString()).containsExactly("a");
    assertThat(task.compensation()).contains("compensated");
    assertThat(conversion.isIncomplete()).isFalse();
  }

  @Test
  void retries_fields_and_limits_become_keys() {
    String text = convert(Models.of(tasks() + element("serviceTask", "a",
        "camunda:class=\"A\" camunda:asyncBefore=\"true\"",
        extensions("<camunda:field name=\"currency\" stringValue=\"EUR\" />",
            "<camunda:failedJobRetryTimeCycle>R5/PT10M</camunda:failedJobRetryTimeCycle>",
            "<camunda:inputOutput><camunda:inputParameter name=\"mode\">fast</camunda:inputParameter></camunda:inputOutput>"))
        + element("boundaryEvent", "late", "attachedToRef=\"a\"", timer("timeDuration", "PT30S"))
        + element("endEvent", "end2", "") + flow("late -> end2") + flow("start -> a -> end")))
        .templates().get(0).text();

    assertThat(text).contains("currency: EUR", "mode: fast", "max_attempts: 5",
        "backoff_base_ms: 600000", "max_backoff_ms: 600000", "timeout_seconds: 30");
    workflow(text, Map.of());
  }

  /** Nothing of these may be dropped: each is told with its id, and the template registers. */
  @Test
  void what_has_no_counterpart_is_told_with_its_id() {
    Conversion conversion = convert(Models.of(
        element("startEvent", "start", "camunda:initiator=\"who\"",
            "<bpmn:documentation>Every hour</bpmn:documentation>", timer("timeCycle", "R/PT1H")),
        element("startEvent", "start2", "",
            "<bpmn:signalEventDefinition signalRef=\"s_opened\" />"),
        "<bpmn:endEvent id=\"end\" />", task("a"), task("b"), task("c"), task("d"), task("e"),
        element("exclusiveGateway", "again", "default=\"f_again_b\""),
        flow("start -> a -> again -> b -> script -> dmn -> user -> adhoc -> wait -> call -> many")
            + flow("start2 -> a"),
        flowIf("again", "a", "${retries < 3}"),
        element("scriptTask", "script", "scriptFormat=\"groovy\"",
            "<bpmn:script>x = 1</bpmn:script>"),
        element("businessRuleTask", "dmn",
            "camunda:decisionRef=\"discount\" camunda:mapDecisionResult=\"singleEntry\""),
        element("userTask", "user",
            "camunda:candidateGroups=\"g\" camunda:formKey=\"embedded:x\" camunda:priority=\"5\"",
            extensions("<camunda:taskListener event=\"create\" class=\"L\" />")),
        element("adHocSubProcess", "adhoc", "", task("inside")),
        element("intermediateCatchEvent", "wait", "",
            "<bpmn:conditionalEventDefinition id=\"cond\"><bpmn:condition xsi:type=\"bpmn:tFormalExpression\">${x}</bpmn:condition></bpmn:conditionalEventDefinition>"),
        element("callActivity", "call", "calledElement=\"${which}\""),
        element("sendTask", "mail", "camunda:type=\"mail\"",
            extensions("<camunda:field name=\"to\" stringValue=\"ann@example.org\" />")),
        flow("e -> mail"),
        element("callActivity", "cased", "", extensions(
            "<camunda:inputOutput><camunda:inputParameter name=\"i\">1</camunda:inputParameter></camunda:inputOutput>"))
            .replace("<bpmn:callActivity", "<bpmn:callActivity camunda:caseRef=\"c\""),
        flow("mail -> cased"),
        element("serviceTask", "many",
            "camunda:type=\"external\" camunda:topic=\"many\" camunda:jobPriority=\"7\"",
            extensions("<camunda:executionListener event=\"start\" class=\"L\" />"),
            "<bpmn:multiInstanceLoopCharacteristics camunda:collection=\"rows\"><bpmn:completionCondition xsi:type=\"bpmn:tFormalExpression\">${done}</bpmn:completionCondition></bpmn:multiInstanceLoopCharacteristics>"),
        element("serviceTask", "twice", "camunda:type=\"external\" camunda:topic=\"twice\"",
            "<bpmn:standardLoopCharacteristics />"),
        flow("many -> twice -> complex"), element("complexGateway", "complex", ""),
        element("boundaryEvent", "remind", "attachedToRef=\"user\" cancelActivity=\"false\"",
            timer("timeDuration", "PT1H")),
        flow("remind -> c -> end"),
        element("boundaryEvent", "escalated", "attachedToRef=\"twice\"",
            "<bpmn:escalationEventDefinition escalationRef=\"x_late\" />"),
        flow("escalated -> end"),
        element("intermediateThrowEvent", "shout", "",
            "<bpmn:escalationEventDefinition escalationRef=\"x_late\" />"),
        element("exclusiveGateway", "code", "default=\"f_code_d\""),
        flow("complex -> shout -> code -> d"), flowIf("code", "e", "${bean.check(x)}"),
        task("orphan"),
        element("serviceTask", "undo", "isForCompensation=\"true\" camunda:class=\"U\""),
        element("manualTask", "by_hand", ""),
        element("boundaryEvent", "too_slow", "attachedToRef=\"by_hand\"",
            timer("timeDuration", "PT1H")),
        flow("too_slow -> end"), flow("b -> by_hand"),
        element("parallelGateway", "split", ""), flow("d -> split -> merge"), flow("e -> end"),
        "<bpmn:serviceTask id=\"connected\">" + extensions(
            "<camunda:connector><camunda:connectorId>http-connector</camunda:connectorId></camunda:connector>")
            + "</bpmn:serviceTask>",
        flow("split -> connected -> merge -> stop"), element("exclusiveGateway", "merge", ""),
        element("endEvent", "stop", "", "<bpmn:terminateEventDefinition />"),
        element("subProcess", "onError", "triggeredByEvent=\"true\"",
            element("startEvent", "failed", "", "<bpmn:errorEventDefinition />"), task("repair"),
            flow("failed -> repair"))));
    String text = conversion.templates().get(0).text();

    assertThat(conversion.findings().stream()
        .filter(finding -> finding.kind() == Finding.Kind.MISSING).map(Finding::where)
        .collect(Collectors.toSet())).as(text).contains("p", "start", "start2", "f_again_a",
            "script",
            "dmn", "user", "adhoc", "wait", "call", "many", "twice", "complex", "remind", "c",
            "escalated", "shout", "f_code_e", "merge", "stop", "onError", "connected", "too_slow",
            "undo", "mail", "cased");
    assertThat(conversion.findings())
        .filteredOn(finding -> finding.kind() == Finding.Kind.MISSING
            || finding.kind() == Finding.Kind.WRITE)
        .allSatisfy(finding -> assertThat(finding.instead()).as(finding.sentence()).isNotEmpty());
    assertThat(text).contains("to: ann@example.org");
    assertThat(conversion.findings()).extracting(Finding::sentence).anySatisfy(
        sentence -> assertThat(sentence).contains("camunda:taskListener"))
        .anySatisfy(sentence -> assertThat(sentence).contains("camunda:executionListener"))
        .anySatisfy(sentence -> assertThat(sentence).contains("camunda:formKey"))
        .anySatisfy(sentence -> assertThat(sentence).contains("camunda:priority"))
        .anySatisfy(sentence -> assertThat(sentence).contains("camunda:jobPriority"))
        .anySatisfy(sentence -> assertThat(sentence).contains("camunda:initiator"))
        .anySatisfy(sentence -> assertThat(sentence).contains("documentation is a comment"))
        .anySatisfy(sentence -> assertThat(sentence).contains("orphan: nothing leads to it"))
        .anySatisfy(sentence -> assertThat(sentence).contains("completion condition"))
        .anySatisfy(sentence -> assertThat(sentence).contains("standardLoopCharacteristics"))
        .anySatisfy(sentence -> assertThat(sentence).contains("a case of CMMN"))
        .anySatisfy(sentence -> assertThat(sentence).contains("camunda:inputParameter"))
        .anySatisfy(sentence -> assertThat(sentence).contains("with failed, repair"))
        .anySatisfy(sentence -> assertThat(sentence).contains("goes back from again to a"))
        .anySatisfy(sentence -> assertThat(sentence).contains("calls check(…), which is Java"));
    workflow(text, Map.of());
  }

  @Test
  void process_in_which_nothing_is_done_keeps_no_other_from_being_converted() {
    Conversion conversion = convert(Models.of(tasks("a") + flow("start -> a -> end"))
        .replace("</bpmn:definitions>", "<bpmn:process id=\"idle\" isExecutable=\"true\">"
            + "<bpmn:startEvent id=\"s\" /></bpmn:process></bpmn:definitions>"));

    assertThat(conversion.templates()).extracting(Conversion.Template::name).containsExactly("p");
    assertThat(conversion.findings()).extracting(Finding::sentence)
        .contains("left out: idle: nothing is done in the process; it has no template");
  }

  @Test
  void example_of_the_document_is_what_the_command_makes() throws Exception {
    String model = Files.readString(EXAMPLE.resolve("order.bpmn"));
    Path file = EXAMPLE.resolve("order.yaml");
    Conversion conversion = convert(model);
    String text = Yaml.file(conversion);
    if (Boolean.getBoolean("docs.write")) {
      Files.writeString(file, text);
    }

    assertThat(Files.readString(file)).as("write it anew with -Ddocs.write=true").isEqualTo(text);
    assertThat(conversion.isIncomplete()).isFalse();
    tasker.workflow("""
        {name: shipment, namespace_name: shop%d, version: 1.0.0, output: {tracking: "$$T1"},
         steps: [{name: hand_over, handler: {callable: HandOver}}]}""".formatted(models + 1))
        .with("HandOver", step -> StepOutcome.success());
    Workflow order = workflow(text, Map.of("shop.CheckStock", "{\"inStock\": true}"));
    TaskRun large = order.submit("{\"orderId\": \"A-1\", \"amount\": 2000}");
    tasker.runUntilIdle();
    large.decide("review", "ann", true, "{\"discount\": 5}", "sales");
    tasker.runUntilIdle();
    large.signal("delivered", "{}").run();
    assertThat(large.state().toString()).as(large.toString()).isEqualToIgnoringCase("complete");

    Workflow declined = order
        .with("org.example.shop.ChargeCard", step -> StepOutcome
            .success(json("{\"error_code\": \"declined\"}")))
        .with("shop.cancelled", step -> StepOutcome.permanent("declined", "no cover"));
    TaskRun undone = declined.submit("{\"orderId\": \"A-2\", \"amount\": 20}").run();
    assertThat(undone.compensated()).as(undone.toString()).containsExactly("reserve");

    order.with("shop.CheckStock", step -> StepOutcome.success(json("{\"inStock\": false}")));
    TaskRun soldOut = order.submit("{\"orderId\": \"A-3\", \"amount\": 20}").run();
    assertThat(soldOut.steps().keySet()).as(soldOut.toString()).containsExactlyInAnyOrder(
        "check_stock", "available", "apologise");
  }

  @ParameterizedTest
  @ValueSource(strings = {
    "<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/hostname\">]><x>&e;</x>",
    "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]><x>&b;</x>",
    "<!DOCTYPE x SYSTEM \"http://127.0.0.1:1/x.dtd\"><x/>"})
  void document_types_and_entities_are_refused(String text) {
    assertThatThrownBy(() -> read(text)).isInstanceOf(UnreadableException.class)
        .hasMessageContaining("DOCTYPE");
  }

  @Test
  void what_is_no_model_of_camunda_7_is_refused_with_the_reason() {
    assertThatThrownBy(() -> read("<a>".repeat(100) + "</a>".repeat(100)))
        .isInstanceOf(UnreadableException.class).hasMessageContaining("64 levels");
    assertThatThrownBy(() -> read("<a><b></a>")).isInstanceOf(UnreadableException.class)
        .hasMessageContaining("line 1");
    assertThatThrownBy(() -> read("<html/>")).isInstanceOf(UnreadableException.class)
        .hasMessageContaining("no BPMN");
    assertThatThrownBy(() -> read(Models.of(tasks("a")).replace("</bpmn:process>",
        "<z:x xmlns:z=\"http://camunda.org/schema/zeebe/1.0\"/></bpmn:process>")))
        .isInstanceOf(UnreadableException.class).hasMessageContaining("Camunda 8");
    assertThatThrownBy(() -> read(Models.of("<bpmn:startEvent id=\"s\" />")))
        .isInstanceOf(UnreadableException.class).hasMessageContaining("in which something is done");
  }
}
