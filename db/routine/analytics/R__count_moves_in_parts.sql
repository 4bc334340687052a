-- Counts the moves of the transactions p_from up to and without p_until, in parts of more and more
-- transactions until p_longest has passed: however many have gathered, a call is short. Remembers
-- how far it has come, and returns the number of creations and ends of tasks among them.
-- Locks: the rows of the tallies; the caller holds the row of analytics_progress.
create or replace function tasker.count_moves_in_parts(
  p_from bigint, p_until bigint, p_longest interval)
returns bigint
language plpgsql
set search_path = ''
as $$
declare
  v_ends  timestamptz := clock_timestamp() + p_longest;
  v_from  bigint := p_from;
  v_part  bigint := 1000;
  v_until bigint;
  v_count bigint := 0;
begin
  while v_from < p_until loop
    v_until := least(p_until, v_from + v_part);
    v_count := v_count + tasker.count_moves(v_from, v_until);
    v_from := v_until;
    v_part := 2 * v_part;
    exit when clock_timestamp() >= v_ends;
  end loop;
  update tasker.analytics_progress set next_xact = v_from, counted_at = clock_timestamp();
  return v_count;
end
$$;
comment on function tasker.count_moves_in_parts(bigint, bigint, interval) is
  'Adds what a range of transactions recorded to all tallies and totals, for as long as it may.';
