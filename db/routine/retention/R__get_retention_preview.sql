-- The dry run as a document: {tasks, retained, oldest_completed_at, is_more, by_template: [...]}.
-- Reads only.
create or replace function tasker.get_retention_preview(p_now timestamptz default null)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  select jsonb_build_object(
           'tasks', coalesce(sum(p.tasks), 0), 'retained', coalesce(sum(p.retained), 0),
           'oldest_completed_at', min(p.oldest_completed_at),
           'is_more', coalesce(bool_or(p.is_more), false),
           'by_template', coalesce(jsonb_agg(to_jsonb(p)), '[]'))
  from tasker.preview_retention(p_now => p_now) p
$$;
comment on function tasker.get_retention_preview(timestamptz) is
  'What the clean-up would purge if it ran now, as a document.';
