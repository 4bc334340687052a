package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.SQLException;

/** One measurement. */
interface Phase {
  /** Its name in {@code benchmark.only}. */
  String name();

  /** Whether it needs a warm server when it begins. */
  default boolean needsServer() {
    return true;
  }

  void run(Bench bench) throws IOException, SQLException, InterruptedException;
}
