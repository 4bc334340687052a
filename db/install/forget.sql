-- Before migrations: forgets that one failed which ran outside of a transaction, so that it is
-- applied again. No other leaves such a row.
delete from tasker.flyway_schema_history where not success;
