-- breaking-change: no
-- What clients of pgmq 1.5.1 call and our own functions lacked: null as the condition of read means no condition,
-- read_with_poll, unlogged queues, the older names of create and drop_queue, detach_archive, validate_queue_name. Partitioned
-- queues need pg_partman, which the functions of their names say. Nothing is done where the extension is installed.
do $complete$
begin
  if exists (select from pg_catalog.pg_extension where extname = 'pgmq') then
    return;
  end if;
  execute $sql$
    create function pgmq._make_queue(queue_name text, is_unlogged boolean) returns void language plpgsql as $f$
    declare
      v_queue   text := pgmq.format_table_name(queue_name, 'q');
      v_archive text := pgmq.format_table_name(queue_name, 'a');
    begin
      perform pg_advisory_xact_lock(hashtext('pgmq.queue_' || lower(queue_name)));
      execute format('create %s table if not exists pgmq.%I (
          msg_id bigint primary key generated always as identity, read_ct int not null default 0,
          enqueued_at timestamptz not null default now(), vt timestamptz not null, message jsonb, headers jsonb)',
          case when is_unlogged then 'unlogged' else '' end, v_queue);
      execute format('create table if not exists pgmq.%I (
          msg_id bigint primary key, read_ct int not null default 0, enqueued_at timestamptz not null default now(),
          archived_at timestamptz not null default now(), vt timestamptz not null, message jsonb, headers jsonb)', v_archive);
      execute format('create index if not exists %I on pgmq.%I (vt)', v_queue || '_vt_idx', v_queue);
      execute format('create index if not exists %I on pgmq.%I (archived_at)', 'archived_at_idx_' || lower(queue_name), v_archive);
      insert into pgmq.meta (queue_name, is_unlogged) values (_make_queue.queue_name, _make_queue.is_unlogged) on conflict do nothing;
    end $f$;
    create or replace function pgmq.create(queue_name text) returns void language sql as
      'select pgmq._make_queue(queue_name, false)';
    create function pgmq.create_non_partitioned(queue_name text) returns void language sql as
      'select pgmq._make_queue(queue_name, false)';
    create function pgmq.create_unlogged(queue_name text) returns void language sql as
      'select pgmq._make_queue(queue_name, true)';

    create function pgmq.create_partitioned(
      queue_name text, partition_interval text default '10000', retention_interval text default '100000') returns void
    language plpgsql as $f$
    begin
      raise exception 'a partitioned queue needs pg_partman and the extension pgmq; queue "%" was not made', queue_name
        using errcode = '0A000', hint = 'Use pgmq.create, or install both extensions before Tasker EE.';
    end $f$;

    create function pgmq.convert_archive_partitioned(
      table_name text, partition_interval text default '10000', retention_interval text default '100000',
      leading_partition int default 10) returns void
    language plpgsql as $f$
    begin
      raise exception 'a partitioned archive needs pg_partman and the extension pgmq; the archive of "%" stays as it is', table_name
        using errcode = '0A000', hint = 'Delete old rows of the archive table instead.';
    end $f$;

    -- The flag says whether the queue is partitioned; ours never are.
    create function pgmq.drop_queue(queue_name text, partitioned boolean) returns boolean language sql as
      'select pgmq.drop_queue(queue_name)';

    -- Our tables belong to no extension, so that an archive outlives one anyway.
    create function pgmq.detach_archive(queue_name text) returns void language plpgsql as $f$
    begin
      perform format('pgmq.%I', pgmq.format_table_name(queue_name, 'a'))::regclass;
    end $f$;

    create function pgmq.validate_queue_name(queue_name text) returns void language plpgsql as $f$
    begin
      perform pgmq.format_table_name(queue_name, 'q');
    end $f$;

    create or replace function pgmq.read(queue_name text, vt integer, qty integer, conditional jsonb default '{}')
    returns setof pgmq.message_record language plpgsql as $f$
    begin
      return query execute format($q$
        with readable as (
          select m.msg_id from pgmq.%1$I m
          where m.vt <= clock_timestamp() and ($3 is null or $3 = '{}'::jsonb or m.message @> $3)
          order by m.msg_id limit $1 for update skip locked)
        update pgmq.%1$I m set vt = clock_timestamp() + make_interval(secs => $2), read_ct = m.read_ct + 1
        from readable where m.msg_id = readable.msg_id
        returning m.msg_id, m.read_ct, m.enqueued_at, m.vt, m.message, m.headers $q$,
        pgmq.format_table_name(queue_name, 'q')) using qty, vt, conditional;
    end $f$;

    create function pgmq.read_with_poll(
      queue_name text, vt integer, qty integer, max_poll_seconds integer default 5, poll_interval_ms integer default 100,
      conditional jsonb default '{}')
    returns setof pgmq.message_record language plpgsql as $f$
    declare
      v_end timestamptz := clock_timestamp() + make_interval(secs => max_poll_seconds);
    begin
      loop
        return query select * from pgmq.read(queue_name, vt, qty, conditional);
        if found or clock_timestamp() >= v_end then
          return;
        end if;
        perform pg_sleep(poll_interval_ms / 1000.0);
      end loop;
    end $f$;
  $sql$;
end
$complete$;
