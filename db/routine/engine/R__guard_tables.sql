-- Installs the guards of list_guards that are missing, or removes those that are there. Without
-- them a call costs a seventh to a quarter less, and what they state is left to the writers and
-- proved by check_history. For the owner of the tables; servers call it when they start, with
-- tasker.guards.
-- Existing rows are not read: check_history finds those that a new guard would have refused.
-- Errors: 55P03 when a table is busy for half a second, with nothing changed; call it again. Less
-- than deadlock_timeout, so that a transaction that holds one table and waits for another is not
-- the one that ends.
-- Locks: an advisory lock against itself, because servers that start at once call it at once; the
-- tables of guards that change, exclusively, by name. Returns how many changed.
-- Source: ADR 0081.
create or replace function tasker.guard_tables(p_are_guarded boolean)
returns int
language plpgsql
set search_path = '' set lock_timeout = '500ms'
as $$
declare
  v_changes record;
  v_changed int := 0;
begin
  if p_are_guarded is null then
    raise exception 'p_are_guarded must be true or false' using errcode = 'TK007';
  end if;
  -- Before the query, so that it sees what the call before this one has changed.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('tasker.guard_tables'));
  for v_changes in
    select g.table_name, count(*)::int as guards,
           string_agg(case when p_are_guarded then
                             format('add constraint %I check (%s) not valid', g.guard, g.fact)
                           else format('drop constraint %I', g.guard) end,
                      ', ' order by g.guard) filter (where g.trigger is null) as constraints,
           string_agg(case when p_are_guarded then
                             format('create trigger %I %s', g.guard, g.trigger)
                           else format('drop trigger %I on tasker.%I', g.guard, g.table_name) end,
                      '; ' order by g.guard) filter (where g.trigger is not null) as triggers
    from tasker.list_guards() g
    where tasker.has_guard(g.table_name, g.guard) <> p_are_guarded
    group by g.table_name
    order by g.table_name
  loop
    if v_changes.constraints is not null then
      execute format('alter table tasker.%I %s', v_changes.table_name, v_changes.constraints);
    end if;
    if v_changes.triggers is not null then
      execute v_changes.triggers;
    end if;
    v_changed := v_changed + v_changes.guards;
  end loop;
  return v_changed;
end
$$;
comment on function tasker.guard_tables(boolean) is
  'Installs the guards of list_guards that are missing, or removes those that are there.';
