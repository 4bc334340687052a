-- Bulk actions that were started, newest first, as {bulk_actions: [...], next}: see
-- get_bulk_action_document. p_namespaces: only those on one of these namespaces; null for all.
-- p_before: next of the page before. Reads only.
create or replace function tasker.list_bulk_actions(
  p_namespaces jsonb default null, p_limit int default 25, p_before uuid default null)
returns jsonb
language sql stable
set search_path = ''
as $$
  with found as (
    select b.token, b.created_at, row_number() over (order by b.created_at desc, b.token desc) as n
    from tasker.bulk_actions b
    where b.started_at is not null
      and (p_namespaces is null or p_namespaces ? (b.filter ->> 'namespace'))
      and (p_before is null
           or (b.created_at, b.token)
             < (select l.created_at, l.token from tasker.bulk_actions l where l.token = p_before))
    order by b.created_at desc, b.token desc limit p_limit + 1)
  select jsonb_build_object(
           'bulk_actions', coalesce(jsonb_agg(tasker.get_bulk_action_document(f.token) order by f.n)
                                      filter (where f.n <= p_limit),
                                    '[]'),
           'next', case
             when count(*) > p_limit then (select f.token from found f where f.n = p_limit) end)
  from found f
$$;
comment on function tasker.list_bulk_actions(jsonb, int, uuid) is
  'Bulk actions that were started, newest first.';
