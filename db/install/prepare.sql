-- Begins to install the functions, views and triggers of one version, within the transaction that
-- installs them: waits until no other installs, and determines from the manifest in the setting
-- tasker.manifest and what is installed
--   tasker.pending  the parts whose text has to run, as a JSON array of files
--   tasker.late     those of them that run after db/install/drop.sql
--   tasker.drops    the objects to drop: gone, or changed in a way that no replacement can
--   tasker.kept     what goes with these and is put back: grants, owners, guards of tables, and
--                   views of others
-- Decides and changes nothing yet. From here on the transaction waits for half a second at most for
-- a lock, less than deadlock_timeout: what fails so is to be tried again.
-- Errors: TK007 when the database is newer, or when something other than a view depends on what
-- has to be dropped.
-- Locks: tasker.installed_routines, until the end of the transaction.
do $prepare$
declare
  v_manifest constant jsonb := current_setting('tasker.manifest')::jsonb;
  v_newer    text;
  v_foreign  text;
  v_pending  jsonb;
  v_late     jsonb;
  v_drops    jsonb;
  v_kept     jsonb;
begin
  perform set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true),
          set_config('idle_in_transaction_session_timeout', '0', true);
  lock table tasker.installed_routines in share row exclusive mode;
  perform set_config('lock_timeout', '500ms', true),
          set_config('check_function_bodies', 'off', true),
          set_config('search_path', 'tasker, pg_catalog', true);

  select i.version into v_newer
  from tasker.installations i
  where i.installation = (select max(l.installation) from tasker.installations l)
    and (string_to_array(split_part(i.version, '-', 1), '.')::int[], i.version !~ '-')
          > (string_to_array(split_part(v_manifest ->> 'version', '-', 1), '.')::int[],
             v_manifest ->> 'version' !~ '-');
  if found then
    raise exception 'the database has version % and this is version %', v_newer,
      v_manifest ->> 'version' using errcode = 'TK007';
  end if;

  with recursive parts as (
    select p.file, p.digest, p.signature, p.objects, p.position
    from rows from (jsonb_to_recordset(v_manifest -> 'parts')
                      as (file text, digest text, signature text, objects text[]))
      with ordinality as p(file, digest, signature, objects, position)),
  wanted as (
    select o.object, p.signature
    from parts p, unnest(p.objects) as o(object)),
  known as (
    select o.object, i.signature
    from tasker.installed_routines i, unnest(i.objects) as o(object)),
  existing as (
    select 'function ' || p.proname as object, 'pg_catalog.pg_proc'::regclass as classid,
           p.oid as objid, p.oid::regprocedure::text as drop_name
    from pg_catalog.pg_proc p
    where p.pronamespace = 'tasker'::regnamespace
    union all
    select 'view ' || c.relname, 'pg_catalog.pg_class'::regclass, c.oid, c.oid::regclass::text
    from pg_catalog.pg_class c
    where c.relnamespace = 'tasker'::regnamespace and c.relkind = 'v'
    union all
    select 'trigger ' || t.tgname || ' on ' || c.relname, 'pg_catalog.pg_trigger'::regclass, t.oid,
           format('%I on %s', t.tgname, c.oid::regclass)
    from pg_catalog.pg_trigger t
    join pg_catalog.pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'tasker'::regnamespace and not t.tgisinternal),
  targets as (
    select e.*
    from existing e
    join known k on k.object = e.object
    where not exists (select from wanted w
                      where w.object = k.object
                        and (w.signature = k.signature or k.object like 'trigger %'))),
  -- As DROP … CASCADE goes: with a rule its view.
  dropped as (
    select t.classid::oid as classid, t.objid from targets t
    union
    select case when r.oid is null then d.classid else 'pg_catalog.pg_class'::regclass::oid end,
           coalesce(r.ev_class, d.objid)
    from dropped x
    join pg_catalog.pg_depend d
      on d.refclassid = x.classid and d.refobjid = x.objid
     and d.deptype in ('n', 'a', 'i', 'P', 'S')
    left join pg_catalog.pg_rewrite r
      on d.classid = 'pg_catalog.pg_rewrite'::regclass and r.oid = d.objid),
  dropped_objects as (
    select d.classid, d.objid, e.object, c.relname as view_name, c.relnamespace as view_schema,
           coalesce(t.tgrelid, k.conrelid) as table_oid
    from dropped d
    left join existing e on e.classid = d.classid and e.objid = d.objid
    left join pg_catalog.pg_class c
      on d.classid = 'pg_catalog.pg_class'::regclass and c.oid = d.objid and c.relkind = 'v'
    left join pg_catalog.pg_trigger t
      on d.classid = 'pg_catalog.pg_trigger'::regclass and t.oid = d.objid
    left join pg_catalog.pg_constraint k
      on d.classid = 'pg_catalog.pg_constraint'::regclass and k.oid = d.objid),
  -- What the product put there itself needs no keeping but its grants.
  own as (
    select o.* from dropped_objects o where o.object in (select k.object from known k)),
  foreign_views as (
    select o.* from dropped_objects o
    where o.view_name is not null and o.objid not in (select n.objid from own n)),
  acls as (
    select 'function' as kind, 'tasker' as schema, p.proname as name, null::name as column_name,
           p.proowner as owner, p.proacl as acl
    from own n
    join pg_catalog.pg_proc p on p.oid = n.objid and n.object like 'function %'
    union all
    select 'view', c.relnamespace::regnamespace::text, c.relname, null, c.relowner, c.relacl
    from dropped_objects o
    join pg_catalog.pg_class c on c.oid = o.objid and o.view_name is not null
    union all
    select 'view', c.relnamespace::regnamespace::text, c.relname, a.attname, null, a.attacl
    from dropped_objects o
    join pg_catalog.pg_class c on c.oid = o.objid and o.view_name is not null
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attacl is not null),
  pending as (
    select p.file, p.position,
           p.objects = '{}' or exists (select from unnest(p.objects) o(object)
                                       where o.object !~ '^function '
                                          or o.object in (select n.object from own n)) as is_late
    from parts p
    where not exists (select from tasker.installed_routines i
                      where i.file = p.file and i.digest = p.digest)
       or exists (select from unnest(p.objects) o(object)
                  where o.object not in (select e.object from existing e)
                     or o.object in (select n.object from own n)))
  select (select string_agg(pg_catalog.pg_describe_object(o.classid, o.objid, 0), ', ')
          from dropped_objects o
          where o.objid not in (select n.objid from own n)
            and o.view_name is null
            and o.classid not in ('pg_catalog.pg_type'::regclass, 'pg_catalog.pg_rewrite'::regclass)
            and not exists (select from pg_catalog.pg_class c
                            where c.oid = o.table_oid
                              and c.relnamespace = 'tasker'::regnamespace)),
         (select coalesce(jsonb_agg(p.file order by p.position), '[]') from pending p),
         (select coalesce(jsonb_agg(p.file order by p.position), '[]')
          from pending p where p.is_late),
         (select coalesce(jsonb_agg(jsonb_build_array(split_part(t.object, ' ', 1), t.drop_name)
                                    order by t.object), '[]')
          from targets t),
         jsonb_build_object(
           'grants', (select jsonb_agg(jsonb_build_object(
                               'kind', a.kind, 'schema', a.schema, 'name', a.name,
                               'column_name', a.column_name, 'owner', pg_get_userbyid(a.owner),
                               'grants', (select jsonb_agg(jsonb_build_array(
                                                   x.privilege_type,
                                                   case when x.grantee = 0 then 'public'
                                                        else x.grantee::regrole::text end,
                                                   x.is_grantable))
                                          from aclexplode(a.acl) x)))
                      from acls a),
           'views', (select jsonb_agg(jsonb_build_object(
                              'name', v.objid::regclass::text, 'owner', c.relowner::regrole::text,
                              'options', array_to_string(c.reloptions, ', '),
                              'comment', obj_description(c.oid, 'pg_class'),
                              'query', pg_get_viewdef(c.oid)) order by c.oid)
                     from foreign_views v
                     join pg_catalog.pg_class c on c.oid = v.objid),
           'is_guarded', exists (select from dropped_objects o
                                 where o.table_oid is not null
                                   and o.objid not in (select n.objid from own n)))
    into v_foreign, v_pending, v_late, v_drops, v_kept;
  if v_foreign is not null then
    raise exception 'this version changes what % depends on', v_foreign
      using errcode = 'TK007', hint = 'Drop it, install, and create it again.';
  end if;
  perform set_config('tasker.pending', v_pending::text, true),
          set_config('tasker.late', v_late::text, true),
          set_config('tasker.drops', v_drops::text, true),
          set_config('tasker.kept', v_kept::text, true);
end
$prepare$;
