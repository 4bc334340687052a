-- breaking-change: no
-- Servers with different handlers share one database: each says which it has, and a step goes to one that has its handler.

alter table tasker.servers
  add column resolvers text[],
  add column missing   text[] not null default '{}',
  add column elsewhere jsonb;
comment on column tasker.servers.resolvers is 'The names that handler.resolver may have on it; null: not told.';
comment on column tasker.servers.missing is
  'handler_key of steps that it was given and could not run although it has a bean of that name: no such method, or its resolver found nothing.';
comment on column tasker.servers.elsewhere is
  'By namespace the handler_key of the steps that other servers have the handler of and it has not: it leaves them to the others. Null: none. Renewed by heartbeat and decline_steps.';

alter table tasker.named_tasks_named_steps
  add column handler_key text not null generated always as (
    case when handler_resolver is not null then 'resolver:' || handler_resolver || ':' else '' end || handler_callable
    || case when handler_method <> 'call' then '#' || handler_method else '' end) stored;
comment on column tasker.named_tasks_named_steps.handler_key is 'What runs the step, in one word: resolver, callable and method.';

alter type tasker.step_handoff add attribute handler_key text;
