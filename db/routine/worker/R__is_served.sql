-- Whether a live worker serves a namespace.
create or replace function tasker.is_served(p_namespace text, p_now timestamptz default null)
returns boolean
language sql stable
set search_path = ''
as $$
  select exists (select from tasker.get_available_workers(
                   p_namespace, coalesce(p_now, clock_timestamp())))
$$;
comment on function tasker.is_served(text, timestamptz) is
  'Whether a live worker serves a namespace.';
