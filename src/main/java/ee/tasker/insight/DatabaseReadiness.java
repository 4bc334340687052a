package ee.tasker.insight;

import ee.tasker.engine.reply.InstallationStatus;
import ee.tasker.platform.sql.DatabaseUsability;
import ee.tasker.platform.sql.PoolerCheck;
import ee.tasker.platform.sql.SchemaMigration;
import ee.tasker.platform.thread.EngineThreads;
import ee.tasker.platform.thread.StartSequence;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/**
 * Up when the database answers in time, can be written to, and has at least the schema version that
 * this application ships.
 * A newer schema is fine: during a rolling upgrade two versions of the application share a
 * database. Down also while its
 * disk is full or it refuses this server's login, as calls have {@linkplain DatabaseUsability
 * noticed}: reads may still
 * work then.
 */
@Readiness
@ApplicationScoped
public class DatabaseReadiness implements HealthCheck {
  private static final int BOUND_SECONDS = 3;

  @Inject
  private EngineThreads threads;

  @Inject
  private Insight insight;

  @Inject
  private SchemaMigration schema;

  @Inject
  private StartSequence start;

  @Inject
  private DatabaseUsability usability;

  @Inject
  private PoolerCheck pooler;

  /**
   * One query at a time: with a hanging database, each probe would otherwise block another thread.
   */
  private Future<InstallationStatus> asked;

  @Override
  public synchronized HealthCheckResponse call() {
    HealthCheckResponseBuilder answer = HealthCheckResponse.named("database");
    if (start.isUnderWay()) {
      start.cause().ifPresent(cause -> answer.withData("cause", cause));
      return answer.down().withData("problem",
          start.isWaiting()
              ? pooler.problem().orElse("waiting for the database since the start")
              : "starting")
          .build();
    }
    answer.withData("schema_expected", schema.broughtVersion());
    long asking = System.nanoTime();
    try {
      if (asked == null) {
        FutureTask<InstallationStatus> question = new FutureTask<>(this::ask);
        threads.execute(question);
        asked = question;
      }
      InstallationStatus status = asked.get(BOUND_SECONDS, TimeUnit.SECONDS);
      asked = null;
      if (status.isReadOnly()) {
        answer.withData("problem",
            "the database is read-only: a standby, a primary that was demoted, or a login whose "
                + "default_transaction_read_only is on");
      }
      Optional<String> unusable = usability.problem();
      unusable.ifPresent(problem -> answer.withData("problem", problem));
      return answer
          .status(schema.isSatisfiedBy(status.schemaVersion()) && !status.isReadOnly()
              && unusable.isEmpty())
          .withData("schema", status.schemaVersion())
          .withData("read_only", status.isReadOnly())
          .withData("servers", status.servers())
          .withData("unserved_steps", status.unservedSteps())
          .withData("failing_schedules", status.failingSchedules())
          .withData("schedules_overdue_seconds", status.schedulesOverdueSeconds())
          .withData("answered_in_ms", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - asking))
          .build();
    } catch (TimeoutException e) {
      return answer.down().withData("problem", "no answer within " + BOUND_SECONDS + " seconds")
          .build();
    } catch (ExecutionException | RejectedExecutionException e) {
      asked = null;
      return answer.down()
          .withData("problem", usability.problem().orElse("the database cannot be queried"))
          .build();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return answer.down().withData("problem", "interrupted").build();
    }
  }

  private InstallationStatus ask() {
    if (usability.isWriteDue()) {
      insight.checkStorage();
      usability.written();
    }
    return insight.installationStatus();
  }
}
