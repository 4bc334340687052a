package ee.tasker.benchmark;

import java.sql.SQLException;

/**
 * How many updates were HOT, how many dead rows remain, and which indexes are unused; over the
 * whole run.
 */
final class TablesAfterwards {

  private TablesAfterwards() {
  }

  /**
   * Shares of updates so far; before a phase that keeps PostgreSQL from cleaning up, or in the end.
   */
  static void hotRatios(Report report, Database database) throws SQLException {
    for (var row : database
        .rows("select relname, n_tup_hot_upd::float8 / n_tup_upd from pg_stat_user_tables "
            + "where schemaname = 'tasker' and relname in ('tasks', 'workflow_steps') and n_tup_upd > 0")) {
      report.figure("hot_ratio_" + row.get(0), Double.parseDouble(row.get(1)));
    }
  }

  static void addTo(Report report, Database database) throws SQLException {
    Report.Table table = report.table("Tables after the run", "table", "rows inserted", "updated",
        "deleted", "of the updates HOT, %",
        "dead rows", "MiB with indexes");
    for (var row : database.rows("""
        select relname, n_tup_ins, n_tup_upd, n_tup_del, round(100.0 * n_tup_hot_upd / nullif(n_tup_upd, 0), 1), n_dead_tup,
               round(pg_total_relation_size(relid) / 1048576.0, 1), n_tup_upd
        from pg_stat_user_tables where schemaname in ('tasker', 'pgmq') and n_tup_ins + n_tup_upd + n_tup_del > 100
        order by n_tup_ins + n_tup_upd + n_tup_del desc limit 16""")) {
      table.row(row.subList(0, 7).toArray());
    }
    Report.Table unused = report.table(
        "Indexes that no query of the run used (a constraint's index may be there for the constraint alone)",
        "table", "index", "unique", "MiB", "definition");
    database.rows("""
        select s.relname, s.indexrelname, i.indisunique, round(pg_relation_size(s.indexrelid) / 1048576.0, 1), regexp_replace(pg_get_indexdef(s.indexrelid), '^.* USING ', '')
        from pg_stat_user_indexes s join pg_index i using (indexrelid)
        where s.schemaname in ('tasker', 'pgmq') and s.idx_scan = 0 and exists (select from pg_stat_user_tables t where t.relid = s.relid and t.n_tup_ins > 100)
        order by pg_relation_size(s.indexrelid) desc, s.indexrelname""")
        .forEach(row -> unused.row(row.toArray()));
  }
}
