package ee.tasker.sql;

import java.util.List;

/**
 * One kind of damage to a healthy database, and what is expected to notice it.
 *
 * @param group      of which part of the data
 * @param name       what was done, as the report says it
 * @param expected   the invariant that must be among those that notice; or {@link #REFUSED} and the
 *   guard that lets it not happen; or
 *                   {@link #UNSEEN} and the reason why the check does not notice; or {@link
 *                   #HEALED} and the function that restores it, which has a test of its own
 * @param past       whether triggers and foreign keys are switched off, as a superuser can
 * @param statements each must touch a row; {@code {name}} stands for a task of {@link
 *   CorruptionsTest}'s database, {@code {name.step}} for one of its steps
 */
record Corruption(String group, String name, String expected, boolean past,
    List<String> statements) {
  static final String REFUSED = "refused by ";
  static final String UNSEEN = "not seen: ";
  static final String HEALED = "healed by ";

  boolean isRefused() {
    return expected.startsWith(REFUSED);
  }

  boolean isUnseen() {
    return expected.startsWith(UNSEEN);
  }

  boolean isHealed() {
    return expected.startsWith(HEALED);
  }

  /**
   * Whether it damages single moves, also of rows that stand for several; paths and the births of
   * steps are whole.
   */
  boolean damagesMoves() {
    return past && statements.stream()
        .anyMatch(statement -> statement.contains("_moves") && !statement.contains("path")
            && !statement.contains("born_steps"));
  }

  @Override
  public String toString() {
    return group + ": " + name;
  }
}
