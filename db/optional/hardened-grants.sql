-- Optional: one database role per actor. Without this file one role owns the schema and calls all
-- functions, which is the default.
--
-- Roles (NOLOGIN; grant them to your logins):
--   tasker_orchestrator, tasker_worker, tasker_recovery, tasker_operator, tasker_api, tasker_reader
--     each may execute the functions of the schema of its own name, and nothing else. Those are
--     wrappers, SECURITY DEFINER, owned by the owner of schema tasker: they fix the arguments by
--     which one function acts for two actors (the actor, whether to settle, whether to claim) and
--     accept no time from their caller. tasker_reader may also read the tables, and so may
--     tasker_operator and tasker_api.
--   tasker_server: for servers, which combine several of these actors: may execute the functions in
--     schema tasker that servers call.
-- None of them may write a table, so each can change a state only through those functions.
--
-- Run it as the owner of schema tasker with CREATEROLE, or as a superuser, and again after every
-- upgrade: a function that an upgrade replaces is SECURITY INVOKER again, so that until then
-- tasker_server is refused, and a wrapper of a function whose arguments changed fails. The script
-- is one transaction and can be repeated. Roles are global to the database cluster.
do $harden$
declare
  v_owner   name := (
    select pg_get_userbyid(n.nspowner) from pg_namespace n where n.nspname = 'tasker');
  -- The functions that each role may call; "name(argument => value)" fixes an argument.
  v_lists   constant jsonb := $lists$ {
    "orchestrator": ["submit_task", "submit_tasks", "add_steps", "submit_queued_requests",
      "evaluate_tasks", "process_step_results", "take_task_requests", "finish_task_requests",
      "take_unchecked_tasks", "start_validated_tasks", "get_next_ready_task",
      "get_next_ready_tasks", "claim_task_for_finalization", "finalize_task_completion",
      "transition_task_state_atomic", "transition_step_state_atomic(p_actor => 'orchestrator')",
      "set_step_backoff_atomic", "make_history_partitions", "reconcile_tasks",
      "roll_up_analytics", "analyze_grown_tables", "close_settled_dlq_entries",
      "purge_idempotency_keys", "purge_expired_tasks", "purge_expired_rows",
      "advance_bulk_actions", "drop_history_month", "forget_purged_tasks", "notify_servers"],
    "worker": ["claim_steps", "complete_steps(p_settle => false)", "heartbeat", "register_worker",
      "heartbeat_worker", "decline_steps", "release_steps", "save_checkpoint",
      "get_cancel_requests", "get_step_definitions", "get_ancestor_results",
      "get_ancestor_batch_results", "transition_step_state_atomic(p_actor => 'worker')",
      "notify_servers"],
    "recovery": ["advance_due_tasks", "detect_and_transition_stale_tasks", "create_dlq_entry",
      "transition_step_state_atomic(p_actor => 'recovery')", "notify_servers"],
    "operator": ["act_on_step", "act_on_task", "fork_task", "erase_task_documents",
      "erase_tasks_by_attribute", "pause_templates", "resume_templates",
      "preview_bulk_action", "run_bulk_action", "cancel_bulk_action", "send_task_to_dlq",
      "update_dlq_entry", "set_concurrency_limit", "set_retention_policy", "purge_tasks",
      "replay_dead_message", "replay_dead_messages", "request_cancel", "register_template",
      "change_schedule", "change_webhook", "change_delivery", "record_opening",
      "transition_step_state_atomic(p_actor => 'operator')", "rebuild_analytics", "notify_servers"],
    "api": ["submit_task", "submit_tasks", "send_signal", "queue_signal", "request_cancel"],
    "reader": ["get_current_task_state", "get_step_readiness_status",
      "get_step_readiness_status_batch", "get_ready_steps", "get_task_ready_info",
      "get_task_execution_context", "get_task_execution_contexts_batch",
      "calculate_dependency_levels", "get_step_transitive_dependencies", "get_queue_statistics",
      "get_queue_documents", "list_dead_messages", "check_history", "replay_moves",
      "get_installation_status",
      "get_servers", "get_workers", "get_worker_documents", "get_unserved_steps",
      "get_server_documents", "get_handoff_latency", "list_tasks", "count_tasks",
      "group_failures", "get_timeline_document", "get_task_documents", "get_step_documents",
      "get_step_audit", "get_templates", "get_pauses", "get_analytics_metrics",
      "get_system_health_counts", "get_slowest_tasks", "get_slowest_steps",
      "get_slowest_tasks_aggregated", "get_slowest_steps_aggregated", "get_performance_document",
      "get_health_document", "get_bottleneck_document", "get_metrics_document", "explain_waiting",
      "get_waiting_document", "explain_tasks",
      "get_task_captions", "read_document", "get_bulk_action_document",
      "list_bulk_actions", "list_bulk_action_tasks", "get_task_history", "get_fork_documents",
      "get_action_schemas", "get_events", "get_dlq_documents", "get_dlq_statistics",
      "get_dlq_investigation_queue", "get_staleness", "list_concurrency_policies",
      "get_retention_rules", "get_retention_document", "get_retention_preview",
      "preview_retention", "get_schedule_documents", "list_schedule_fires",
      "get_backfill_documents", "get_schedule_figures", "list_domain_events", "get_event_floor",
      "get_consumer_figures", "get_webhook_documents", "list_webhook_deliveries",
      "get_webhook_figures"],
    "server": ["purge_expired_tasks", "purge_expired_rows", "drop_history_month",
      "forget_purged_tasks", "get_retention_document", "get_retention_preview",
      "set_retention_policy", "create_first_administrator", "get_key_access", "get_namespace_of",
      "get_role_access", "get_user_access", "list_access", "get_bulk_action", "save_user",
      "set_password", "set_user_enabled", "create_api_key", "revoke_api_key", "grant_access",
      "revoke_grant", "begin_write_request", "finish_write_request", "list_write_requests",
      "begin_action", "create_session", "get_session_access", "end_session",
      "find_signal_targets", "get_signal_schema", "send_signals", "queue_signals",
      "get_signal_documents", "list_approvals", "get_approval_document", "claim_approval",
      "unclaim_approval", "delegate_approval", "decide_approval", "limit_answer", "abandon_steps",
      "act_on_step", "act_on_task", "fork_task", "get_fork_documents", "erase_task_documents",
      "erase_tasks_by_attribute", "advance_due_tasks",
      "analyze_grown_tables", "claim_idempotency_key", "claim_steps", "close_settled_dlq_entries",
      "complete_steps", "check_expressions", "check_registration", "decline_steps",
      "find_missing_handlers", "finish_task_requests", "get_action_schemas", "get_latest_version",
      "get_ancestor_results", "get_ancestor_batch_results", "get_bottleneck_document",
      "get_cancel_requests", "get_current_task_state", "get_events", "get_dlq_documents",
      "get_dlq_investigation_queue", "get_dlq_statistics", "check_storage", "get_health_document",
      "get_installation_status", "get_metric_totals", "get_metrics_document", "get_pauses",
      "get_performance_document",
      "get_queue_documents", "get_server_documents", "get_staleness", "get_step_audit",
      "get_step_definitions", "get_step_documents", "list_batch_workers", "get_child_documents",
      "get_task_documents", "get_task_history", "get_templates", "get_waiting_document",
      "heartbeat", "save_idempotent_response", "list_concurrency_policies", "list_dead_messages",
      "list_tasks", "count_tasks", "group_failures", "get_timeline_document", "list_views",
      "save_view", "delete_view", "make_history_partitions", "notify_servers", "pause_templates",
      "preview_bulk_action", "process_step_results", "purge_idempotency_keys", "reconcile_tasks",
      "record_opening",
      "register_template", "release_steps", "release_unknown_steps", "replay_dead_message",
      "request_cancel", "resume_templates", "roll_up_analytics", "run_bulk_action",
      "advance_bulk_actions", "cancel_bulk_action", "get_bulk_action_document",
      "list_bulk_actions", "list_bulk_action_tasks", "explain_tasks",
      "get_task_captions", "read_document",
      "save_checkpoint", "send_task_to_dlq", "set_aside_due_task", "set_aside_step_result",
      "set_concurrency_limit", "start_validated_tasks",
      "submit_queued_requests", "submit_tasks", "summarize_history", "take_task_requests",
      "take_unchecked_tasks", "update_dlq_entry", "register_worker", "heartbeat_worker",
      "claim_steps_for_workers", "get_worker_claims", "save_worker_checkpoints",
      "get_worker_step_results", "get_worker_batch_results", "submit_worker_results",
      "submit_results_of_workers", "drain_worker", "get_worker_documents", "take_due_schedules",
      "take_stalled_schedules", "restore_fire_times", "decline_schedules", "fire_schedules",
      "advance_backfills", "save_schedule", "change_schedule", "trigger_schedule",
      "start_backfill", "get_schedule_documents", "list_schedule_fires", "get_backfill_documents",
      "find_started_fires", "sequence_events", "list_domain_events", "claim_event_consumer",
      "record_event_delivery", "save_webhook", "change_webhook", "change_delivery",
      "claim_deliveries", "settle_deliveries", "get_webhook_documents", "list_webhook_deliveries"]
    } $lists$;
  -- Arguments that a caller of a wrapper never sets: the time, a bulk token, the limits of
  -- unclaimed and unserved offers, and the caller of the REST interface that a worker belongs to.
  v_kept    constant text[] :=
    '{p_now,p_bulk_token,p_claim_seconds,p_unserved_seconds,p_owner,p_registered_by}';
  v_actor   text;
  v_role    text;
  v_entry   text;
  v_name    text;
  v_fixed   text[];
  v_found   pg_proc;
  v_each    record;
  v_formal  text;
  v_actual  text;
begin
  if v_owner is null then
    raise exception 'there is no schema tasker in this database: start a server, or migrate, first';
  end if;
  perform set_config('search_path', 'pg_catalog, pg_temp', true);
  -- What is missing is said before anything is tried.
  if not has_database_privilege(v_owner, current_database(), 'create')
     and exists (select from jsonb_object_keys(v_lists) as actor
                 where actor <> 'server' and to_regnamespace('tasker_' || actor) is null) then
    raise exception 'role % may not create the schemas of the wrappers', v_owner
      using errcode = '42501',
            hint = format('grant create on database %I to %I;', current_database(), v_owner);
  end if;
  if not exists (select from pg_roles r where r.rolname = current_user
                 and (r.rolcreaterole or r.rolsuper))
     and exists (select from jsonb_object_keys(v_lists) as actor
                 where not exists (select from pg_roles r where r.rolname = 'tasker_' || actor))
  then
    raise exception 'role % may not create roles', current_user
      using errcode = '42501', hint = format('alter role %I createrole;', current_user);
  end if;

  for v_actor in select jsonb_object_keys(v_lists) loop
    v_role := 'tasker_' || v_actor;
    if not exists (select from pg_roles r where r.rolname = v_role) then
      execute format('create role %I nologin', v_role);
    elsif exists (select from pg_roles r
                  where r.rolname = v_role and (r.rolcanlogin or r.rolsuper)) then
      raise exception 'role % can log in or is a superuser: it is to be a group, for logins of '
                      'other names', v_role;
    end if;
  end loop;
  foreach v_role in array array['tasker_api', 'tasker_operator', 'tasker_server'] loop
    if not exists (select from pg_auth_members m
                   where m.roleid = 'tasker_reader'::regrole and m.member = v_role::regrole) then
      execute format('grant tasker_reader to %I', v_role);
    end if;
  end loop;

  -- From here on as the owner of schema tasker, who must own the wrappers.
  execute format('set local role %I', v_owner);
  revoke all on schema tasker from public;
  revoke all on all tables in schema tasker from public;
  revoke all on all sequences in schema tasker from public;
  revoke all on all routines in schema tasker from public;
  -- The search path of a wrapper finds no object of the session before the intended one, not even a
  -- type.
  for v_each in
    select p.oid::regprocedure as signature
    from pg_proc p
    where p.pronamespace = 'tasker'::regnamespace and p.proconfig::text ~ 'search_path'
  loop
    execute format('alter routine %s security invoker set search_path = pg_catalog, pg_temp',
                   v_each.signature);
  end loop;

  for v_actor in select jsonb_object_keys(v_lists) loop
    v_role := 'tasker_' || v_actor;
    execute format('revoke all on schema tasker from %I', v_role);
    execute format('revoke all on all tables in schema tasker from %I', v_role);
    execute format('revoke all on all sequences in schema tasker from %I', v_role);
    execute format('revoke all on all routines in schema tasker from %I', v_role);
    if v_actor <> 'server' then
      if to_regnamespace(v_role) is null then
        execute format('create schema %I', v_role);
      end if;
      for v_each in
        select p.oid::regprocedure as signature
        from pg_proc p
        where p.pronamespace = v_role::regnamespace
      loop
        execute format('drop routine %s', v_each.signature);
      end loop;
      execute format('revoke all on schema %I from public', v_role);
      execute format('grant usage on schema %I to %I', v_role, v_role);
    end if;

    for v_entry in select jsonb_array_elements_text(v_lists -> v_actor) loop
      v_name := split_part(v_entry, '(', 1);
      v_fixed := regexp_match(v_entry, '\((\w+) => ([^)]+)\)');
      begin
        select p.* into strict v_found
        from pg_proc p
        where p.pronamespace = 'tasker'::regnamespace and p.proname = v_name;
      exception when no_data_found then
        raise exception 'there is no function tasker.%: this file and the schema are of different '
                        'versions', v_name;
      end;
      if v_actor = 'server' then
        execute format('alter function %s security definer set search_path = pg_catalog, pg_temp',
                       v_found.oid::regprocedure);
        execute format('grant execute on function %s to %I', v_found.oid::regprocedure, v_role);
        continue;
      end if;
      select string_agg(concat_ws(' ', quote_ident(a.name), format_type(a.type, null),
                                  'default ' || a.fallback),
                        ', ' order by a.position) filter (where not a.is_kept),
             string_agg(format('%I => %s', a.name,
                               case when a.name = coalesce(v_fixed[1], '') then v_fixed[2]
                                    else quote_ident(v_name) || '.' || quote_ident(a.name) end),
                        ', ' order by a.position)
               filter (where not a.is_kept or a.name = coalesce(v_fixed[1], ''))
        into v_formal, v_actual
      from (select i.position, v_found.proargnames[i.position] as name, i.type,
                   pg_get_function_arg_default(v_found.oid, i.position::int) as fallback,
                   v_found.proargnames[i.position] = any (v_kept || coalesce(v_fixed[1], ''))
                     or (v_actor <> 'worker'
                         and v_found.proargnames[i.position] in (
                           'p_claim_limit', 'p_lease_seconds')) as is_kept
            from unnest(v_found.proargtypes) with ordinality as i(type, position)) a;
      execute format('create function %I.%I(%s) returns %s language sql security definer set '
                     'search_path = pg_catalog, pg_temp as %L',
                     v_role, v_name, v_formal, pg_get_function_result(v_found.oid),
                     format('select * from tasker.%I(%s)', v_name, v_actual));
      execute format('comment on function %I.%I is %L', v_role, v_name,
                     obj_description(v_found.oid, 'pg_proc'));
      execute format('revoke all on function %I.%I from public', v_role, v_name);
      execute format('grant execute on function %I.%I to %I', v_role, v_name, v_role);
    end loop;
  end loop;

  grant usage on schema tasker to tasker_server, tasker_reader;
  grant select on all tables in schema tasker to tasker_reader;
  -- The view calls functions with the privileges of its reader; get_staleness() shows the same.
  revoke select on tasker.v_task_staleness_monitoring from tasker_reader;
  -- No role may read hashes of passwords, keys and tokens of sessions, nor secrets of webhooks.
  revoke select
    on tasker.access_users, tasker.access_keys, tasker.access_sessions, tasker.webhook_secrets from
    tasker_reader;
end
$harden$;
