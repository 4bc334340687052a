package ee.tasker.testing;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The header of a SQL function, as its file has it.
 *
 * @param returns its result; null for one that has out arguments instead
 */
public record FunctionHeader(String name, List<Argument> arguments, String returns) {
  /** The functions that are for users: their arguments stay. */
  public static final List<String> PUBLIC = Sources.text(
      Path.of("src/test/resources/ee/tasker/docs/public-functions.txt")).lines().toList();

  private static final Pattern FUNCTION = Pattern.compile(
      "create or replace function tasker\\.(\\w+)\\(([^;]*?)\\)\\s*"
          + "(?:returns\\s+(.+?)\\s*\\n\\s*)?(?:language|security|stable|immutable|set) ",
      Pattern.DOTALL);

  /** @param text its mode, name and type, without its default */
  public record Argument(String text, boolean isOptional) {
    public boolean isOut() {
      return text.startsWith("out ");
    }
  }

  /** Of all functions of a file, in their order. */
  public static List<FunctionHeader> in(String sql) {
    List<FunctionHeader> headers = new ArrayList<>();
    Matcher function = FUNCTION.matcher(sql);
    while (function.find()) {
      headers.add(new FunctionHeader(function.group(1), arguments(function.group(2)),
          function.group(3)));
    }
    return headers;
  }

  public boolean isPublic() {
    return PUBLIC.contains(name);
  }

  private static List<Argument> arguments(String list) {
    List<Argument> arguments = new ArrayList<>();
    int depth = 0;
    StringBuilder one = new StringBuilder();
    for (char letter : (list.replaceAll("--[^\n]*", "") + ",").toCharArray()) {
      depth += letter == '(' || letter == '[' ? 1 : letter == ')' || letter == ']' ? -1 : 0;
      if (letter != ',' || depth > 0) {
        one.append(letter);
        continue;
      }
      String argument = one.toString().strip().replaceAll("\\s+", " ");
      if (!argument.isEmpty()) {
        arguments.add(new Argument(argument.replaceAll("(?i) default .*", ""),
            argument.matches("(?i).* default .*")));
      }
      one.setLength(0);
    }
    return arguments;
  }
}
