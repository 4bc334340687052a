-- What the database has, beside the manifest in the setting tasker.manifest: the version that is
-- installed (null: none), whether it is newer, how many parts are to be installed or dropped, and
-- the functions that the application calls and that the database has not, or with another
-- signature. Reads only, locks nothing.
with own as (
  select current_setting('tasker.manifest')::jsonb as manifest),
parts as (
  select p.file, p.digest, p.signature, p.objects, p.is_called
  from own, jsonb_to_recordset(own.manifest -> 'parts')
    as p(file text, digest text, signature text, objects text[], is_called boolean)),
installed as (
  select i.version
  from tasker.installations i
  order by i.installation desc
  limit 1),
-- Tables first: a database with a later migration is newer. A snapshot is older than its release.
ages as (
  select (select max(string_to_array(h.version, '.')::int[])
          from tasker.flyway_schema_history h
          where h.success and h.version ~ '^[0-9.]+$') as tables,
         string_to_array(own.manifest ->> 'migration', '.')::int[] as own_tables,
         string_to_array(split_part(i.version, '-', 1), '.')::int[] as version,
         string_to_array(split_part(own.manifest ->> 'version', '-', 1), '.')::int[] as own_version,
         i.version !~ '-' as is_release, own.manifest ->> 'version' !~ '-' as own_is_release
  from own left join installed i on true),
existing as (
  select 'function ' || p.proname as object
  from pg_catalog.pg_proc p
  where p.pronamespace = 'tasker'::regnamespace
  union all
  select 'view ' || c.relname
  from pg_catalog.pg_class c
  where c.relnamespace = 'tasker'::regnamespace and c.relkind = 'v'
  union all
  select 'trigger ' || t.tgname || ' on ' || c.relname
  from pg_catalog.pg_trigger t
  join pg_catalog.pg_class c on c.oid = t.tgrelid
  where c.relnamespace = 'tasker'::regnamespace and not t.tgisinternal)
select (select i.version from installed i) as installed_version,
       coalesce((a.tables, a.version, a.is_release)
                  > (a.own_tables, a.own_version, a.own_is_release),
                a.tables > a.own_tables, false) as is_newer,
       (select m.manifest ->> 'version' from own m)
         is distinct from (select i.version from installed i) as is_other,
       (select count(*)
        from parts p
        where not exists (select from tasker.installed_routines i
                          where i.file = p.file and i.digest = p.digest)
           or exists (select from unnest(p.objects) o(object)
                      where o.object not in (select e.object from existing e)))
         + (select count(*)
            from tasker.installed_routines i
            where i.file not in (select p.file from parts p)) as pending,
       (select string_agg(split_part(p.objects[1], ' ', 2), ', ' order by p.objects[1])
        from parts p
        where p.is_called
          and not exists (select from tasker.installed_routines i
                          where i.objects @> p.objects and i.signature = p.signature
                            and p.objects[1] in (select e.object from existing e))) as not_callable
from ages a;
