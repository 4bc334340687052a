package ee.tasker.worker;

import ee.tasker.message.Notifier;
import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import ee.tasker.platform.Settings;
import ee.tasker.step.Steps;
import ee.tasker.step.model.StepKey;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * Says now and then that this server lives, renews the leases of what it has been at for a while, and learns which of its
 * steps it has lost or is asked to stop. A step that ends within a third of its lease never costs a renewal.
 */
@ApplicationScoped
public class Heartbeat {
  private static final Log LOG = Log.of(Heartbeat.class);

  @Inject
  private Settings settings;

  @Inject
  private Steps steps;

  @Inject
  private Hands hands;

  @Inject
  private Notifier notifier;

  private volatile Instant lastBeat;
  private volatile Instant lastSign = Instant.now();

  public void beat() {
    long old = settings.worker().lease().toNanos() / 3;
    List<StepKey> held = hands.busy().stream()
        .filter(step -> step.ageNanos() > old)
        .map(step -> step.assignment().key())
        .toList();
    try {
      JsonObject reply = steps.heartbeat(hands.busyCount(), held);
      reply.getJsonArray("lost").getValuesAs(JsonString.class).forEach(uuid -> lost(UUID.fromString(uuid.getString())));
      reply.getJsonArray("cancel_requested").getValuesAs(JsonString.class).forEach(uuid -> askToStop(UUID.fromString(uuid.getString())));
      notifier.setOthers(reply.getInt("servers") > 1);
      lastBeat = Instant.now();
    } catch (RuntimeException fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "heartbeat");
    } finally {
      lastSign = Instant.now();
    }
  }

  private void lost(UUID stepUuid) {
    RunningStep step = hands.find(stepUuid);
    // Handed back between the list and the answer is no loss.
    if (step != null && !step.isOver()) {
      step.markLost();
      LOG.write(LogEvent.LEASE_LOST, "task", step.assignment().key().taskUuid(), "step", stepUuid,
          "attempt", step.assignment().key().attempt(), "correlation", step.assignment().correlationId());
    }
  }

  private void askToStop(UUID stepUuid) {
    RunningStep step = hands.find(stepUuid);
    if (step != null) {
      step.requestCancel();
    }
  }

  /** When a beat last came to its end, heard or not; before the first, when this bean was made. */
  public Instant lastSign() {
    return lastSign;
  }

  /** When the database last heard of us; null before the first time. */
  public Instant lastBeat() {
    return lastBeat;
  }
}
