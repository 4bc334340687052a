package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.SQLException;

/** One thing that is measured. */
interface Phase {
  /** As {@code benchmark.only} names it. */
  String name();

  /** Whether a warm server must be there when it begins. */
  default boolean needsServer() {
    return true;
  }

  void run(Bench bench) throws IOException, SQLException, InterruptedException;
}
