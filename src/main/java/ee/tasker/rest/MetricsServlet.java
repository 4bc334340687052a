package ee.tasker.rest;

import ee.tasker.insight.SystemMeters;
import ee.tasker.platform.Problem;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.sql.Meters;
import ee.tasker.rest.http.AccessFilter;
import ee.tasker.rest.http.ReadOnlyServlet;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Metrics in Prometheus' text format, or OpenMetrics by content negotiation: all, with
 * {@code of=server} this server's own, with {@code of=system} those of the installation, which are
 * the same on every server. When the database cannot be queried, this server's own metrics are
 * still served, and {@code tasker_database_up} is 0.
 */
@WebServlet("/metrics")
public class MetricsServlet extends ReadOnlyServlet {
  private static final long serialVersionUID = 1L;
  private static final Log LOG = Log.of(MetricsServlet.class);
  private static final String SERVER = "server";
  private static final String SYSTEM = "system";
  private static final ExpositionFormats FORMATS = ExpositionFormats.init();

  @Inject
  private transient Meters server;

  @Inject
  private transient SystemMeters system;

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse answer) throws IOException {
    String of = request.getParameter("of");
    if (of != null && !of.equals(SERVER) && !of.equals(SYSTEM)) {
      AccessFilter.refuse(request, answer,
          Problem.invalid("of", "must be one of server, system"), 0);
      return;
    }
    ExpositionFormatWriter writer = FORMATS.findWriter(request.getHeader("Accept"));
    List<MetricSnapshot> all = new ArrayList<>();
    if (!SYSTEM.equals(of)) {
      server.registry().scrape().forEach(all::add);
      system.collectOwn().forEach(all::add);
    }
    if (!SERVER.equals(of)) {
      addSystemAndWhetherItAnswered(all);
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    writer.write(body, new MetricSnapshots(all));
    answer.setContentType(writer.getContentType());
    answer.setContentLength(body.size());
    body.writeTo(answer.getOutputStream());
  }

  private void addSystemAndWhetherItAnswered(List<MetricSnapshot> all) {
    all.add(GaugeSnapshot.builder().name("tasker_database_up")
        .help(
            "1 if the database answered; 0 if it did not, and then the system metrics are missing")
        .dataPoint(
            GaugeSnapshot.GaugeDataPointSnapshot.builder().value(addSystem(all) ? 1 : 0).build())
        .build());
  }

  private boolean addSystem(List<MetricSnapshot> all) {
    try {
      system.collect().forEach(all::add);
      return true;
    } catch (RuntimeException fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "get_metrics_document");
      return false;
    }
  }
}
