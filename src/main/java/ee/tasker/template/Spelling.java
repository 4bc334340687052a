package ee.tasker.template;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the known word closest to a misspelt one. */
final class Spelling {
  private Spelling() {}

  /** {@code ; did you mean "name"?} or the empty string. */
  static String suggestion(String written, Collection<String> known) {
    return nearest(written, known).map(word -> "; did you mean \"" + word + "\"?").orElse("");
  }

  static Optional<String> nearest(String written, Collection<String> known) {
    record Candidate(String word, int distance) {}
    var plain = plain(written);
    int tolerance = Math.min(3, Math.max(1, plain.length() / 3));
    return known.stream()
        .filter(word -> Math.abs(word.length() - written.length()) <= tolerance + 2)
        .map(word -> new Candidate(word, distance(plain, plain(word), tolerance)))
        .filter(candidate -> candidate.distance() <= tolerance)
        .min(Comparator.comparingInt(Candidate::distance))
        .map(Candidate::word);
  }

  /** Treats {@code maxAttempts}, {@code max-attempts} and {@code max_attempts} as the same word. */
  private static String plain(String word) {
    return word.replace("_", "").replace("-", "").toLowerCase(Locale.ROOT);
  }

  /** Insertions, deletions, replacements and swaps of neighbours; stops above {@code limit}. */
  private static int distance(String a, String b, int limit) {
    if (Math.abs(a.length() - b.length()) > limit) {
      return limit + 1;
    }
    int[] beforeLast = new int[b.length() + 1];
    int[] last = new int[b.length() + 1];
    int[] current = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      last[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      current[0] = i;
      int best = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = last[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        current[j] = Math.min(replaced, Math.min(last[j], current[j - 1]) + 1);
        if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          current[j] = Math.min(current[j], beforeLast[j - 2] + 1);
        }
        best = Math.min(best, current[j]);
      }
      if (best > limit) {
        return limit + 1;
      }
      int[] spare = beforeLast;
      beforeLast = last;
      last = current;
      current = spare;
    }
    return last[b.length()];
  }
}
