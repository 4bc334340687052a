package ee.tasker.template;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.template.model.BackoffKind;
import ee.tasker.template.model.CompensateWhen;
import ee.tasker.template.model.Compensation;
import ee.tasker.template.model.ConcurrencyPolicy;
import ee.tasker.template.model.EnvironmentOverrides;
import ee.tasker.template.model.HandlerReference;
import ee.tasker.template.model.IdentityReuse;
import ee.tasker.template.model.IdentityStrategy;
import ee.tasker.template.model.Lifecycle;
import ee.tasker.template.model.LimitedUnit;
import ee.tasker.template.model.OnFailure;
import ee.tasker.template.model.OnNone;
import ee.tasker.template.model.OnStepError;
import ee.tasker.template.model.OnWorkerLost;
import ee.tasker.template.model.PublishedLifecycle;
import ee.tasker.template.model.RetryOverride;
import ee.tasker.template.model.RetryPolicy;
import ee.tasker.template.model.SearchAttributes;
import ee.tasker.template.model.StalenessAction;
import ee.tasker.template.model.StepDefinition;
import ee.tasker.template.model.StepOptions;
import ee.tasker.template.model.StepOverride;
import ee.tasker.template.model.StepType;
import ee.tasker.template.model.StepWait;
import ee.tasker.template.model.SystemDependencies;
import ee.tasker.template.model.TemplateDefinition;
import ee.tasker.template.model.TemplateKey;
import ee.tasker.template.model.TimeoutAction;
import ee.tasker.template.model.WhenFull;
import jakarta.json.JsonValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class TemplatePropertiesTest {
  private static final String NOISE = "{}[]:,-#&*!|>'\"%@`?~ \n\tab0.<\u0000\uD800";

  @Property(tries = 200)
  void an_acyclic_graph_is_read_as_it_is_written(@ForAll Random random,
      @ForAll @IntRange(min = 1, max = 40) int size) {
    var graph = acyclic(random, size);

    var template = Templates.read(yaml(shuffled(graph, random)));

    assertThat(template.steps()).hasSize(size)
        .allSatisfy(step -> assertThat(step.dependencies())
            .containsExactlyElementsOf(graph.get(step.name())));
  }

  @Property(tries = 200)
  void a_graph_with_a_cycle_is_refused_with_a_cycle_that_is_there(@ForAll Random random,
      @ForAll @IntRange(min = 2, max = 40) int size) {
    var graph = acyclic(random, size);
    int length = 2 + random.nextInt(size - 1);
    for (int i = 0; i < length; i++) {
      graph.get("s" + i).add("s" + (i + 1) % length);
    }

    var problems = Templates.problemsOf(yaml(shuffled(graph, random)));

    assertThat(problems).isNotEmpty().allSatisfy(problem -> {
      var cycle = List.of(problem.substring(problem.indexOf("cycle: ") + 7).split(" -> "));
      assertThat(cycle).hasSizeGreaterThan(2);
      assertThat(cycle.get(0)).isEqualTo(cycle.get(cycle.size() - 1));
      assertThat(Set.copyOf(cycle)).hasSize(cycle.size() - 1);
      for (int i = 0; i + 1 < cycle.size(); i++) {
        assertThat(graph.get(cycle.get(i))).contains(cycle.get(i + 1));
      }
    });
  }

  @Property(tries = 200)
  void the_normal_form_is_read_back_to_the_same_definition(
      @ForAll("templates") TemplateDefinition template) {
    var normalForm = TemplateJson.toJson(template).toString();

    assertThat(TemplateReader.readNormalForm(normalForm))
        .isEqualTo(new TemplateReading.Read(template));
  }

  @Property(tries = 200)
  void key_order_comments_and_style_change_nothing(@ForAll("templates") TemplateDefinition template,
      @ForAll Random random) {
    var yaml = YamlWriter.write(TemplateJson.toJson(template), random);

    var read = Templates.read(yaml);

    assertThat(read).isEqualTo(template);
    assertThat(TemplateJson.contentHash(read)).isEqualTo(TemplateJson.contentHash(template));
  }

  @Property(tries = 500)
  void any_change_that_means_something_changes_the_hash(
      @ForAll("templates") TemplateDefinition template, @ForAll Random random) {
    var before = TemplateJson.toJson(template);
    var after = JsonMutation.changeOneValue(before, random);

    if (TemplateReader.readNormalForm(after.toString()) instanceof TemplateReading.Read read
        && !read.template().equals(template)) {
      assertThat(TemplateJson.contentHash(read.template()))
          .isNotEqualTo(TemplateJson.contentHash(template));
    }
  }

  @Property(tries = 300)
  void equal_hashes_mean_equal_definitions(@ForAll("templates") TemplateDefinition one,
      @ForAll("templates") TemplateDefinition other) {
    assertThat(TemplateJson.contentHash(one).equals(TemplateJson.contentHash(other)))
        .isEqualTo(one.equals(other));
  }

  @Property(tries = 2_000)
  void no_text_makes_the_reader_throw(@ForAll("templates") TemplateDefinition template,
      @ForAll Random random) {
    var text = new StringBuilder(YamlWriter.write(TemplateJson.toJson(template), random));
    for (int i = random.nextInt(4); i >= 0; i--) {
      int at = random.nextInt(text.length());
      int end = Math.min(text.length(), at + random.nextInt(3));
      text.replace(at, end, String.valueOf(NOISE.charAt(random.nextInt(NOISE.length()))));
    }

    var reading = TemplateReader.read(text.toString());

    if (reading instanceof TemplateReading.Invalid invalid) {
      assertThat(invalid.problems()).isNotEmpty().allSatisfy(problem -> {
        assertThat(problem.line()).isBetween(1, text.toString().split("\n", -1).length + 1);
        assertThat(problem.column()).isPositive();
      });
    }
  }

  private static Map<String, List<String>> acyclic(Random random, int size) {
    Map<String, List<String>> graph = new LinkedHashMap<>();
    for (int i = 0; i < size; i++) {
      Set<String> parents = new LinkedHashSet<>();
      for (int j = random.nextInt(4); j > 0 && i > 0; j--) {
        parents.add("s" + random.nextInt(i));
      }
      graph.put("s" + i, new ArrayList<>(parents));
    }
    return graph;
  }

  private static Map<String, List<String>> shuffled(Map<String, List<String>> graph,
      Random random) {
    var names = new ArrayList<>(graph.keySet());
    Collections.shuffle(names, random);
    Map<String, List<String>> result = new LinkedHashMap<>();
    names.forEach(name -> result.put(name, graph.get(name).stream().distinct().toList()));
    return result;
  }

  private static String yaml(Map<String, List<String>> graph) {
    return Templates.withSteps(graph.entrySet().stream()
        .map(step -> "- {name: " + step.getKey() + ", handler: {callable: h}, dependencies: "
            + step.getValue() + "}\n")
        .collect(Collectors.joining()));
  }

  @Provide
  static Arbitrary<TemplateDefinition> templates() {
    return Arbitraries.randoms().map(RandomTemplate::of);
  }

  /** Templates of standard steps with every kind of value that a text may have. */
  private record RandomTemplate(Random random) {
    private static final List<String> TEXTS = List.of("a", "null", "~", "true", "1.0", "0x1F",
        "ü 😀", "a: b", "# no",
        "- x", "tab\there", "line\nbreak", "'q' \"q\"", " padded ", "{x}", "[x]", "&a", "*a", "!t",
        "%", "@", "back\\slash",
        "\u007f\u0085\u2028\uFEFF", "");

    static TemplateDefinition of(Random random) {
      return new RandomTemplate(random).template();
    }

    private TemplateDefinition template() {
      var graph = acyclic(random, 1 + random.nextInt(5));
      var environments = new TreeMap<String, EnvironmentOverrides>();
      for (int i = random.nextInt(3); i > 0; i--) {
        environments.put("env" + i, new EnvironmentOverrides(List.of(
            override("s0"), override(StepOverride.ALL)).subList(0, random.nextInt(3))));
      }
      return new TemplateDefinition(
          new TemplateKey("shop", oneOf("order", "true", "1.5"), oneOf("1.0.0", "0.1.0-rc.1")),
          maybe(text()), oneOf(IdentityStrategy.values()), oneOf(IdentityReuse.values()),
          oneOf(SearchAttributes.NONE,
              SearchAttributes.of(Map.of("order", "order_id", "customer", "customer.id"))),
          maybe(schema()), lifecycle(), "{\"author\":\"ann\"}",
          new SystemDependencies(oneOf("default", "db"),
              List.of("x", "y").subList(0, random.nextInt(3))),
          List.of(), environments,
          graph.entrySet().stream().map(step -> step(step.getKey(), step.getValue())).toList(),
          policies(oneOf(LimitedUnit.values())), maybe(oneOf("{}", "{\"a\":\"$.context.a\"}")),
          random.nextBoolean());
    }

    private StepDefinition step(String name, List<String> dependencies) {
      int base = 1 + random.nextInt(5_000);
      var type = dependencies.isEmpty() || random.nextInt(3) > 0 ? StepType.STANDARD
          : StepType.DEFERRED_CONVERGENCE;
      return new StepDefinition(name, maybe(text()), type,
          Optional.of(new HandlerReference(oneOf("h", "shop.Charge", "null"), oneOf("call", "go"),
              maybe("rules"), configuration())),
          dependencies, maybe("bank"),
          new RetryPolicy(random.nextBoolean(), random.nextInt(101), oneOf(BackoffKind.values()),
              base, base + 5_000 + random.nextInt(100), oneOf(OnWorkerLost.values())),
          options(86_400),
          random.nextBoolean() ? OptionalInt.empty() : OptionalInt.of(1 + random.nextInt(86_400)),
          List.of(), Optional.empty(), maybe(schema()), policies(LimitedUnit.STEPS),
          Optional.empty(), maybe(waitFor()),
          type == StepType.STANDARD ? OnNone.SKIP : oneOf(OnNone.values()),
          maybe(new Compensation(
              new HandlerReference("undo", "call", maybe("rules"), configuration()),
              Compensation.DEFAULT_RETRY, OptionalInt.of(9), oneOf(CompensateWhen.values()))));
    }

    private StepWait waitFor() {
      return switch (random.nextInt(3)) {
        case 0 -> new StepWait.Timer(Optional.of(oneOf("PT3H", "P1M", "PT0.5S")), Optional.empty());
        case 1 -> new StepWait.Timer(Optional.empty(), Optional.of("$.context.at"));
        default -> new StepWait.Signal(oneOf("payment", "null"),
            Optional.of("{\"type\":\"object\"}"), Optional.of("P1D"),
            maybe(oneOf("{\"a\":1}", "17", "\"x\"")));
      };
    }

    private List<ConcurrencyPolicy> policies(LimitedUnit unit) {
      return List.of(
          new ConcurrencyPolicy(1 + random.nextInt(9), Optional.empty(), unit,
              oneOf(WhenFull.values())),
          new ConcurrencyPolicy(1, Optional.of(oneOf("/a", "/a~1b/0", "/ü")), unit, WhenFull.QUEUE))
          .subList(0, random.nextInt(3));
    }

    private StepOptions options(int longest) {
      return new StepOptions(
          random.nextBoolean() ? OptionalInt.empty() : OptionalInt.of(1 + random.nextInt(longest)));
    }

    private StepOverride override(String step) {
      return new StepOverride(step, configuration(),
          options(100),
          random.nextBoolean() ? RetryOverride.NOTHING : new RetryOverride(Optional.of(false),
              OptionalInt.of(random.nextInt(101)), Optional.of(oneOf(BackoffKind.values())),
              OptionalInt.of(1), OptionalInt.empty(), Optional.of(oneOf(OnWorkerLost.values()))));
    }

    private Lifecycle lifecycle() {
      return random.nextBoolean() ? Lifecycle.DEFAULT
          : new Lifecycle(OptionalInt.of(1 + random.nextInt(43_200)), OptionalInt.empty(),
              OptionalInt.of(7), OptionalInt.empty(), oneOf(StalenessAction.values()),
              random.nextBoolean(), random.nextBoolean(), oneOf(OnStepError.values()),
              OptionalInt.of(1 + random.nextInt(9)),
              random.nextBoolean() ? OptionalInt.empty() : OptionalInt.of(random.nextInt(9)),
              random.nextBoolean() ? OptionalInt.empty() : OptionalInt.of(random.nextInt(9)),
              random.nextBoolean() ? OptionalInt.empty() : OptionalInt.of(random.nextInt(9)),
              random.nextBoolean() ? OptionalInt.empty()
                  : OptionalInt.of(1 + random.nextInt(1_000)),
              random.nextBoolean() ? OptionalInt.empty() : OptionalInt.of(1 + random.nextInt(16)),
              random.nextBoolean() ? OptionalInt.empty()
                  : OptionalInt.of(1 + random.nextInt(1_000_000)),
              random.nextBoolean() ? OptionalInt.empty() : OptionalInt.of(random.nextInt(65)),
              Optional.of("PT" + (1 + random.nextInt(9)) + "H"), oneOf(TimeoutAction.values()),
              oneOf(OnFailure.values()),
              random.nextBoolean() ? Set.of() : Set.of(oneOf(PublishedLifecycle.values())));
    }

    private TreeMap<String, String> configuration() {
      var entries = new TreeMap<String, String>();
      for (int i = random.nextInt(4); i > 0; i--) {
        entries.put(text(), CanonicalJson.write(json(3)));
      }
      return entries;
    }

    private JsonValue json(int depth) {
      switch (random.nextInt(depth == 0 ? 4 : 6)) {
        case 0 :
          return JsonText.string(text());
        case 1 :
          return JsonText
              .parse(oneOf("0", "-1", "1.50", "123456789012345678901234567890", "0.001", "-0.0"));
        case 2 :
          return oneOf(JsonValue.TRUE, JsonValue.FALSE);
        case 3 :
          return JsonValue.NULL;
        case 4 :
          var array = JsonText.array();
          for (int i = random.nextInt(3); i > 0; i--) {
            array.add(json(depth - 1));
          }
          return array.build();
        default :
          var object = JsonText.object();
          for (int i = random.nextInt(3); i > 0; i--) {
            object.add(text(), json(depth - 1));
          }
          return object.build();
      }
    }

    private String schema() {
      return oneOf("{}", "true",
          "{\"properties\":{\"a\":{\"type\":\"string\"}},\"type\":\"object\"}");
    }

    private String text() {
      return TEXTS.get(random.nextInt(TEXTS.size()));
    }

    @SafeVarargs
    private <T> T oneOf(T... values) {
      return Arrays.asList(values).get(random.nextInt(values.length));
    }

    private <T> Optional<T> maybe(T value) {
      return random.nextBoolean() ? Optional.empty() : Optional.of(value);
    }
  }
}
