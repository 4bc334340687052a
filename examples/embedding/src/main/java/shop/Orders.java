package shop;

import ee.tasker.task.SubmittedTask;
import ee.tasker.task.TaskRequest;
import ee.tasker.task.TaskSubmissions;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.transaction.Transactional;

/**
 * The business transaction: the order, the stock it takes and the task that will fulfil it are committed together, or not
 * at all.
 */
@ApplicationScoped
public class Orders {

  @Inject
  private ShopDatabase database;

  @Inject
  private TaskSubmissions tasks;

  @Transactional
  public PlacedOrder place(String customer, String article, int quantity) {
    long order = database.number("insert into shop.orders (customer, article, quantity) values (?, ?, ?) returning order_id", customer, article, quantity);
    SubmittedTask task = tasks.submit(TaskRequest.of("shop", "fulfil_order", "1.0.0")
        .initiator(customer)
        .context(Json.createObjectBuilder().add("order_id", order).add("article", article).add("quantity", quantity).build()));
    // After the submission, to show that the rollback covers it when the stock turns out to be empty.
    if (database.update("update shop.stock set quantity = quantity - ? where article = ? and quantity >= ?", quantity, article, quantity) == 0) {
      throw new OutOfStockException(article);
    }
    return new PlacedOrder(order, task.taskUuid());
  }
}
