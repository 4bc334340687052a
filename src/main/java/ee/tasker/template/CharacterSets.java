package ee.tasker.template;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;

/**
 * The sets of characters that ECMA-262 names in a regular expression, as the members of a bracket
 * expression of RE2. They
 * come from the tables of the JDK: RE2/J brings older ones. Thread-safe.
 */
final class CharacterSets {
  static final String DIGIT = "0-9";
  static final String WORD = "0-9A-Z_a-z";
  static final String LINE_TERMINATOR = "\\x{a}\\x{d}\\x{2028}\\x{2029}";
  static final String ANY = range(0, Character.MAX_CODE_POINT);

  private static final Map<String, String> CATEGORIES = Map.ofEntries(
      Map.entry("Letter", "L"), Map.entry("Cased_Letter", "LC"),
      Map.entry("Uppercase_Letter", "Lu"), Map.entry("Lowercase_Letter", "Ll"),
      Map.entry("Titlecase_Letter", "Lt"), Map.entry("Modifier_Letter", "Lm"),
      Map.entry("Other_Letter", "Lo"), Map.entry("Mark", "M"), Map.entry("Combining_Mark", "M"),
      Map.entry("Nonspacing_Mark", "Mn"), Map.entry("Spacing_Mark", "Mc"),
      Map.entry("Enclosing_Mark", "Me"), Map.entry("Number", "N"),
      Map.entry("Decimal_Number", "Nd"), Map.entry("digit", "Nd"), Map.entry("Letter_Number", "Nl"),
      Map.entry("Other_Number", "No"), Map.entry("Punctuation", "P"), Map.entry("punct", "P"),
      Map.entry("Connector_Punctuation", "Pc"), Map.entry("Dash_Punctuation", "Pd"),
      Map.entry("Open_Punctuation", "Ps"), Map.entry("Close_Punctuation", "Pe"),
      Map.entry("Initial_Punctuation", "Pi"), Map.entry("Final_Punctuation", "Pf"),
      Map.entry("Other_Punctuation", "Po"), Map.entry("Symbol", "S"),
      Map.entry("Math_Symbol", "Sm"), Map.entry("Currency_Symbol", "Sc"),
      Map.entry("Modifier_Symbol", "Sk"), Map.entry("Other_Symbol", "So"),
      Map.entry("Separator", "Z"), Map.entry("Space_Separator", "Zs"),
      Map.entry("Line_Separator", "Zl"), Map.entry("Paragraph_Separator", "Zp"),
      Map.entry("Other", "C"), Map.entry("Control", "Cc"), Map.entry("cntrl", "Cc"),
      Map.entry("Format", "Cf"), Map.entry("Surrogate", "Cs"), Map.entry("Private_Use", "Co"),
      Map.entry("Unassigned", "Cn"));

  /** By the constants of {@link Character#getType}; two of them have no category. */
  private static final String[] CODES = {
    "Cn", "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Me", "Mc", "Nd", "Nl", "No", "Zs", "Zl", "Zp", "Cc",
    "Cf", "", "Co", "Cs",
    "Pd", "Ps", "Pe", "Pc", "Po", "Sm", "Sc", "Sk", "So", "Pi", "Pf"};

  private static final Map<String, IntPredicate> BINARY = Map.of("Any", character -> true, "ASCII",
      character -> character < 0x80,
      "Alphabetic", Character::isAlphabetic, "Alpha", Character::isAlphabetic, "Ideographic",
      Character::isIdeographic,
      "Lowercase", Character::isLowerCase, "Lower", Character::isLowerCase, "Uppercase",
      Character::isUpperCase,
      "Upper", Character::isUpperCase);

  /** Names that are not known are not kept. */
  private static final Map<String, String> KNOWN = new ConcurrentHashMap<>();

  static final String SPACE = members(CharacterSets::isSpace);
  static final String NO_SPACE = members(character -> !isSpace(character));

  private CharacterSets() {}

  /**
   * @param property what stands between the braces of {@code \p{…}}
   * @param isNegated whether it is {@code \P{…}}
   * @return empty when it is not known
   */
  static Optional<String> ofProperty(String property, boolean isNegated) {
    return Optional.ofNullable(
        KNOWN.computeIfAbsent((isNegated ? "P" : "p") + property, key -> predicate(property)
            .map(predicate -> members(isNegated ? predicate.negate() : predicate)).orElse(null)));
  }

  /** White space and line terminators. */
  private static boolean isSpace(int character) {
    return character >= '\t' && character <= '\r' || character == 0xfeff
        || Character.isSpaceChar(character);
  }

  private static Optional<IntPredicate> predicate(String property) {
    var parts = property.split("=", -1);
    if (parts.length == 2) {
      return switch (parts[0]) {
        case "General_Category", "gc" -> category(parts[1]);
        case "Script", "sc", "Script_Extensions", "scx" -> script(parts[1]);
        default -> Optional.empty();
      };
    }
    return category(property).or(() -> Optional.ofNullable(BINARY.get(property)));
  }

  private static Optional<IntPredicate> category(String name) {
    var code = CATEGORIES.getOrDefault(name, name);
    if (code.equals("LC")) {
      return Optional.of(character -> "Lu Ll Lt".contains(CODES[Character.getType(character)]));
    }
    return CATEGORIES.containsValue(code)
        ? Optional.of(character -> CODES[Character.getType(character)].startsWith(code))
        : Optional.empty();
  }

  private static Optional<IntPredicate> script(String name) {
    try {
      var script = Character.UnicodeScript.forName(name);
      return Optional.of(character -> Character.UnicodeScript.of(character) == script);
    } catch (IllegalArgumentException unknown) {
      return Optional.empty();
    }
  }

  private static String members(IntPredicate isMember) {
    var members = new StringBuilder();
    int from = -1;
    for (int character = 0; character <= Character.MAX_CODE_POINT + 1; character++) {
      boolean isIn = character <= Character.MAX_CODE_POINT && isMember.test(character);
      if (isIn && from < 0) {
        from = character;
      } else if (!isIn && from >= 0) {
        members.append(range(from, character - 1));
        from = -1;
      }
    }
    return members.toString();
  }

  static String range(int from, int to) {
    String first = "\\x{" + Integer.toHexString(from) + "}";
    return from == to ? first : first + "-\\x{" + Integer.toHexString(to) + "}";
  }
}
