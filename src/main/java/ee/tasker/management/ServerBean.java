package ee.tasker.management;

import ee.tasker.platform.config.Role;
import ee.tasker.worker.HeldStep;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** {@link ServerManagement} with the types that every management console can show. */
class ServerBean implements ServerMXBean {
  private static final String BY = "jmx";

  private final ServerManagement management;

  ServerBean(ServerManagement management) {
    this.management = management;
  }

  private record HeldLease(HeldStep step) implements Lease {
    @Override
    public String getTaskUuid() {
      return step.taskUuid().toString();
    }

    @Override
    public String getStepUuid() {
      return step.stepUuid().toString();
    }

    @Override
    public int getAttempt() {
      return step.attempt();
    }

    @Override
    public long getHeldSeconds() {
      return step.held().toSeconds();
    }
  }

  @Override
  public String getUuid() {
    return management.own().uuid().toString();
  }

  @Override
  public String getName() {
    return management.own().name();
  }

  @Override
  public String getState() {
    return management.own().state();
  }

  @Override
  public List<String> getProblems() {
    return management.own().problems();
  }

  @Override
  public List<String> getRoles() {
    return management.own().roles();
  }

  @Override
  public List<String> getPausedRoles() {
    return management.own().pausedRoles();
  }

  @Override
  public int getWorkerCapacity() {
    return management.own().capacity();
  }

  @Override
  public void setWorkerCapacity(int steps) {
    management.change(new ServerChange(Optional.empty(), Optional.of(steps), Optional.empty(),
        Optional.empty(), BY, null));
  }

  @Override
  public int getPollIntervalSeconds() {
    return (int) management.own().pollInterval().toSeconds();
  }

  @Override
  public void setPollIntervalSeconds(int seconds) {
    management
        .change(new ServerChange(Optional.empty(), Optional.empty(),
            Optional.of(Duration.ofSeconds(seconds)), Optional.empty(), BY, null));
  }

  @Override
  public int getRunningSteps() {
    return management.own().runningSteps();
  }

  @Override
  public int getAvailableCapacity() {
    return management.own().availableCapacity();
  }

  @Override
  public int getStuckThreads() {
    return management.own().stuckThreads();
  }

  @Override
  public Map<String, Integer> getThreads() {
    return management.own().threads();
  }

  @Override
  public List<Lease> getLeases() {
    return management.own().leases().stream().<Lease>map(HeldLease::new).toList();
  }

  @Override
  public Map<String, Long> getQueueDepths() {
    return management.view().queueDepths();
  }

  @Override
  public void pause(String role) {
    Set<Role> paused = pausedRoles();
    paused.add(role(role));
    changeRoles(paused);
  }

  @Override
  public void resume(String role) {
    Set<Role> paused = pausedRoles();
    paused.remove(role(role));
    changeRoles(paused);
  }

  @Override
  public void drain() {
    changeDraining(true);
  }

  @Override
  public void stopDraining() {
    changeDraining(false);
  }

  private void changeRoles(Set<Role> paused) {
    management.change(new ServerChange(Optional.of(paused), Optional.empty(), Optional.empty(),
        Optional.empty(), BY, null));
  }

  private void changeDraining(boolean draining) {
    management.change(new ServerChange(Optional.empty(), Optional.empty(), Optional.empty(),
        Optional.of(draining), BY, null));
  }

  private Set<Role> pausedRoles() {
    Set<Role> paused = new HashSet<>();
    getPausedRoles().forEach(word -> paused.add(role(word)));
    return paused;
  }

  private static Role role(String word) {
    return Arrays.stream(Role.values()).filter(role -> role.toString().equals(word)).findFirst()
        .orElseThrow(() -> new IllegalArgumentException(
            "unknown role " + word + "; allowed: " + Arrays.toString(Role.values())));
  }
}
