package ee.tasker.cli.convert;

/**
 * A way out of a node.
 *
 * @param option of a decision; null where the step alone leads on
 */
record Exit(StepDraft step, Integer option) {
  boolean isChoice() {
    return option != null;
  }
}
