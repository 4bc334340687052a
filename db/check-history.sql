-- Checks on a live database, a replica or a restored dump that every promise of docs/guarantees.md
-- was kept. Reads only.
--
--   psql -X -f check-history.sql "postgresql://tasker@localhost:54320/tasker"
--   psql -X -f check-history.sql -v since=2026-11-01 -v quiet_for='10 minutes' …
--
-- since: only tasks created from then on. quiet_for: also what must hold where nothing waits for
-- longer than that. Prints each promise with the number of its violations, and under a broken one
-- up to five of them. Then replays each history as moves of the models (docs/model.md), and prints
-- how many there are and those that the models do not know. psql ends with 0: all kept; 3:
-- something is broken, or the check itself failed, the last line says which; 2: no connection. The
-- script check-history beside this one tells the last two apart from the first by 1 and 2.
\set ON_ERROR_STOP on
\set QUIET on
\set VERBOSITY terse
\if :{?since}
\else
  \set since ''
\endif
\if :{?quiet_for}
\else
  \set quiet_for ''
\endif

with promises as (
  select row_number() over () as n, c.invariant, c.violations, c.examples
  from tasker.check_history(
    nullif(:'since', '')::timestamptz, nullif(:'quiet_for', '')::interval) c),
lines as (
  select p.n, 0 as i,
         format('%s  %s  %s', case p.violations when 0 then 'kept  ' else 'BROKEN' end,
                lpad(p.violations::text, 8), p.invariant) as line
  from promises p
  union all
  select p.n, e.ordinality, repeat(' ', 20) || e.value::text
  from promises p cross join lateral jsonb_array_elements(p.examples) with ordinality e)
select (select string_agg(l.line, E'\n' order by l.n, l.i) from lines l) as report,
       count(*) filter (where p.violations > 0) > 0 as is_broken,
       format('%s of %s promises were kept', count(*) filter (where p.violations = 0),
              count(*)) as verdict
from promises p \gset

with kinds as (
  select row_number() over () as n, m.*
  from tasker.replay_moves(nullif(:'since', '')::timestamptz) m),
lines as (
  select k.n, 0 as i,
         format('UNKNOWN %s  %s %s to %s by %s', lpad(k.unknown::text, 8), k.kind,
                coalesce(k.from_state, 'nothing'), k.to_state, k.actor) as line
  from kinds k where k.unknown > 0
  union all
  select k.n, e.ordinality, repeat(' ', 20) || e.value::text
  from kinds k cross join lateral jsonb_array_elements(k.examples) with ordinality e)
select coalesce((select string_agg(l.line, E'\n' order by l.n, l.i) || E'\n' from lines l), '')
         || format('%s of %s moves are moves of the models',
                   coalesce(sum(k.moves - k.unknown), 0), coalesce(sum(k.moves), 0)) as moves,
       :'is_broken'::boolean or coalesce(sum(k.unknown), 0) > 0 as is_broken
from kinds k \gset

\echo :report
\echo :moves
\echo :verdict
\if :is_broken
do $$ begin
  raise exception 'promises were broken, or moves are unknown'
    using hint = 'see above, and docs/guarantees.md';
end $$;
\endif
