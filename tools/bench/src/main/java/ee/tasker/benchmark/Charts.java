package ee.tasker.benchmark;

import de.erichseifert.vectorgraphics2d.Processors;
import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import jakarta.json.JsonArray;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import java.awt.Color;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.Styler;

/**
 * Draws the results of a run: throughput and latency beside the peers, and how the cost of a step
 * grows.
 */
final class Charts {
  private static final Color OURS = new Color(0x1f5fa8);
  private static final Color PEER = new Color(0xb8b8b8);
  private static final Map<String, String> DRIFTING = new LinkedHashMap<>();
  static {
    DRIFTING.put("steady_p50_ms", "created to completed, P50");
    DRIFTING.put("steady_p99_ms", "created to completed, P99");
    DRIFTING.put("steady_database_cpu_ms_per_step", "CPU of the database per step");
    DRIFTING.put("steady_server_mib", "memory of the server");
    DRIFTING.put("steady_bytes_per_task", "bytes per task made");
  }
  private static final int WIDTH = 760;
  private static final int HEIGHT = 360;

  private Charts() {
  }

  /**
   * Writes the charts that have figures.
   *
   * @return their files
   */
  static List<Path> write(JsonObject run, Path folder) throws IOException {
    Files.createDirectories(folder);
    List<Path> files = new ArrayList<>();
    JsonObject peers = run.getJsonObject("peers");
    if (run.containsKey("linear4_steps_per_s")) {
      CategoryChart chart = bars("Steps per second, tasks of four steps", "steps/s", peers,
          "steps_per_s", List.of("Tasker EE, batches", "Tasker EE, one POST each"),
          List.of("linear4_steps_per_s", "linear4_single_post_steps_per_s"), run);
      files.add(save(chart, folder.resolve("benchmarks-throughput.svg")));
    }
    if (run.containsKey("linear4_p50_ms")) {
      CategoryChart chart = bars("One task of four steps at a time, P50", "ms", peers, "p50_ms",
          List.of("Tasker EE, over HTTP"), List.of("linear4_p50_ms"), run);
      files.add(save(chart, folder.resolve("benchmarks-latency.svg")));
    }
    if (!run.getJsonObject("growth").isEmpty()) {
      files.add(save(growth(run.getJsonObject("growth")), folder.resolve("benchmarks-growth.svg")));
    }
    if (run.getJsonObject("rounds").containsKey("steady_minute")) {
      files.add(save(drift(run.getJsonObject("rounds")), folder.resolve("benchmarks-steady.svg")));
    }
    return files;
  }

  private static CategoryChart bars(String title, String unit, JsonObject peers, String peerFigure,
      List<String> names, List<String> figures, JsonObject run) {
    CategoryChart chart = new CategoryChartBuilder().width(WIDTH).height(HEIGHT).title(title)
        .yAxisTitle(unit).build();
    List<String> labels = new ArrayList<>();
    List<Double> ours = new ArrayList<>();
    List<Double> theirs = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      if (run.containsKey(figures.get(i))) {
        labels.add(names.get(i));
        ours.add(run.getJsonNumber(figures.get(i)).doubleValue());
        theirs.add(0.0);
      }
    }
    peers.forEach((peer, value) -> {
      labels.add(peer);
      ours.add(0.0);
      theirs.add(value.asJsonObject().getJsonNumber(peerFigure).doubleValue());
    });
    chart.addSeries("Tasker EE: a server over HTTP", labels, ours).setFillColor(OURS);
    if (!peers.isEmpty()) {
      chart.addSeries("others: in one JVM, called directly", labels, theirs).setFillColor(PEER);
    }
    style(chart);
    chart.getStyler().setOverlapped(true).setAvailableSpaceFill(0.6);
    return chart;
  }

  /** Each measure of a steady load as a multiple of its median: a flat line has not drifted. */
  private static XYChart drift(JsonObject rounds) {
    XYChart chart = new XYChartBuilder().width(WIDTH).height(HEIGHT)
        .title("A steady load: each measure, divided by its median")
        .xAxisTitle("minute").yAxisTitle("× median").build();
    double[] minutes = numbers(rounds, "steady_minute");
    DRIFTING.forEach((figure, name) -> {
      double[] values = numbers(rounds, figure);
      double median = Samples.of(values).median();
      chart.addSeries(name, minutes, Arrays.stream(values).map(value -> value / median).toArray());
    });
    style(chart);
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
    return chart;
  }

  private static double[] numbers(JsonObject rounds, String figure) {
    return rounds.getJsonArray(figure).getValuesAs(JsonNumber.class).stream()
        .mapToDouble(JsonNumber::doubleValue).toArray();
  }

  private static XYChart growth(JsonObject growth) {
    XYChart chart = new XYChartBuilder().width(WIDTH).height(HEIGHT)
        .title("Processor time of the database per step")
        .xAxisTitle("how much there is of it").yAxisTitle("µs").build();
    growth.forEach((over, value) -> {
      List<Double> x = new ArrayList<>();
      List<Double> y = new ArrayList<>();
      JsonArray sizes = value.asJsonObject().getJsonArray("size");
      JsonArray costs = value.asJsonObject().getJsonArray("database_cpu_us_per_step");
      for (int i = 0; i < sizes.size(); i++) {
        if (costs.get(i) instanceof JsonNumber cost && cost.doubleValue() > 0) {
          x.add(sizes.getJsonNumber(i).doubleValue());
          y.add(cost.doubleValue());
        }
      }
      if (!x.isEmpty()) {
        chart.addSeries(over, x, y);
      }
    });
    style(chart);
    chart.getStyler().setXAxisLogarithmic(true).setYAxisLogarithmic(true);
    chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
    return chart;
  }

  private static void style(Chart<?, ?> chart) {
    Styler styler = chart.getStyler();
    styler.setChartBackgroundColor(Color.WHITE).setLegendBorderColor(Color.WHITE)
        .setLegendPosition(Styler.LegendPosition.OutsideS)
        .setLegendLayout(Styler.LegendLayout.Horizontal);
    if (chart instanceof XYChart) {
      styler.setLegendLayout(Styler.LegendLayout.Vertical);
    }
  }

  private static Path save(Chart<?, ?> chart, Path file) throws IOException {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.ROOT); // numbers in SVG have points
    try (OutputStream out = Files.newOutputStream(file)) {
      VectorGraphics2D graphics = new VectorGraphics2D();
      chart.paint(graphics, chart.getWidth(), chart.getHeight());
      Processors.get("svg").getDocument(graphics.getCommands(),
          new PageSize(0, 0, chart.getWidth(), chart.getHeight())).writeTo(out);
    } finally {
      Locale.setDefault(before);
    }
    return file;
  }
}
