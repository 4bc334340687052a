-- How many values PostgreSQL reads, at most, to evaluate a path, and what no document could make
-- cheap. Everything that is read for each element of a list counts as often as it is read:
-- PostgreSQL keeps all of it in memory until the path is evaluated, and does not look at cancel
-- requests while it compares lists.
-- p_normal: the path as PostgreSQL writes it. p_document: where the values are counted; null counts
-- p_nodes for each list instead. o_problem is a sentence about what is refused over every document:
-- a filter that starts at $ inside another filter, a list that its own filter reads again, .**
-- below .**, more than 32 accessors in a row, and regular expressions that PostgreSQL cannot match
-- in a time that grows with the text. o_reads stops to grow above p_limit. Locks: none. Source: ADR
-- 0066.
create or replace function tasker.measure_path(
  p_normal text, p_document jsonb, p_nodes bigint, p_limit double precision,
  out o_reads double precision, out o_problem text)
language plpgsql immutable
set search_path = ''
as $$
declare
  v_token    text;
  v_kind     text;
  -- What surrounds the token, from the outside in: the whole path, groups, filters, methods and
  -- subscripts.
  v_kinds    text[] := '{group}';
  -- The lists whose elements are @ there, as paths from $, without filters.
  v_elements jsonb[] := array['[]'::jsonb];
  -- How often a path is evaluated there that starts at $, or at @.
  v_times    double precision[] := '{1}';
  v_again    double precision[] := '{1}';
  -- The operand that is being read, what is left of its comparison, and the paths that the next
  -- accessor continues: {at, path, is_part}.
  v_operand  jsonb[] := array['[]'::jsonb];
  v_left     jsonb[] := array[null::jsonb];
  v_paths    jsonb[] := array['[]'::jsonb];
  v_depth    int := 1;
  v_factor   double precision := 1;
  v_skips    boolean := false;
  v_extends  boolean;
  v_counts   double precision[];
  v_list     jsonb;
  v_pattern  text;
begin
  o_reads := 0;
  for v_token in
    select m[1]
    from regexp_matches(
      p_normal,
      $re$(like_regex "(?:[^"\\]|\\.)*"(?: flag "[a-z]*")?|\."(?:[^"\\]|\\.)*"|"(?:[^"\\]|\\.)*"$re$
        || $re$|\.\*\*(?:\{[^}]*\})?|\.\*|\[\*\]|\[[0-9a-z ,-]*\]|\?\(|\.[a-z_]+\($re$
        || $re$|==|!=|<=|>=|<|>|&&|\|\||[][()$@,])$re$,
      'g') m
  loop
    v_extends := false;
    v_kind := case
      when v_token like 'like_regex%' then 'pattern'
      when v_token like '"%' then 'text'
      when v_token = '?(' then 'filter'
      when v_token in ('$', '@') then 'root'
      when v_token like '.%(' then 'method'
      when v_token like '.%' or v_token like '[%]' then 'accessor'
      when v_token in ('==', '!=', '<', '>', '<=', '>=') then 'comparison'
      when v_token in ('&&', '||') then 'end'
      else v_token end;

    if v_kind = 'pattern' then
      v_pattern := (substring(v_token from '^like_regex ("(?:[^"\\]|\\.)*")'))::jsonb #>> '{}';
      if v_token !~ ' flag "[a-z]*q'
         and (v_pattern ~ '(^|[^\\])(\\\\)*\\[1-9]' or v_pattern ~ '[(][?](<?[=!])') then
        o_problem := 'has a regular expression with a back reference or a look-around, which '
                     'cannot be matched in bounded time';
        return;
      end if;
    elsif v_kind = 'root' then
      v_operand[v_depth] := v_operand[v_depth] || v_paths[v_depth];
      v_paths[v_depth] := jsonb_build_array(jsonb_build_object('at', v_token, 'path', ''));
    elsif v_kind = 'accessor' then
      if v_skips and v_token like '."%' then
        -- Of what keyvalue() gives, key, value and id are one for each member.
        v_skips := false;
        continue;
      end if;
      v_skips := false;
      if v_token ~ '[0-9]{10}' then
        v_token := '[*]';
      end if;
      v_paths[v_depth] := (
        select coalesce(jsonb_agg(p || jsonb_build_object(
                                    'path', (p ->> 'path') || v_token,
                                    'is_part', v_token ~ '^\[[^*]' or (p ->> 'is_part')::boolean)),
                        '[]')
        from jsonb_array_elements(v_paths[v_depth]) p);
      v_extends := true;
    elsif v_kind = 'filter' then
      if exists (select from jsonb_array_elements(v_paths[v_depth]) p
                 where 'filter' = any (v_kinds[:v_depth]) and p ->> 'at' = '$'
                   or 'subscript' = any (v_kinds[:v_depth])) then
        o_problem := 'has a filter that starts at $ inside another filter or a subscript, and is '
                     'evaluated again for each element; put it outside, with &&';
        return;
      end if;
      v_depth := v_depth + 1;
      v_kinds[v_depth] := 'filter';
      -- An array is filtered by its elements.
      v_elements[v_depth] := (
        select coalesce(jsonb_agg(to_jsonb(case p ->> 'at' when '$' then '$'
                                                else e #>> '{}' end || (p ->> 'path') || '[*]')),
                        '["$"]')
        from jsonb_array_elements(v_paths[v_depth - 1]) p
        cross join lateral jsonb_array_elements(
          case p ->> 'at' when '$' then '["$"]' else v_elements[v_depth - 1] end) e);
      v_times[v_depth] := greatest(
        (tasker.count_values('{"at": "@", "path": ""}', v_elements[v_depth], p_document,
                             p_nodes))[1],
        1);
      v_again[v_depth] := 1;
      v_operand[v_depth] := '[]';
      v_left[v_depth] := null;
      v_paths[v_depth] := '[]';
    elsif v_kind in ('(', 'method', '[') then
      if v_kind = '(' then
        v_operand[v_depth] := v_operand[v_depth] || v_paths[v_depth];
        v_paths[v_depth] := '[]';
      end if;
      v_depth := v_depth + 1;
      v_kinds[v_depth] :=
        case v_kind when '(' then 'group' when '[' then 'subscript' else v_token end;
      v_elements[v_depth] := v_elements[v_depth - 1];
      v_times[v_depth] := v_times[v_depth - 1];
      v_again[v_depth] := v_again[v_depth - 1];
      if v_kind = '[' then
        -- Evaluated for each of the arrays.
        v_times[v_depth] := v_times[v_depth - 1]
          * (select greatest(sum((tasker.count_values(p, v_elements[v_depth - 1], p_document,
                                                      p_nodes))[1]),
                             1)
             from jsonb_array_elements(v_paths[v_depth - 1]) p);
        v_again[v_depth] := v_times[v_depth];
      end if;
      v_operand[v_depth] := '[]';
      v_left[v_depth] := null;
      v_paths[v_depth] := '[]';
    elsif v_kind = ',' then
      v_factor := v_factor * case when v_kinds[v_depth] = 'subscript' then 2 else 1 end;
    elsif v_kind in ('comparison', 'end', ')', ']') then
      v_operand[v_depth] := v_operand[v_depth] || v_paths[v_depth];
      v_paths[v_depth] := '[]';
      if 'filter' = any (v_kinds[:v_depth])
         and tasker.reads_its_list(v_operand[v_depth], v_elements[v_depth]) then
        o_problem := 'reads the list that it filters again for each of its elements';
        return;
      end if;
      if v_kind <> 'comparison' and v_left[v_depth] is not null then
        o_reads := o_reads + v_factor * tasker.count_pairs(
          v_left[v_depth], v_operand[v_depth], v_elements[v_depth], v_times[v_depth],
          v_again[v_depth], p_document, p_nodes, p_limit);
        if o_reads > p_limit then
          return;
        end if;
      end if;
      if v_kind in ('comparison', 'end') then
        v_left[v_depth] := case v_kind when 'comparison' then v_operand[v_depth] end;
        v_operand[v_depth] := '[]';
      else
        v_depth := v_depth - 1;
        case v_kinds[v_depth + 1]
          when 'group' then
            v_paths[v_depth] := coalesce(v_left[v_depth + 1], '[]') || v_operand[v_depth + 1];
          when 'subscript' then
            v_extends := true; v_paths[
              v_depth] := (
              select coalesce(jsonb_agg(p || jsonb_build_object(
                                          'path', (p ->> 'path') || '[*]', 'is_part', true)),
                              '[]')
              from jsonb_array_elements(v_paths[v_depth]) p);
          when '.keyvalue(' then
            v_factor := v_factor * 3; v_skips := true; v_extends := true; v_paths[
              v_depth] := (
              select coalesce(jsonb_agg(p || jsonb_build_object(
                                          'path', (p ->> 'path') || '.*', 'is_part', true)),
                              '[]')
              from jsonb_array_elements(v_paths[v_depth]) p);
          when 'filter' then null;
          else v_paths[
            v_depth] := (select coalesce(jsonb_agg(p || '{"is_part": true}'), '[]')
                         from jsonb_array_elements(v_paths[v_depth]) p); end case; end if;
    end if;

    if v_extends then
      -- Counted at once: the next accessor may not even find members in what this one reads.
      for v_list in select p from jsonb_array_elements(v_paths[v_depth]) p loop
        v_counts := tasker.count_values(v_list, v_elements[v_depth], p_document, p_nodes);
        o_reads := o_reads + v_factor * v_counts[1] * case
          when p_document is null then v_counts[4]
          else 1 end * case v_list ->> 'at' when '$' then v_times[v_depth]
                            else v_again[v_depth] end;
        o_problem := case
          when v_counts[2] > 1 then 'has .** below .**, which reads everything again at each level'
          when v_counts[4] > 1000 then
            'has subscripts that choose the same value more than 1000 times'
          when v_counts[3] > 32 then 'has more than 32 accessors in a row' end;
        if o_problem is not null or o_reads > p_limit then
          return;
        end if;
      end loop;
    end if;
  end loop;
  v_operand[1] := v_operand[1] || v_paths[1];
  if v_left[1] is not null then
    o_reads := o_reads + v_factor * tasker.count_pairs(
      v_left[1], v_operand[1], '[]', 1, 1, p_document, p_nodes, p_limit);
  end if;
end
$$;
comment on function tasker.measure_path(text, jsonb, bigint, double precision) is
  'How many values PostgreSQL reads, at most, to evaluate a path, and what no document could make '
  'cheap.';
