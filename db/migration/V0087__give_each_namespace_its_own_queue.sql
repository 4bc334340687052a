-- breaking-change: namespaces whose names differ only in case are refused; a database that has some cannot be migrated
-- before one of each pair is renamed or removed.
-- The name of a queue is folded to lower case: two such namespaces shared one queue, and a worker of one got the steps of the
-- other.

do $check$
declare
  v_pairs text;
begin
  select string_agg(n.names, '; ') into v_pairs
  from (select string_agg(ns.name, ' and ' order by ns.name) as names from tasker.task_namespaces ns
        group by lower(ns.name) having count(*) > 1) n;
  if v_pairs is not null then
    raise exception 'namespaces that differ only in case share one queue: %', v_pairs
      using errcode = 'TK007', hint = 'Rename all but one of each in tasker.task_namespaces, while no server runs and none of their tasks is under way.';
  end if;
end
$check$;

create unique index one_namespace_per_queue on tasker.task_namespaces (lower(name));
comment on index tasker.one_namespace_per_queue is 'Queue names are folded to lower case, so two namespaces must differ in more than that.';
