package ee.tasker.operation;

import ee.tasker.platform.Problem;
import ee.tasker.platform.Refusals;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.transaction.Transactional;
import java.util.UUID;

/** The component's facade for filters of lists that callers save. Thread-safe. */
@ApplicationScoped
@Transactional
public class SavedViews {
  @Inject
  private OperationGateway gateway;

  /** @param namespaces those that the caller may list; null for all */
  public JsonArray list(String owner, JsonArray namespaces) {
    return gateway.listViews(owner, namespaces);
  }

  /**
   * Replaces the owner's view of that page, namespace and name.
   *
   * @param namespace null for the owner only
   * @throws Problem 404 template-not-found when there is no such namespace, 409 too-many-views
   */
  public JsonObject save(String page, String name, String query, String namespace, String owner,
      String by) {
    return Refusals.check(gateway.saveView(page, name, query, namespace, owner, by),
        Operations::templateNotFound).getJsonObject("view");
  }

  /**
   * @param namespaces those whose shared views the caller may delete; null for all
   * @throws Problem 404 view-not-found, also for a view that the caller may not delete
   */
  public JsonObject delete(UUID view, String owner, JsonArray namespaces) {
    return Refusals.check(gateway.deleteView(view, owner, namespaces),
        () -> Problem.of(404, "view-not-found",
            "there is no view " + view + " that you may delete"));
  }
}
