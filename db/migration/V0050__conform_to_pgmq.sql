-- breaking-change: no
-- What the conformance suite found on both sides (PgmqConformanceTest): pgmq takes queue names with any character that is
-- not one of $ ; ' or two dashes, and fills up a batch that has fewer headers than messages. Ours refused both. Names are
-- quoted wherever they are used, so more of them can be allowed; that there are more headers than messages stays refused.
-- Nothing is done where the extension is installed.
do $conform$
begin
  if exists (select from pg_catalog.pg_extension where extname = 'pgmq') then
    return;
  end if;
  execute $sql$
    create or replace function pgmq.format_table_name(queue_name text, prefix text) returns text
    language plpgsql immutable as $f$
    begin
      if queue_name is null or queue_name !~ '^.{1,47}$' or queue_name ~ '[$;'']|--|[[:cntrl:]]' then
        raise exception 'queue name "%" must have 1 to 47 characters, and neither $, ;, two dashes nor a quote', queue_name
          using errcode = '22023';
      end if;
      return lower(prefix || '_' || queue_name);
    end $f$;

    create or replace function pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[], delay timestamptz) returns setof bigint
    language plpgsql as $f$
    begin
      if cardinality(headers) > cardinality(msgs) then
        raise exception 'there are more headers than messages: % and %', cardinality(headers), cardinality(msgs)
          using errcode = '22023';
      end if;
      return query execute format(
        'insert into pgmq.%I (vt, message, headers) select $2, m, h from unnest($1, $3) as u(m, h) returning msg_id',
        pgmq.format_table_name(queue_name, 'q')) using msgs, delay, headers;
    end $f$;
  $sql$;
end
$conform$;
