-- Every move of a task that is recorded must be in task_transition_rules for its actor; TK005 names
-- the one that is not. Once per statement, on the distinct moves in it, those of a path one by one:
-- a batch makes few different ones.
-- Trigger on task_moves, installed by guard_tables.
create or replace function tasker.check_task_transitions()
returns trigger
language plpgsql
set search_path = '' set jit = off
as $$
declare
  v_move record;
begin
  select coalesce(p.from_state, n.from_state) as from_state,
         coalesce(p.to_state, n.to_state) as to_state, n.actor into v_move
  from (select distinct r.from_state, r.to_state, r.actor, r.path from new_rows r) n
  left join tasker.task_paths p on p.path = n.path
  except
  select r.from_state, r.to_state, r.actor from tasker.task_transition_rules r
  limit 1;
  if found then
    raise exception 'a task may not move from % to % by %',
      coalesce(v_move.from_state::text, 'nothing'), v_move.to_state, v_move.actor
      using errcode = 'TK005';
  end if;
  return null;
end
$$;
comment on function tasker.check_task_transitions() is
  'Every move of a task that is recorded must be in task_transition_rules for its actor.';
