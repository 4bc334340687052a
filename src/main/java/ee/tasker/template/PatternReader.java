package ee.tasker.template;

import java.util.ArrayList;
import java.util.List;

/**
 * Translates a regular expression of ECMA-262, in which JSON Schema writes patterns, into the
 * syntax of RE2. What RE2 cannot
 * match in linear time (back-references, look-behind, look-ahead inside a pattern) is refused with
 * a sentence; so is a
 * pattern that counted repetitions make too large. One instance per pattern.
 */
final class PatternReader {
  /** States of the automaton, about, and characters of the pattern. */
  static final int LARGEST = 20_000;
  private static final int DEEPEST = 100;
  /** The largest count that RE2/J takes. */
  private static final int LARGEST_COUNT = 1_000;
  private static final String USE_ALL_OF = "write it as a schema of its own, with allOf or not";

  /** A part of the pattern that must be found, or must not: the whole is all of them. */
  record Part(String re2, boolean isWanted) {}

  private record Piece(String re2, long size, boolean isRepeatable) {
    static Piece of(String re2, long size) {
      return new Piece(re2, size, true);
    }
  }

  private final String pattern;
  private final List<Part> lookAheads = new ArrayList<>();
  private int at;
  private int depth;

  private PatternReader(String pattern) {
    this.pattern = pattern;
  }

  record Reading(List<Part> parts, long size) {}

  /** @throws IllegalArgumentException with a sentence */
  static Reading read(String pattern) {
    if (pattern.length() > LARGEST) {
      throw new IllegalArgumentException("it has more than " + LARGEST + " characters");
    }
    var reader = new PatternReader(pattern);
    var whole = reader.alternatives();
    if (reader.at < pattern.length()) {
      throw new IllegalArgumentException("there is a ) without its (");
    }
    var parts = new ArrayList<>(reader.lookAheads);
    parts.add(new Part(whole.re2(), true));
    return new Reading(List.copyOf(parts), whole.size());
  }

  private Piece alternatives() {
    if (++depth > DEEPEST) {
      throw new IllegalArgumentException("its groups are nested more than " + DEEPEST + " deep");
    }
    var re2 = new StringBuilder();
    long size = 1;
    while (true) {
      while (at < pattern.length() && peek() != '|' && peek() != ')') {
        var piece = repeated(atom());
        re2.append(piece.re2());
        size = limited(size + piece.size());
      }
      if (at == pattern.length() || peek() == ')') {
        depth--;
        return new Piece("(?:" + re2 + ")", size, true);
      }
      if (depth == 1 && !lookAheads.isEmpty()) {
        throw new IllegalArgumentException(
            "a look-ahead cannot stand beside alternatives; " + USE_ALL_OF);
      }
      at++;
      size++;
      re2.append('|');
    }
  }

  private Piece atom() {
    int start = at;
    char character = next();
    return switch (character) {
      case '^' -> {
        long size = 1;
        while (start == 0 && (pattern.startsWith("(?=", at) || pattern.startsWith("(?!", at))) {
          size += lookAhead();
        }
        yield new Piece("\\A", size, false);
      }
      case '$' -> new Piece("\\z", 1, false);
      case '.' -> Piece.of("[^" + CharacterSets.LINE_TERMINATOR + "]", 1);
      case '(' -> group();
      case '[' -> bracket();
      case '\\' -> escape();
      case '*', '+', '?' ->
        throw new IllegalArgumentException("there is nothing that " + character + " could repeat");
      case '{' -> throw new IllegalArgumentException(
          "there is nothing that {…} could repeat; for the character write \\{");
      default -> {
        at = start;
        yield literal(nextCharacter());
      }
    };
  }

  private long lookAhead() {
    boolean isWanted = pattern.charAt(at + 2) == '=';
    at += 3;
    var inside = alternatives();
    closeGroup();
    lookAheads.add(new Part("\\A" + inside.re2(), isWanted));
    return inside.size();
  }

  private Piece group() {
    if (pattern.startsWith("?", at)) {
      if (pattern.startsWith("?=", at) || pattern.startsWith("?!", at)) {
        throw new IllegalArgumentException(
            "a look-ahead is possible only after a ^ that opens the pattern; " + USE_ALL_OF);
      } else if (pattern.startsWith("?<=", at) || pattern.startsWith("?<!", at)) {
        throw new IllegalArgumentException("there is no look-behind; " + USE_ALL_OF);
      } else if (pattern.startsWith("?i)", at)) {
        at += 3;
        return new Piece("(?i)", 0, false);
      } else if (pattern.startsWith("?i:", at)) {
        at += 3;
        var inside = alternatives();
        closeGroup();
        return Piece.of("(?i:" + inside.re2() + ")", inside.size());
      } else if (pattern.startsWith("?:", at)) {
        at += 2;
      } else if (pattern.startsWith("?<", at) && pattern.indexOf('>', at) > at + 2) {
        at = pattern.indexOf('>', at) + 1;
      } else {
        throw new IllegalArgumentException(
            "there is no group that begins with (?" + (at + 1 < pattern.length()
                ? Character.toString(pattern.codePointAt(at + 1)) : ""));
      }
    }
    var inside = alternatives();
    closeGroup();
    return inside;
  }

  private void closeGroup() {
    if (at == pattern.length()) {
      throw new IllegalArgumentException("there is a ( without its )");
    }
    at++;
  }

  private Piece repeated(Piece piece) {
    if (at == pattern.length() || "*+?{".indexOf(peek()) < 0) {
      return piece;
    }
    if (!piece.isRepeatable()) {
      throw new IllegalArgumentException("an assertion cannot be repeated");
    }
    char quantifier = next();
    var result = quantifier == '{' ? counted(piece)
        : Piece.of(piece.re2() + quantifier, piece.size() + 1);
    if (at < pattern.length() && peek() == '?') {
      at++;
    }
    if (at < pattern.length() && "*+?{".indexOf(peek()) >= 0) {
      throw new IllegalArgumentException(
          "a repetition cannot be repeated, and there are no possessive ones");
    }
    return Piece.of("(?:" + result.re2() + ")", limited(result.size()));
  }

  private Piece counted(Piece piece) {
    int least = count();
    int most = least;
    boolean isOpen = false;
    if (at < pattern.length() && peek() == ',') {
      at++;
      isOpen = at < pattern.length() && peek() == '}';
      most = isOpen ? least : count();
    }
    if (at == pattern.length() || next() != '}') {
      throw new IllegalArgumentException(
          "a repetition is {n}, {n,} or {n,m}; for the character write \\{");
    }
    if (most < least) {
      throw new IllegalArgumentException("{" + least + "," + most + "} counts backwards");
    }
    long size = limited(Math.max(1L, most) * (piece.size() + 1));
    return Piece.of(exactly(piece.re2(), least)
        + (isOpen ? piece.re2() + "*" : atMost(piece.re2(), most - least)), size);
  }

  private int count() {
    int start = at;
    while (at < pattern.length() && isDigit(peek())) {
      at++;
    }
    if (start == at) {
      throw new IllegalArgumentException(
          "a repetition is {n}, {n,} or {n,m}; for the character write \\{");
    }
    limited(at - start > 5 ? Long.MAX_VALUE : 0);
    return Integer.parseInt(pattern.substring(start, at));
  }

  private static String exactly(String re2, int count) {
    return (re2 + "{" + LARGEST_COUNT + "}").repeat(count / LARGEST_COUNT) + re2 + "{"
        + count % LARGEST_COUNT + "}";
  }

  /** Nested, so that few states are active at once. */
  private static String atMost(String re2, int count) {
    return count <= LARGEST_COUNT ? re2 + "{0," + count + "}"
        : "(?:" + re2 + "{0," + (LARGEST_COUNT - 1) + "}|" + re2 + "{" + LARGEST_COUNT + "}"
            + atMost(re2, count - LARGEST_COUNT)
            + ")";
  }

  private Piece escape() {
    if (at == pattern.length()) {
      throw new IllegalArgumentException("it ends with a \\");
    }
    char letter = peek();
    if (letter == 'b' || letter == 'B') {
      at++;
      return new Piece("\\" + letter, 1, false);
    }
    if (letter == 'k' || letter >= '1' && letter <= '9') {
      throw new IllegalArgumentException("there are no back-references");
    }
    var set = set();
    return set != null ? bracket(set) : literal(escapedCharacter());
  }

  /** A class that an escape stands for; null when it is a character. */
  private String set() {
    char letter = next();
    switch (letter) {
      case 'd' :
        return CharacterSets.DIGIT;
      case 'D' :
        return "\\D";
      case 'w' :
        return CharacterSets.WORD;
      case 'W' :
        return "\\W";
      case 's' :
        return CharacterSets.SPACE;
      case 'S' :
        return CharacterSets.NO_SPACE;
      case 'p', 'P' :
        int end = pattern.indexOf('}', at);
        if (!pattern.startsWith("{", at) || end < 0) {
          throw new IllegalArgumentException(
              "\\" + letter + " needs the name of a property in braces, such as \\p{L}");
        }
        var property = pattern.substring(at + 1, end);
        at = end + 1;
        return CharacterSets.ofProperty(property, letter == 'P')
            .orElseThrow(() -> new IllegalArgumentException("there is no property "
                + Located.shortened(property)
                + ": general categories such as L or Letter are known, and scripts such as Script=Greek"));
      default :
        at--;
        return null;
    }
  }

  private int escapedCharacter() {
    char letter = next();
    return switch (letter) {
      case 't' -> '\t';
      case 'n' -> '\n';
      case 'v' -> 0x0b;
      case 'f' -> '\f';
      case 'r' -> '\r';
      case '0' -> {
        if (at < pattern.length() && isDigit(peek())) {
          throw new IllegalArgumentException("there are no octal escapes; write \\xhh or \\uhhhh");
        }
        yield 0;
      }
      case 'c' -> {
        char control = at < pattern.length() ? next() : ' ';
        if ((control < 'A' || control > 'Z') && (control < 'a' || control > 'z')) {
          throw new IllegalArgumentException("\\c needs a letter");
        }
        yield control % 32;
      }
      case 'x' -> hex(2);
      case 'u' -> unicode();
      default -> {
        at--;
        int character = nextCharacter();
        if (Character.isLetterOrDigit(character)) {
          throw new IllegalArgumentException(
              "\\" + Character.toString(character) + " means nothing in ECMA-262");
        }
        yield character;
      }
    };
  }

  private int unicode() {
    if (pattern.startsWith("{", at)) {
      int end = pattern.indexOf('}', at);
      int digits = end - at - 1;
      at++;
      int character = digits >= 1 && digits <= 6 ? hex(digits) : Character.MAX_CODE_POINT + 1;
      at++;
      if (character > Character.MAX_CODE_POINT) {
        throw new IllegalArgumentException("\\u{…} needs the number of a character");
      }
      return character;
    }
    int character = hex(4);
    if (Character.isHighSurrogate((char) character) && pattern.startsWith("\\u", at)
        && !pattern.startsWith("\\u{", at)) {
      int before = at;
      at += 2;
      int low = hex(4);
      if (Character.isLowSurrogate((char) low)) {
        return Character.toCodePoint((char) character, (char) low);
      }
      at = before;
    }
    return character;
  }

  private int hex(int digits) {
    int value = 0;
    for (int i = 0; i < digits; i++) {
      int digit = at < pattern.length() ? Character.digit(next(), 16) : -1;
      if (digit < 0) {
        throw new IllegalArgumentException(
            "an escape needs hexadecimal digits: \\xhh, \\uhhhh or \\u{h…}");
      }
      value = value * 16 + digit;
    }
    return value;
  }

  private Piece bracket() {
    boolean isNegated = pattern.startsWith("^", at);
    if (isNegated) {
      at++;
    }
    var members = new StringBuilder();
    while (at < pattern.length() && peek() != ']') {
      int from = member(members);
      if (from < 0) {
        continue;
      }
      if (at + 1 < pattern.length() && peek() == '-' && pattern.charAt(at + 1) != ']') {
        at++;
        var set = new StringBuilder();
        int to = member(set);
        if (to < 0) {
          members.append(CharacterSets.range(from, from)).append(CharacterSets.range('-', '-'))
              .append(set);
        } else if (to < from) {
          throw new IllegalArgumentException("a range of characters counts backwards");
        } else {
          members.append(CharacterSets.range(from, to));
        }
      } else {
        members.append(CharacterSets.range(from, from));
      }
    }
    if (at == pattern.length()) {
      throw new IllegalArgumentException("there is a [ without its ]");
    }
    at++;
    if (members.length() == 0) {
      return Piece.of(isNegated ? "[" + CharacterSets.ANY + "]" : "[^" + CharacterSets.ANY + "]",
          1);
    }
    return bracket((isNegated ? "^" : "") + members);
  }

  /** The next character of a bracket expression; -1 after a set, which it adds. */
  private int member(StringBuilder members) {
    if (peek() != '\\') {
      return nextCharacter();
    }
    at++;
    if (at == pattern.length()) {
      throw new IllegalArgumentException("it ends with a \\");
    }
    if (peek() == 'b') {
      at++;
      return '\b';
    }
    var set = set();
    if (set == null) {
      return escapedCharacter();
    }
    members.append(set);
    return -1;
  }

  /** Weighed, since a set can have hundreds of ranges. */
  private static Piece bracket(String members) {
    return Piece.of("[" + members + "]", 1 + members.length() / 200);
  }

  private static Piece literal(int character) {
    return Piece.of(CharacterSets.range(character, character), 1);
  }

  private static long limited(long size) {
    if (size > LARGEST) {
      throw new IllegalArgumentException(
          "it is too large: with its counted repetitions written out, it has more than "
              + LARGEST + " states");
    }
    return size;
  }

  private char peek() {
    return pattern.charAt(at);
  }

  private char next() {
    return pattern.charAt(at++);
  }

  private int nextCharacter() {
    int character = pattern.codePointAt(at);
    at += Character.charCount(character);
    return character;
  }

  private static boolean isDigit(char character) {
    return character >= '0' && character <= '9';
  }
}
