package ee.tasker.message;

/** Who wants to know that tasks or steps may have moved, to look what it was. */
public interface ChangeListener {

  /** Says that something was committed; costs nothing when nobody listens. */
  void changed();
}
