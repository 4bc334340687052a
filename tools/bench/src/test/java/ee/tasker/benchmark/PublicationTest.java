package ee.tasker.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.run.RunProblem;
import jakarta.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PublicationTest {

  @TempDir
  Path folder;

  @Test
  void a_run_is_put_between_the_marks_with_charts_and_plans_and_again_over_itself()
      throws IOException {
    Path target = Files.createDirectories(folder.resolve("target"));
    Path docs = Files.createDirectories(folder.resolve("docs"));
    Files.writeString(docs.resolve("benchmarks.md"),
        "# Before\n\n" + Publication.BEGIN + "\nold\n" + Publication.END + "\n\n# After\n");
    Files.createDirectories(target.resolve("plans"));
    Files.writeString(target.resolve("plans/submit_tasks.txt"), "a plan");
    Path plans = Files.createDirectories(target.resolve("reports/plans"));
    Files.writeString(plans.resolve("gone.txt"), "of a function that was dropped");
    new Fixture().report().write(target);

    Publication.publish(target, docs);
    String once = Files.readString(docs.resolve("benchmarks.md"));
    Publication.publish(target, docs);

    assertThat(Files.readString(docs.resolve("benchmarks.md"))).isEqualTo(once);
    assertThat(once).startsWith("# Before").endsWith("# After\n").doesNotContain("old")
        .contains("- processors: 2", "### Budgets", "### Figures", "benchmarks-throughput.svg",
            "benchmarks-growth.svg")
        .doesNotContain("### Throughput");
    assertThat(target.resolve("reports/benchmark.md")).content()
        .contains("### Throughput", "| many | 6,570 |").doesNotContain("Statements of");
    // Letters are drawn as shapes, so that the chart looks the same everywhere; bars are told by
    // their colours, ours and the peers'.
    String chart = Files.readString(docs.resolve("benchmarks-throughput.svg"));
    assertThat(
        List.of(chart.startsWith("<?xml"), chart.contains("<svg"), chart.contains("rgb(31,95,168)"),
            chart.contains("rgb(184,184,184)")))
        .containsOnly(true);
    assertThat(docs.resolve("benchmarks-growth.svg")).isNotEmptyFile();
    assertThat(plans.resolve("submit_tasks.txt")).hasContent("a plan");
    assertThat(plans.resolve("gone.txt")).doesNotExist();
  }

  @Test
  void a_budget_is_met_not_met_or_not_measured_and_the_peers_stand_beside_it() {
    String budgets = Publication.budgets(new Fixture().json());

    assertThat(budgets.lines())
        .anyMatch(line -> line.startsWith("| what") && line.endsWith("| a peer |"));
    assertThat(budgets)
        .contains("| ≥ 10,000/s | 6,570/s | 7,000 / 6,000 / 6,570 | **not met** | 2,400/s |")
        .contains("| ≤ 5 ms | 4.90 ms | 4.80 / 4.90 / 5.10 | met | 2.70 ms |")
        .contains("| ≤ 0.2 | 0.2500 |".replace("0.2500", "0.25")).contains("not measured");
  }

  @Test
  void ratios_are_of_one_run_and_come_first() {
    Report report = new Report();
    report.figure("linear4_p50_ms", 15);
    report.figure("linear4_steps_per_s", 8_000);
    report.figure("linear_4_p99_ms_at_50_per_s", 40);
    report.figure("linear_4_p99_ms_at_200_per_s", 150);
    report.figure("linear_4_p99_ms_at_400_per_s", 151);
    report.figure("diamond_p99_ms_at_800_per_s", 1);
    report.figure("goodput_at_2_times_the_capacity", 0.81);
    report.peers(
        Json.createObjectBuilder().add("dbos-java direct",
            Json.createObjectBuilder().add("steps_per_s", 1_000).add("p50_ms", 10)).build());
    for (String over : List.of("backlog", "payload")) {
      new Growth(over, "tasks").add(10, 100, "payload".equals(over) ? 1 : 80, 1)
          .add(100, 100, 160, 1)
          .addTo(report, report.table("Verdicts " + over, "over", "a", "b", "c", "verdict"));
    }

    String ratios = Ratios.table(Fixture.read(report));

    assertThat(ratios).contains(
        "| linear task of 4 steps, one at a time, P50 | that of DBOS in process | ≤ 1 × | 1.50 × | **not met** |",
        "| tasks per second in batches | ≥ 0.6 × | 0.10 × | **not met** |",
        "| the capacity | ≥ 0.8 × | 0.81 × | met |", "| DBOS in process | ≥ 5 × | 8.00 × | met |",
        "| pgbench, one row per commit | ≥ 0.4 × | not measured | |",
        "| none | ≤ 0.15 | 0.30 | **not met** |");
  }

  @Test
  void a_rate_that_is_not_carried_counts_as_none() {
    Report report = new Report();
    report.figure("linear4_p50_ms", 15);
    report.figure("linear4_steps_per_s", 8_000);
    report.figure("linear_4_p99_ms_at_50_per_s", 151);

    assertThat(Ratios.table(Fixture.read(report))).contains(
        "| tasks per second in batches | ≥ 0.6 × | 0.00 × | **not met** |",
        "| that of DBOS in process | ≤ 1 × | not measured | |");
  }

  @Test
  void a_page_without_a_place_for_it_and_a_run_that_never_was_are_told() {
    assertThatThrownBy(() -> Publication.replace("# nothing", "x")).isInstanceOf(RunProblem.class)
        .hasMessageContaining("no place");
    assertThatThrownBy(() -> Publication.publish(folder, folder)).isInstanceOf(RunProblem.class)
        .hasMessageContaining("run the benchmark first");
  }

  private static final class Fixture {
    private final Report report = new Report();

    Fixture() {
      report.fact("processors", "2");
      report.figure("linear4_steps_per_s", new double[]{7000, 6000, 6570});
      report.figure("linear4_p50_ms", new double[]{4.8, 4.9, 5.1});
      report.figure("history_loss", 0.25);
      report.peers(Json.createObjectBuilder()
          .add("a peer", Json.createObjectBuilder().add("steps_per_s", 2400).add("p50_ms", 2.7)
              .add("p99_ms", 5))
          .build());
      report.table("Throughput", "what", "steps/s").row("many", 6570.0);
      report.table("Statements of: something", "calls").row("1");
      new Growth("backlog", "tasks").add(1000, 100, 80, 1).add(10_000, 100, 90, 1).addTo(report,
          report.table("Verdicts", "over", "a", "b", "c", "verdict"));
    }

    Report report() {
      return report;
    }

    jakarta.json.JsonObject json() {
      return read(report);
    }

    static jakarta.json.JsonObject read(Report report) {
      try (var reader = Json.createReader(new java.io.StringReader(report.json()))) {
        return reader.readObject();
      }
    }
  }
}
