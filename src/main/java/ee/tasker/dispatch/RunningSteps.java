package ee.tasker.dispatch;

import ee.tasker.step.model.StepKey;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The steps that this server has claimed and not submitted. Each holds a permit, which is released
 * after the step is {@link
 * #remove removed} here, so that a server with all permits available holds no step. Thread-safe.
 */
@ApplicationScoped
public class RunningSteps {
  private final Map<StepKey, RunningStep> steps = new ConcurrentHashMap<>();
  /** Of replies that are being read, which may take calls of the database. */
  private final Set<StepKey> arriving = ConcurrentHashMap.newKeySet();

  void arriving(Collection<StepKey> keys) {
    arriving.addAll(keys);
  }

  /** The steps have been added, or are given up. */
  void arrived(Collection<StepKey> keys) {
    keys.forEach(arriving::remove);
  }

  void add(RunningStep step) {
    steps.put(step.claimedStep().key(), step);
  }

  /** This server no longer holds that attempt. */
  public void remove(StepKey key) {
    steps.remove(key);
  }

  public Collection<RunningStep> all() {
    return steps.values();
  }

  /** The attempts that the database may count as this server's. */
  List<StepKey> keys() {
    // In this order: a step is added before it has arrived.
    Set<StepKey> keys = new HashSet<>(arriving);
    keys.addAll(steps.keySet());
    return List.copyOf(keys);
  }

  /** The namespace of an attempt; empty when this server does not hold it any more. */
  public Optional<String> namespace(StepKey key) {
    return Optional.ofNullable(steps.get(key))
        .map(step -> step.claimedStep().definition().namespace());
  }

  /** An attempt of the step that this server runs; null when there is none. */
  public RunningStep find(UUID stepUuid) {
    return steps.values().stream()
        .filter(step -> step.claimedStep().key().stepUuid().equals(stepUuid)).findFirst()
        .orElse(null);
  }

  public int count() {
    return steps.size();
  }
}
