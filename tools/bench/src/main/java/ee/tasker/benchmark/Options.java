package ee.tasker.benchmark;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

/** The options of the benchmark, from system properties; {@code docs/reference/benchmark.md} lists them. */
record Options(Properties properties) {
  /**
   * {@code benchmark.quick}: some figures in five minutes, for every day. What is given beside it
   * counts.
   */
  private static final Map<String, String> QUICK = Map.of("benchmark.only",
      "floor,latency,load,throughput,submission,idle",
      "benchmark.rounds", "3", "benchmark.warmup", "3000", "benchmark.tasks", "1000,4000",
      "benchmark.singles", "1500", "benchmark.latency",
      "150",
      "benchmark.load.seconds", "5", "benchmark.settle", "1", "benchmark.floor.seconds", "1",
      "benchmark.idle.seconds", "10");

  boolean wants(String phase) {
    Set<String> only = new TreeSet<>(words("benchmark.only", ""));
    Set<String> skipped = new TreeSet<>(words("benchmark.skip", ""));
    boolean isLong = Set.of("without", "calls").contains(phase);
    return (only.isEmpty() ? !isLong : only.contains(phase)) && !skipped.contains(phase);
  }

  /** Sizes of the throughput rounds. */
  List<Integer> tasks() {
    return numbers("benchmark.tasks", "2000,10000");
  }

  /** Tasks of a throughput round where each is a request of its own. */
  int singles() {
    return number("benchmark.singles", 5_000);
  }

  /** Measures nothing: publishes the results of the last run in the documents. */
  boolean publish() {
    return flag("benchmark.publish", false);
  }

  int rounds() {
    return number("benchmark.rounds", 3);
  }

  /** Numbers of servers; what is beyond one is a phase of its own. */
  List<Integer> servers() {
    return numbers("benchmark.servers", "1,2,3");
  }

  int batch() {
    return number("benchmark.batch", 500);
  }

  int batchConnections() {
    return number("benchmark.batch.connections", 2);
  }

  int connections() {
    return number("benchmark.connections", 16);
  }

  /**
   * Tasks submitted before anything is measured: single requests get quicker until about as many
   * have been made.
   */
  int warmup() {
    return number("benchmark.warmup", 30_000);
  }

  /** Tasks of one latency round. */
  int latencyTasks() {
    return number("benchmark.latency", 400);
  }

  /** Tasks per second in the phase under load. */
  List<Integer> rates() {
    return numbers("benchmark.rates", "50,200,400,800");
  }

  /** Numbers of connections over which the cost of a step is measured. */
  List<Integer> manyConnections() {
    return numbers("benchmark.growth.connections", "4,16,100");
  }

  /**
   * Requests of that phase that may be under way at a time: so many that the load does not wait for
   * the answers.
   */
  int loadConnections() {
    return number("benchmark.load.connections", 256);
  }

  int loadSeconds() {
    return number("benchmark.load.seconds", 10);
  }

  int fanOut() {
    return number("benchmark.fanout", 10_000);
  }

  int orders() {
    return number("benchmark.orders", 1_000);
  }

  int idleSeconds() {
    return number("benchmark.idle.seconds", 30);
  }

  /** Finished tasks that are made for the phase {@code history}. */
  int history() {
    return number("benchmark.history", 1_000_000);
  }

  /** Schedules that fire every second in the phase {@code schedules}. */
  int schedules() {
    return number("benchmark.schedules", 1_000);
  }

  /** For how long they do. */
  int scheduleSeconds() {
    return number("benchmark.schedule-seconds", 300);
  }

  /** Sleeping steps that are made for the phase {@code sleeping}. */
  int sleeping() {
    return number("benchmark.sleeping", 1_000_000);
  }

  /** Finished tasks that are purged in the phase {@code retention}. */
  int retention() {
    return number("benchmark.retention", 1_000_000);
  }

  /** Tasks per second that are submitted meanwhile. */
  int retentionRate() {
    return number("benchmark.retention.rate", 50);
  }

  /** Rounds of the phase {@code calls}: a task in each database, and every tenth time a hundred. */
  int callsRounds() {
    return number("benchmark.calls.rounds", 300);
  }

  /** The folder {@code db} of another checkout, whose functions are compared with these. */
  Optional<Path> callsBefore() {
    return Optional.of(text("benchmark.calls.before", "")).filter(path -> !path.isEmpty())
        .map(Path::of);
  }

  int snapshotSeconds() {
    return number("benchmark.snapshot.seconds", 60);
  }

  /** Tasks that wait for a retry in the phase {@code waiting}. */
  int waiting() {
    return number("benchmark.waiting", 100_000);
  }

  /** Finished tasks in the database whose plans are measured. */
  int planTasks() {
    return number("benchmark.plans.tasks", 25_000);
  }

  List<Integer> backlogs() {
    return numbers("benchmark.growth.backlog", "1000,10000,100000");
  }

  List<Integer> widths() {
    return numbers("benchmark.growth.width", "10,100,1000,10000");
  }

  List<Integer> depths() {
    return numbers("benchmark.growth.depth", "4,16,64,256,1000");
  }

  List<Integer> histories() {
    return numbers("benchmark.growth.history", "1000,10000,100000,1000000");
  }

  /** Bytes of contexts and results. */
  List<Integer> payloads() {
    return numbers("benchmark.payload", "100,1024,16384,262144");
  }

  /** Of contexts per round: the larger they are, the fewer tasks. */
  int payloadMebibytes() {
    return number("benchmark.payload.mib", 24);
  }

  /** How long tables are watched under a steady load; 0 leaves that out. */
  int bloatMinutes() {
    return number("benchmark.bloat.minutes", 0);
  }

  /** Tasks per second of that load. */
  int bloatRate() {
    return number("benchmark.bloat.rate", 100);
  }

  int bloatEverySeconds() {
    return number("benchmark.bloat.every", 300);
  }

  int floorSeconds() {
    return number("benchmark.floor.seconds", 3);
  }

  boolean peers() {
    return flag("benchmark.peers", true);
  }

  int peerWorkflows() {
    return number("benchmark.peers.workflows", 1_000);
  }

  List<String> peerNames() {
    return words("benchmark.peers.names", "dbos,db-scheduler,operaton");
  }

  /**
   * Seconds until every session of the database has reported its counters, which an idle one does
   * after ten.
   */
  int settleSeconds() {
    return number("benchmark.settle", 11);
  }

  /**
   * {@code benchmark.check}: whether the tasks of each phase are checked by {@code check_history}.
   */
  boolean check() {
    return flag("benchmark.check", true);
  }

  boolean explain() {
    return flag("benchmark.explain", false);
  }

  /**
   * {@code top} or {@code all}: whether statements inside functions are counted too, which costs
   * some speed.
   */
  String track() {
    return properties.getProperty("benchmark.track", "top");
  }

  boolean recordsFlight() {
    return flag("benchmark.jfr", false);
  }

  int httpPort() {
    return number("benchmark.http.port", 8580);
  }

  int databasePort() {
    return number("benchmark.db.port", 54_580);
  }

  Path checkout() {
    return Path.of(properties.getProperty("tasker.checkout"));
  }

  Path target() {
    return Path.of(properties.getProperty("tasker.target"));
  }

  Path peersFolder() {
    String folder = properties.getProperty("benchmark.peers.folder", "");
    return folder.isBlank() ? checkout().resolve("../shared/bench/peers").normalize()
        : Path.of(folder);
  }

  /** Where the data of a run live; emptied at the start of the next. */
  Path folder() {
    return checkout().resolve(".tasker/benchmark");
  }

  /** The application with the samples. */
  Path war() {
    return Path.of(properties.getProperty("tasker.war"));
  }

  /** The jar of the benchmark's handlers. */
  Path handlers() {
    return Path.of(properties.getProperty("tasker.handlers"));
  }

  Path liberty() {
    return Path.of(properties.getProperty("tasker.liberty"));
  }

  String postgresVersion() {
    return properties.getProperty("tasker.postgres.version");
  }

  /** {@code benchmark.server.NAME=value}: more environment for the servers, to try settings out. */
  Map<String, String> serverEnvironment() {
    Map<String, String> environment = new LinkedHashMap<>();
    given().forEach((name, value) -> {
      if (name.startsWith("benchmark.server.")) {
        environment.put(name.substring("benchmark.server.".length()), value);
      }
    });
    return environment;
  }

  /** As given, for the report: {@code benchmark.*} only. */
  Map<String, String> given() {
    Map<String, String> given = new LinkedHashMap<>();
    properties.stringPropertyNames().stream().filter(name -> name.startsWith("benchmark.")).sorted()
        .forEach(name -> given.put(name, properties.getProperty(name)));
    return given;
  }

  private int number(String name, int fallback) {
    return Integer.parseInt(text(name, Integer.toString(fallback)).strip());
  }

  private boolean flag(String name, boolean fallback) {
    return Boolean.parseBoolean(text(name, Boolean.toString(fallback)).strip());
  }

  private String text(String name, String fallback) {
    boolean isQuick = Boolean
        .parseBoolean(properties.getProperty("benchmark.quick", "false").strip());
    return properties.getProperty(name, isQuick ? QUICK.getOrDefault(name, fallback) : fallback);
  }

  private List<Integer> numbers(String name, String fallback) {
    List<Integer> numbers = new ArrayList<>();
    words(name, fallback).forEach(word -> numbers.add(Integer.valueOf(word)));
    return numbers;
  }

  private List<String> words(String name, String fallback) {
    return Arrays.stream(text(name, fallback).split(",")).map(String::strip)
        .filter(word -> !word.isEmpty()).toList();
  }
}
