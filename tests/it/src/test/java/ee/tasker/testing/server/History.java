package ee.tasker.testing.server;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Invariants of the database, checked on the tables themselves and not on anything that the engine
 * computes.
 */
public final class History {
  private static final Map<String, String> BROKEN = new java.util.LinkedHashMap<>();

  static {
    both("moves that no rule allows",
        """
        select t.* from tasker.%2$s_transitions t
        where not exists (select from tasker.%2$s_transition_rules r
                          where r.from_state is not distinct from t.from_state and r.to_state = t.to_state and r.actor = t.actor)""");
    both("gaps or repetitions in sort_key", """
        select h.* from (select %1$s as key, count(*) as moves, min(sort_key) as least, max(sort_key) as most,
                                count(distinct sort_key) as numbers
                         from tasker.%2$s_transitions group by %1$s) h
        where h.least <> 1 or h.most <> h.moves or h.numbers <> h.moves""");
    both("moves that do not begin where the one before ended", """
        select h.* from (select t.*, lag(t.to_state) over (partition by t.%1$s order by t.sort_key) as before
                         from tasker.%2$s_transitions t) h
        where h.from_state is distinct from h.before""");
    both("states that are not the last of their history, or a count that is not its length",
        """
        select s.%1$s, s.state, h.to_state, s.transition_count, h.sort_key
        from tasker.%3$s s
        left join (select distinct on (t.%1$s) t.%1$s, t.to_state, t.sort_key from tasker.%2$s_transitions t
                   order by t.%1$s, t.sort_key desc) h on h.%1$s = s.%1$s
        where h.to_state is distinct from s.state or h.sort_key is distinct from s.transition_count""");
    BROKEN.put("steps whose handoffs are not numbered one by one", """
        select t.* from (
          select h.*, count(*) filter (where h.to_state = 'enqueued') over (partition by h.workflow_step_uuid order by h.sort_key) as handoffs
          from tasker.workflow_step_transitions h) t
        where t.handoff <> t.handoffs""");
    BROKEN.put("handoffs that were claimed more than once", """
        select workflow_step_uuid, handoff, count(*) from tasker.workflow_step_transitions
        where to_state = 'in_progress' group by workflow_step_uuid, handoff having count(*) > 1""");
    BROKEN.put("steps that were completed more than once",
        """
        select workflow_step_uuid, count(*) from tasker.workflow_step_transitions
        where to_state = 'complete' and actor = 'orchestrator' group by workflow_step_uuid having count(*) > 1""");
    BROKEN.put("steps that were handed off before a parent was done",
        """
        select h.workflow_step_uuid from tasker.workflow_step_transitions h
        join tasker.workflow_step_edges e on e.to_step_uuid = h.workflow_step_uuid
        where h.to_state = 'enqueued' and not exists (
          select from tasker.workflow_step_transitions p
          where p.workflow_step_uuid = e.from_step_uuid and p.to_state in ('complete', 'resolved_manually') and p.created_at <= h.created_at)""");
    BROKEN.put("counters of tasks that a recount contradicts", """
        select t.task_uuid, t.state, t.unfinished_steps, t.in_flight_steps, t.failed_steps, t.retrying_steps, c.*
        from tasker.tasks t
        left join (
          select s.task_uuid, count(*) filter (where s.state not in ('complete', 'resolved_manually')
                                              and (s.state <> 'error' or s.batch_step_uuid is null)) as unfinished,
                 count(*) filter (where s.state in ('enqueued', 'in_progress', 'enqueued_for_orchestration', 'enqueued_as_error_for_orchestration')) as in_flight,
                 count(*) filter (where s.state = 'error' and s.batch_step_uuid is null) as failed,
                 count(*) filter (where s.state = 'waiting_for_retry') as retrying
          from (select o.task_uuid, o.batch_step_uuid,
                       case when k.compensation is not null and o.compensates_step_uuid is null then 'complete' else o.state end as state
                from tasker.workflow_steps o join tasker.tasks k on k.task_uuid = o.task_uuid) s
          group by s.task_uuid) c on c.task_uuid = t.task_uuid
        where (t.unfinished_steps, t.in_flight_steps, t.failed_steps, t.retrying_steps)
          is distinct from (c.unfinished, c.in_flight, c.failed, c.retrying)""");
    BROKEN.put("completed steps without a successful result of their last handoff",
        """
        select s.workflow_step_uuid from tasker.workflow_steps s
        left join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid and r.sort_key = s.result_sort_key
        where s.state = 'complete' and (r.success is not true or (r.handoff, r.attempt) <> (s.handoffs, s.attempts))""");
    BROKEN.put(
        "wake-ups of tasks that cannot move by themselves, or tasks that could and have none",
        """
        select t.task_uuid, t.state, w.wake_at from tasker.tasks t
        left join tasker.task_wakeups w on w.task_uuid = t.task_uuid
        where (w.task_uuid is not null) = (t.completed_at is not null or t.state = 'blocked_by_failures')""");
  }

  private History() {
  }

  private static void both(String what, String sql) {
    BROKEN.put("tasks: " + what, sql.formatted("task_uuid", "task", "tasks"));
    BROKEN.put("steps: " + what,
        sql.formatted("workflow_step_uuid", "workflow_step", "workflow_steps"));
  }

  /** Everything that is wrong, with the first rows that show it; empty when all is as promised. */
  public static List<String> broken(TaskerClient tasker) {
    List<String> found = new ArrayList<>();
    try (Connection connection = tasker.connect()) {
      // History has no index by step, and a new table no statistics: one loop within another over
      // all of it would not end.
      TaskerClient.sql(connection, "set enable_nestloop = off");
      for (Map.Entry<String, String> each : BROKEN.entrySet()) {
        List<Map<String, Object>> rows = TaskerClient.sql(connection, each.getValue());
        if (!rows.isEmpty()) {
          found.add(each.getKey() + " (" + rows.size() + "): "
              + rows.subList(0, Math.min(3, rows.size())));
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return found;
  }

  /** Messages left on any queue, by queue; once every task is terminal or blocked there is none. */
  public static Map<String, Long> messages(TaskerClient tasker) {
    Map<String, Long> left = new java.util.LinkedHashMap<>();
    tasker.sql("select queue_name from pgmq.meta order by 1").forEach(row -> {
      String queue = (String) row.get("queue_name");
      long count = tasker
          .count("select count(*) from pgmq.q_" + queue.toLowerCase(java.util.Locale.ROOT));
      if (count > 0) {
        left.put(queue, count);
      }
    });
    return left;
  }
}
