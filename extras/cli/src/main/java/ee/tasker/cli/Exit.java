package ee.tasker.cli;

import ee.tasker.client.ProblemException;

/**
 * The exit status of the program; documented in {@code docs/cli.md}, and as stable as the
 * interface.
 */
final class Exit {
  static final int DONE = 0;
  /** A fault: of the server (500), or of this program. */
  static final int FAULT = 1;
  /** The command line is wrong, or the configuration. Nothing was sent. */
  static final int USAGE = 2;
  /** 404. */
  static final int NOT_FOUND = 3;
  /** The server refuses it in the present state: 409, 422. */
  static final int REFUSED = 4;
  /** The request, context or template is invalid: 400, 413, 415. */
  static final int INVALID = 5;
  /** 401, 429. */
  static final int NOT_AUTHENTICATED = 6;
  /** 403. */
  static final int NOT_PERMITTED = 7;
  /** No answer, or the server cannot work at present: 408, 502, 503, 504. */
  static final int UNREACHABLE = 8;
  /**
   * The task that was waited for or watched has not succeeded: it is blocked, in error or
   * cancelled.
   */
  static final int TASK_FAILED = 10;
  /** The time was over before the task ended. */
  static final int TIMED_OUT = 11;
  /**
   * What was compared, checked or converted differs: templates, promises, some requests of many.
   */
  static final int DIFFERS = 12;

  private Exit() {}

  static int of(ProblemException problem) {
    return switch (problem.status()) {
      case 404 -> NOT_FOUND;
      case 409, 422 -> REFUSED;
      case 401, 429 -> NOT_AUTHENTICATED;
      case 403 -> NOT_PERMITTED;
      case 408, 502, 503, 504 -> UNREACHABLE;
      default -> problem.status() / 100 == 4 ? INVALID : FAULT;
    };
  }
}
