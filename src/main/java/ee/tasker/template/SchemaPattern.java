package ee.tasker.template;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.List;

/**
 * A pattern of a JSON Schema: a regular expression of ECMA-262 that is matched in time linear in
 * the text, and without
 * recursion, by RE2/J. Immutable and thread-safe.
 */
final class SchemaPattern {
  private record Part(Pattern pattern, boolean isWanted) {}

  private final String text;
  private final List<Part> parts;
  private final long size;

  private SchemaPattern(String text, List<Part> parts) {
    this.text = text;
    this.parts = parts;
    size = parts.stream().mapToLong(part -> part.pattern().programSize()).sum();
  }

  /**
   * @throws IllegalArgumentException with a sentence, when it is not a pattern or cannot be matched
   * in linear time
   */
  static SchemaPattern compile(String pattern) {
    try {
      return new SchemaPattern(pattern, PatternReader.read(pattern).parts().stream()
          .map(part -> new Part(Pattern.compile(part.re2()), part.isWanted())).toList());
    } catch (PatternSyntaxException unexpected) {
      throw new IllegalArgumentException(unexpected.getDescription(), unexpected);
    }
  }

  /** States of its automaton: matching a text costs at most as many steps for each character. */
  long size() {
    return size;
  }

  boolean isFoundIn(String value) {
    return parts.stream().allMatch(part -> part.pattern().matcher(value).find() == part.isWanted());
  }

  @Override
  public String toString() {
    return text;
  }
}
