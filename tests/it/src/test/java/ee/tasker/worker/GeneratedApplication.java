package ee.tasker.worker;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Deploys the application that {@code tasker init --jpa} has made and its user's Maven has built.
 * Run by {@code .ci/generated}, with {@code -Dgenerated.application} as its folder.
 */
class GeneratedApplication {
  private static final Path APPLICATION = Path
      .of(System.getProperty("generated.application", "target/generated/shop"));

  @Test
  void entity_and_result_are_committed_together_or_not_at_all() throws Exception {
    try (EmbeddedDatabase database = TestServer.newDatabase()) {
      TestServer.clientOf(database)
          .sql(Files.readString(APPLICATION.resolve("src/main/sql/payments.sql")));
      try (TestServer server = TestServer
          .starting(database, TestServer.freePort(), Map.of("TASKER_TEMPLATES_FOLDER", ""),
              APPLICATION.resolve("target/shop.war"))
          .awaitReady()) {
        TaskerClient tasker = server.client();

        UUID booked = tasker.submit("shop", "booking", "{'order': 'A1', 'amount': 12.5}");
        UUID refused = tasker.submit("shop", "booking", "{'order': 'A2', 'amount': 1000.5}");
        UUID greeted = tasker.submit("shop", "greeting", "{'name': 'Ann'}");

        List<String> states = List.of(booked, refused, greeted).stream()
            .map(task -> tasker.awaitTerminalOrBlocked(task).getString("state")).toList();
        assertThat(states).containsExactly("complete", "blocked_by_failures", "complete");
        assertThat(tasker.steps(refused).get("book").getJsonObject("error").getString("type"))
            .isEqualTo("TooMuch");
        assertThat(tasker
            .sql("select order_id, cast(amount as text) as amount from shop_data.payments"))
            .containsExactly(Map.of("order_id", "A1", "amount", "12.5"));
        assertThat(tasker.sql("select count(*) as rows, count(distinct t) as transactions from ("
            + "select xmin::text as t from shop_data.payments union all "
            + "select xmin::text from tasker.workflow_step_result_audit "
            + "where workflow_step_uuid = cast(? as uuid)) x",
            tasker.steps(booked).get("book").getString("step_uuid")))
            .as("one transaction wrote both")
            .containsExactly(Map.of("rows", 2L, "transactions", 1L));
        assertThat(tasker.sql("select invariant, violations, examples "
            + "from tasker.check_history() where violations > 0")).isEmpty();
      }
    }
  }
}
