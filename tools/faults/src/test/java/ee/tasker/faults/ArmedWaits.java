package ee.tasker.faults;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.TaskerClient;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Everything that a task can wait for, armed at once and due within some seconds: timers, signals
 * that are queued and time-outs of others, approvals with an escalation
 * and a claim that lapses, delayed starts, time limits of tasks and of the queue, and a schedule.
 * What happens to the database or the servers meanwhile must neither
 * lose nor repeat one of them.
 */
final class ArmedWaits {
  private static final int TASKS = 20;
  private static final int SCHEDULED_SECONDS = 20;

  private ArmedWaits() {
  }

  /**
   * To be called when the templates of {@code /testing/failover.yaml} are registered. One
   * transaction each, except for what is rolled back.
   */
  static void arm(TaskerClient tasker) throws SQLException {
    tasker.sql("""
        insert into tasker.schedules (namespace_name, name, template_name, every_seconds, anchor_at, ends_at, overlap, catch_up, next_fire_at, next_due_at, created_by, updated_by)
        select 'failover', 'every second', 'delayed', 1, n.at, n.at + ? * interval '1 second', 'allow', 'all', n.at, n.at, 'faults', 'faults'
        from (select date_trunc('second', clock_timestamp()) as at) n""", SCHEDULED_SECONDS);
    // Timers and approvals become due before, during and after the outage: one per second.
    tasker.sql("""
        select tasker.submit_task('failover', 'waits', '1.0.0', jsonb_build_object('due_at', clock_timestamp() + i * interval '1 second'),
          '{"source_system": "waits"}') from generate_series(1, ?) i""", TASKS);
    tasker.sql(
        """
        select tasker.submit_task('failover', k.name, '1.0.0', '{}', jsonb_build_object('source_system', k.name, 'delay_seconds', k.delay))
        from (values ('limited', 0), ('unserved', 0), ('delayed', 6)) k(name, delay), generate_series(1, ?) i""",
        TASKS);
    tasker.sql(
        """
        select tasker.claim_approval(a.approval_uuid, 'ann') from tasker.approvals a join tasker.workflow_steps s on s.workflow_step_uuid = a.workflow_step_uuid
        join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid where n.name = 'claimed'""");
    // In the transactions of an application: one is rolled back, one commits.
    try (Connection application = tasker.connect()) {
      application.setAutoCommit(false);
      queueSignals(application, "rolled back");
      application.rollback();
      queueSignals(application, "committed");
      application.commit();
    }
  }

  private static void queueSignals(Connection application, String id) throws SQLException {
    assertThat(TaskerClient.sql(application, """
        select tasker.queue_signal(t.task_uuid, 'paid', '{}', jsonb_build_object('signal_id', cast(? as text), 'notify', false))
        from tasker.tasks t where t.source_system = 'waits'""", id)).hasSize(TASKS);
  }

  /** Each was satisfied once, by what it waited for, and no earlier than it was due. */
  static void assertEachEndedOnce(TaskerClient tasker) {
    TaskerClient.until("everything that was armed has ended", Duration.ofMinutes(2),
        () -> tasker.count(
            """
        select count(*) from tasker.tasks t where t.completed_at is null
          and (t.source_system in ('waits', 'limited', 'unserved', 'delayed') or t.initiator = 'schedule:every second')""") == 0
            && tasker
                .count("select count(*) from tasker.schedules where wake_at is not null") == 0);
    assertThat(tasker.sql("""
        select n.name, w.kind::text as kind, w.state::text as state, count(*) as waits, count(distinct w.workflow_step_uuid) as steps, count(*) filter (where w.ended_at < w.due_at) as early
        from tasker.tasks t join tasker.step_waits w using (task_uuid) join tasker.workflow_steps s using (workflow_step_uuid) join tasker.named_steps n using (named_step_uuid)
        where t.source_system = 'waits' group by 1, 2, 3 order by 1""").stream()
        .map(Object::toString).toList())
        .containsExactly(
            ended("claimed", "approval", "defaulted", 0),
            ended("paid", "signal", "satisfied", TASKS),
            ended("review", "approval", "defaulted", 0), ended("silent", "signal", "defaulted", 0),
            ended("timer", "timer", "satisfied", 0));
    assertThat(tasker
        .sql(
            """
        select g.signal_id, count(*) as signals, count(g.wait_uuid) as taken from tasker.task_signals g group by 1""")
        .toString())
        .isEqualTo("[{signal_id=committed, signals=" + TASKS + ", taken=" + TASKS + "}]");
    assertThat(tasker.count("select count(*) from tasker.queued_signals"))
        .as("signals that no server has delivered").isZero();
    assertThat(tasker.sql("""
        select n.name, e.events, count(*) as approvals from tasker.approvals a join tasker.workflow_steps s using (workflow_step_uuid) join tasker.named_steps n using (named_step_uuid)
        cross join lateral (select string_agg(v.event::text, ' ' order by v.number) as events from tasker.approval_events v where v.approval_uuid = a.approval_uuid) e
        group by 1, 2 order by 1""").toString())
        .isEqualTo("[{name=claimed, events=made claimed lapsed expired, approvals=" + TASKS
            + "}, {name=review, events=made escalated expired, approvals=" + TASKS + "}]");
    assertThat(tasker.sql("""
        select t.source_system as template, t.state::text as state, count(*) as tasks from tasker.tasks t
        where case t.source_system when 'limited' then t.timed_out_at is not null and t.completed_at >= t.created_at + interval '8 seconds'
          when 'unserved' then t.completed_at >= t.created_at + interval '8 seconds' when 'delayed' then t.completed_at >= t.created_at + interval '6 seconds' end
        group by 1, 2 order by 1""").toString())
        .isEqualTo("[{template=delayed, state=complete, tasks=" + TASKS
            + "}, {template=limited, state=error, tasks=" + TASKS
            + "}, {template=unserved, state=error, tasks=" + TASKS + "}]");
    assertThat(tasker
        .sql(
            """
        select f.outcome, count(distinct f.fire_at) as fire_times, count(distinct f.task_uuid) as tasks from tasker.schedule_fires f group by 1""")
        .toString())
        .isEqualTo("[{outcome=started, fire_times=" + SCHEDULED_SECONDS + ", tasks="
            + SCHEDULED_SECONDS + "}]");
    assertThat(
        tasker.count("select count(*) from tasker.tasks where initiator = 'schedule:every second'"))
        .as("one task for each fire time")
        .isEqualTo(SCHEDULED_SECONDS);
  }

  private static String ended(String step, String kind, String state, int early) {
    return "{name=" + step + ", kind=" + kind + ", state=" + state + ", waits=" + TASKS + ", steps="
        + TASKS + ", early=" + early + "}";
  }
}
