-- The instant that a JSON text gives in ISO 8601 with an offset (2027-01-31T12:00:00Z,
-- 2027-01-31T12:00+02:00); null when it is something else: also a local time, which is another
-- instant in every time zone, a date that the calendar does not have, and what is, rounded to
-- microseconds and in UTC, not of the years 1 to 9999: its text could not be read again.
create or replace function tasker.parse_instant(p_value jsonb)
returns timestamptz
language plpgsql immutable
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_instant timestamptz;
begin
  if coalesce(jsonb_typeof(p_value), 'null') <> 'string'
     or p_value #>> '{}'
       !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}'
          '(:[0-9]{2}([.][0-9]{1,9})?)?([Zz]|[+-][0-9]{2}:?[0-9]{2})$' then
    return null;
  end if;
  v_instant := (p_value #>> '{}')::timestamptz;
  return case when v_instant between '0001-01-01 00:00:00+00' and
                '9999-12-31 23:59:59.999999+00' then v_instant end;
exception
  when datetime_field_overflow or invalid_datetime_format
    or invalid_time_zone_displacement_value then
  return null;
end
$$;
comment on function tasker.parse_instant(jsonb) is
  'The instant that a JSON text gives in ISO 8601 with an offset; null when it is something else.';
