-- Ends an installation that db/install/prepare.sql began: puts back what was kept of what was
-- dropped, verifies that everything is there, and records it. A function that is gone takes its
-- grants with it; one whose arguments changed keeps those of its name.
-- Errors: 55P03 when a table is busy; TK007 when something is missing.
do $finish$
declare
  v_manifest constant jsonb := current_setting('tasker.manifest')::jsonb;
  v_kept     constant jsonb := current_setting('tasker.kept')::jsonb;
  v_view     record;
  v_object   record;
  v_grant    record;
  v_missing  text;
begin
  for v_view in
    select v.*
    from jsonb_to_recordset(coalesce(nullif(v_kept -> 'views', 'null'), '[]'))
      as v(name text, owner text, options text, comment text, query text)
  loop
    begin
      execute format('create view %s%s as %s', v_view.name, ' with (' || v_view.options || ')',
                     v_view.query);
    exception when others then
      raise exception 'the view % cannot be put back: %', v_view.name, sqlerrm
        using errcode = sqlstate, hint = 'Drop it, install, and create it again.';
    end;
    execute format('alter view %s owner to %s', v_view.name, v_view.owner);
    execute format('comment on view %s is %L', v_view.name, v_view.comment);
  end loop;

  for v_object in
    with kept as (
      select k.*
      from jsonb_to_recordset(coalesce(nullif(v_kept -> 'grants', 'null'), '[]'))
        as k(kind text, schema text, name text, column_name text, owner text, grants jsonb))
    select k.grants, k.owner, k.column_name, 'function ' || p.oid::regprocedure as target,
           p.proowner as present_owner, coalesce(p.proacl, acldefault('f', p.proowner)) as present
    from kept k
    join pg_catalog.pg_proc p
      on p.pronamespace = 'tasker'::regnamespace and p.proname = k.name and k.kind = 'function'
    union all
    select k.grants, k.owner, k.column_name, 'table ' || c.oid::regclass, c.relowner,
           case when k.column_name is null then coalesce(c.relacl, acldefault('r', c.relowner)) end
    from kept k
    join pg_catalog.pg_class c
      on c.relnamespace = to_regnamespace(k.schema) and c.relname = k.name and k.kind = 'view'
    where k.column_name is null
       or exists (select from pg_catalog.pg_attribute a
                  where a.attrelid = c.oid and a.attname = k.column_name)
  loop
    if v_object.owner <> pg_get_userbyid(v_object.present_owner) then
      execute format('alter %s owner to %I', v_object.target, v_object.owner);
    end if;
    -- Null: the grants that an object has without any statement.
    continue when jsonb_typeof(v_object.grants) is distinct from 'array';
    for v_grant in
      select case when x.grantee = 0 then 'public' else x.grantee::regrole::text end as grantee
      from aclexplode(v_object.present) x
      group by x.grantee
    loop
      execute format('revoke all on %s from %s', v_object.target, v_grant.grantee);
    end loop;
    for v_grant in
      select g.value ->> 0 as privilege, g.value ->> 1 as grantee, (g.value ->> 2)::boolean as may
      from jsonb_array_elements(v_object.grants) g
    loop
      execute format('grant %s%s on %s to %s%s', v_grant.privilege,
                     ' (' || quote_ident(v_object.column_name) || ')', v_object.target,
                     v_grant.grantee, case when v_grant.may then ' with grant option' end);
    end loop;
  end loop;

  if (v_kept ->> 'is_guarded')::boolean then
    perform tasker.guard_tables(true);
  end if;

  select string_agg(o.object, ', ' order by o.object) into v_missing
  from jsonb_to_recordset(v_manifest -> 'parts') as p(objects text[]), unnest(p.objects) o(object)
  where o.object not in (
    select 'function ' || p.proname
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
    where c.relnamespace = 'tasker'::regnamespace and not t.tgisinternal);
  if v_missing is not null then
    raise exception 'this version has not created what its manifest lists: %', v_missing
      using errcode = 'TK007';
  end if;

  delete from tasker.installed_routines i
  where i.file not in (select p.file
                       from jsonb_to_recordset(v_manifest -> 'parts') as p(file text));
  insert into tasker.installed_routines as i (file, digest, signature, objects)
  select p.file, p.digest, p.signature, p.objects
  from jsonb_to_recordset(v_manifest -> 'parts')
    as p(file text, digest text, signature text, objects text[])
  on conflict (file) do update
  set digest = excluded.digest, signature = excluded.signature, objects = excluded.objects
  where (i.digest, i.signature, i.objects)
          <> (excluded.digest, excluded.signature, excluded.objects);
  insert into tasker.installations (version, manifest_digest)
  values (v_manifest ->> 'version', v_manifest ->> 'digest');
end
$finish$;
