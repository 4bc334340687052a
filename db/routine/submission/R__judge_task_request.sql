-- The verdict of submit_tasks about a request that it refuses before it writes a row; null for one
-- that it accepts, but for search attributes that cannot be stored.
-- p_named_task_uuid: null when there is no such template. p_parents: the namespaces of the parents
-- of all requests that may have children. Written so that the planner inlines it.
-- Locks: none. Source: ADR 0028.
create or replace function tasker.judge_task_request(
  p_request jsonb, p_namespace text, p_named_task_uuid uuid,
  p_identity_strategy tasker.identity_strategy, p_parents jsonb, p_context_checked boolean,
  p_now timestamptz)
returns jsonb
language sql stable
as $$
  select case
    when p_named_task_uuid is null then jsonb_build_object(
      'verdict', 'unknown_template', 'field', 'name',
      'message', format('there is no template %s/%s%s', p_namespace, p_request ->> 'name',
                        ' version ' || (p_request ->> 'version')))
    when jsonb_typeof(coalesce(p_request -> 'context', 'null')) <> 'object' then
      jsonb_build_object('verdict', 'invalid', 'field', 'context',
                         'message', 'context must be an object')
    -- A caller that validated the context has checked this too. A worker could not parse a
    -- deeper one.
    when not p_context_checked
      and jsonb_path_exists(p_request -> 'context', 'strict $.**{64}') then
      jsonb_build_object('verdict', 'invalid', 'field', 'context',
                         'message', 'context must not be nested more than 64 deep')
    when not p_context_checked
      and tasker.check_document(p_request -> 'context') is not null then
      jsonb_build_object('verdict', 'invalid', 'field', 'context',
                         'message', 'context ' || tasker.check_document(p_request -> 'context'))
    when p_request ? 'tags'
      and tasker.check_document(p_request -> 'tags', 131072) is not null then
      jsonb_build_object('verdict', 'invalid', 'field', 'tags',
                         'message', 'tags ' || tasker.check_document(p_request -> 'tags', 131072))
    when p_identity_strategy = 'caller_provided'
      and p_request ->> 'idempotency_key' is null then
      jsonb_build_object('verdict', 'invalid', 'field', 'idempotency_key',
                         'message', 'the template asks for an idempotency_key')
    when p_request ->> 'parent_task_uuid' is not null
      and (not p_parents ? lower(p_request ->> 'parent_task_uuid')
           or not coalesce(p_request -> 'parent_namespaces'
                             ? (p_parents ->> lower(p_request ->> 'parent_task_uuid')),
                           true)) then
      jsonb_build_object('verdict', 'invalid', 'field', 'parent_task_uuid',
                         'message', 'there is no such task, or it is being cancelled '
                                    'together with its children')
    when p_request ->> 'trace_parent'
      !~ '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' then
      jsonb_build_object('verdict', 'invalid', 'field', 'trace_parent',
                         'message', 'trace_parent must be as W3C Trace Context has it')
    when coalesce((p_request ->> 'priority')::int, 0) not between -100 and 100 then
      jsonb_build_object('verdict', 'invalid', 'field', 'priority',
                         'message', 'priority must be between -100 and 100')
    when p_request ->> 'requested_at' is not null
      and tasker.parse_instant(p_request -> 'requested_at') is null then
      jsonb_build_object('verdict', 'invalid', 'field', 'requested_at',
                         'message', 'requested_at must be an instant with a time zone, '
                                    'as 2027-01-31T12:00:00Z')
    when p_request ->> 'start_at' is not null
      and tasker.parse_instant(p_request -> 'start_at') is null then
      jsonb_build_object(
        'verdict', 'invalid', 'field', 'start_at',
        'message', 'start_at must be an instant with a time zone, as 2027-01-31T12:00:00Z')
    when p_request ->> 'start_at' is not null
      and tasker.parse_instant(p_request -> 'start_at') > p_now + interval '10 years' then
      jsonb_build_object('verdict', 'invalid', 'field', 'start_at',
                         'message', 'start_at must be within ten years')
    when p_request ->> 'delay_seconds' is not null
      and p_request ->> 'start_at' is not null then
      jsonb_build_object('verdict', 'invalid', 'field', 'delay_seconds',
                         'message', 'only one of start_at and delay_seconds may be given')
    when p_request ->> 'delay_seconds' is not null
      and not coalesce(jsonb_path_exists(
                         p_request,
                         'strict $.delay_seconds ? (@.type() == "number" && @ >= 0 && @ '
                         '<= 315360000 && @ == @.floor())',
                         silent => true),
                       false) then
      jsonb_build_object(
        'verdict', 'invalid', 'field', 'delay_seconds',
        'message', 'delay_seconds must be a whole number between 0 and 315360000')
         end
$$;
comment on function tasker.judge_task_request(
  jsonb, text, uuid, tasker.identity_strategy, jsonb, boolean, timestamptz) is
  'The verdict of submit_tasks about a request that it refuses before it writes a row.';
