-- The lowest UUIDv7 that could have been made at a time: keys below it were made before.
create or replace function tasker.calculate_first_uuid(p_at timestamptz)
returns uuid
language sql immutable parallel safe
as $$
  select (lpad(to_hex((extract(epoch from greatest(
                                 p_at, '1970-01-01 00:00:00+00'::timestamptz)) * 1000)::bigint),
               12, '0') || '70008000000000000000')::uuid
$$;
comment on function tasker.calculate_first_uuid(timestamptz) is
  'The lowest UUIDv7 that could have been made at a time.';
