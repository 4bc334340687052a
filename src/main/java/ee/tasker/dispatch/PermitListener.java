package ee.tasker.dispatch;

/** Has a use for permits that come back. */
@FunctionalInterface
interface PermitListener {

  /** Says that permits were released. */
  void permitsReleased();
}
