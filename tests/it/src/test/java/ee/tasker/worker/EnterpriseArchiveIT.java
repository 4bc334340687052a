package ee.tasker.worker;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.ShopServer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * The application of {@code examples/worker} as the web module of an EAR, on the server that has
 * the product's WAR, too.
 */
@Tag("long")
@EnabledIf(value = "ee.tasker.testing.server.ServerFacts#deploysEar",
    disabledReason = "the server takes no EAR")
class EnterpriseArchiveIT {
  private static final String ORDERS = "/shop/shop/orders";

  @Test
  void jar_in_a_web_module_runs_steps_with_the_data_source_and_entities_of_its_application() {
    try (EmbeddedDatabase database = TestServer.newDatabase();
        TestServer server = TestServer.start(database,
            Map.of("TASKER_ROLES", "api,orchestrator"))) {
      TaskerClient client = server.client();
      ShopServer.awaiting(database, () -> {
        server.deployBeside("shop", ShopServer.ear(database));
        return null;
      });
      TaskerClient.until("the application answers", Duration.ofSeconds(60),
          () -> client.get(ORDERS).status() == 405);

      Answer placed = client.post(ORDERS,
          TaskerClient.quoted("{'article': 'teapot', 'quantity': 2}"));

      assertThat(placed.status()).as(placed.toString()).isEqualTo(201);
      UUID task = UUID.fromString(placed.object().getString("task_uuid"));
      assertThat(client.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
      assertThat(client.sql("select count(*) as rows, count(distinct t) as transactions from ("
          + "select xmin::text as t from shop.shipments where order_id = ? union all "
          + "select xmin::text from tasker.workflow_step_result_audit "
          + "where workflow_step_uuid = cast(? as uuid)) x",
          placed.object().getInt("order_id"),
          client.steps(task).get("ship").getString("step_uuid")))
          .as("one transaction wrote both")
          .containsExactly(Map.of("rows", 2L, "transactions", 1L));
      assertThat(client.sql("select handlers @> '{shop.Ship,shop.Weigh}' as has_handlers "
          + "from tasker.servers join tasker.workers using (server_uuid) "
          + "where roles = '{worker}'")).containsExactly(Map.of("has_handlers", true));
    }
  }
}
