package ee.tasker.faults;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;

/**
 * Stops a transaction of one server at a named point. Triggers that only the test's database has
 * inspect every row of
 * history; an armed one makes its transaction wait for an advisory lock that this class holds, with
 * everything written and
 * nothing committed. The engine is unaware of them, and a database without these triggers has no
 * such points.
 */
final class FaultPoints implements AutoCloseable {
  private static final long LOCK = 7_700_001;

  /**
   * A move of a step, a task or a child task, the end of a wait, or the growth of a task by a
   * decision or a compensation, by the server to be hit; null means any. {@code alone}: the same
   * statement handed off no
   * step. Rows that do not say which server has written them stop every server ({@link
   * Strike#killOwnerBeforeCommitOf}).
   */
  record Point(String kind, String from, String to, String actor, boolean alone) {
    static final Point CLAIM = step("enqueued", "in_progress", "worker");
    static final Point CLAIM_FROM_QUEUE = new Point("step", "enqueued", "in_progress", "worker",
        true);
    static final Point RESULT = step("in_progress", "enqueued_for_orchestration", "worker");
    static final Point FAILURE = step("in_progress", "enqueued_as_error_for_orchestration",
        "worker");
    static final Point RELEASE = step("in_progress", "pending", "worker");
    static final Point RECOVERY = step("in_progress", null, "recovery");
    static final Point RETRY = step("waiting_for_retry", "enqueued", "orchestrator");
    static final Point SUBMISSION = new Point("task", null, "pending", "orchestrator", false);
    static final Point FINALISATION = new Point("task", null, "complete", "orchestrator", false);
    static final Point CANCEL = step(null, "cancelled", "orchestrator");
    static final Point CHILD_SUBMISSION = new Point("child", null, "pending", "orchestrator",
        false);
    static final Point CHILD_END = new Point("child", null, "complete", "orchestrator", false);
    static final Point WAIT_END = new Point("wait", "pending", "complete", "orchestrator", false);
    static final Point APPROVAL_END = new Point("approval", "pending", "complete", "orchestrator",
        false);
    static final Point ESCALATION = new Point("escalation", null, null, null, false);
    static final Point SIGNAL_QUEUED = new Point("handler", null, "signal queued", null, false);
    static final Point SIGNAL_DELIVERY = new Point("delivery", null, null, null, false);
    static final Point EXPANSION = new Point("growth", null, "pending", "orchestrator", false);
    static final Point COMPENSATION = new Point("undo", null, "pending", "orchestrator", false);
    static final Point COMPENSATION_END = new Point("task", null, "error", "orchestrator", false);
    static final Point YIELD = step("in_progress", "waiting_for_retry", "worker");
    static final Point BEFORE_EFFECT = new Point("handler", null, "before effect", null, false);
    static final Point AFTER_EFFECT = new Point("handler", null, "after effect", null, false);

    private static Point step(String from, String to, String actor) {
      return new Point("step", from, to, actor, false);
    }
  }

  /** A backend that waits at the armed point, and the port that it was reached from. */
  record Stopped(int backend, int clientPort) {
  }

  private final String url;
  private Connection connection;

  FaultPoints(String url) throws SQLException {
    this.url = url;
    connection = connect();
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(url, "tasker", "tasker");
  }

  /** To be called when the schema exists. */
  void install() throws SQLException {
    run("""
        create index on testing.effects (step_uuid);
        create index on testing.effects (task_uuid);
        create table testing.armed (kind text, from_state text, to_state text, actor text, alone boolean, process bigint);
        create table testing.servers (process bigint primary key, server_uuid uuid);

        create function testing.stop_here() returns void language plpgsql as $$
        begin
          perform pg_advisory_lock_shared(%1$d);
          perform pg_advisory_unlock_shared(%1$d);
        end $$;

        create function testing.at_step_moves() returns trigger language plpgsql as $$
        begin
          if exists (select from testing.armed where kind = 'step') and exists (
              select from (select m.workflow_step_uuid, m.processor_uuid, coalesce(p.from_state, m.from_state) as from_state,
                      coalesce(p.to_state, m.to_state) as to_state, coalesce(p.actor, m.actor) as actor
                    from new_rows m left join tasker.step_paths p on p.path = m.path) n join testing.servers s on s.server_uuid = n.processor_uuid
              join testing.armed a on a.kind = 'step' and a.process = s.process
                and (a.from_state is null or a.from_state = n.from_state::text)
                and (a.to_state is null or a.to_state = n.to_state::text) and a.actor = n.actor::text
                and not (a.alone and exists (select from new_rows m left join tasker.step_paths p on p.path = m.path
                  where coalesce(p.to_state, m.to_state) = 'enqueued'))) then
            perform testing.stop_here();
          end if;
          if exists (select from testing.armed where kind = 'growth') and exists (
              select from (select m.workflow_step_uuid, m.processor_uuid, coalesce(p.from_state, m.from_state) as from_state,
                      coalesce(p.to_state, m.to_state) as to_state, coalesce(p.actor, m.actor) as actor
                    from new_rows m left join tasker.step_paths p on p.path = m.path) n join testing.servers s on s.server_uuid = n.processor_uuid
              join testing.armed a on a.kind = 'growth' and a.process = s.process
              join tasker.workflow_steps g on g.workflow_step_uuid = n.workflow_step_uuid
              join tasker.named_tasks_named_steps t on t.named_step_uuid = g.named_step_uuid
              where n.from_state is null and t.growth_rank is not null) then
            perform testing.stop_here();
          end if;
          if exists (select from testing.armed where kind in ('wait', 'approval')) and exists (
              select from (select m.workflow_step_uuid, m.processor_uuid, coalesce(p.from_state, m.from_state) as from_state,
                      coalesce(p.to_state, m.to_state) as to_state, coalesce(p.actor, m.actor) as actor
                    from new_rows m left join tasker.step_paths p on p.path = m.path) n join testing.servers s on s.server_uuid = n.processor_uuid
              join testing.armed a on a.kind in ('wait', 'approval') and a.process = s.process
              join tasker.workflow_steps g on g.workflow_step_uuid = n.workflow_step_uuid
              join tasker.named_tasks_named_steps t on t.named_step_uuid = g.named_step_uuid
              where n.from_state = 'pending' and n.to_state = 'complete'
                and case a.kind when 'wait' then t.wait_for ->> 'kind' in ('timer', 'signal') else t.wait_for ->> 'kind' = 'approval' end) then
            perform testing.stop_here();
          end if;
          if exists (select from testing.armed where kind = 'undo') and exists (
              select from (select m.workflow_step_uuid, m.processor_uuid, coalesce(p.from_state, m.from_state) as from_state,
                      coalesce(p.to_state, m.to_state) as to_state, coalesce(p.actor, m.actor) as actor
                    from new_rows m left join tasker.step_paths p on p.path = m.path) n join testing.servers s on s.server_uuid = n.processor_uuid
              join testing.armed a on a.kind = 'undo' and a.process = s.process
              join tasker.workflow_steps u on u.workflow_step_uuid = n.workflow_step_uuid
              where n.from_state is null and u.compensates_step_uuid is not null) then
            perform testing.stop_here();
          end if;
          return null;
        end $$;
        create trigger fault_point after insert on tasker.step_moves
          referencing new table as new_rows for each statement execute function testing.at_step_moves();

        create function testing.at_task_moves() returns trigger language plpgsql as $$
        begin
          if exists (select from testing.armed where kind = 'task') and exists (
              select from (select m.task_uuid, m.processor_uuid, coalesce(p.to_state, m.to_state) as to_state
                    from new_rows m left join tasker.task_paths p on p.path = m.path) n join testing.servers s on s.server_uuid = n.processor_uuid
              join testing.armed a on a.kind = 'task' and a.process = s.process and a.to_state = n.to_state::text) then
            perform testing.stop_here();
          end if;
          if exists (select from testing.armed where kind = 'child') and exists (
              select from (select m.task_uuid, m.processor_uuid, coalesce(p.to_state, m.to_state) as to_state
                    from new_rows m left join tasker.task_paths p on p.path = m.path) n join testing.servers s on s.server_uuid = n.processor_uuid
              join testing.armed a on a.kind = 'child' and a.process = s.process and a.to_state = n.to_state::text
              join tasker.tasks t on t.task_uuid = n.task_uuid and t.parent_task_uuid is not null) then
            perform testing.stop_here();
          end if;
          return null;
        end $$;
        create trigger fault_point after insert on tasker.task_moves
          referencing new table as new_rows for each statement execute function testing.at_task_moves();

        -- Of rows that do not name the server.
        create function testing.at_rows() returns trigger language plpgsql as $$
        begin
          if exists (select from testing.armed where kind = tg_argv[0]) then
            perform testing.stop_here();
          end if;
          return null;
        end $$;
        create trigger fault_point after insert on tasker.task_signals for each row execute function testing.at_rows('delivery');
        create trigger fault_point after insert on tasker.approval_events for each row when (new.event = 'escalated') execute function testing.at_rows('escalation');

        -- What the handlers do: at most one row per attempt is meant. Outside the transaction of the result the token makes the effect
        -- happen once per step; inside, the transaction does, and a token would make the next attempt wait for a zombie.
        create table testing.tokens (step_uuid uuid primary key, attempt int);
        create function testing.effect(p_task uuid, p_step uuid, p_name text, p_attempt int, p_process bigint, p_is_transactional boolean) returns void language plpgsql as $$
        begin
          if exists (select from testing.armed where kind = 'handler' and to_state = 'before effect' and process = p_process) then
            perform testing.stop_here();
          end if;
          insert into testing.effects (task_uuid, step_uuid, step_name, attempt, effect, process)
            values (p_task, p_step, p_name, p_attempt, case when p_is_transactional then 'in transaction' else 'ran' end, p_process);
          -- What an application would do in its transaction: the payment of the order, and the signal that tells of it. Each attempt sends it, and it counts once.
          if p_name = 'order' then
            perform tasker.queue_signal(p_task, 'paid', to_jsonb(p_step), jsonb_build_object('signal_id', p_step, 'notify', false));
            if exists (select from testing.armed where kind = 'handler' and to_state = 'signal queued' and process = p_process) then
              perform testing.stop_here();
            end if;
          end if;
          if not p_is_transactional then
            insert into testing.tokens values (p_step, p_attempt) on conflict do nothing;
          end if;
        end $$;
        create function testing.after_effect(p_process bigint) returns void language plpgsql as $$
        begin
          if exists (select from testing.armed where kind = 'handler' and to_state = 'after effect' and process = p_process) then
            perform testing.stop_here();
          end if;
        end $$""".formatted(LOCK));
  }

  /** From now on the first transactions of that process that reach the point stop. */
  void arm(Point point, long process) throws SQLException {
    reconnect();
    run("select pg_advisory_lock(" + LOCK + ")");
    run("insert into testing.servers select %1$d, server_uuid from tasker.servers where name like '%%:%1$d' on conflict (process) do update set server_uuid = excluded.server_uuid"
        .formatted(process));
    try (PreparedStatement insert = connection
        .prepareStatement("insert into testing.armed values (?, ?, ?, ?, ?, ?)")) {
      insert.setString(1, point.kind());
      insert.setString(2, point.from());
      insert.setString(3, point.to());
      insert.setString(4, point.actor());
      insert.setBoolean(5, point.alone());
      insert.setLong(6, process);
      insert.executeUpdate();
    }
  }

  Optional<Stopped> findStopped() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(
            """
        select l.pid, a.client_port from pg_locks l join pg_stat_activity a on a.pid = l.pid
        where l.locktype = 'advisory' and l.objid = %d and not l.granted order by a.query_start limit 1"""
                .formatted(LOCK))) {
      return rows.next() ? Optional.of(new Stopped(rows.getInt(1), rows.getInt(2)))
          : Optional.empty();
    }
  }

  /** Waits until a transaction has come to the armed point. */
  Stopped awaitStopped(Duration longest) throws SQLException, InterruptedException {
    long end = System.nanoTime() + longest.toNanos();
    while (System.nanoTime() < end) {
      Optional<Stopped> stopped = findStopped();
      if (stopped.isPresent()) {
        return stopped.get();
      }
      Thread.sleep(2);
    }
    throw new AssertionError("nothing came to the armed point within " + longest);
  }

  /** No further transaction stops; those that wait keep waiting. */
  void disarm() throws SQLException {
    run("delete from testing.armed");
  }

  /** Disarms, and releases the waiting transactions, if they still can continue. */
  void letGo() throws SQLException {
    reconnect();
    disarm();
    run("select pg_advisory_unlock_all()");
  }

  /** After a crash of the database, when no transaction waits any more. */
  private void reconnect() throws SQLException {
    if (!connection.isValid(2)) {
      connection.close();
      connection = connect();
    }
  }

  private void run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
