package ee.tasker.platform.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import org.junit.jupiter.api.Test;

class ConnectionWaitsTest {
  private final PrometheusRegistry registry = new PrometheusRegistry();

  ConnectionWaitsTest() {
    ConnectionWaits.register(registry);
  }

  @Test
  void call_waits_as_long_as_it_asks_and_its_wait_is_measured_once() {
    double waiting = waiting();
    long before = measured();

    double meanwhile = ConnectionWaits.timed(this::waiting);

    assertThat(meanwhile).isEqualTo(waiting + 1);
    assertThat(waiting()).isEqualTo(waiting);
    assertThat(measured()).isEqualTo(before + 1);
  }

  @Test
  void call_that_gets_no_connection_has_waited_too() {
    double waiting = waiting();
    long before = measured();

    assertThatThrownBy(() -> ConnectionWaits.timed(() -> {
      throw new IllegalStateException("no connection");
    })).isInstanceOf(IllegalStateException.class);

    assertThat(waiting()).isEqualTo(waiting);
    assertThat(measured()).isEqualTo(before + 1);
  }

  private double waiting() {
    return ((GaugeSnapshot) snapshot("tasker_database_connection_waiting")).getDataPoints().get(0)
        .getValue();
  }

  private long measured() {
    return ((HistogramSnapshot) snapshot("tasker_database_connection_wait_seconds"))
        .getDataPoints().stream().mapToLong(HistogramSnapshot.HistogramDataPointSnapshot::getCount)
        .sum();
  }

  private MetricSnapshot snapshot(String name) {
    return registry.scrape(name::equals).stream().findFirst().orElseThrow();
  }
}
