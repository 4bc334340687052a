-- Before each migration, in its transaction: a function is created without a look at what its body names. So the files of
-- db/routine need no order among themselves, except for those that run a function at once, which begin with z_. That every
-- body is valid is for a test to show (FunctionBodiesTest), which creates all of them a second time with the check on.
set local check_function_bodies = off;
