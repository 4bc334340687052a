package ee.tasker.template;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Finds the texts of templates. {@link TemplateReader} reads their content. */
public final class TemplateFiles {
  /**
   * On the class path: one resource path per line; blank lines and lines that start with {@code #}
   * are ignored.
   */
  public static final String INDEX = "META-INF/tasker-templates";
  /** In bytes, enough for {@link TemplateReader#MAX_LENGTH} characters of any kind. */
  private static final int MAX_BYTES = 4 * TemplateReader.MAX_LENGTH;

  private TemplateFiles() {}

  /**
   * The resources that every {@value #INDEX} on the class path lists, each once. A resource is
   * taken from the same jar or
   * folder as the index that lists it, if present there.
   *
   * @throws IllegalStateException when a listed resource does not exist or is not UTF-8
   */
  public static List<TemplateFile> onClassPath(ClassLoader loader) {
    try {
      Map<String, TemplateFile> files = new LinkedHashMap<>();
      for (var index : Collections.list(loader.getResources(INDEX))) {
        for (var path : lines(index)) {
          var resource = resource(loader, index, path);
          if (!files.containsKey(resource.toString())) {
            files.put(resource.toString(),
                new TemplateFile(resource.toString(), text(resource.toString(), open(resource))));
          }
        }
      }
      return List.copyOf(files.values());
    } catch (IOException unreadable) {
      throw new UncheckedIOException("cannot read the templates on the class path", unreadable);
    }
  }

  /**
   * Every {@code *.yaml} and {@code *.yml} below {@code folder}, ordered by path. Folders named
   * {@code target} and hidden
   * files and folders (their name starts with a dot) are ignored; links are followed.
   *
   * @throws IllegalArgumentException when the folder does not exist
   * @throws IllegalStateException    when a file is not UTF-8 or far too long
   * @throws UncheckedIOException     when a file or folder cannot be read; the message has its path
   */
  public static List<TemplateFile> inFolder(Path folder) {
    if (!Files.isDirectory(folder)) {
      throw new IllegalArgumentException("the template folder " + folder.toAbsolutePath()
          + (Files.exists(folder) ? " is not a folder" : " does not exist"));
    }
    var paths = new ArrayList<Path>();
    try {
      Files.walkFileTree(folder, EnumSet.of(FileVisitOption.FOLLOW_LINKS), Integer.MAX_VALUE,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory,
                BasicFileAttributes attributes) {
              var name = String.valueOf(directory.getFileName());
              return !directory.equals(folder) && (name.equals("target") || name.startsWith("."))
                  ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              var name = file.getFileName().toString();
              if (attributes.isRegularFile() && !name.startsWith(".")
                  && (name.endsWith(".yaml") || name.endsWith(".yml"))) {
                paths.add(file);
              }
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException unreadable) {
      throw new UncheckedIOException(
          "cannot read the template folder " + folder.toAbsolutePath() + ": "
              + unreadable.getMessage(),
          unreadable);
    }
    Collections.sort(paths);
    return paths.stream().map(TemplateFiles::file).toList();
  }

  private static TemplateFile file(Path path) {
    try {
      return new TemplateFile(path.toString(), text(path.toString(), Files.newInputStream(path)));
    } catch (IOException unreadable) {
      throw new UncheckedIOException("cannot read the template " + path.toAbsolutePath(),
          unreadable);
    }
  }

  private static List<String> lines(URL index) throws IOException {
    try (var reader = new BufferedReader(
        new InputStreamReader(open(index), StandardCharsets.UTF_8))) {
      return reader.lines().map(String::strip)
          .filter(line -> !line.isEmpty() && !line.startsWith("#")).toList();
    }
  }

  private static URL resource(ClassLoader loader, URL index, String path) throws IOException {
    var candidates = Collections.list(loader.getResources(path));
    var home = index.toString().substring(0, index.toString().length() - INDEX.length());
    return candidates.stream().filter(candidate -> candidate.toString().startsWith(home))
        .findFirst()
        .or(() -> candidates.stream().findFirst())
        .orElseThrow(() -> new IllegalStateException(
            index + " lists " + path + ", which is not on the class path"));
  }

  /** Without the JVM's cache, which would keep a jar open after it was replaced. */
  private static InputStream open(URL url) throws IOException {
    var connection = url.openConnection();
    connection.setUseCaches(false);
    return connection.getInputStream();
  }

  private static String text(String source, InputStream stream) throws IOException {
    try (stream) {
      var bytes = stream.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw new IllegalStateException(
            "the template " + source + " is longer than " + MAX_BYTES + " bytes");
      }
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException notText) {
      throw new IllegalStateException("the template " + source + " is not UTF-8", notText);
    }
  }
}
