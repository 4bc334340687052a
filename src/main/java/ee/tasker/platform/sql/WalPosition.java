package ee.tasker.platform.sql;

/**
 * A position in the write-ahead log.
 *
 * @param timeline counts the promotions before it: positions of different timelines cannot be
 *   compared
 */
record WalPosition(long timeline, long bytes) {
  /** Where the primary writes now: every commit that it has acknowledged lies before. */
  static final String OF_PRIMARY = "select substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) || '/' || (pg_current_wal_insert_lsn() - '0/0')::text";
  /**
   * What a standby has replayed; null on a server that is none. The timeline is that of its latest
   * restart point: for some
   * minutes after a promotion it is the old one, and later too if the standby cannot follow the new
   * primary.
   */
  static final String OF_STANDBY = "select lpad(upper(to_hex(timeline_id)), 8, '0') || '/' || (pg_last_wal_replay_lsn() - '0/0')::text"
      + " from pg_control_checkpoint() where pg_is_in_recovery()";

  static WalPosition parse(String text) {
    int slash = text.indexOf('/');
    return new WalPosition(Long.parseLong(text.substring(0, slash), 16),
        Long.parseLong(text.substring(slash + 1)));
  }
}
