package ee.tasker.testing.desk;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.JsonNumber;
import java.sql.Connection;
import java.sql.PreparedStatement;

/** Delivers the order of its task, in the transaction of its result: exactly once. */
@ApplicationScoped
@Handles("desk.Deliver")
public class Deliver implements StepHandler {

  @Override
  public boolean isTransactional() {
    return true;
  }

  @Override
  public StepOutcome handle(StepContext step) throws Exception {
    int number = step.input("number").map(value -> ((JsonNumber) value).intValue()).orElseThrow();
    try (Connection connection = OrderDesk.dataSource().getConnection();
        PreparedStatement update = connection.prepareStatement(
            "update testing.orders set delivered = delivered + 1 where number = ?")) {
      update.setInt(1, number);
      return update.executeUpdate() == 1 ? StepOutcome.success()
          : StepOutcome.permanent("NoSuchOrder", "order " + number);
    }
  }
}
