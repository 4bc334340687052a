package ee.tasker.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SchemaPatternTest {
  private static final String[] ATOMS = {
    "a", "b", "c", "1", "-", ".", "\\d", "\\w", "\\S", "[ab]", "[^a-c]", "[\\d-]", "\\p{L}",
    "\\u0061"};
  private static final String[] GROUPS = {"(", "(?:"};
  private static final String[] QUANTIFIERS = {"", "", "", "*", "+", "?", "{2}", "{1,}", "{0,2}",
    "*?", "+?"};

  private static String unescaped(String text) {
    return Pattern.compile("\\\\u(....)").matcher(text)
        .replaceAll(code -> Character.toString(Integer.parseInt(code.group(1), 16)))
        .translateEscapes();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '¦', quoteCharacter = '`', textBlock = """
      ^[0-9]{3}$ ¦ 123 ¦ true
      ^[0-9]{3}$ ¦ `123\\n` ¦ false
      b ¦ abc ¦ true
      ^\\d+\\.\\d{2}$ ¦ 12.34 ¦ true
      ^\\d+$ ¦ ١٢ ¦ false
      ^\\w+$ ¦ aé ¦ false
      ^\\s$ ¦ `\\u00a0` ¦ true
      ^\\s$ ¦ `\\u000b` ¦ true
      ^\\S+$ ¦ `a\\u2003` ¦ false
      ^[\\s\\S]$ ¦ `\\n` ¦ true
      ^.$ ¦ `\\n` ¦ false
      ^.$ ¦ `\\u2028` ¦ false
      ^.$ ¦ `\\u0085` ¦ true
      ^.$ ¦ 😀 ¦ true
      ^\\p{L}+$ ¦ Straße ¦ true
      ^\\p{L}$ ¦ 𞤀 ¦ true
      ^\\p{Letter}+$ ¦ ꭰ ¦ true
      ^\\P{L}+$ ¦ 12- ¦ true
      ^[\\p{Lu}\\p{Nd}_-]+$ ¦ A-1_ ¦ true
      ^[^\\p{Lu}]+$ ¦ aB ¦ false
      ^[\\P{L}a]+$ ¦ 1a ¦ true
      ^[\\P{L}a]+$ ¦ 1b ¦ false
      ^\\p{Script=Greek}+$ ¦ αβγ ¦ true
      ^\\p{sc=Grek}+$ ¦ abc ¦ false
      ^\\p{gc=Nd}$ ¦ ١ ¦ true
      ^\\p{Alphabetic}+$ ¦ añ ¦ true
      ^\\u0041\\x42\\u{43}$ ¦ ABC ¦ true
      ^\\ud83d\\ude00$ ¦ 😀 ¦ true
      ^[\\ud83d\\ude00-\\u{1F602}]$ ¦ 😁 ¦ true
      ^\\cJ$ ¦ `\\n` ¦ true
      ^[\\b]$ ¦ `\\b` ¦ true
      \\bcat\\b ¦ `a cat.` ¦ true
      \\bcat\\b ¦ concat ¦ false
      ^\\/a\\-b\\_$ ¦ /a-b_ ¦ true
      ^[a-z&&[aeiou]]+$ ¦ a]] ¦ true
      ^[[:alpha:]]$ ¦ :] ¦ true
      ^[[:alpha:]]$ ¦ b ¦ false
      ^[a\\-z]$ ¦ b ¦ false
      ^[\\w-.]+$ ¦ a-. ¦ true
      ^[]$ ¦ a ¦ false
      ^[^]$ ¦ `\\n` ¦ true
      ^(a|b)+?$ ¦ abab ¦ true
      ^(?<year>\\d{4})-(?:a)$ ¦ 2024-a ¦ true
      ^(?i:ab)c$ ¦ AbC ¦ false
      ^(?i:ab)c$ ¦ AbC ¦ false
      (?i)^abc$ ¦ ABC ¦ true
      ^a{2,}$ ¦ aaa ¦ true
      ^a{0}b$ ¦ b ¦ true
      ^(?=.*[A-Z])(?=.*\\d).{8,}$ ¦ Passw0rd ¦ true
      ^(?=.*[A-Z])(?=.*\\d).{8,}$ ¦ password0 ¦ false
      ^(?!.*(foo|bar)).*$ ¦ afoo ¦ false
      ^(?!.*(foo|bar)).*$ ¦ afo ¦ true
      ^(?!-)[a-z-]+$ ¦ -a ¦ false
      ^a}]$ ¦ a}] ¦ true
      """)
  void a_pattern_means_what_ecma_262_says(String pattern, String text, boolean isFound) {
    assertThat(SchemaPattern.compile(pattern).isFoundIn(unescaped(text))).isEqualTo(isFound);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '¦', quoteCharacter = '`', textBlock = """
      (a)\\1 ¦ there are no back-references
      (?<n>a)\\k<n> ¦ there are no back-references
      a(?=b) ¦ a look-ahead is possible only after a ^ that opens the pattern; write it
      (?=a)b ¦ a look-ahead is possible only after a ^
      ^(?=a)b|c ¦ a look-ahead cannot stand beside alternatives
      (?<!a)b ¦ there is no look-behind
      a*+ ¦ a repetition cannot be repeated, and there are no possessive ones
      (?>a) ¦ there is no group that begins with (?>
      (?s). ¦ there is no group that begins with (?s
      *a ¦ there is nothing that * could repeat
      ^* ¦ an assertion cannot be repeated
      {2} ¦ there is nothing that {…} could repeat
      a{,5} ¦ a repetition is {n}, {n,} or {n,m}
      a{5 ¦ a repetition is {n}, {n,} or {n,m}
      a{5,2} ¦ {5,2} counts backwards
      a{99999999999} ¦ it is too large
      (a{200}){200} ¦ it is too large
      ((((a{9}){9}){9}){9}){9} ¦ it is too large
      (a ¦ there is a ( without its )
      a) ¦ there is a ) without its (
      [a ¦ there is a [ without its ]
      [z-a] ¦ a range of characters counts backwards
      a\\ ¦ it ends with a \\
      \\z ¦ \\z means nothing in ECMA-262
      \\p{Nothing} ¦ there is no property Nothing
      \\pL ¦ \\p needs the name of a property in braces
      \\x4 ¦ an escape needs hexadecimal digits
      \\u{110000} ¦ \\u{…} needs the number of a character
      \\01 ¦ there are no octal escapes
      """)
  void what_cannot_be_matched_in_linear_time_or_means_nothing_is_refused(String pattern,
      String why) {
    assertThatThrownBy(() -> SchemaPattern.compile(pattern))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(why);
  }

  @Test
  void groups_have_a_greatest_depth() {
    assertThatThrownBy(() -> SchemaPattern.compile("(".repeat(5_000) + ")".repeat(5_000)))
        .hasMessage("its groups are nested more than 100 deep");
  }

  @Test
  @Timeout(20)
  void a_count_may_be_greater_than_a_thousand() {
    var pattern = SchemaPattern.compile("^(?:ab){1001,3500}$");

    for (int count : new int[]{0, 1_000, 1_001, 1_002, 1_999, 2_000, 2_001, 2_002, 3_499, 3_500,
      3_501, 4_000}) {
      assertThat(pattern.isFoundIn("ab".repeat(count))).as("%d", count)
          .isEqualTo(count >= 1_001 && count <= 3_500);
    }
  }

  /** What both engines read alike, they find alike. How long a thousand take, says the machine. */
  @Test
  @Timeout(600)
  void a_pattern_is_found_where_the_jdk_finds_it() {
    var random = new Random(1);
    for (int i = 0; i < 1_000; i++) {
      var pattern = alternatives(random, 2);
      var text = random.ints(random.nextInt(9), 0, 6).mapToObj(at -> "abc1- ".substring(at, at + 1))
          .collect(Collectors.joining());

      assertThat(SchemaPattern.compile(pattern).isFoundIn(text)).as("%s in \"%s\"", pattern, text)
          .isEqualTo(Pattern.compile(pattern).matcher(text).find());
    }
  }

  private static String alternatives(Random random, int depth) {
    return random.ints(1 + random.nextInt(2), 0, 4).mapToObj(
        shape -> (shape == 1 ? "^" : shape == 2 ? "\\b" : "") + sequence(random, depth)
            + (shape == 3 ? "$" : ""))
        .collect(Collectors.joining("|"));
  }

  private static String sequence(Random random, int depth) {
    return IntStream.range(0, random.nextInt(4)).mapToObj(i -> {
      var piece = depth > 0 && random.nextInt(3) == 0
          ? GROUPS[random.nextInt(2)] + alternatives(random, depth - 1) + ")"
          : ATOMS[random.nextInt(ATOMS.length)];
      return piece + QUANTIFIERS[random.nextInt(QUANTIFIERS.length)];
    }).collect(Collectors.joining());
  }
}
