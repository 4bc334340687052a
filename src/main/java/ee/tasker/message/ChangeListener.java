package ee.tasker.message;

/** Is notified that tasks or steps may have moved, and reads the changes itself. */
public interface ChangeListener {

  /** A change was committed; costs nothing without subscribers. */
  void changed();
}
