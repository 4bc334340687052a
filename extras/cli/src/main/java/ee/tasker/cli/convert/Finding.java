package ee.tasker.cli.convert;

import java.util.Comparator;
import java.util.Locale;

/**
 * What is not the same in a converted template.
 *
 * @param where   the path of a key, or the id of an element
 * @param line    in the source; 0 if it has none
 * @param message what it is about
 * @param instead what to write instead, or to look at; empty for nothing
 */
public record Finding(Kind kind, String where, int line, String message, String instead) {

  /** How much there is to do, the least first. */
  public enum Kind {
    /** It is written differently and means the same. */
    CHANGED,
    /** It had no effect in the original, or is part of the drawing only. */
    LEFT_OUT,
    /** It is there, and behaves differently. */
    DIFFERS,
    /** A handler has to be written or changed. */
    WRITE,
    /** It has no counterpart: without more work the template does less than the original. */
    MISSING;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /** In the order of the source. */
  static final Comparator<Finding> IN_ORDER = Comparator.comparingInt(Finding::line)
      .thenComparing(Finding::where);

  /** One sentence for a comment. */
  public String sentence() {
    return kind + ": " + where + ": " + message + (instead.isEmpty() ? "" : "; " + instead);
  }
}
