package ee.tasker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the product makes of a text does not depend on the language of the machine: in Turkish the
 * capital of i is not I, in Arabic {@code %d} has
 * other digits, and half of Europe writes a comma in {@code %.1f}.
 */
class LocaleTest {
  private static final List<Path> ROOTS = List.of(Path.of("src/main/java"), Path.of("tools/run"),
      Path.of("samples"), Path.of("extras"), Path.of("examples"));
  /** Calls that take the language of the machine where they are given none. */
  private static final Pattern FORBIDDEN = Pattern.compile("""
      \\.to(Upper|Lower)Case\\(\\s*\\)|::to(Upper|Lower)Case\\b\
      |\\bString\\.format\\((?!\\s*Locale\\.)|\\.formatted\\(|\\.printf\\((?!\\s*Locale\\.)|\\bout\\.format\\((?!\\s*Locale\\.)\
      |\\bnew Formatter\\(\\s*\\)|\\bnew Scanner\\(|\\bMessageFormat\\b\
      |\\bDateTimeFormatter\\.(ofPattern\\([^,)]*\\)|ofLocalized)|\\.toFormatter\\(\\s*\\)|\\bSimpleDateFormat\\b\
      |\\bNumberFormat\\.get\\w*\\(\\s*\\)|\\bnew DecimalFormat\\([^,)]*\\)|\\bCollator\\.getInstance\\(\\s*\\)|\\bCalendar\\.getInstance\\(\\s*\\)\
      |\\bLocale\\.getDefault\\(""");

  private static List<Path> sources() throws IOException {
    List<Path> found = new ArrayList<>();
    for (Path root : ROOTS) {
      try (Stream<Path> files = Files.walk(root)) {
        files.filter(file -> file.toString().endsWith(".java"))
            .filter(file -> !file.toString().contains("/test/java/"))
            .filter(file -> !file.toString().contains("/target/")).forEach(found::add);
      }
    }
    return found;
  }

  @Test
  void nothing_depends_on_the_language_of_the_machine() throws IOException {
    List<String> offenders = new ArrayList<>();
    List<Path> sources = sources();
    for (Path file : sources) {
      String text = Files.readString(file);
      for (Matcher call = FORBIDDEN.matcher(text); call.find();) {
        offenders.add(file + ":" + (1 + text.substring(0, call.start()).lines().count()) + " "
            + call.group().strip());
      }
    }
    assertThat(sources.size()).as("files that were read").isGreaterThan(300);
    assertThat(offenders).as("say Locale.ROOT").isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"name.toUpperCase()", "map(String::toLowerCase)",
    "String.format(\"%d\", 1)", "\"%d\".formatted(1)",
    "out.printf(\n        \"%d\", 1)", "DateTimeFormatter.ofPattern(\"d MMM\")",
    "NumberFormat.getInstance()", "new DecimalFormat(\"0.0\")",
    "new SimpleDateFormat(\"yyyy\", x)", "Locale.getDefault()"})
  void such_a_call_is_found(String call) {
    assertThat(FORBIDDEN.matcher(call).find()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"name.toUpperCase(Locale.ROOT)", "String.format(Locale.ROOT, \"%d\", 1)",
        "out.printf(\n        Locale.ROOT, \"%d\", 1)",
        "DateTimeFormatter.ofPattern(\"d MMM\", Locale.ROOT)",
        "DateTimeFormatter.RFC_1123_DATE_TIME"})
  void a_call_that_says_the_language_is_not(String call) {
    assertThat(FORBIDDEN.matcher(call).find()).isFalse();
  }
}
