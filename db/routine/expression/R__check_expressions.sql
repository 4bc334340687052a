-- Checks the expressions of a template: a JSON array of {index, pointer, message, unknown_step}, in
-- the order of the expressions, empty when all are valid.
-- p_graph: an object, the names of the steps with an array of the names of their parents; parents
-- that do not exist are ignored.
-- p_expressions: array of {step, kind, expression}; kind and expression as check_expression takes
-- them. An expression of a step sees the results of the step's ancestors; one without a step sees
-- those of all steps. Of the kind payload is the mapping of an event, which sees the step's own
-- result, too.
-- Locks: none. Source: ADR 0033.
create or replace function tasker.check_expressions(p_graph jsonb, p_expressions jsonb)
returns jsonb
language sql immutable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with given as materialized (
    select e.ordinality - 1 as index, e.value ->> 'step' as step, e.value ->> 'kind' as kind,
           e.value -> 'expression' as expression
    from jsonb_array_elements(p_expressions) with ordinality as e),
  steps as materialized (select f.step, f.number, f.ancestors from tasker.find_ancestors(p_graph) f)
  select coalesce(jsonb_agg(jsonb_build_object('index', g.index, 'pointer', c.pointer,
                                               'message', c.message,
                                               'unknown_step', c.unknown_step) order by g.index,
                            c.n),
                  '[]')
  from given g
  left join steps s on s.step = g.step
  cross join lateral tasker.check_expression(
    g.expression, case g.kind when 'payload' then 'mapping' else g.kind end,
    (select coalesce(jsonb_object_agg(k.step, k.number), '{}') from steps k),
    case when g.kind = 'payload' then set_bit(s.ancestors, s.number, 1)
         else s.ancestors end) with ordinality as c(pointer, message, unknown_step, n)
$$;
comment on function tasker.check_expressions(jsonb, jsonb) is
  'Checks the expressions of a template: a JSON array of {index, pointer, message, unknown_step}.';
