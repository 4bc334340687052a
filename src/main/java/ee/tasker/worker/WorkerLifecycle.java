package ee.tasker.worker;

import ee.tasker.dispatch.Permits;
import ee.tasker.dispatch.QueueClaims;
import ee.tasker.dispatch.RunningStep;
import ee.tasker.dispatch.RunningSteps;
import ee.tasker.dispatch.UnstartedSteps;
import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.config.Role;
import ee.tasker.platform.config.ServerIdentity;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.thread.EngineThreads;
import ee.tasker.platform.thread.StartSequence;
import ee.tasker.platform.thread.WebContext;
import ee.tasker.step.Steps;
import ee.tasker.step.model.StepKey;
import ee.tasker.tracing.Tracing;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.ejb.ConcurrencyManagement;
import jakarta.ejb.ConcurrencyManagementType;
import jakarta.ejb.DependsOn;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Starts this server's heartbeat and worker once the templates are loaded, and stops them in order:
 * the server reports that
 * it drains and stops claiming, releases the steps that have not started, and waits up to the drain
 * time for running
 * handlers. Then it interrupts the handlers that still run and abandons their steps, so that the
 * next attempt need not wait
 * for the lease.
 */
@Singleton(name = "TaskerWorker")
@Startup
// The listener too, because beans stop in the opposite order: the last heartbeat still reads its
// state.
@DependsOn({"TaskerSchema", "TaskerTemplates", "TaskerListener"})
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class WorkerLifecycle {
  private static final Log LOG = Log.of(WorkerLifecycle.class);

  @Inject
  private EngineThreads threads;

  @Inject
  private Settings settings;

  @Inject
  private LiveSettings live;

  @Inject
  private ServerIdentity server;

  @Inject
  private Worker worker;

  @Inject
  private Permits permits;

  @Inject
  private RunningSteps running;

  @Inject
  private QueueClaims queueClaims;

  @Inject
  private OverrunHandlers overruns;

  @Inject
  private Steps steps;

  @Inject
  private UnstartedSteps unstarted;

  @Inject
  private Heartbeat heartbeat;

  @Inject
  private HandlerRegistry handlers;

  @Inject
  private StartSequence start;

  @Inject
  private Tracing tracing;

  @Inject
  private WebContext web;

  private ScheduledFuture<?> beats;
  private boolean stopped;

  @PostConstruct
  void start() {
    // Collected here, so that two handlers with one name fail the deployment and not the first
    // step.
    int known = handlers.names().size();
    if (live.pausedRoles().contains(Role.WORKER)) {
      worker.pause();
    }
    start.then(() -> begin(known));
  }

  private synchronized void begin(int known) {
    if (stopped) {
      return;
    }
    LOG.write(LogEvent.SERVER_STARTED, "server", server.uuid(), "name", server.name(), "roles",
        settings.roles(), "handlers", known,
        "traced", tracing.isOn());
    long period = settings.worker().heartbeat().toMillis();
    beats = threads.timers().scheduleAtFixedRate(heartbeat::beat, 0, period, TimeUnit.MILLISECONDS);
    if (live.has(Role.WORKER) && settings.events()) {
      web.onceStarted(queueClaims::stepsQueued);
    }
  }

  /**
   * Stops claiming and reports it, releases the steps that have not started, and lets running
   * handlers finish.
   */
  public void drain() {
    permits.drain();
    heartbeat.beat();
    unstarted.release(running.all().stream());
  }

  /** Claims again after {@link #drain}. */
  public void stopDraining() {
    permits.stopDraining();
    heartbeat.beat();
    queueClaims.stepsQueued();
  }

  @PreDestroy
  void stop() {
    permits.drain();
    if (neverBegan()) {
      return;
    }
    try {
      drain();
      awaitIdle(settings.worker().drain());
      abandon();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "release_steps");
    }
    beats.cancel(false);
    heartbeat.lastBeat("stopped");
    LOG.write(LogEvent.SERVER_STOPPED, "server", server.uuid(), "still_running", running.count());
  }

  private synchronized boolean neverBegan() {
    stopped = true;
    return beats == null;
  }

  /** Renews the leases meanwhile: the container's timers may have stopped by now. */
  private void awaitIdle(Duration longest) throws InterruptedException {
    Duration left = longest;
    Duration period = settings.worker().heartbeat();
    while (!permits.awaitIdle(left.compareTo(period) < 0 ? left : period)
        && left.compareTo(period) > 0) {
      left = left.minus(period);
      heartbeat.beat();
    }
  }

  private static StepKey abandoned(RunningStep step) {
    step.span().fail("abandoned", "ServerStopped", "the server stopped before the handler ended");
    return step.claimedStep().key();
  }

  private void abandon() {
    List<StepKey> abandoned = running.all().stream()
        .filter(step -> step.interrupt(() -> overruns.began(step)))
        .map(WorkerLifecycle::abandoned).toList();
    if (!abandoned.isEmpty()) {
      LOG.write(LogEvent.STEPS_ABANDONED, "server", server.uuid(), "steps", abandoned.size());
      steps.abandon(abandoned);
    }
  }
}
