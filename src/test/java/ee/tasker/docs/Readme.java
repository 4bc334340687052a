package ee.tasker.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page as its readers follow it: the commands of a section, and what it says they print. */
public final class Readme {
  private static final String OF_SERVER = "The terminal of the server prints:";
  /** A fence, with the line before it if that says what its block is. */
  private static final Pattern FENCED = Pattern.compile(
      "(?ms)(?:^(?:(" + OF_SERVER + ")|((?:Write )?)`([^`\n]+)`[^\n]*:)\n\n)?"
          + "^```([a-z]*)\n(.*?)^```$");
  private static final String UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
  /**
   * What differs from run to run: ids, seconds, and what the README leaves out. Then white space,
   * which is free.
   */
  private static final Pattern VARIABLE = Pattern.compile(
      "(?<uuid>" + UUID
          + ")|(?<seconds>\\b\\d+ s\\b)|(?<left>…)|(?<line>\n(?![ ]))|(?<space>\\s+)");

  private final String text;

  /**
   * A block of the page.
   *
   * @param language what its fence names
   * @param file     the file that the line before shows or, if it begins with "Write", has the
   *   reader write; null without one
   * @param isWritten whether the reader writes it
   * @param isOfServer whether the server prints it, some time later
   */
  public record Block(String language, String text, String file, boolean isWritten,
      boolean isOfServer) {

    /** The commands, one each; a line that ends in a backslash goes on in the next. */
    public List<String> commands() {
      return text.replace("\\\n", " ").lines().map(line -> line.replaceAll("  +", " ")).toList();
    }
  }

  private Readme(String text) {
    this.text = text;
  }

  /** @param folder the checkout */
  public static Readme in(Path folder) {
    return of(folder.resolve("README.md"));
  }

  /** @param page a document that is followed as the README is */
  public static Readme of(Path page) {
    try {
      return new Readme(Files.readString(page));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String text() {
    return text;
  }

  /** The fenced blocks of the section with this title, in their order. */
  public List<Block> blocks(String section) {
    int begin = text.indexOf("\n## " + section + "\n");
    if (begin < 0) {
      throw new IllegalArgumentException("the README has no section " + section);
    }
    int end = text.indexOf("\n## ", begin + 1);
    return blocksOf(text.substring(begin, end < 0 ? text.length() : end));
  }

  /** All fenced blocks, in their order. */
  public List<Block> blocks() {
    return blocksOf(text);
  }

  private static List<Block> blocksOf(String text) {
    List<Block> blocks = new ArrayList<>();
    Matcher fenced = FENCED.matcher(text);
    while (fenced.find()) {
      String file = fenced.group(3);
      blocks.add(new Block(fenced.group(4), fenced.group(5), file,
          file != null && !fenced.group(2).isEmpty(), fenced.group(1) != null));
    }
    return blocks;
  }

  /**
   * What matches that which a command prints, as the README shows it. Lines in between may be left
   * out of the README.
   */
  public static Pattern printed(String shown) {
    StringBuilder pattern = new StringBuilder("(?s).*?");
    Matcher variable = VARIABLE.matcher(shown.strip());
    int from = 0;
    while (variable.find()) {
      pattern.append(literally(shown.strip().substring(from, variable.start())));
      from = variable.end();
      if (variable.group("uuid") != null) {
        pattern.append(UUID);
      } else if (variable.group("seconds") != null) {
        pattern.append("\\d+ s");
      } else if (variable.group("line") != null) {
        pattern.append("[ \\t]*(?:\\R|\\R.*?\\R)");
      } else {
        pattern.append(variable.group("left") != null ? ".*?" : "\\s*");
      }
    }
    return Pattern.compile(pattern + literally(shown.strip().substring(from)) + ".*");
  }

  private static String literally(String part) {
    return part.isEmpty() ? "" : Pattern.quote(part);
  }
}
