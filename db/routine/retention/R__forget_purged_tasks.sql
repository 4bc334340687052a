-- Deletes up to p_limit rows of purged_tasks whose history is in no partition any more, after a
-- month was dropped or rewritten. A task that was purged within the hour before the rewrite may
-- still have rows in it; the next call deletes it. Deletes no row while the default partitions are
-- not empty. Returns how many it deleted.
-- Locks: the row of dropped_history, skip locked.
create or replace function tasker.forget_purged_tasks(p_limit int default 10000)
returns bigint
language plpgsql
set search_path = ''
as $$
declare
  v_drop  tasker.dropped_history;
  v_count bigint;
begin
  select d.* into v_drop from tasker.dropped_history d
  where not d.is_cleaned_up order by d.month limit 1 for update skip locked;
  if not found
     or exists (select from tasker.task_moves_default)
     or exists (select from tasker.step_moves_default) then
    return 0;
  end if;
  with months as materialized (
    select m.month, m.next_month, coalesce(d.done_at, '-infinity') as rewritten_at
    from tasker.get_history_months() m
    left join tasker.dropped_history d on d.month = m.month)
  delete from tasker.purged_tasks
  where ctid = any (array(select p.ctid
                          from tasker.purged_tasks p
                          where p.created_at < v_drop.month + interval '32 days'
                            and p.last_move_at >= v_drop.month - interval '1 day'
                            and not exists (select from months m
                                            where m.month <= p.last_move_at + interval '1 day'
                                              and m.next_month > p.created_at - interval '1 day'
                                              and m.rewritten_at < p.purged_at + interval '1 hour')
                          limit p_limit));
  get diagnostics v_count = row_count;
  if v_count < p_limit then
    update tasker.dropped_history d set is_cleaned_up = true where d.month = v_drop.month;
  end if;
  return v_count;
end
$$;
comment on function tasker.forget_purged_tasks(int) is
  'Deletes the rows of purged_tasks whose history was dropped.';
