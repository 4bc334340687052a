-- What is wrong with the expressions of a template: a JSON array of {index, pointer, message, unknown_step}, in the order of the
-- expressions, empty when all are valid.
-- p_graph: an object, the names of the steps with an array of the names of their parents; parents that do not exist are ignored.
-- p_expressions: array of {step, kind, expression}; kind and expression as check_expression takes them. An expression
-- of a step sees the results of the step's ancestors; one without a step sees those of all steps. Of the kind payload is the mapping of an event, which sees
-- the step's own result, too.
-- Locks: none. Source: ADR 0033.
create or replace function tasker.check_expressions(p_graph jsonb, p_expressions jsonb)
returns jsonb
language sql immutable
set search_path = ''
as $$
  with recursive given as materialized (
    select e.ordinality - 1 as index, e.value ->> 'step' as step, e.value ->> 'kind' as kind, e.value -> 'expression' as expression
    from jsonb_array_elements(p_expressions) with ordinality as e),
  edges as materialized (
    select g.key as child, p.value as parent
    from jsonb_each(p_graph) g cross join lateral jsonb_array_elements_text(g.value) as p where p_graph ? p.value),
  ancestors(step, ancestor) as (
    select e.child, e.parent from edges e where e.child in (select g.step from given g)
    union
    select a.step, e.parent from ancestors a join edges e on e.child = a.ancestor),
  known as (
    select a.step, array_agg(a.ancestor) as ancestors from ancestors a group by a.step)
  select coalesce(jsonb_agg(jsonb_build_object('index', g.index, 'pointer', c.pointer, 'message', c.message, 'unknown_step', c.unknown_step)
                            order by g.index, c.n), '[]')
  from given g
  left join known k on k.step = g.step
  cross join lateral tasker.check_expression(
    g.expression, case g.kind when 'payload' then 'mapping' else g.kind end, array(select jsonb_object_keys(p_graph)),
    case when g.step is not null then coalesce(k.ancestors, '{}') || case when g.kind = 'payload' then array[g.step] end end)
    with ordinality as c(pointer, message, unknown_step, n)
$$;
comment on function tasker.check_expressions(jsonb, jsonb) is
  'What is wrong with the expressions of a template: a JSON array of {index, pointer, message, unknown_step}.';
