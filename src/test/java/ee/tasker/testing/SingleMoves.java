package ee.tasker.testing;

/**
 * Spells a history out: each row of a transaction that made several moves becomes a row for each of
 * them, births of steps included, which is the same history (docs/adr/0088). So a test can damage a
 * single move.
 */
public final class SingleMoves {
  private SingleMoves() {}

  /** In a session past triggers, because history is append-only. */
  public static void spellOut(Sql past) {
    past.run("""
        with births as (
          insert into tasker.step_moves (workflow_step_uuid, task_uuid, sort_key, from_state,
            to_state, actor, handoff, attempt, processor_uuid, xact_id, created_at)
          select b.step_uuid, m.task_uuid, 1, null, 'pending', 'orchestrator', 0, 0,
                 m.processor_uuid, m.xact_id, m.created_at
          from tasker.task_moves m
          cross join lateral unnest(m.born_steps) as b(step_uuid))
        update tasker.task_moves m set born_steps = null where m.born_steps is not null""");
    past.run("""
        with whole as (delete from tasker.task_moves m where m.path is not null returning m.*)
        insert into tasker.task_moves (task_uuid, sort_key, from_state, to_state, actor,
          processor_uuid, xact_id, created_at, metadata)
        select w.task_uuid, w.sort_key - p.moves + p.number, coalesce(p.from_state, w.from_state),
               coalesce(p.to_state, w.to_state), w.actor, w.processor_uuid, w.xact_id, w.created_at,
               w.metadata
        from whole w
        join tasker.task_paths p on p.path = w.path""");
    past.run("""
        with whole as (delete from tasker.step_moves m where m.path is not null returning m.*)
        insert into tasker.step_moves (workflow_step_uuid, task_uuid, sort_key, from_state,
          to_state, actor, handoff, attempt, processor_uuid, xact_id, created_at, metadata)
        select w.workflow_step_uuid, w.task_uuid, w.sort_key - p.moves + p.number,
               coalesce(p.from_state, w.from_state), coalesce(p.to_state, w.to_state),
               coalesce(p.actor, w.actor), case when p.is_birth then 0 else w.handoff end,
               case when p.is_birth then 0 else w.attempt end, w.processor_uuid, w.xact_id,
               w.created_at, w.metadata
        from whole w
        join tasker.step_paths p on p.path = w.path""");
  }
}
