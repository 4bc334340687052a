-- Before each migration, in its transaction: waits for a lock for half a second at most, because
-- all calls that come after it wait as long, and the server then tries it again; creates functions
-- without checking the names in their bodies, as db/install does. Without effect on a migration
-- outside of transactions.
set local lock_timeout = '500ms';
set local check_function_bodies = off;
