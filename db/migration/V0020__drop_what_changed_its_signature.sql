-- breaking-change: no
-- Functions that got a parameter more; their repeatable files make them anew.
drop function if exists tasker.request_cancel(uuid, text, text, text, uuid, timestamptz);
