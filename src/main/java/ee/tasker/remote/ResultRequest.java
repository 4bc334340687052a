package ee.tasker.remote;

import ee.tasker.platform.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.UUID;

/**
 * A request of a worker that submits results.
 *
 * @param owner   the caller, who must have registered the worker
 * @param results as {@code tasker.submit_worker_results} reads them
 * @param claims  the next steps that the worker asks for; JSON null for none
 */
public record ResultRequest(UUID worker, String owner, JsonArray results, JsonValue claims) {

  JsonObject toJson() {
    return Json.build().createObjectBuilder().add("worker_uuid", worker.toString())
        .add("owner", owner).add("results", results)
        .add("claims", claims).build();
  }
}
