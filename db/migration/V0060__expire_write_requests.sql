-- breaking-change: no
-- Who asked for which change is kept for 400 days, a year and what an auditor needs to look at it, instead of for ever.

create index write_requests_requested_at_idx on tasker.write_requests (requested_at);

insert into tasker.expiring_tables (table_name, time_column, keep_days) values ('write_requests', 'requested_at', 400)
on conflict (table_name) do nothing;
