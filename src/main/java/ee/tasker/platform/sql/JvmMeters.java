package ee.tasker.platform.sql;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot.SummaryDataPointSnapshot;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.Map;
import javax.management.JMException;
import javax.management.ObjectName;

/** The virtual machine under the names that Prometheus' own clients give to it. */
final class JvmMeters implements MultiCollector {

  @Override
  public MetricSnapshots collect() {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    Map<String, MemoryUsage> areas = Map.of("heap", memory.getHeapMemoryUsage(), "nonheap",
        memory.getNonHeapMemoryUsage());
    GaugeSnapshot.Builder used = GaugeSnapshot.builder().name("jvm_memory_used_bytes")
        .help("Used memory by area");
    GaugeSnapshot.Builder most = GaugeSnapshot.builder().name("jvm_memory_max_bytes")
        .help("The limit of that area; -1 for none");
    areas.forEach((area, usage) -> {
      Labels labels = Labels.of("area", area);
      used.dataPoint(gauge(labels, usage.getUsed()));
      most.dataPoint(gauge(labels, usage.getMax()));
    });
    return new MetricSnapshots(used.build(), most.build(), collections(),
        GaugeSnapshot.builder().name("jvm_threads_current").help("Live threads")
            .dataPoint(
                gauge(Labels.EMPTY, ManagementFactory.getThreadMXBean().getThreadCount()))
            .build(),
        CounterSnapshot.builder().name("process_cpu_seconds").help("Time of the processors")
            .dataPoint(CounterDataPointSnapshot.builder().value(cpuSeconds()).build()).build(),
        GaugeSnapshot.builder().name("process_start_time_seconds")
            .help("When this process started, in seconds since 1970")
            .dataPoint(gauge(Labels.EMPTY,
                ManagementFactory.getRuntimeMXBean().getStartTime() / 1000.0))
            .build());
  }

  private static SummarySnapshot collections() {
    SummarySnapshot.Builder collections = SummarySnapshot.builder()
        .name("jvm_gc_collection_seconds").help("Collections of garbage by collector");
    List<GarbageCollectorMXBean> beans = ManagementFactory.getGarbageCollectorMXBeans();
    beans.forEach(bean -> collections.dataPoint(SummaryDataPointSnapshot.builder()
        .labels(Labels.of("gc", bean.getName()))
        .count(Math.max(0, bean.getCollectionCount()))
        .sum(Math.max(0, bean.getCollectionTime()) / 1000.0).build()));
    return collections.build();
  }

  /** No standard type has it; 0 where the virtual machine does not tell. */
  private static double cpuSeconds() {
    try {
      return ((Number) ManagementFactory.getPlatformMBeanServer()
          .getAttribute(new ObjectName(ManagementFactory.OPERATING_SYSTEM_MXBEAN_NAME),
              "ProcessCpuTime"))
          .longValue() / 1e9;
    } catch (JMException untold) {
      return 0;
    }
  }

  private static GaugeDataPointSnapshot gauge(Labels labels, double value) {
    return GaugeDataPointSnapshot.builder().labels(labels).value(value).build();
  }
}
