package ee.tasker.dispatch;

import ee.tasker.engine.reply.ClaimReply;
import ee.tasker.engine.reply.EngineReply;
import ee.tasker.message.WorkNotifier;
import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.config.Role;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.sql.Meters;
import ee.tasker.platform.thread.StartSequence;
import ee.tasker.platform.thread.WebContext;
import ee.tasker.step.ClaimedStep;
import ee.tasker.step.Steps;
import ee.tasker.step.model.StepKey;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import java.util.List;

/** The steps of the database's engine. */
@ApplicationScoped
class EngineSteps implements StepSource {
  @Inject
  private Steps steps;

  @Inject
  private WorkNotifier workNotifier;

  @Inject
  private OrphanedClaims orphanedClaims;

  @Inject
  private Settings settings;

  @Inject
  private LiveSettings live;

  @Inject
  private WebContext web;

  @Inject
  private StartSequence start;

  @Inject
  private Meters meters;

  /** Before the web application has started no handler can run. */
  @Override
  public boolean isOpen() {
    return web.isStarted() && !start.isWaiting();
  }

  /**
   * Outside the queues a call could return steps of any namespace, so a server limited to some
   * namespaces claims none there.
   */
  @Override
  public boolean isOpenBesideQueues() {
    return live.has(Role.WORKER) && settings.worker().namespaces().isEmpty() && isOpen();
  }

  @Override
  public int batchSize() {
    return settings.worker().batchSize();
  }

  @Override
  public ClaimReply claim(int limit) {
    long began = System.nanoTime();
    ClaimReply reply = steps.claim(limit);
    meters.claimCalled(began);
    return reply;
  }

  @Override
  public List<ClaimedStep> read(JsonArray claimedSteps) {
    if (!steps.knows(claimedSteps)) {
      steps.learn(claimedSteps);
    }
    List<ClaimedStep> read = steps.read(claimedSteps);
    meters.stepsClaimed(read.size());
    return read;
  }

  @Override
  public void release(List<StepKey> claimed) {
    steps.release(claimed);
  }

  @Override
  public void committed(EngineReply reply) {
    workNotifier.committed(reply);
  }

  @Override
  public void claimOutcomeUnknown() {
    orphanedClaims.expect();
  }
}
