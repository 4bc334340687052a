-- The queue interface is that of pgmq. Uses the extension where it is available; elsewhere installs
-- these functions with the same names and signatures, over tables of the same layout. No other file
-- depends on which of the two is installed. PgmqConformanceTest compares both: which names a queue
-- may have (every use quotes them), that a batch with fewer headers than messages is filled up,
-- that null as the condition of read means no condition. Partitioned queues need pg_partman, as the
-- errors of their functions say.
-- As the interface that pgmq 1.5 and later document.
do $install$
begin
  if exists (select from pg_catalog.pg_extension where extname = 'pgmq') then
    return;
  end if;
  if exists (select from pg_catalog.pg_available_extensions where name = 'pgmq') then
    begin
      create extension pgmq;
      return;
    exception when insufficient_privilege then
      raise notice 'extension pgmq is there but may not be created by %; installing our own '
                   'functions', current_user;
    end;
  end if;

  if pg_catalog.to_regnamespace('pgmq') is null then
    create schema pgmq;
  end if;
  execute $sql$
    create table pgmq.meta (
      queue_name     varchar     not null unique,
      is_partitioned boolean     not null default false,
      is_unlogged    boolean     not null default false,
      created_at     timestamptz not null default now());

    create type pgmq.message_record as (
      msg_id bigint, read_ct integer, enqueued_at timestamptz, vt timestamptz, message jsonb,
      headers jsonb);

    create type pgmq.queue_record as (
      queue_name varchar, is_partitioned boolean, is_unlogged boolean, created_at timestamptz);

    create type pgmq.metrics_result as (
      queue_name text, queue_length bigint, newest_msg_age_sec int, oldest_msg_age_sec int,
      total_messages bigint, scrape_time timestamptz, queue_visible_length bigint);

    -- Table name of a queue; refuses names that cannot be quoted safely.
    create function pgmq.format_table_name(queue_name text, prefix text) returns text
    language plpgsql immutable as $f$
    begin
      if queue_name is null or queue_name !~ '^.{1,47}$'
         or queue_name ~ '[$;'']|--|[[:cntrl:]]' then
        raise exception 'queue name "%" must have 1 to 47 characters, and neither $, ;, two dashes '
                        'nor a quote', queue_name
          using errcode = '22023';
      end if;
      return lower(prefix || '_' || queue_name);
    end $f$;

    create function pgmq._make_queue(queue_name text, is_unlogged boolean) returns void
    language plpgsql as $f$
    declare
      v_queue   text := pgmq.format_table_name(queue_name, 'q');
      v_archive text := pgmq.format_table_name(queue_name, 'a');
    begin
      perform pg_advisory_xact_lock(hashtext('pgmq.queue_' || lower(queue_name)));
      execute format('create %s table if not exists pgmq.%I (
          msg_id bigint primary key generated always as identity, read_ct int not null default 0,
          enqueued_at timestamptz not null default now(), vt timestamptz not null,
          message jsonb, headers jsonb)',
          case when is_unlogged then 'unlogged' else '' end, v_queue);
      execute format('create table if not exists pgmq.%I (
          msg_id bigint primary key, read_ct int not null default 0,
          enqueued_at timestamptz not null default now(),
          archived_at timestamptz not null default now(), vt timestamptz not null,
          message jsonb, headers jsonb)', v_archive);
      execute format('create index if not exists %I on pgmq.%I (vt)',
        v_queue || '_vt_idx', v_queue);
      execute format('create index if not exists %I on pgmq.%I (archived_at)',
        'archived_at_idx_' || lower(queue_name), v_archive);
      insert into pgmq.meta (queue_name, is_unlogged)
      values (_make_queue.queue_name, _make_queue.is_unlogged)
      on conflict do nothing;
    end $f$;
    create function pgmq.create(queue_name text) returns void language sql as
      'select pgmq._make_queue(queue_name, false)';
    create function pgmq.create_non_partitioned(queue_name text) returns void language sql as
      'select pgmq._make_queue(queue_name, false)';
    create function pgmq.create_unlogged(queue_name text) returns void language sql as
      'select pgmq._make_queue(queue_name, true)';

    create function pgmq.create_partitioned(
      queue_name text, partition_interval text default '10000',
      retention_interval text default '100000') returns void
    language plpgsql as $f$
    begin
      raise exception 'a partitioned queue needs pg_partman and the extension pgmq; queue "%" was '
                      'not made', queue_name
        using errcode = '0A000',
              hint = 'Use pgmq.create, or install both extensions before Tasker EE.';
    end $f$;

    create function pgmq.convert_archive_partitioned(
      table_name text, partition_interval text default '10000',
      retention_interval text default '100000', leading_partition int default 10) returns void
    language plpgsql as $f$
    begin
      raise exception 'a partitioned archive needs pg_partman and the extension pgmq; the archive '
                      'of "%" stays as it is', table_name
        using errcode = '0A000', hint = 'Delete old rows of the archive table instead.';
    end $f$;


    create function pgmq.send(queue_name text, msg jsonb, headers jsonb, delay timestamptz)
    returns setof bigint language plpgsql as $f$
    begin
      return query execute format(
        'insert into pgmq.%I (vt, message, headers) values ($2, $1, $3) returning msg_id',
        pgmq.format_table_name(queue_name, 'q')) using msg, delay, headers;
    end $f$;
    create function pgmq.send(queue_name text, msg jsonb) returns setof bigint
    language sql as
      'select * from pgmq.send(queue_name, msg, null::jsonb, clock_timestamp())';
    create function pgmq.send(queue_name text, msg jsonb, headers jsonb) returns setof bigint
    language sql as
      'select * from pgmq.send(queue_name, msg, headers, clock_timestamp())';
    create function pgmq.send(queue_name text, msg jsonb, delay integer)
    returns setof bigint language sql as
      'select * from pgmq.send(queue_name, msg, null::jsonb,
                               clock_timestamp() + make_interval(secs => delay))';
    create function pgmq.send(queue_name text, msg jsonb, delay timestamptz)
    returns setof bigint language sql as
      'select * from pgmq.send(queue_name, msg, null::jsonb, delay)';
    create function pgmq.send(queue_name text, msg jsonb, headers jsonb, delay integer)
    returns setof bigint language sql as
      'select * from pgmq.send(queue_name, msg, headers,
                               clock_timestamp() + make_interval(secs => delay))';

    create function pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[],
      delay timestamptz) returns setof bigint language plpgsql as $f$
    begin
      if cardinality(headers) > cardinality(msgs) then
        raise exception 'there are more headers than messages: % and %',
          cardinality(headers), cardinality(msgs)
          using errcode = '22023';
      end if;
      return query execute format(
        'insert into pgmq.%I (vt, message, headers)
         select $2, m, h from unnest($1, $3) as u(m, h) returning msg_id',
        pgmq.format_table_name(queue_name, 'q')) using msgs, delay, headers;
    end $f$;
    create function pgmq.send_batch(queue_name text, msgs jsonb[]) returns setof bigint
    language sql as
      'select * from pgmq.send_batch(queue_name, msgs, null::jsonb[], clock_timestamp())';
    create function pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[])
    returns setof bigint language sql as
      'select * from pgmq.send_batch(queue_name, msgs, headers, clock_timestamp())';
    create function pgmq.send_batch(queue_name text, msgs jsonb[], delay integer)
    returns setof bigint language sql as
      'select * from pgmq.send_batch(queue_name, msgs, null::jsonb[],
                                     clock_timestamp() + make_interval(secs => delay))';
    create function pgmq.send_batch(queue_name text, msgs jsonb[], delay timestamptz)
    returns setof bigint language sql as
      'select * from pgmq.send_batch(queue_name, msgs, null::jsonb[], delay)';
    create function pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[], delay integer)
    returns setof bigint language sql as
      'select * from pgmq.send_batch(queue_name, msgs, headers,
                                     clock_timestamp() + make_interval(secs => delay))';

    create function pgmq.read(queue_name text, vt integer, qty integer,
      conditional jsonb default '{}') returns setof pgmq.message_record language plpgsql as $f$
    begin
      return query execute format($q$
        with readable as (
          select m.msg_id from pgmq.%1$I m
          where m.vt <= clock_timestamp() and ($3 is null or $3 = '{}'::jsonb or m.message @> $3)
          order by m.msg_id limit $1 for update skip locked)
        update pgmq.%1$I m set vt = clock_timestamp() + make_interval(secs => $2),
               read_ct = m.read_ct + 1
        from readable where m.msg_id = readable.msg_id
        returning m.msg_id, m.read_ct, m.enqueued_at, m.vt, m.message, m.headers $q$,
        pgmq.format_table_name(queue_name, 'q')) using qty, vt, conditional;
    end $f$;

    create function pgmq.read_with_poll(
      queue_name text, vt integer, qty integer, max_poll_seconds integer default 5,
      poll_interval_ms integer default 100, conditional jsonb default '{}')
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

    create function pgmq.pop(queue_name text, qty integer default 1)
    returns setof pgmq.message_record language plpgsql as $f$
    begin
      return query execute format($q$
        with readable as (
          select m.msg_id from pgmq.%1$I m where m.vt <= clock_timestamp()
          order by m.msg_id limit $1 for update skip locked)
        delete from pgmq.%1$I m using readable where m.msg_id = readable.msg_id
        returning m.msg_id, m.read_ct, m.enqueued_at, m.vt, m.message, m.headers $q$,
        pgmq.format_table_name(queue_name, 'q')) using qty;
    end $f$;

    create function pgmq.set_vt(queue_name text, msg_id bigint, vt integer)
    returns setof pgmq.message_record language plpgsql as $f$
    begin
      return query execute format(
        'update pgmq.%I m set vt = clock_timestamp() + make_interval(secs => $2)
         where m.msg_id = $1
         returning m.msg_id, m.read_ct, m.enqueued_at, m.vt, m.message, m.headers',
        pgmq.format_table_name(queue_name, 'q')) using msg_id, vt;
    end $f$;

    create function pgmq.delete(queue_name text, msg_id bigint) returns boolean
    language plpgsql as $f$
    declare v_count bigint;
    begin
      execute format('delete from pgmq.%I m where m.msg_id = $1',
        pgmq.format_table_name(queue_name, 'q')) using msg_id;
      get diagnostics v_count = row_count;
      return v_count > 0;
    end $f$;

    create function pgmq.delete(queue_name text, msg_ids bigint[]) returns setof bigint
    language plpgsql as $f$
    begin
      return query execute format(
        'delete from pgmq.%I m where m.msg_id = any($1) returning m.msg_id',
        pgmq.format_table_name(queue_name, 'q')) using msg_ids;
    end $f$;

    create function pgmq.archive(queue_name text, msg_ids bigint[]) returns setof bigint
    language plpgsql as $f$
    begin
      return query execute format('
        with gone as (delete from pgmq.%I m where m.msg_id = any($1)
                      returning m.msg_id, m.read_ct, m.enqueued_at, m.vt, m.message, m.headers)
        insert into pgmq.%I (msg_id, read_ct, enqueued_at, vt, message, headers)
        select * from gone returning msg_id',
        pgmq.format_table_name(queue_name, 'q'),
        pgmq.format_table_name(queue_name, 'a')) using msg_ids;
    end $f$;
    create function pgmq.archive(queue_name text, msg_id bigint) returns boolean language sql as
      'select exists (select from pgmq.archive(queue_name, array[msg_id]))';

    create function pgmq.purge_queue(queue_name text) returns bigint language plpgsql as $f$
    declare v_count bigint;
    begin
      execute format('delete from pgmq.%I', pgmq.format_table_name(queue_name, 'q'));
      get diagnostics v_count = row_count;
      return v_count;
    end $f$;

    create function pgmq.drop_queue(queue_name text) returns boolean language plpgsql as $f$
    declare
      v_queue   text := pgmq.format_table_name(queue_name, 'q');
      v_archive text := pgmq.format_table_name(queue_name, 'a');
    begin
      perform pg_advisory_xact_lock(hashtext('pgmq.queue_' || lower(queue_name)));
      if not exists (select from pgmq.meta m where m.queue_name = drop_queue.queue_name) then
        raise notice 'pgmq queue `%` does not exist', queue_name;
        return false;
      end if;
      execute format('drop table if exists pgmq.%I', v_queue);
      execute format('drop table if exists pgmq.%I', v_archive);
      delete from pgmq.meta m where m.queue_name = drop_queue.queue_name;
      return true;
    end $f$;

    -- The flag says whether the queue is partitioned; these never are.
    create function pgmq.drop_queue(queue_name text, partitioned boolean) returns boolean
    language sql as
      'select pgmq.drop_queue(queue_name)';

    -- These tables belong to no extension, so an archive already outlives it.
    create function pgmq.detach_archive(queue_name text) returns void language plpgsql as $f$
    begin
      perform format('pgmq.%I', pgmq.format_table_name(queue_name, 'a'))::regclass;
    end $f$;

    create function pgmq.validate_queue_name(queue_name text) returns void language plpgsql as $f$
    begin
      perform pgmq.format_table_name(queue_name, 'q');
    end $f$;

    create function pgmq.list_queues() returns setof pgmq.queue_record language sql stable as
      'select m.queue_name, m.is_partitioned, m.is_unlogged, m.created_at
       from pgmq.meta m order by m.queue_name';

    create function pgmq.metrics(queue_name text) returns pgmq.metrics_result
    language plpgsql as $f$
    declare v_result pgmq.metrics_result;
    begin
      execute format($q$
        select $1, count(*), extract(epoch from clock_timestamp() - max(m.enqueued_at))::int,
               extract(epoch from clock_timestamp() - min(m.enqueued_at))::int,
               (select case when is_called then last_value else 0 end from pgmq.%2$I),
               clock_timestamp(),
               count(*) filter (where m.vt <= clock_timestamp())
        from pgmq.%1$I m $q$,
        pgmq.format_table_name(queue_name, 'q'),
        pgmq.format_table_name(queue_name, 'q') || '_msg_id_seq')
        into v_result using queue_name;
      return v_result;
    end $f$;

    create function pgmq.metrics_all() returns setof pgmq.metrics_result language sql as
      'select m.* from pgmq.list_queues() q, pgmq.metrics(q.queue_name) m';
  $sql$;
  if pg_catalog.pg_has_role((select n.nspowner from pg_catalog.pg_namespace n
                             where n.nspname = 'pgmq'), 'usage') then
    comment on schema pgmq is
      'Message queues with the interface of the pgmq extension, installed by Tasker EE because the '
      'extension was not available.';
  end if;
end
$install$;
