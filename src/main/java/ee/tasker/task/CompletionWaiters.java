package ee.tasker.task;

import ee.tasker.platform.Json;
import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import ee.tasker.platform.Meters;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells whoever waits in this server that a task came to rest: it ended, or is blocked until a person acts. Tasks that come
 * to rest on another server are not heard of here; whoever waits looks at the database now and then as well.
 */
@ApplicationScoped
public class CompletionWaiters {
  private static final Log LOG = Log.of(CompletionWaiters.class);
  private static final Set<String> AT_REST = Set.of("complete", "error", "cancelled", "resolved_manually", "blocked_by_failures");

  private static final int REMEMBERED = 1_000;

  @Inject
  private Meters meters;

  private final Map<UUID, Set<CompletableFuture<String>>> awaited = new ConcurrentHashMap<>();
  /** What came to rest here lately. */
  private final Map<UUID, String> recent = Collections.synchronizedMap(new LinkedHashMap<>() {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<UUID, String> eldest) {
      return size() > REMEMBERED;
    }
  });

  /** Whether nothing more happens to a task in that state by itself. */
  public static boolean isAtRest(String state) {
    return AT_REST.contains(state);
  }

  /** Completes with the state when the task comes to rest; ask before reading the task, and {@link #forget} afterwards. */
  public CompletableFuture<String> await(UUID taskUuid) {
    CompletableFuture<String> future = new CompletableFuture<>();
    awaited.compute(taskUuid, (uuid, others) -> {
      Set<CompletableFuture<String>> futures = others == null ? ConcurrentHashMap.newKeySet() : others;
      futures.add(future);
      return futures;
    });
    return future;
  }

  /**
   * The same for a task that was created a moment ago by this server: an ending that came before the question counts as well,
   * so that there is no need to read the task. Not for others: a person may have taken a task up again that came to rest.
   */
  public CompletableFuture<String> awaitNew(UUID taskUuid) {
    CompletableFuture<String> future = await(taskUuid);
    String state = recent.get(taskUuid);
    if (state != null) {
      future.complete(state);
    }
    return future;
  }

  /** The one who asked no longer waits. */
  public void forget(UUID taskUuid, CompletableFuture<String> future) {
    awaited.computeIfPresent(taskUuid, (uuid, futures) -> {
      futures.remove(future);
      return futures.isEmpty() ? null : futures;
    });
  }

  /** @param ended array of {@code {task_uuid, state, correlation_id?}}, as the engine's functions return it */
  public void ended(JsonArray ended) {
    for (JsonObject task : ended.getValuesAs(JsonObject.class)) {
      LOG.write(LogEvent.TASK_ENDED, "task", task.getString("task_uuid"), "correlation", Json.text(task, "correlation_id").orElse(null),
          "state", task.getString("state"));
      meters.taskEnded(task.getString("state"));
      observed(Json.uuid(task, "task_uuid"), task.getString("state"));
    }
  }

  /** The task was seen in this state. */
  public void observed(UUID taskUuid, String state) {
    if (isAtRest(state)) {
      recent.put(taskUuid, state);
      Set<CompletableFuture<String>> futures = awaited.remove(taskUuid);
      if (futures != null) {
        futures.forEach(future -> future.complete(state));
      }
    }
  }
}
