package ee.tasker.run;

import io.zonky.test.db.postgres.embedded.DefaultPostgresBinaryResolver;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.zip.ZipFile;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/** PostgreSQL's programs for this platform, unpacked once per checkout and release. */
record PostgresBinaries(Path folder) {

  static final boolean WINDOWS = System.getProperty("os.name").startsWith("Windows");

  /** An archive of programs, as the embedded PostgreSQL's jars have it. */
  private interface Archive {
    InputStream open() throws IOException;
  }

  /** Those on the class path, whose release has to be that version. */
  static PostgresBinaries unpackedIn(Path parent, String version) {
    return unpackedIn(parent, version,
        () -> DefaultPostgresBinaryResolver.INSTANCE.getPgBinary(system(), machine()));
  }

  /** Those of another release, in a jar that is not on the class path. */
  static PostgresBinaries unpackedIn(Path parent, String version, Path jar) {
    try (var content = new ZipFile(jar.toFile())) {
      return unpackedIn(parent, version, () -> content.getInputStream(content.getEntry(
          "postgres-" + system().toLowerCase(Locale.ROOT) + "-" + machine() + ".txz")));
    } catch (IOException e) {
      throw new RunProblem("Cannot read " + jar + ": " + e.getMessage(), e);
    }
  }

  private static PostgresBinaries unpackedIn(Path parent, String version, Archive archive) {
    var folder = parent.resolve("postgres-binaries-" + version);
    if (Files.isDirectory(folder))
      return new PostgresBinaries(folder);
    try {
      // Unpacked under another name and then renamed, so that an interrupted run leaves nothing
      // that looks complete.
      Files.createDirectories(parent);
      var unfinished = Files.createTempDirectory(parent, "postgres-binaries-");
      unpack(archive, unfinished);
      if (!WINDOWS)
        Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString("rwxr-xr-x"));
      try {
        Files.move(unfinished, folder, StandardCopyOption.ATOMIC_MOVE);
      } catch (IOException e) {
        Folders.delete(unfinished);
        if (!Files.isDirectory(folder))
          throw e;
      }
      return new PostgresBinaries(folder);
    } catch (IOException e) {
      throw new RunProblem("Cannot unpack PostgreSQL into " + folder + ": " + e.getMessage(), e);
    }
  }

  String program(String name) {
    return folder.resolve("bin").resolve(WINDOWS ? name + ".exe" : name).toString();
  }

  private static void unpack(Archive archive, Path target) throws IOException {
    try (var packed = archive.open();
        var tar = new TarArchiveInputStream(
            new XZCompressorInputStream(new BufferedInputStream(packed)))) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        var file = target.resolve(entry.getName()).normalize();
        if (!file.startsWith(target))
          throw new IOException("entry outside the archive: " + entry.getName());
        if (entry.isDirectory()) {
          Files.createDirectories(file);
          continue;
        }
        Files.createDirectories(file.getParent());
        if (entry.isSymbolicLink()) {
          link(file, Path.of(entry.getLinkName()));
        } else if (entry.isLink()) {
          Files.copy(target.resolve(entry.getLinkName()), file);
        } else {
          Files.copy(tar, file);
          if (!WINDOWS && (entry.getMode() & 0100) != 0)
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
      }
    }
  }

  private static void link(Path file, Path to) throws IOException {
    try {
      Files.createSymbolicLink(file, to);
    } catch (FileAlreadyExistsException e) {
      // the archive names some links twice
    }
  }

  private static String system() {
    var name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    if (name.startsWith("windows"))
      return "Windows";
    return name.startsWith("mac") ? "Darwin" : "Linux";
  }

  private static String machine() {
    return System.getProperty("os.arch").toLowerCase(Locale.ROOT).equals("aarch64") ? "arm_64"
        : "x86_64";
  }
}
