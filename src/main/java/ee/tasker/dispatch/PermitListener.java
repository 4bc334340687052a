package ee.tasker.dispatch;

/** Is notified when permits become available. */
@FunctionalInterface
interface PermitListener {

  /** Permits were released. */
  void permitsReleased();
}
