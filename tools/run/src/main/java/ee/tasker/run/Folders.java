package ee.tasker.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;

/** Copies and deletes whole folders. */
final class Folders {

  private Folders() {}

  static void copy(Path from, Path to) throws IOException {
    try (var files = Files.walk(from)) {
      for (var file : (Iterable<Path>) files::iterator) {
        var target = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file))
          Files.createDirectories(target);
        else
          Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  /** With owners and permissions, to a folder that does not exist. */
  static void copyWithAttributes(Path from, Path to) throws IOException {
    try (var files = Files.walk(from)) {
      for (var file : (Iterable<Path>) files::iterator)
        Files.copy(file, to.resolve(from.relativize(file).toString()),
            StandardCopyOption.COPY_ATTRIBUTES);
    }
  }

  static void delete(Path folder) {
    if (!Files.exists(folder))
      return;
    try {
      Files.walkFileTree(folder, new SimpleFileVisitor<>() {
        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
            throws IOException {
          Files.delete(file);
          return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, IOException e)
            throws IOException {
          Files.delete(directory);
          return FileVisitResult.CONTINUE;
        }
      });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
