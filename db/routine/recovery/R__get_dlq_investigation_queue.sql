-- The open dead letters in the order in which to investigate them: {entries, next}. p_after: next
-- of the page before, which may have been closed in the meantime. Names are those of the REST
-- interface.
create or replace function tasker.get_dlq_investigation_queue(
  p_limit int default 50, p_after uuid default null)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  with start as (
    select tasker.calculate_investigation_rank(d.dlq_reason, d.dlq_timestamp) as rank
    from tasker.tasks_dlq d
    where d.dlq_entry_uuid = p_after),
  page as (
    select q.*,
           row_number() over (order by tasker.calculate_investigation_rank(
                                q.dlq_reason, q.dlq_timestamp),
                              q.dlq_entry_uuid) as row_no
    from tasker.v_dlq_investigation_queue q
    where p_after is null
      or (tasker.calculate_investigation_rank(q.dlq_reason, q.dlq_timestamp), q.dlq_entry_uuid)
        > ((select s.rank from start s), p_after)
    order by row_no limit p_limit + 1)
  select jsonb_build_object(
           'entries', coalesce(
             jsonb_agg(to_jsonb(p) - '{namespace_name,task_name,current_state,row_no}'::text[] ||
                       jsonb_build_object('namespace', p.namespace_name, 'name', p.task_name,
                                          'state', p.current_state) order by p.row_no)
               filter (where p.row_no <= p_limit),
             '[]'),
           'next', case when count(*) > p_limit then (array_agg(p.dlq_entry_uuid order by p.row_no)
                                                      filter (where p.row_no = p_limit))[1] end)
  from page p
$$;
comment on function tasker.get_dlq_investigation_queue(int, uuid) is
  'The open dead letters in the order in which to investigate them.';
