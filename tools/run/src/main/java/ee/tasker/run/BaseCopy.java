package ee.tasker.run;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Set;

/**
 * Does the work of pg_basebackup with SQL only: copies the files of a running database between
 * pg_backup_start and
 * pg_backup_stop, to be started as a standby.
 */
final class BaseCopy extends SimpleFileVisitor<Path> {
  /** Folders that start empty: the log comes from the primary, the rest is recreated. */
  private static final Set<String> EMPTY = Set.of("pg_wal", "pg_replslot", "pg_dynshmem",
      "pg_notify", "pg_serial", "pg_snapshots",
      "pg_stat_tmp", "pg_subtrans");
  /** Belongs to the primary only; postgresql.auto.conf names the standby it waits for. */
  private static final Set<String> LEFT_OUT = Set.of("postmaster.pid", "postmaster.opts",
      "postgresql.auto.conf", "server.log",
      "current_logfiles");

  private final Path from;
  private final Path to;

  private BaseCopy(Path from, Path to) {
    this.from = from;
    this.to = to;
  }

  static void of(EmbeddedDatabase primary, Path to) {
    try (var connection = DriverManager.getConnection(primary.superuserUrl());
        var statement = connection.createStatement()) {
      statement.execute("select pg_backup_start('standby', true)");
      Files.walkFileTree(primary.data(), new BaseCopy(primary.data(), to));
      try (var stopped = statement.executeQuery("select labelfile from pg_backup_stop(false)")) {
        stopped.next();
        Files.writeString(to.resolve("backup_label"), stopped.getString(1));
      }
      Files.writeString(to.resolve("standby.signal"), "");
      if (!PostgresBinaries.WINDOWS)
        Files.setPosixFilePermissions(to, PosixFilePermissions.fromString("rwx------"));
    } catch (IOException | SQLException e) {
      throw new RunProblem(
          "No base copy of " + primary.data() + " could be taken: " + e.getMessage(), e);
    }
  }

  @Override
  public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
      throws IOException {
    var copy = to.resolve(from.relativize(folder).toString());
    Files.createDirectories(copy);
    var isEmpty = folder.getParent().equals(from)
        && EMPTY.contains(folder.getFileName().toString());
    if (isEmpty && folder.endsWith("pg_wal")) {
      Files.createDirectories(copy.resolve("archive_status"));
      Files.createDirectories(copy.resolve("summaries"));
    }
    return isEmpty ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
  }

  @Override
  public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
    if (!(file.getParent().equals(from) && LEFT_OUT.contains(file.getFileName().toString()))) {
      try {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      } catch (NoSuchFileException dropped) {
        // The log contains the drop.
      }
    }
    return FileVisitResult.CONTINUE;
  }

  @Override
  public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
    if (e instanceof NoSuchFileException)
      return FileVisitResult.CONTINUE;
    throw e;
  }
}
