package ee.tasker.faults;

import ee.tasker.testing.server.ModelMoves;
import ee.tasker.testing.server.TaskerClient;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The outcome of one round's tasks. */
record Verdict(long tasks, long steps, long moves, long rerun, long resubmissions,
    Duration slowest, List<String> violations) {
  private static final String TERMINAL_OR_BLOCKED = "('complete', 'error', 'cancelled', 'resolved_manually', 'blocked_by_failures')";

  static Verdict of(TaskerClient tasker, Load load, Instant begin, Instant fault, Duration patience,
      boolean mayBeCancelled) {
    List<String> violations = new ArrayList<>();
    String round = load.round();
    try {
      TaskerClient.until("every task is terminal or blocked", patience,
          () -> tasker
              .count("select count(*) from tasker.tasks where source_system = ? and state not in "
                  + TERMINAL_OR_BLOCKED, round) == 0);
    } catch (AssertionError stuck) {
      violations.add("stuck: " + tasker.sql("""
          select t.task_uuid, t.state, w.wake_at, clock_timestamp() as now, t.unfinished_steps, t.in_flight_steps,
                 (select string_agg(s.state || '/' || s.attempts, ' ' order by s.step_position) from tasker.workflow_steps s where s.task_uuid = t.task_uuid) as steps
          from tasker.tasks t left join tasker.task_wakeups w using (task_uuid)
          where t.source_system = ? and t.state not in %s limit 3""".formatted(TERMINAL_OR_BLOCKED),
          round));
    }
    // A server that cannot serve says so; 500 would be a fault of its own.
    if (load.answers().containsKey(500)) {
      violations.add("returned an internal error: " + load.answers());
    }
    List<Map.Entry<Integer, UUID>> promised = List.copyOf(load.accepted().entrySet());
    check(violations, tasker, "lost", """
        select p.number, p.task_uuid from unnest(?::int[], ?::uuid[]) as p(number, task_uuid)
        left join (tasker.tasks t join tasker.task_contexts c using (task_uuid))
          on t.task_uuid = p.task_uuid and t.source_system = ? and (c.context ->> 'number')::int = p.number
        where t.task_uuid is null""", array(promised.stream().map(Map.Entry::getKey)),
        array(promised.stream().map(Map.Entry::getValue)), round);
    check(violations, tasker, "doubled", """
        select (c.context ->> 'number')::int as number, count(*), array_agg(t.task_uuid) from tasker.tasks t join tasker.task_contexts c using (task_uuid)
        where t.source_system = ? and t.parent_task_uuid is null and (c.context ->> 'number')::int <> all (?::int[])
        group by 1 having count(*) > 1""", round, array(load.doubledByClient().stream()));
    check(violations, tasker, "not requested",
        """
        select t.task_uuid, c.context from tasker.tasks t join tasker.task_contexts c using (task_uuid)
        where t.source_system = ? and t.parent_task_uuid is null and (c.context ->> 'number')::int <> all (?::int[])""",
        round, array(promised.stream().map(Map.Entry::getKey)));
    check(violations, tasker, "ended wrongly",
        """
        select t.task_uuid, k.name, t.state, c.state as compensation, c.planned_steps
        from tasker.tasks t join tasker.named_tasks k using (named_task_uuid) left join tasker.task_compensations c using (task_uuid)
        where t.source_system = ? and not (? and t.state = 'cancelled')
          and case k.name when 'saga' then (t.state, c.state, c.planned_steps) is distinct from ('error', 'compensated', 2)
                when 'limited' then t.state <> 'error' when 'unserved' then t.state <> 'blocked_by_failures' else t.state <> 'complete' end
          and t.state in """ + TERMINAL_OR_BLOCKED, round, mayBeCancelled);
    check(violations, tasker, "a loop that did not continue from its checkpoint",
        """
        select s.workflow_step_uuid, d.yields, d.checkpoint from tasker.tasks t join tasker.named_tasks k using (named_task_uuid)
        join tasker.workflow_steps s using (task_uuid) join tasker.workflow_step_documents d using (workflow_step_uuid)
        where t.source_system = ? and k.name = 'loop' and t.state = 'complete' and d.yields > 0 and (d.yields, d.checkpoint) <> (3, '3')""",
        round);
    check(violations, tasker, "other steps than its decisions chose", """
        select * from (
          select t.task_uuid, (c.context ->> 'number')::int as number, string_agg(n.name, ' ' order by n.name) as steps
          from tasker.tasks t join tasker.task_contexts c using (task_uuid) join tasker.named_tasks k using (named_task_uuid)
          join tasker.workflow_steps s using (task_uuid) join tasker.named_steps n using (named_step_uuid)
          where t.source_system = ? and k.name = 'routed' and t.state = 'complete' group by 1, 2) r
        where r.steps <> case when number % 12 < 6 then 'join plain route start' when number % 24 < 12 then 'again deep join odd route start'
                         else 'again join odd route start' end""", round);
    check(violations, tasker, "not one child task with the parent's number, or another output", """
        select t.task_uuid, t.state, count(h.task_uuid) as children, min(h.state) as child_state
        from tasker.tasks t join tasker.task_contexts c using (task_uuid) join tasker.named_tasks k using (named_task_uuid)
        left join (tasker.tasks h join tasker.task_contexts hc on hc.task_uuid = h.task_uuid) on h.parent_task_uuid = t.task_uuid and hc.context -> 'number' = c.context -> 'number'
        where t.source_system = ? and k.name = 'parent' and t.state = 'complete' group by t.task_uuid
        having count(h.task_uuid) <> 1 or min(h.state::text) <> 'complete'""", round);
    check(violations, tasker, "not one signal, taken once", """
        select t.task_uuid, count(g.signal_uuid) as signals, count(g.wait_uuid) as taken, (select count(*) from tasker.queued_signals q where q.task_uuid = t.task_uuid) as queued
        from tasker.tasks t join tasker.named_tasks k using (named_task_uuid) left join tasker.task_signals g on g.task_uuid = t.task_uuid
        where t.source_system = ? and k.name = 'waiting' and t.state = 'complete' group by t.task_uuid
        having count(g.signal_uuid) <> 1 or count(g.wait_uuid) <> 1""", round);
    check(violations, tasker, "not one approval, escalated once and ended once by the clock",
        """
        select t.task_uuid, a.approvals, a.events from tasker.tasks t join tasker.named_tasks k using (named_task_uuid)
        cross join lateral (
          select count(distinct e.approval_uuid) as approvals, string_agg(e.event::text, ' ' order by e.number) as events
          from tasker.approval_events e where e.task_uuid = t.task_uuid) a
        where t.source_system = ? and k.name = 'approving' and t.state = 'complete' and (a.approvals, a.events) is distinct from (1, 'made escalated expired')""",
        round);
    check(violations, tasker,
        "not ended once by the time limit of its task or of the queue, in time and no earlier",
        """
        select t.task_uuid, k.name, t.created_at, t.completed_at, t.timed_out_at, q.ends from tasker.tasks t join tasker.named_tasks k using (named_task_uuid)
        cross join lateral (
          select count(*) as ends from tasker.workflow_steps s join tasker.workflow_step_transitions h using (workflow_step_uuid)
          where s.task_uuid = t.task_uuid and h.to_state = 'error') q
        where t.source_system = ? and case k.name when 'limited' then t.timed_out_at is null or t.completed_at < t.created_at + interval '2 seconds'
          when 'unserved' then q.ends <> 1 or t.completed_at < t.created_at + interval '1 second' end""",
        round);
    check(violations, tasker, "ran one attempt twice", """
        select e.step_uuid, e.attempt, count(*) from testing.effects e join tasker.tasks t using (task_uuid) where t.source_system = ?
        group by e.step_uuid, e.attempt having count(*) > 1""", round);
    check(violations, tasker, "completed without its effect",
        """
        select s.workflow_step_uuid, s.attempts from tasker.workflow_steps s join tasker.tasks t using (task_uuid)
        where t.source_system = ? and s.state = 'complete' and not s.is_automatic and not exists (
          select from testing.effects e where e.step_uuid = s.workflow_step_uuid and e.attempt = s.attempts)""",
        round);
    check(violations, tasker, "effect in the result's transaction not exactly once", """
        select e.step_uuid, s.state, count(*), array_agg(e.attempt) as attempts from testing.effects e join tasker.tasks t using (task_uuid)
        join tasker.workflow_steps s on s.workflow_step_uuid = e.step_uuid where t.source_system = ? and e.effect = 'in transaction'
        group by e.step_uuid, s.state having count(*) > 1 or s.state <> 'complete'""", round);
    check(violations, tasker, "effect of an attempt that was never given out",
        """
        select e.step_uuid, e.attempt, s.attempts from testing.effects e join tasker.tasks t using (task_uuid)
        join tasker.workflow_steps s on s.workflow_step_uuid = e.step_uuid where t.source_system = ? and e.attempt > s.attempts""",
        round);
    check(violations, tasker, "check_history",
        "select * from tasker.check_history(?::timestamptz) where violations > 0",
        begin.atOffset(ZoneOffset.UTC));
    ModelMoves moves = ModelMoves.since(tasker, begin);
    if (!moves.unknown().isEmpty()) {
      violations.add("moves that the models do not know: " + moves.unknown());
    }

    return new Verdict(
        tasker.count("select count(*) from tasker.tasks where source_system = ?", round),
        tasker.count(
            "select coalesce(sum(total_steps), 0) from tasker.tasks where source_system = ?",
            round),
        moves.replayed(),
        tasker.count("""
            select count(*) from tasker.workflow_step_transitions h join tasker.tasks t using (task_uuid)
            where t.source_system = ? and h.actor = 'recovery'""", round),
        load.resubmissions(),
        Duration.ofMillis(tasker.count("""
            select coalesce(ceil(extract(epoch from max(t.completed_at) - ?::timestamptz) * 1000), 0)::bigint
            from tasker.tasks t where t.source_system = ? and t.created_at <= ?::timestamptz""",
            fault.atOffset(ZoneOffset.UTC), round, fault.atOffset(ZoneOffset.UTC))),
        violations);
  }

  private static String array(Stream<?> values) {
    return values.map(Object::toString).collect(Collectors.joining(",", "{", "}"));
  }

  private static void check(List<String> violations, TaskerClient tasker, String what, String sql,
      Object... arguments) {
    List<Map<String, Object>> rows = tasker.sql(sql, arguments);
    if (!rows.isEmpty()) {
      violations.add(what + " (" + rows.size() + "): " + rows.subList(0, Math.min(3, rows.size())));
    }
  }
}
