-- Adds to what the expressions of a task have read in this transaction, and tells whether it is
-- still at most 20 000 000 values: each expression may be cheap, and thousands of them are
-- evaluated under one lock. p_task: the uuid of the task; the count starts anew with each task. It
-- is undone with the savepoint in which it was added: a caller that catches an error of an
-- expression charges for it. Locks: none. Source: ADR 0066.
create or replace function tasker.charge_expressions(p_task text, p_reads double precision)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_known text[] := string_to_array(current_setting('tasker.expression_reads', true), ' ');
  v_reads double precision := p_reads
    + case when v_known[1] = p_task then v_known[2]::double precision else 0 end;
begin
  perform set_config('tasker.expression_reads', p_task || ' ' || v_reads, true);
  return v_reads <= 20000000;
end
$$;
comment on function tasker.charge_expressions(text, double precision) is
  'Adds to the values that the expressions of a task have read in this transaction; false beyond '
  'the limit.';
