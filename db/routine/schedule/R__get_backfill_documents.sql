-- The backfills of a schedule with their progress, the newest first. Locks: none. Source: ADR 0045.
create or replace function tasker.get_backfill_documents(
  p_schedule_uuid uuid, p_limit int default 100)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  select coalesce(jsonb_agg(
                    jsonb_build_object(
                      'backfill_uuid', b.backfill_uuid, 'schedule_uuid', b.schedule_uuid,
                      'from', b.from_at, 'to', b.to_at,
                      'done_until', greatest(b.cursor_at, b.from_at), 'overlap', b.overlap,
                      'state', b.state, 'started', b.started_count, 'present', b.present_count,
                      'failure', b.failure, 'created_at', b.created_at, 'created_by', b.created_by,
                      'reason', b.reason, 'ended_at', b.ended_at) order by b.backfill_uuid desc),
                  '[]')
  from (select *
        from tasker.schedule_backfills o
        where o.schedule_uuid = p_schedule_uuid
        order by o.backfill_uuid desc limit p_limit) b
$$;
comment on function tasker.get_backfill_documents(uuid, int) is
  'The backfills of a schedule with their progress, the newest first.';
