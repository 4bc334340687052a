package ee.tasker.benchmark;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.List;

/** The machine that the figures were measured on. */
final class Machine {
  private static final List<String> SETTINGS = List.of("fsync", "synchronous_commit",
      "full_page_writes", "shared_buffers", "max_wal_size",
      "wal_compression", "wal_sync_method");

  private Machine() {
  }

  static void describe(Report report, Database database, Options options) throws SQLException {
    OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory
        .getOperatingSystemMXBean();
    report.fact("date", LocalDate.now().toString());
    report.fact("system", system.getName() + " " + system.getVersion() + ", " + system.getArch());
    report.fact("processors", system.getAvailableProcessors() + processor());
    report.fact("memory", (system.getTotalMemorySize() >> 20) + " MiB");
    report.fact("load average at start", Report.format(system.getSystemLoadAverage()));
    report.fact("java", System.getProperty("java.vm.name") + " " + Runtime.version());
    report.fact("server", "Open Liberty "
        + options.liberty().getParent().getFileName().toString().replace("liberty-", ""));
    report.fact("database", database.value(String.class, "select version()"));
    StringBuilder settings = new StringBuilder();
    for (String name : SETTINGS) {
      settings.append(settings.isEmpty() ? "" : ", ").append(name).append('=')
          .append(database.value(String.class, "select current_setting('" + name + "')"));
    }
    report.fact("database settings", settings.toString());
    report.fact("options", options.given().isEmpty() ? "defaults" : options.given().toString());
  }

  private static String processor() {
    try (var lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines.filter(line -> line.startsWith("model name")).findFirst()
          .map(line -> " x" + line.substring(line.indexOf(':') + 1))
          .orElse("");
    } catch (IOException e) {
      return "";
    }
  }
}
