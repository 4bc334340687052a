package ee.tasker.template;

/**
 * One problem of a template.
 *
 * @param line    from 1
 * @param column  from 1, in characters
 * @param path    the position in the document, for instance {@code steps[2].retry.backoff}; empty
 *   for the document itself
 * @param message a sentence for the author of the template
 */
public record TemplateProblem(int line, int column, String path, String message) {

  /** {@code 14:7 steps[2].retry.backoff: must be …}. */
  @Override
  public String toString() {
    return line + ":" + column + " " + (path.isEmpty() ? "" : path + ": ") + message;
  }
}
