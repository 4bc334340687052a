package ee.tasker.orchestration;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * Three servers with all roles on one database; {@code ./mvnw verify -Pfaults} runs it beside the
 * kill matrix.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ThreeServers {
  private EmbeddedDatabase database;
  private final List<TestServer> servers = new ArrayList<>();
  private Instances instances;

  @BeforeAll
  void start() {
    database = TestServer.newDatabase();
    // One after the other: three concurrent starts can take longer than the limit.
    for (int i = 0; i < 3; i++) {
      servers.add(TestServer.start(database, TwoServersIT.SETTINGS));
    }
    TaskerClient tasker = servers.get(0).client();
    tasker.register("/testing/templates.yaml");
    TaskerClient.until("all are registered", Duration.ofSeconds(20),
        () -> tasker.count(
            "select count(*) from tasker.servers where lease_expires_at > clock_timestamp()") == 3);
    instances = new Instances(servers);
  }

  @AfterAll
  void stop() {
    servers.forEach(TestServer::close);
    if (database != null) {
      database.close();
    }
  }

  @Test
  @Order(1)
  void same_request_at_all_of_them_makes_one_task() {
    instances.createTheSameTask(20, 4);
  }

  @Test
  @Order(2)
  void burst_of_25_tasks_at_all_of_them_is_shared_evenly() {
    instances.shareABurst(Instances.THREE_ROOTS, 25, 1, true);
  }

  @Test
  @Order(3)
  void burst_of_2500_tasks_at_all_of_them_is_shared() {
    instances.shareABurst(Instances.WITH_RETRIES, 2_500, 25, true);
  }

  @Test
  @Order(4)
  void burst_of_2500_tasks_at_one_of_them_is_shared() {
    instances.shareABurst(Instances.WITH_RETRIES, 2_500, 500, false);
  }

  @Test
  @Order(5)
  void all_say_the_same() {
    instances.sayTheSame();
  }

  @Test
  @Order(6)
  void second_finalisation_reports_already() throws Exception {
    instances.finaliseTogether();
  }
}
