package ee.tasker.template;

import static ee.tasker.template.Templates.problemsOf;
import static ee.tasker.template.Templates.read;
import static ee.tasker.template.Templates.withSteps;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ten thousand steps. What grows with the square of the steps takes minutes here, so generous limits still catch it. */
@Timeout(120)
class LargeTemplateTest {
  private static final int STEPS = 10_000;

  private static String template(IntFunction<String> more) {
    return withSteps(IntStream.range(0, STEPS)
        .mapToObj(i -> "- {name: s" + i + ", handler: {callable: h}" + more.apply(i) + "}\n")
        .collect(Collectors.joining()));
  }

  @Test
  void a_chain_of_ten_thousand_steps_is_read_in_seconds() {
    var chain = template(i -> i == 0 ? "" : ", dependencies: [s" + (i - 1) + "]");
    read(chain); // the first one also waits for the compiler of the JVM

    var started = System.nanoTime();
    var template = read(chain);

    assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(Duration.ofSeconds(15));
    assertThat(template.steps()).hasSize(STEPS);
    assertThat(TemplateReader.readNormalForm(TemplateJson.toJson(template).toString()))
        .isEqualTo(new TemplateReading.Read(template));
  }

  @Test
  void a_fan_in_of_ten_thousand_steps_is_read() {
    var all = IntStream.range(0, STEPS - 1).mapToObj(i -> "s" + i).collect(Collectors.joining(", "));

    assertThat(read(template(i -> i < STEPS - 1 ? "" : ", dependencies: [" + all + "]")).steps().get(STEPS - 1)
        .dependencies()).hasSize(STEPS - 1);
  }

  @Test
  void a_cycle_of_ten_thousand_steps_is_refused_in_a_sentence_of_bearable_length() {
    assertThat(problemsOf(template(i -> ", dependencies: [s" + (i + 1) % STEPS + "]"))).singleElement().asString()
        .contains("s0 -> s1 -> s2").contains("9960 more").endsWith("-> s0").hasSizeLessThan(1_000);
  }

  @Test
  void five_thousand_cycles_are_refused() {
    assertThat(problemsOf(template(i -> ", dependencies: [s" + (i ^ 1) + "]"))).hasSize(STEPS / 2);
  }

  @Test
  void ten_thousand_mistakes_are_all_reported() {
    assertThat(problemsOf(template(i -> ", dependencies: [t" + i + "]"))).hasSize(STEPS);
  }
}
