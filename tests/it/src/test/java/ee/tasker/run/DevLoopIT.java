package ee.tasker.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ee.tasker.testing.server.History;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * The inner loop on a real server: an application in a folder of its own, whose files are saved as
 * an editor would. Printed are
 * the seconds from a save to the first task that shows it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("long")
class DevLoopIT {
  private static final Duration LONG = Duration.ofSeconds(90);

  private Path application;

  private final List<String> terminal = new CopyOnWriteArrayList<>();
  private EmbeddedDatabase database;
  private ServerProcess server;
  private TaskerClient tasker;
  private Thread watcher;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    application = folder;
    assumeTrue(ServerKind.from(System.getProperties()) == ServerKind.LIBERTY,
        "the inner loop is for Open Liberty");
    saveHandler("\"Hello, \" + name");
    save("src/main/java/shop/Wait.java", """
        package shop;

        import ee.tasker.handler.*;
        import jakarta.enterprise.context.ApplicationScoped;

        @ApplicationScoped
        @Handles("shop.Wait")
        public class Wait implements StepHandler {
          @Override
          public StepOutcome handle(StepContext step) {
            try {
              Thread.sleep(step.attempt() == 1 ? 600_000 : 0);
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
            return StepOutcome.success();
          }
        }
        """);
    save("src/main/resources/shop/greeting.yaml", template("greeting", "1.0.0", "shop.Greet"));
    save("src/main/resources/shop/waiting.yaml", template("waiting", "1.0.0", "shop.Wait"));

    database = TestServer.newDatabase();
    int port = TestServer.freePort();
    Path checkout = Path.of(System.getProperty("tasker.checkout"));
    Properties build = new Properties();
    build.setProperty("tasker.dev", "true");
    build.setProperty("tasker.dev.project", application.toString());
    DevProject project = DevProject.from(checkout, build).orElseThrow();
    Map<String, String> environment = new HashMap<>(Map.of(
        "HTTP_HOST", "127.0.0.1", "HTTP_PORT", Integer.toString(port),
        "DB_HOST", database.address().host(), "DB_PORT",
        Integer.toString(database.address().port()),
        "DB_NAME", "tasker", "DB_USER", "tasker", "DB_PASSWORD", "tasker",
        "TASKER_WORKER_DRAIN_SECONDS", "1", "TASKER_TEMPLATES_FOLDER",
        project.templates().toString()));
    environment.putAll(Login.FOR_TESTS.environment());
    server = ServerKind.LIBERTY.process(Path.of(System.getProperty("tasker.server.home")),
        Path.of(System.getProperty("tasker.it.folder"), "servers"), port, environment).quietly();
    server.claimPort();
    DevLoop loop = new DevLoop(project, server, new DevTemplates(server.address(), Login.FOR_TESTS),
        server.folder, line -> {
          System.out.println("  | " + line.strip());
          terminal.add(line);
        });
    server.start(ServerKind.LIBERTY.config(checkout),
        loop.prepare(checkout.resolve("samples/target/tasker-ee-samples")));
    server.awaitReady(Duration.ofMinutes(15), database.address());
    tasker = new TaskerClient(URI.create("http://127.0.0.1:" + port), database.address());
    watcher = new Thread(() -> {
      try {
        loop.watch();
      } catch (InterruptedException e) {
        // the end of the test
      }
    });
    watcher.start();
    TaskerClient.until("the loop watches", LONG,
        () -> terminal.stream().anyMatch(line -> line.startsWith("Watching")));
    assertThat(greeting()).isEqualTo("Hello, Ann");
  }

  @AfterAll
  void stop() throws InterruptedException {
    if (watcher != null) {
      watcher.interrupt();
      watcher.join();
    }
    if (server != null) {
      server.close();
    }
    if (database != null) {
      database.close();
    }
  }

  private void save(String file, String text) throws IOException {
    Path path = application.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private void saveHandler(String expression) throws IOException {
    saveHandler(expression, "");
  }

  private void saveHandler(String expression, String member) throws IOException {
    save("src/main/java/shop/Greet.java", """
        package shop;

        import ee.tasker.handler.*;
        import jakarta.enterprise.context.ApplicationScoped;
        import jakarta.json.Json;

        @ApplicationScoped
        @Handles("shop.Greet")
        public class Greet implements StepHandler {
          %s
          @Override
          public StepOutcome handle(StepContext step) {
            String name = step.input().getString("name");
            return StepOutcome.success(Json.createObjectBuilder().add("text", %s).build());
          }
        }
        """.formatted(member, expression));
  }

  private static String template(String name, String version, String handler) {
    return """
        name: %s
        namespace_name: shop
        version: "%s"
        identity_strategy: always_unique
        steps:
          - name: only
            handler: {callable: %s}
        """.formatted(name, version, handler);
  }

  /** Null while the server cannot be asked. */
  private String greeting() {
    try {
      UUID task = tasker.submit("shop", "greeting", "{\"name\": \"Ann\"}");
      // Asked of the database: a request that waits would wait for a server that has been replaced.
      TaskerClient.until("the greeting is said", Duration.ofSeconds(10),
          () -> tasker.count(
              "select count(*) from tasker.tasks where task_uuid = ? and state = 'complete'",
              task) == 1);
      return tasker.steps(task).get("only").getJsonObject("result").getString("text");
    } catch (RuntimeException | AssertionError e) {
      return null;
    }
  }

  private double secondsUntil(String greeting) {
    long begin = System.nanoTime();
    TaskerClient.until("the greeting is " + greeting + "; said so far: " + terminal, LONG,
        () -> greeting.equals(greeting()));
    return (System.nanoTime() - begin) / 1e9;
  }

  private void report(String what, double seconds) {
    System.out.printf(Locale.ROOT, "inner loop: %s after %.1f s%n", what, seconds);
  }

  private void awaitLine(String text) {
    TaskerClient.until("a line with " + text + "; said so far: " + terminal, LONG,
        () -> terminal.stream().anyMatch(line -> line.contains(text)));
  }

  @Order(1)
  @Test
  void body_of_a_method_is_replaced_while_its_step_runs() throws Exception {
    UUID waiting = tasker.submit("shop", "waiting", "{}");
    TaskerClient.until("a step runs", LONG,
        () -> tasker
            .count("select count(*) from tasker.workflow_steps where state = 'in_progress'") == 1);

    saveHandler("\"Good morning, \" + name");
    double seconds = secondsUntil("Good morning, Ann");

    report("a changed method", seconds);
    assertThat(seconds).isLessThan(5);
    assertThat(terminal).anyMatch(line -> line.contains("methods were replaced"));
    assertThat(
        tasker.count(
            "select count(*) from tasker.workflow_steps where task_uuid = ? and state = 'in_progress' and attempts = 1",
            waiting))
        .as("the step goes on").isEqualTo(1);
  }

  @Order(2)
  @Test
  void error_of_the_compiler_is_readable_and_the_version_before_keeps_running() throws Exception {
    saveHandler("\"Good evening, \" + nam");

    awaitLine("cannot find symbol");

    assertThat(terminal).anySatisfy(line -> assertThat(line)
        .startsWith(Path.of("src/main/java/shop/Greet.java") + ":14:")
        .contains(": error: cannot find symbol")
        .contains("\n    ").endsWith("^"));
    awaitLine("the version before keeps running");
    assertThat(greeting()).isEqualTo("Good morning, Ann");
  }

  /**
   * The step that waits since the first test is interrupted, offered again, and done by the new
   * version.
   */
  @Order(3)
  @Test
  void new_class_comes_with_the_application_and_no_running_step_is_lost() throws Exception {
    save("src/main/java/shop/Words.java", """
        package shop;

        class Words {
          static final String EVENING = "Good evening, ";
        }
        """);
    saveHandler("Words.EVENING + name");
    double seconds = secondsUntil("Good evening, Ann");

    report("a new class", seconds);
    assertThat(seconds).isLessThan(30);
    awaitLine("the application was replaced");
    TaskerClient.until("the step that was interrupted is complete", LONG,
        () -> tasker.count("select count(*) from tasker.tasks where state <> 'complete'") == 0);
    assertThat(tasker
        .sql("select * from tasker.check_history(p_quiet_for => '1 second') where violations > 0"))
        .isEmpty();
    assertThat(History.broken(tasker)).isEmpty();
  }

  @Order(4)
  @Test
  void template_is_registered_when_it_is_saved_and_its_problems_have_their_place()
      throws Exception {
    save("src/main/resources/shop/greeting.yaml",
        template("greeting", "1.0.0", "shop.Greet") + "    timeout_seconds: 0\n");
    awaitLine("timeout_seconds");
    assertThat(terminal)
        .anyMatch(line -> line.matches(
            "src.main.resources.shop.greeting\\.yaml:8:\\d+: error: steps\\[0]\\.timeout_seconds: .*"));

    save("src/main/resources/shop/greeting.yaml",
        template("greeting", "1.0.0", "shop.Greet") + "    timeout_seconds: 5\n");
    awaitLine("a change needs a new version");

    save("src/main/resources/shop/greeting.yaml",
        template("greeting", "1.1.0", "shop.Greet") + "    timeout_seconds: 5\n");
    awaitLine("registered as shop/greeting:1.1.0");
    assertThat(tasker.get("/v1/templates/shop/greeting/1.1.0").status()).isEqualTo(200);
  }

  @Order(5)
  @Test
  void application_that_cannot_start_is_told_and_the_version_before_is_put_back() throws Exception {
    save("src/main/java/shop/Greet2.java",
        Files.readString(application.resolve("src/main/java/shop/Greet.java"))
            .replace("class Greet", "class Greet2"));

    awaitLine("cannot be started");
    awaitLine("The version before runs again");

    assertThat(String.join("\n", terminal)).contains("shop.Greet");
    assertThat(greeting()).isEqualTo("Good evening, Ann");
  }
}
