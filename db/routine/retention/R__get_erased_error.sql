-- What stands in the place of an error that was erased, and of the data of an erased event: an
-- error like others, with type and message, so that what reads errors needs to know nothing new.
create or replace function tasker.get_erased_error()
returns jsonb
language sql immutable parallel safe
as $$
  select '{"type": "erased", "message": "the documents of the task were erased"}'::jsonb
$$;
comment on function tasker.get_erased_error() is
  'What stands in the place of an error that was erased.';
