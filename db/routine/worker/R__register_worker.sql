-- Registers an external worker, a program outside the servers that runs steps. The worker chooses
-- its key, a new one for each start of the program; the same key again is a new registration, which
-- clears the list of handlers that it declined. From then on it can claim steps of the handlers and
-- namespaces that it names, and sends heartbeats with heartbeat_worker.
-- p_worker: {worker_uuid, name, capacity, handlers: [..], namespaces?: [..] | null for all,
-- resolvers?: [..], heartbeat_seconds?: 1 to 300, by default 10}.
-- p_owner: the caller of the REST interface, by its key; only the same caller can register the
-- worker again. null: a caller of SQL. p_registered_by: the caller's name.
-- A namespace need not exist: its first template makes it, and from then on the worker gets its
-- steps.
-- Returns {outcome: registered, worker_uuid, is_new, heartbeat_seconds, lease_expires_at, steps:
-- [{step_uuid, handoff}] that it still holds from before, missing_namespaces: those that do not
-- exist yet}; {outcome: foreign} when another caller has registered the worker, or {outcome:
-- invalid, field, message}, which both change nothing. Limits: names of 500 characters, 1000
-- handlers, 100 namespaces, 100 resolvers, a capacity of 10000 steps. Refuses the key of a server,
-- and what cannot be the name of a namespace.
-- Locks: the worker's key (advisory), its row.
create or replace function tasker.register_worker(
  p_worker jsonb, p_now timestamptz default null, p_owner text default null,
  p_registered_by text default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_now      timestamptz := coalesce(p_now, clock_timestamp());
  v_field    text;
  v_message  text;
  v_key      uuid;
  v_period   int;
  v_lists    constant jsonb := '{"handlers": 1000, "namespaces": 100, "resolvers": 100}';
  v_list     text;
  v_owner    text;
  v_is_new   boolean;
begin
  if not coalesce(jsonb_typeof(p_worker) = 'object', false) then
    return jsonb_build_object(
      'outcome', 'invalid', 'field', 'worker', 'message', 'worker must be an object');
  end if;
  select k.name into v_field
  from jsonb_object_keys(p_worker) as k(name)
  where k.name <> all (array['worker_uuid', 'name', 'capacity', 'handlers', 'namespaces',
                             'resolvers', 'heartbeat_seconds'])
  order by 1 limit 1;
  if v_field is not null then
    return jsonb_build_object(
      'outcome', 'invalid', 'field', v_field, 'message', format('Unknown property: %s', v_field));
  end if;
  if coalesce(p_worker ->> 'worker_uuid', '') !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    v_field := 'worker_uuid'; v_message := 'worker_uuid must be a UUID';
  elsif coalesce(jsonb_typeof(p_worker -> 'name'), 'null') <> 'string'
      or btrim(p_worker ->> 'name') = ''
      or length(p_worker ->> 'name') > 128 then
    v_field := 'name'; v_message := 'name must be 1 to 128 characters and not blank';
  elsif not jsonb_path_exists(
      p_worker,
      '$.capacity ? (@.type() == "number" && @ >= 1 && @ <= 10000 && @ == @.floor())') then
    v_field := 'capacity'; v_message := 'capacity must be a whole number from 1 to 10000';
  elsif p_worker ? 'heartbeat_seconds'
      and not jsonb_path_exists(
        p_worker,
        '$.heartbeat_seconds ? (@.type() == "number" && @ >= 1 && @ <= 300 && @ == @.floor())') then
    v_field := 'heartbeat_seconds';
    v_message := 'heartbeat_seconds must be a whole number from 1 to 300';
  elsif coalesce(jsonb_typeof(p_worker -> 'handlers'), 'null') <> 'array' then
    v_field := 'handlers'; v_message := 'handlers must be an array of names';
  end if;
  if v_field is not null then
    return jsonb_build_object('outcome', 'invalid', 'field', v_field, 'message', v_message);
  end if;
  for v_list in select l from jsonb_object_keys(v_lists) l order by l loop
    if coalesce(jsonb_typeof(p_worker -> v_list), 'null') not in ('array', 'null') then
      return jsonb_build_object('outcome', 'invalid', 'field', v_list,
                                'message', format('%s must be an array of names', v_list));
    elsif jsonb_typeof(p_worker -> v_list) = 'array' then
      if jsonb_array_length(p_worker -> v_list) > (v_lists ->> v_list)::int then
        return jsonb_build_object(
          'outcome', 'invalid', 'field', v_list,
          'message', format('%s must not be more than %s', v_list, v_lists ->> v_list));
      elsif exists (select from jsonb_array_elements(p_worker -> v_list) e
                    where jsonb_typeof(e.value) <> 'string'
                      or btrim(e.value #>> '{}') = ''
                      or length(e.value #>> '{}') > 500) then
        return jsonb_build_object(
          'outcome', 'invalid', 'field', v_list,
          'message', format('each of %s must be a name of 1 to 500 characters', v_list));
      end if;
    end if;
  end loop;
  if jsonb_array_length(p_worker -> 'handlers') = 0
     and coalesce(nullif(p_worker -> 'resolvers', 'null'), '[]') = '[]' then
    return jsonb_build_object(
      'outcome', 'invalid', 'field', 'handlers',
      'message', 'handlers must name at least one handler, unless resolvers name one');
  end if;
  if p_worker -> 'namespaces' = '[]' then
    return jsonb_build_object(
      'outcome', 'invalid', 'field', 'namespaces',
      'message', 'namespaces must name at least one namespace, or be null for all');
  end if;
  if jsonb_typeof(p_worker -> 'namespaces') = 'array' then
    select format('namespaces must be names of namespaces, a letter and at most 28 letters, '
                  'digits and underscores, but one is %s',
                  left(n.name, 40)) into v_message
    from jsonb_array_elements_text(p_worker -> 'namespaces') as n(name)
    where n.name !~ '^[a-zA-Z][a-zA-Z0-9_]{0,28}$'
    order by n.name limit 1;
    if v_message is not null then
      return jsonb_build_object('outcome', 'invalid', 'field', 'namespaces', 'message', v_message);
    end if;
  end if;
  v_key := (p_worker ->> 'worker_uuid')::uuid;
  v_period := coalesce((p_worker ->> 'heartbeat_seconds')::numeric::int, 10);
  if exists (select from tasker.servers s where s.server_uuid = v_key) then
    return jsonb_build_object(
      'outcome', 'invalid', 'field', 'worker_uuid', 'message', 'worker_uuid is that of a server');
  end if;
  -- Two first registrations with one key at a time: the later one finds the worker of the other.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended(v_key::text, 0));
  select w.owner into v_owner from tasker.workers w where w.worker_uuid = v_key for no key update;
  v_is_new := not found;
  if not v_is_new and v_owner is distinct from p_owner then
    return '{"outcome": "foreign"}';
  end if;
  perform tasker.declare_worker(
    v_key, null, p_worker ->> 'name', 'healthy',
    case when jsonb_typeof(p_worker -> 'namespaces') = 'array' then
           array(select jsonb_array_elements_text(p_worker -> 'namespaces')) end,
    array(select jsonb_array_elements_text(p_worker -> 'handlers')),
    array(select jsonb_array_elements_text(
                   coalesce(nullif(p_worker -> 'resolvers', 'null'), '[]'))),
    (p_worker ->> 'capacity')::numeric::int, 0, v_period, true, v_now);
  update tasker.workers w set owner = p_owner, registered_by = p_registered_by
  where w.worker_uuid = v_key
    and (w.owner, w.registered_by) is distinct from (p_owner, p_registered_by);
  perform tasker.clean_worker_claims(v_key);
  return jsonb_build_object(
    'outcome', 'registered', 'worker_uuid', v_key, 'is_new', v_is_new,
    'heartbeat_seconds', v_period, 'lease_expires_at', v_now + 4 * v_period * interval '1 second',
    'steps', (select coalesce(jsonb_agg(jsonb_build_object('step_uuid', c.workflow_step_uuid,
                                                           'handoff', c.handoff)),
                              '[]')
              from tasker.worker_claims c
              where c.worker_uuid = v_key),
    'missing_namespaces', (
      select coalesce(jsonb_agg(distinct n.name), '[]')
      from jsonb_array_elements_text(
        case when jsonb_typeof(p_worker -> 'namespaces') = 'array' then p_worker -> 'namespaces'
             else '[]' end) as n(name)
      where not exists (select from tasker.task_namespaces ns where ns.name = n.name)));
end
$$;
comment on function tasker.register_worker(jsonb, timestamptz, text, text) is
  'Registers an external worker, a program outside the servers that runs steps.';
