package ee.tasker.run;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The settings the embedded PostgreSQL gets on top of its defaults, as the text of a configuration
 * file.
 */
record PostgresSettings(Map<String, String> values) {

  /** As on a small production server: nothing acknowledged is ever lost. */
  static PostgresSettings durable(int port) {
    var values = common(port);
    values.put("fsync", "on");
    values.put("synchronous_commit", "on");
    values.put("full_page_writes", "on");
    values.put("shared_buffers", "256MB");
    values.put("max_wal_size", "2GB");
    values.put("wal_compression", "on"); // pglz: the binaries are built without lz4
    values.put("track_io_timing", "on");
    return new PostgresSettings(values);
  }

  /**
   * The same behaviour for a client, without waiting for disks. Not for benchmarks and not for
   * crash tests.
   */
  static PostgresSettings forTests(int port) {
    var values = common(port);
    values.put("fsync", "off");
    values.put("synchronous_commit", "off");
    values.put("full_page_writes", "off");
    values.put("shared_buffers", "64MB");
    return new PostgresSettings(values);
  }

  /** The same settings with others added or replaced. */
  PostgresSettings with(Map<String, String> more) {
    var all = new LinkedHashMap<>(values);
    all.putAll(more);
    return new PostgresSettings(all);
  }

  private static Map<String, String> common(int port) {
    var values = new LinkedHashMap<String, String>();
    values.put("listen_addresses", "127.0.0.1");
    values.put("port", Integer.toString(port));
    values.put("unix_socket_directories", "");
    values.put("max_connections", "200");
    values.put("shared_preload_libraries", "pg_stat_statements");
    values.put("log_line_prefix", "%m [%p] %q%u@%d ");
    return values;
  }

  String text() {
    return values.entrySet().stream()
        .map(entry -> entry.getKey() + " = '" + entry.getValue() + "'\n")
        .collect(Collectors.joining("",
            "# Written anew at every start: put your own settings into postgresql.conf, after the include of this file.\n",
            ""));
  }
}
