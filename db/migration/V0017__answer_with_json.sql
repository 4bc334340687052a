-- breaking-change: yes
-- The functions that servers call answer with json instead of jsonb: the same documents. Within SQL, cast the answer where an
-- operator asks for jsonb. A return type cannot be replaced, so the old functions go; the new ones come with their files.
drop function if exists tasker.get_claimed_steps(uuid[]);
drop function if exists tasker.claim_steps(uuid, int, text[], int, timestamptz);
drop function if exists tasker.complete_steps(jsonb, uuid, int, text[], int, boolean, boolean, timestamptz);
drop function if exists tasker.submit_tasks(jsonb, uuid, int, int, boolean, boolean, timestamptz);

create type tasker.task_move as (task_uuid uuid, transition_count int, from_state tasker.task_state, to_state tasker.task_state);
comment on type tasker.task_move is 'A task that was moved: from where, to where, and the number of the last row of history of that.';
