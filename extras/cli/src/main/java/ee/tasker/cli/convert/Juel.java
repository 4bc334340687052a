package ee.tasker.cli.convert;

import jakarta.json.Json;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Translates the expressions that conditions of models consist of into paths of SQL/JSON:
 * comparisons, arithmetic, {@code and}, {@code or}, {@code not}, {@code empty}. What calls Java, or
 * cannot mean the same in SQL/JSON, is refused with the reason.
 */
final class Juel {
  /** Not a bug of the model: the message says what is unknown here. */
  static final class UnknownException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnknownException(String message) {
      super(message);
    }
  }

  private enum Kind {
    PATH, NUMBER, STRING, BOOLEAN, NULL, ARITHMETIC, GROUP, COMPARISON, AND, OR
  }

  /** @param text as SQL/JSON has it */
  private record Part(Kind kind, String text) {
    boolean isPredicate() {
      return kind == Kind.COMPARISON || kind == Kind.AND || kind == Kind.OR;
    }
  }

  private static final int MOST_CHARACTERS = 2_000;
  private static final int MOST_LEVELS = 50;
  private static final Pattern EXPRESSION = Pattern.compile("[$#]\\{([^{}]*)\\}", Pattern.DOTALL);
  private static final Pattern TOKEN = Pattern.compile(
      "\\s*(?:(?<number>\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)|(?<name>[\\p{L}_$][\\p{L}\\p{N}_$]*)"
          + "|(?<string>\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*')"
          + "|(?<sign>&&|\\|\\||==|!=|<=|>=|[<>!()\\[\\].,?:+*/%-]))",
      Pattern.DOTALL);
  private static final Set<String> WORDS = Set.of("and", "or", "not", "eq", "ne", "lt", "gt", "le",
      "ge", "empty", "div", "mod", "true", "false", "null", "instanceof");
  private static final Set<String> OF_ENGINE = Set.of("execution", "task", "caseExecution",
      "dateTime", "now", "currentUser", "currentUserGroups", "authenticatedUserId");

  private final String source;
  private final List<String> tokens = new ArrayList<>();
  private final UnaryOperator<String> variables;
  private int at;
  private int level;

  private Juel(String expression, UnaryOperator<String> variables) {
    Matcher whole = EXPRESSION.matcher(expression.strip());
    if (expression.length() > MOST_CHARACTERS || !whole.matches()) {
      throw new UnknownException("is not one expression ${…}: " + shortened(expression));
    }
    source = expression.strip();
    this.variables = variables;
    String inside = whole.group(1).strip();
    Matcher token = TOKEN.matcher(inside);
    int end = 0;
    while (end < inside.length()) {
      if (!token.find(end) || token.start() != end) {
        throw new UnknownException(
            "has a character that is not understood: " + inside.substring(end).strip().charAt(0));
      }
      tokens.add(token.group().strip());
      end = token.end();
    }
  }

  /**
   * @param variables the path of a variable by its name
   * @throws UnknownException if it cannot be translated
   */
  static String predicate(String expression, UnaryOperator<String> variables) {
    Juel juel = new Juel(expression, variables);
    return juel.whole(true).text();
  }

  /** A variable, or a member of one: its path. */
  static String path(String expression, UnaryOperator<String> variables) {
    Part part = new Juel(expression, variables).whole(false);
    if (part.kind() != Kind.PATH) {
      throw new UnknownException("is no variable: " + shortened(expression));
    }
    return part.text();
  }

  static boolean isExpression(String text) {
    return text.contains("${") || text.contains("#{");
  }

  private static String shortened(String text) {
    String line = text.strip().replaceAll("\\s+", " ");
    return line.length() <= 80 ? line : line.substring(0, 79) + "…";
  }

  private Part whole(boolean predicate) {
    Part part = or();
    if (at < tokens.size()) {
      throw new UnknownException("has \"" + tokens.get(at) + "\" where nothing is expected: "
          + shortened(source));
    }
    return predicate ? truth(part) : part;
  }

  private boolean accept(String... words) {
    for (String word : words) {
      if (at < tokens.size() && tokens.get(at).equals(word)) {
        at++;
        return true;
      }
    }
    return false;
  }

  private String previous() {
    return tokens.get(at - 1);
  }

  private Part or() {
    if (++level > MOST_LEVELS) {
      throw new UnknownException("is nested too deeply");
    }
    Part left = and();
    while (accept("||", "or")) {
      left = new Part(Kind.OR, truth(left).text() + " || " + truth(and()).text());
    }
    if (accept("?")) {
      throw new UnknownException("chooses with \"?\", which a path cannot");
    }
    level--;
    return left;
  }

  private Part and() {
    Part left = comparison();
    while (accept("&&", "and")) {
      left = new Part(Kind.AND, operand(truth(left)) + " && " + operand(truth(comparison())));
    }
    return left;
  }

  private static String operand(Part part) {
    return part.kind() == Kind.OR ? "(" + part.text() + ")" : part.text();
  }

  private Part comparison() {
    Part left = sum();
    if (!accept("==", "!=", "<", ">", "<=", ">=", "eq", "ne", "lt", "gt", "le", "ge")) {
      return left;
    }
    String sign = switch (previous()) {
      case "eq" -> "==";
      case "ne" -> "!=";
      case "lt" -> "<";
      case "gt" -> ">";
      case "le" -> "<=";
      case "ge" -> ">=";
      default -> previous();
    };
    Part compared = compare(left, sign, sum());
    if (accept("==", "!=", "<", ">", "<=", ">=", "eq", "ne", "lt", "gt", "le", "ge")) {
      throw new UnknownException("compares the result of a comparison: " + shortened(source));
    }
    return compared;
  }

  private Part compare(Part left, String sign, Part right) {
    boolean equality = sign.equals("==") || sign.equals("!=");
    for (Part part : List.of(left, right)) {
      if (part.isPredicate()) {
        throw new UnknownException("compares the result of a comparison: " + shortened(source));
      }
      if (!equality && (part.kind() == Kind.NULL || part.kind() == Kind.BOOLEAN)) {
        throw new UnknownException("compares " + part.text() + " with " + sign);
      }
    }
    if (left.kind() == Kind.NULL) {
      return compare(right, sign, left);
    }
    if (right.kind() == Kind.NULL) {
      if (left.kind() != Kind.PATH) {
        throw new UnknownException("compares " + left.text() + " with null");
      }
      // A variable that was never set is null in the original.
      return sign.equals("==")
          ? new Part(Kind.OR, "!(exists(" + left.text() + ")) || " + left.text() + " == null")
          : new Part(Kind.AND, "exists(" + left.text() + ") && " + left.text() + " != null");
    }
    return new Part(Kind.COMPARISON, left.text() + " " + sign + " " + right.text());
  }

  private Part sum() {
    Part left = product();
    while (accept("+", "-")) {
      String sign = previous();
      left = new Part(Kind.ARITHMETIC, number(left) + " " + sign + " " + number(product()));
    }
    return left;
  }

  private Part product() {
    Part left = unary();
    while (accept("*", "/", "%", "div", "mod")) {
      String sign = previous().equals("div") ? "/" : previous().equals("mod") ? "%" : previous();
      left = new Part(Kind.ARITHMETIC,
          factor(left) + " " + sign + " " + factor(unary()));
    }
    return left;
  }

  private static String number(Part part) {
    if (!Set.of(Kind.PATH, Kind.NUMBER, Kind.ARITHMETIC, Kind.GROUP).contains(part.kind())) {
      throw new UnknownException("computes with " + part.text());
    }
    return part.text();
  }

  private static String factor(Part part) {
    String text = number(part);
    return part.kind() == Kind.ARITHMETIC ? "(" + text + ")" : text;
  }

  private Part unary() {
    if (++level > MOST_LEVELS) {
      throw new UnknownException("is nested too deeply");
    }
    try {
      if (accept("!", "not")) {
        return new Part(Kind.COMPARISON, "!(" + truth(unary()).text() + ")");
      }
      if (accept("-")) {
        return new Part(Kind.ARITHMETIC, "-" + factor(unary()));
      }
      if (accept("empty")) {
        Part part = unary();
        if (part.kind() != Kind.PATH) {
          throw new UnknownException("asks whether " + part.text() + " is empty");
        }
        return new Part(Kind.OR, "!(exists(" + part.text() + "[*])) || " + part.text()
            + " == null || " + part.text() + " == \"\"");
      }
      return member(primary());
    } finally {
      level--;
    }
  }

  private Part primary() {
    if (at >= tokens.size()) {
      throw new UnknownException("ends too early: " + shortened(source));
    }
    if (accept("(")) {
      Part inside = or();
      if (!accept(")")) {
        throw new UnknownException("has no closing parenthesis: " + shortened(source));
      }
      return inside.kind() == Kind.ARITHMETIC
          ? new Part(Kind.GROUP, "(" + inside.text() + ")") : inside;
    }
    String token = tokens.get(at++);
    char first = token.charAt(0);
    if (Character.isDigit(first)) {
      return new Part(Kind.NUMBER, new BigDecimal(token).toString());
    }
    if (first == '"' || first == '\'') {
      return new Part(Kind.STRING, Json.createValue(unquoted(token)).toString());
    }
    if (token.equals("true") || token.equals("false")) {
      return new Part(Kind.BOOLEAN, token);
    }
    if (token.equals("null")) {
      return new Part(Kind.NULL, token);
    }
    if (!isName(token)) {
      throw new UnknownException("has \"" + token + "\" where a value is expected: "
          + shortened(source));
    }
    if (at < tokens.size() && (tokens.get(at).equals("(") || tokens.get(at).equals(":"))) {
      throw new UnknownException("calls " + token + "(…), which is Java");
    }
    if (OF_ENGINE.contains(token)) {
      throw new UnknownException("uses \"" + token + "\" of the engine");
    }
    return new Part(Kind.PATH, variables.apply(token));
  }

  private static boolean isName(String token) {
    return (Character.isLetter(token.charAt(0)) || token.charAt(0) == '_'
        || token.charAt(0) == '$') && !WORDS.contains(token);
  }

  private Part member(Part part) {
    Part found = part;
    while (true) {
      if (accept(".")) {
        String name = at < tokens.size() ? tokens.get(at++) : "";
        if (name.isEmpty() || !isName(name)) {
          throw new UnknownException("has no name after a dot: " + shortened(source));
        }
        if (accept("(")) {
          found = call(found, name);
          continue;
        }
        found = new Part(Kind.PATH, path(found) + "." + key(name));
      } else if (accept("[")) {
        String inside = at < tokens.size() ? tokens.get(at++) : "";
        if (!inside.matches("\\d{1,9}|[\"'].*") || !accept("]")) {
          throw new UnknownException("has a subscript that is no number and no text: "
              + shortened(source));
        }
        found = new Part(Kind.PATH, path(found) + (Character.isDigit(inside.charAt(0))
            ? "[" + inside + "]" : "." + key(unquoted(inside))));
      } else {
        return found;
      }
    }
  }

  /** The one method whose meaning is that of a comparison. */
  private Part call(Part part, String method) {
    if (!method.equals("equals")) {
      throw new UnknownException("calls " + method + "(…), which is Java");
    }
    Part argument = or();
    if (!accept(")")) {
      throw new UnknownException("has no closing parenthesis: " + shortened(source));
    }
    return compare(part, "==", argument);
  }

  private static String path(Part part) {
    if (part.kind() != Kind.PATH) {
      throw new UnknownException("asks for a member of " + part.text());
    }
    return part.text();
  }

  /** A member of an object, as a path names it. */
  static String key(String name) {
    return name.matches("[A-Za-z_][A-Za-z0-9_]*") ? name : Json.createValue(name).toString();
  }

  private static String unquoted(String token) {
    return token.substring(1, token.length() - 1).replaceAll("(?s)\\\\(.)", "$1");
  }

  private Part truth(Part part) {
    return switch (part.kind()) {
      case COMPARISON, AND, OR -> part;
      case PATH -> new Part(Kind.COMPARISON, part.text() + " == true");
      case BOOLEAN -> new Part(Kind.COMPARISON, part.text().equals("true") ? "1 == 1" : "1 == 0");
      default -> throw new UnknownException(part.text() + " is neither true nor false");
    };
  }
}
