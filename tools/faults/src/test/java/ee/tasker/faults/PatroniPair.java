package ee.tasker.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Two nodes of Patroni and an etcd, of the machine: who is the primary is theirs to decide. A commit
 * waits for the standby.
 */
final class PatroniPair implements AutoCloseable {
  private static final Path POSTGRES = Path.of("/usr/lib/postgresql/15/bin");
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final String ETCD = """
      etcd --data-dir %1$s --listen-client-urls http://127.0.0.1:%2$d
      --advertise-client-urls http://127.0.0.1:%2$d --listen-peer-urls http://127.0.0.1:%3$d
      --initial-advertise-peer-urls http://127.0.0.1:%3$d
      --initial-cluster default=http://127.0.0.1:%3$d""";
  /** The least times that Patroni allows. */
  private static final String NODE = """
      scope: tasker
      name: %1$s
      restapi: {listen: "127.0.0.1:%2$d", connect_address: "127.0.0.1:%2$d"}
      etcd3: {hosts: "127.0.0.1:%3$d"}
      bootstrap:
        dcs:
          ttl: 20
          loop_wait: 2
          retry_timeout: 5
          synchronous_mode: true
          postgresql: {use_pg_rewind: true, use_slots: true, parameters: {wal_keep_size: 1GB}}
        initdb: [{encoding: UTF8}, {locale: C}]
      postgresql:
        listen: "127.0.0.1:%4$d"
        connect_address: "127.0.0.1:%4$d"
        data_dir: %5$s/data
        bin_dir: %6$s
        pgpass: %5$s/pgpass
        authentication:
          superuser: {username: postgres, password: postgres}
          replication: {username: replicator, password: replicator}
        parameters: {unix_socket_directories: "%5$s"}
        pg_hba:
          - local all all trust
          - host all all 127.0.0.1/32 scram-sha-256
          - host replication all 127.0.0.1/32 scram-sha-256
      """;

  /** Of one of the two; its database is an address here, and Patroni's to start. */
  private static final class Member {
    private final String name;
    private final Path folder;
    private final int api = TestServer.freePort();
    private final EmbeddedDatabase database;
    private Process patroni;

    private Member(Path parent, String name, int etcd) throws IOException {
      this.name = name;
      folder = Files.createDirectories(parent.resolve(name));
      database = EmbeddedDatabase.forBenchmarks(folder, TestServer.binaries(),
          System.getProperty("tasker.postgres.version"), TestServer.freePort(), Map.of());
      Files.writeString(folder.resolve("patroni.yml"), NODE.formatted(name, api, etcd,
          database.address().port(), folder, POSTGRES));
    }

    private void start() throws IOException {
      List<String> command = new ArrayList<>(asPostgres());
      command.addAll(List.of("patroni", folder.resolve("patroni.yml").toString()));
      patroni = started(folder.resolve("patroni.log"), command);
    }

    /** As when its machine is lost: Patroni and PostgreSQL at once. */
    private void kill() throws Exception {
      List<ProcessHandle> all = new ArrayList<>(tree(patroni.toHandle()).toList());
      Path pidFile = folder.resolve("data/postmaster.pid");
      if (Files.exists(pidFile)) {
        long pid = Long.parseLong(Files.readAllLines(pidFile).get(0).strip());
        ProcessHandle.of(pid).ifPresent(postmaster -> tree(postmaster).forEach(all::add));
      }
      all.forEach(ProcessHandle::destroyForcibly);
      CompletableFuture.allOf(all.stream().map(ProcessHandle::onExit)
          .toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
    }

    private static Stream<ProcessHandle> tree(ProcessHandle root) {
      return Stream.concat(Stream.of(root), root.descendants());
    }
  }

  private final HttpClient http = HttpClient.newHttpClient();
  private final int etcdPort = TestServer.freePort();
  private final Path folder;
  private final Process etcd;
  /** "first" would be a word of synchronous_standby_names, as a name. */
  private final Member left;
  private final Member right;

  PatroniPair() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/patroni"))
        && Files.isExecutable(Path.of("/usr/bin/etcd")) && Files.isExecutable(POSTGRES
            .resolve("postgres"))
        || Boolean.getBoolean("patroni.required"),
        "apt-get install patroni etcd-server postgresql-15");
    folder = Files.createTempDirectory("patroni");
    etcd = started(folder.resolve("etcd.log"), List.of(ETCD.formatted(
        folder.resolve("etcd"), etcdPort, TestServer.freePort()).split("\\s+")));
    left = new Member(folder, "left", etcdPort);
    right = new Member(folder, "right", etcdPort);
    left.start();
    TaskerClient.until("one is the primary", PATIENCE, () -> is(left, "primary"));
    makeDatabase();
    right.start();
    awaitStandby();
  }

  private static List<String> asPostgres() {
    return "root".equals(System.getProperty("user.name")) ? List.of("unshare", "-U") : List.of();
  }

  private static Process started(Path log, List<String> command) throws IOException {
    return new ProcessBuilder(command).redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile())).start();
  }

  /** With what the databases of the tests have from their start. */
  private void makeDatabase() throws SQLException {
    runOn("postgres", "create role tasker login password 'tasker'",
        "grant pg_monitor to tasker", "create database tasker owner tasker");
    tasker().sql("""
        create schema testing;
        create table testing.effects (
          task_uuid uuid, step_uuid uuid, step_name text, attempt int, effect text,
          process bigint, at timestamptz default clock_timestamp());
        create table testing.released (task_uuid uuid)""");
  }

  private void runOn(String name, String... statements) throws SQLException {
    try (
        Connection connection = DriverManager.getConnection("jdbc:postgresql://127.0.0.1:"
            + primary().address().port() + "/" + name, "postgres", "postgres");
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  /** The setting of the servers: both hosts. */
  Map<String, String> environment() {
    return Map.of("DB_HOST",
        "127.0.0.1:" + left.database.address().port() + ",127.0.0.1", "DB_PORT",
        Integer.toString(right.database.address().port()));
  }

  /** Where the primary is now. */
  EmbeddedDatabase primary() {
    return leader().database;
  }

  TaskerClient tasker() {
    return TestServer.clientOf(primary());
  }

  /** As an administrator asks for it: the two change places. */
  void switchover() throws Exception {
    Member from = leader();
    Member to = other(from);
    HttpResponse<String> answer = http.send(HttpRequest
        .newBuilder(URI.create("http://127.0.0.1:" + from.api + "/switchover"))
        .POST(HttpRequest.BodyPublishers.ofString(
            "{\"leader\": \"" + from.name + "\", \"candidate\": \"" + to.name + "\"}"))
        .build(), HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    TaskerClient.until("the other is the primary", PATIENCE, () -> is(to, "primary"));
    // Until then a loss of the primary would leave one that Patroni does not promote.
    awaitStandby();
  }

  /** The machine of the primary is lost; returns when Patroni has made the other one the primary. */
  void loseThePrimary() throws Exception {
    Member lost = leader();
    lost.kill();
    TaskerClient.until("the other is the primary", PATIENCE, () -> is(other(lost), "primary"));
  }

  /** What was lost comes back, and Patroni makes it the standby. */
  void restartWhatWasLost() throws IOException {
    other(leader()).start();
    awaitStandby();
  }

  private void awaitStandby() {
    TaskerClient.until("commits wait for the standby", PATIENCE,
        () -> is(other(leader()), "synchronous"));
  }

  private Member leader() {
    return is(right, "primary") ? right : left;
  }

  private Member other(Member member) {
    return member == left ? right : left;
  }

  private boolean is(Member member, String role) {
    try {
      return http.send(HttpRequest
          .newBuilder(URI.create("http://127.0.0.1:" + member.api + "/" + role))
          .timeout(Duration.ofSeconds(5)).build(), HttpResponse.BodyHandlers.discarding())
          .statusCode() == 200;
    } catch (IOException notThere) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() throws Exception {
    for (Member member : List.of(left, right)) {
      if (member.patroni != null) {
        member.kill();
      }
    }
    etcd.destroyForcibly();
  }
}
