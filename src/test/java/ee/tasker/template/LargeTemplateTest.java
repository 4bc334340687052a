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

/**
 * Ten thousand steps. What grows with the square of the steps takes minutes here, so generous
 * limits still catch it.
 */
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
    var all = IntStream.range(0, STEPS - 1).mapToObj(i -> "s" + i)
        .collect(Collectors.joining(", "));

    assertThat(read(template(i -> i < STEPS - 1 ? "" : ", dependencies: [" + all + "]")).steps()
        .get(STEPS - 1)
        .dependencies()).hasSize(STEPS - 1);
  }

  @Test
  void a_cycle_of_ten_thousand_steps_is_refused_in_a_sentence_of_bearable_length() {
    assertThat(problemsOf(template(i -> ", dependencies: [s" + (i + 1) % STEPS + "]")))
        .singleElement().asString()
        .contains("s0 -> s1 -> s2").contains("9960 more").endsWith("-> s0").hasSizeLessThan(1_000);
  }

  @Test
  void five_thousand_cycles_are_refused() {
    assertThat(problemsOf(template(i -> ", dependencies: [s" + (i ^ 1) + "]"))).hasSize(101)
        .endsWith("203:55 there are more problems, which are not listed: " + (STEPS / 2 - 100));
  }

  @Test
  void of_ten_thousand_mistakes_the_first_hundred_are_reported_and_how_many_more_there_are() {
    assertThat(problemsOf(template(i -> ", dependencies: [t" + i + "]"))).hasSize(101)
        .startsWith("5:53 steps[0].dependencies[0]: there is no step \"t0\"; did you mean \"s0\"?")
        .endsWith("104:54 there are more problems, which are not listed: " + (STEPS - 100));
  }

  @Test
  void a_hundred_thousand_unknown_keys_are_refused_in_seconds() {
    var keys = IntStream.range(0, 100_000).mapToObj(i -> "k" + i + ": 1\n")
        .collect(Collectors.joining());
    var started = System.nanoTime();

    assertThat(problemsOf(Templates.withKeys(keys))).hasSize(101);
    assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(Duration.ofSeconds(20));
  }

  /** The path of a problem has the keys above it: a long one would stand in the path of each. */
  @Test
  void a_long_key_above_many_values_needs_no_more_memory_than_a_short_one() {
    var values = "[" + "1, ".repeat(200_000) + "1]";

    assertThat(
        read(Templates.withKeys("metadata:\n  ? " + "k".repeat(300_000) + "\n  : " + values + "\n"))
            .metadata())
        .contains("[1,1,1");
  }

  @Test
  void the_batch_workers_of_thousands_of_batches_are_compared_with_the_names_they_number() {
    var batches = IntStream.range(0, 4_000).mapToObj(i -> """
        - {name: b%1$d, type: batchable, handler: {callable: h}}
        - {name: w%1$d, type: batch_worker, handler: {callable: h}, dependencies: [b%1$d]}
        """.formatted(i)).collect(Collectors.joining());

    assertThat(problemsOf(withSteps(batches + "- {name: w17_001, handler: {callable: h}}\n")))
        .singleElement().asString()
        .endsWith("the workers of step \"w17\" have such names");
  }
}
