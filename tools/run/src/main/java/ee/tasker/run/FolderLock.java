package ee.tasker.run;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * Ensures that one run command at a time uses a folder. The operating system releases the lock when
 * this process ends in
 * any way, so its holder may conclude that a server or database still running there is orphaned.
 */
final class FolderLock implements AutoCloseable {

  private final FileChannel channel;

  private FolderLock(FileChannel channel) {
    this.channel = channel;
  }

  static Optional<FolderLock> of(Path folder) {
    try {
      Files.createDirectories(folder.toAbsolutePath().getParent());
      var file = folder.resolveSibling(folder.getFileName() + ".lock");
      var channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      try {
        if (channel.tryLock() != null)
          return Optional.of(new FolderLock(channel));
      } catch (OverlappingFileLockException e) {
        // held by this very process: as good as by another
      }
      channel.close();
      return Optional.empty();
    } catch (IOException e) {
      throw new RunProblem("Cannot write beside " + folder + ": " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      // the operating system closes it with the process
    }
  }
}
