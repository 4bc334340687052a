-- A page of parked messages, newest first: {messages: [..], next}. p_queue_name null: of all
-- queues. p_replayed false: only those that were not sent again. p_before: the next of the page
-- before.
-- allowed_actions: replay, until the message was sent again.
-- Locks: none.
create or replace function tasker.list_dead_messages(
  p_queue_name text default null, p_replayed boolean default false, p_limit int default 25,
  p_before uuid default null)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  with page as (
    select d.*
    from tasker.dead_messages d
    where (p_queue_name is null or d.queue_name = p_queue_name)
      and (p_replayed or d.replayed_at is null)
      and (p_before is null or d.dead_message_uuid < p_before)
    order by d.dead_message_uuid desc limit p_limit + 1),
  numbered as (
    select p.*, row_number() over (order by p.dead_message_uuid desc) as row_no from page p)
  select jsonb_build_object(
           'messages', coalesce(jsonb_agg(to_jsonb(n)
                                          - 'row_no' || jsonb_build_object(
                                            'allowed_actions', case
                                              when n.replayed_at is null then '["replay"]'
                                              else '[]' end::jsonb) order by n.row_no)
                                  filter (where n.row_no <= p_limit),
                                '[]'),
           'next', case
             when count(*) > p_limit then (array_agg(n.dead_message_uuid order by n.row_no)
                                           filter (where n.row_no = p_limit))[1] end)
  from numbered n
$$;
comment on function tasker.list_dead_messages(text, boolean, int, uuid) is
  'A page of parked messages, newest first.';
