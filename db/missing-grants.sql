-- What the login of this session lacks in this database: for each gap its purpose, what is missing,
-- and the statement by which an administrator closes it. Empty when nothing is missing.
--
--   psql -d tasker -U tasker -f db/missing-grants.sql
--
-- Purpose "migrate": to create and upgrade the schema. A login that is to have none of these rights
-- leaves that to the owner, who runs db/install.sql. Purpose "serve": to run a server on a schema
-- that exists. A server asks this before it does anything else. Reads catalogs only, locks nothing.
with login as (
  select current_user as name,
         (select r.oid
          from pg_catalog.pg_roles r
          where r.rolname = 'tasker_server') as server_role),
schemas as (
  select s.name, s.position, n.oid, n.nspowner,
         pg_catalog.has_schema_privilege(n.oid, 'usage') as may_use,
         pg_catalog.has_schema_privilege(n.oid, 'create') as may_create
  from unnest(array['tasker', 'pgmq']) with ordinality s(name, position)
  left join pg_catalog.pg_namespace n on n.nspname = s.name),
-- The schema and its history of migrations, as soon as there is one.
installed as (
  select s.nspowner, s.may_use,
         pg_catalog.has_table_privilege(h.oid, 'select') as may_read,
         (select pg_catalog.has_function_privilege(p.oid, 'execute')
          from pg_catalog.pg_proc p
          where p.pronamespace = s.oid and p.proname = 'make_history_partitions') as may_call,
         (select not p.prosecdef
          from pg_catalog.pg_proc p
          where p.pronamespace = s.oid and p.proname = 'make_history_partitions')
           and not pg_catalog.has_table_privilege(t.oid, 'insert') as is_refused
  from schemas s
  join pg_catalog.pg_class h on h.relnamespace = s.oid and h.relname = 'flyway_schema_history'
  left join pg_catalog.pg_class t on t.relnamespace = s.oid and t.relname = 'tasks'
  where s.name = 'tasker'),
gaps as (
  select 'serve' as purpose, 1 as position,
         format('%s may not use the schema tasker and its functions', login.name) as problem,
         format('grant %I to %I;',
                coalesce(login.server_role, installed.nspowner)::regrole::name, login.name)
           as statement
  from installed, login
  where not installed.may_use or not installed.may_read or not installed.may_call
  union all
  select 'serve', 2,
         'the functions act with the rights of their caller again, as after an upgrade, and '
           || login.name || ' may not write the tables',
         format('set role %I; \i db/optional/hardened-grants.sql',
                installed.nspowner::regrole::name)
  from installed, login
  where installed.may_use and installed.may_call and installed.is_refused
  union all
  select 'migrate', 2 + schemas.position::int,
         format('%s may not create the schema %s', login.name, schemas.name),
         format('create schema %I authorization %I;', schemas.name, login.name)
  from schemas, login
  where schemas.oid is null
    and not pg_catalog.has_database_privilege(pg_catalog.current_database(), 'create')
  union all
  select 'migrate', 4 + schemas.position::int,
         format('%s may not create objects in the schema %s', login.name, schemas.name),
         format('grant usage, create on schema %I to %I;', schemas.name, login.name)
  from schemas, login
  where schemas.oid is not null and not (schemas.may_use and schemas.may_create)
  union all
  -- Only an owner can replace a function or alter a table.
  select distinct 'migrate', 7,
         format('objects in the schema tasker belong to %s', owners.owner::regrole::name),
         format('grant %I to %I;', owners.owner::regrole::name, login.name)
  from (select p.proowner as owner
        from pg_catalog.pg_proc p join schemas s on s.oid = p.pronamespace and s.name = 'tasker'
        union
        select c.relowner
        from pg_catalog.pg_class c join schemas s on s.oid = c.relnamespace and s.name = 'tasker'
       ) owners, login
  where not pg_catalog.pg_has_role(owners.owner, 'usage'))
select purpose, problem, statement
from gaps
order by position, statement;
