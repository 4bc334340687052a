package ee.tasker.benchmark;

import java.sql.SQLException;

/** How many updates stayed on their page and touched no index, and what is left behind; over the whole run. */
final class HotRatio {

  private HotRatio() {
  }

  static void addTo(Report report, Database database) throws SQLException {
    Report.Table table = report.table("Tables after the run", "table", "rows inserted", "updated", "deleted", "of the updates HOT, %", "dead rows", "MiB with indexes");
    for (var row : database.rows("""
        select relname, n_tup_ins, n_tup_upd, n_tup_del, round(100.0 * n_tup_hot_upd / nullif(n_tup_upd, 0), 1), n_dead_tup,
               round(pg_total_relation_size(relid) / 1048576.0, 1), n_tup_upd
        from pg_stat_user_tables where schemaname in ('tasker', 'pgmq') and n_tup_ins + n_tup_upd + n_tup_del > 100
        order by n_tup_ins + n_tup_upd + n_tup_del desc limit 16""")) {
      table.row(row.subList(0, 7).toArray());
      if (row.get(0).equals("tasks") || row.get(0).equals("workflow_steps")) {
        report.figure("hot_ratio_" + row.get(0), row.get(4) == null ? Double.NaN : Double.parseDouble(row.get(4)) / 100);
      }
    }
  }
}
