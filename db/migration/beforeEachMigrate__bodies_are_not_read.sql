-- Before each migration, in its transaction: creates functions without checking the names in their
-- bodies. So the files of db/routine need no order, except for those that run a function at once,
-- which begin with z_. FunctionBodiesTest verifies that every body is valid by creating all
-- functions again with the check on.
set local check_function_bodies = off;
