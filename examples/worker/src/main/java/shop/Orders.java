package shop;

import ee.tasker.task.SubmittedTask;
import ee.tasker.task.TaskRequest;
import ee.tasker.task.TaskSubmissions;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import jakarta.transaction.Transactional;
import java.util.Optional;

/** The business transaction of the shop: with it, the task that will fulfil the order is committed, or not at all. */
@ApplicationScoped
public class Orders {
  private static final int IN_STOCK = 100;

  @PersistenceContext
  private EntityManager database;

  @Inject
  private TaskSubmissions tasks;

  /** @param reference the caller's, so that he may repeat the request; or null */
  @Transactional
  public JsonObject place(String article, int quantity, boolean isCharged, String reference) {
    long order = placed(reference).orElseGet(() -> add(new CustomerOrder(article, quantity, reference)));
    JsonObjectBuilder context = Json.createObjectBuilder().add("order_id", order);
    TaskRequest request = TaskRequest.of("shop", isCharged ? "sell" : "fulfil_order", "1.0.0");
    SubmittedTask task = tasks.submit(reference == null ? request.context(context.build())
        : request.context(context.add("reference", reference).build()).idempotencyKey(reference));
    // After the submission, to show that the rollback covers it.
    if (quantity > IN_STOCK) {
      throw new OutOfStockException(article);
    }
    return Json.createObjectBuilder().add("order_id", order).add("task_uuid", task.taskUuid().toString()).build();
  }

  private Optional<Long> placed(String reference) {
    return reference == null ? Optional.empty()
        : database.createQuery("select o.id from CustomerOrder o where o.reference = :reference", Long.class)
            .setParameter("reference", reference).getResultStream().findFirst();
  }

  private long add(CustomerOrder order) {
    database.persist(order);
    database.flush();
    return order.id();
  }
}
