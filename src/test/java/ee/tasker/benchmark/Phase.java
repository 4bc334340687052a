package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.SQLException;

/** One thing that is measured. */
interface Phase {
  /** As {@code benchmark.only} names it. */
  String name();

  void run(Bench bench) throws IOException, SQLException, InterruptedException;
}
