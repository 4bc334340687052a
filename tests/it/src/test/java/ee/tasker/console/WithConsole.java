package ee.tasker.console;

import org.junit.jupiter.api.BeforeAll;

/**
 * A class of tests whose server needs no settings of its own. Not to be hidden by a class that does
 * need some: JUnit runs both methods, and the first server and its browser would stay.
 */
abstract class WithConsole extends WithBrowser {
  @BeforeAll
  static void start() {
    open(new Console());
  }
}
