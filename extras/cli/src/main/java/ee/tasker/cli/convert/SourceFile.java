package ee.tasker.cli.convert;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A file that is converted.
 *
 * @param file    which one
 * @param place   where what is made of it belongs, below the folder for all: its own folder, as it
 *   lies in the one that was named
 * @param isNamed whether it was named itself, and not found in a folder
 */
public record SourceFile(Path file, Path place, boolean isNamed) {
  private static final Pattern IN_FOLDERS = Pattern
      .compile("(?i).*\\.(ya?ml|bpmn|bpmn20\\.xml)");
  private static final Pattern ENCODING = Pattern
      .compile("<\\?xml[^>]*encoding\\s*=\\s*[\"']([A-Za-z0-9._-]{1,40})[\"']");
  private static final long MOST_BYTES = 32 << 20;

  /**
   * The file itself, or the templates and models of a folder and of those below it, in order.
   * Hidden ones, such as {@code .git}, are not looked at.
   */
  public static List<SourceFile> of(Path named) throws IOException {
    Path none = Path.of("");
    if (!Files.isDirectory(named)) {
      return List.of(new SourceFile(named, none, true));
    }
    try (Stream<Path> found = Files.walk(named)) {
      return found
          .filter(file -> IN_FOLDERS.matcher(file.getFileName().toString()).matches()
              && !isHidden(named.relativize(file)) && Files.isRegularFile(file))
          .sorted()
          .map(file -> new SourceFile(file, named.relativize(file).resolveSibling(none), false))
          .toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static boolean isHidden(Path below) {
    for (Path part : below) {
      if (part.toString().startsWith(".")) {
        return true;
      }
    }
    return false;
  }

  /**
   * In the encoding that a byte order mark or the XML declaration names, or else in UTF-8.
   *
   * @throws UnreadableException if it is too large, or written in another encoding
   */
  public String text() throws IOException {
    if (Files.size(file) > MOST_BYTES) {
      throw new UnreadableException("it has more than " + MOST_BYTES + " bytes");
    }
    byte[] bytes = Files.readAllBytes(file);
    Charset charset = charset(bytes);
    try {
      return charset.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new UnreadableException("it is not written in " + charset);
    }
  }

  private static Charset charset(byte[] bytes) {
    int first = bytes.length < 2 ? 0 : (bytes[0] & 255) << 8 | bytes[1] & 255;
    if (first == 0xfeff || first == 0xfffe) {
      return StandardCharsets.UTF_16;
    }
    Matcher declared = ENCODING.matcher(
        new String(bytes, 0, Math.min(bytes.length, 200), StandardCharsets.ISO_8859_1));
    if (!declared.lookingAt()) {
      return StandardCharsets.UTF_8;
    }
    try {
      return Charset.forName(declared.group(1));
    } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
      throw new UnreadableException("its encoding " + declared.group(1) + " is not known");
    }
  }
}
