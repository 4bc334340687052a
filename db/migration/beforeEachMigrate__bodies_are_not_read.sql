-- Before each migration, in its transaction: creates functions without checking the names in their
-- bodies, as db/install does.
set local check_function_bodies = off;
