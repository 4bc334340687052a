package ee.tasker.platform.sql;

import ee.tasker.platform.Json;
import jakarta.enterprise.context.ContextNotActiveException;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.util.Optional;

/**
 * Calls functions that only read and may run on a standby. The replica is asked if there is one,
 * the request allows a stale
 * answer and the replica is fresh enough; otherwise the primary, like {@link SqlFunctions}.
 */
@Dependent
public class ReadFunctions {
  @Inject
  private SqlFunctions sql;

  @Inject
  private StaleReads staleReads;

  @Inject
  private Replica replica;

  public JsonObject object(String call, Object... arguments) {
    Optional<Duration> allowed = replica.isConfigured() ? allowed() : Optional.empty();
    if (allowed.isPresent()) {
      if (replica.needsPosition()) {
        long asked = System.nanoTime();
        replica.primaryWasAt(asked, (String) sql.result(WalPosition.OF_PRIMARY));
      }
      Optional<Replica.Answer> answer = replica.read("select tasker." + SqlFunctions.limited(call),
          allowed.get(), arguments);
      if (answer.isPresent()) {
        staleReads.answeredByReplica(answer.get().staleness());
        return Json.parseObject(answer.get().text());
      }
    }
    return sql.answer(call, arguments).asJsonObject();
  }

  /** Work outside a request, such as that of timers, gets fresh answers. */
  private Optional<Duration> allowed() {
    try {
      return staleReads.allowed();
    } catch (ContextNotActiveException e) {
      return Optional.empty();
    }
  }
}
