-- The number of a batch as its worker's name ends: at least three digits, and as many for all
-- batches of one step, so that names sort as numbers.
create or replace function tasker.format_batch_id(p_number int, p_total int)
returns text
language sql immutable parallel safe
as $$
  select lpad(p_number::text, greatest(3, length(p_total::text)), '0')
$$;
comment on function tasker.format_batch_id(int, int) is
  'The number of a batch as its worker''s name ends: at least three digits, and as many for all '
  'batches of one step.';
