package ee.tasker.run;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;

/**
 * The account that PostgreSQL runs as. It refuses to be root, as which containers and virtual
 * machines often run us.
 *
 * <p>Not root: our own account. Root: in a user namespace of its own, where it has no privileges
 * but the files are still
 * ours. If the kernel does not allow that, or the folder already belongs to an ordinary user: as
 * that user or {@code
 * nobody}, who becomes the owner of the data folder.
 *
 * @param prefix the words to put before a command
 */
record PostgresAccount(List<String> prefix) {

  private static final String NOBODY = "65534";

  static PostgresAccount owning(Path data, PostgresBinaries binaries) {
    if (PostgresBinaries.WINDOWS)
      return new PostgresAccount(List.of());
    var here = binaries.folder();
    var me = Command.run(here, List.of("id", "-u")).output();
    var owner = ownerOf(data);
    if (!me.equals("0")) {
      if (owner != null && !owner.equals(me)) {
        throw new RunProblem(
            "The data folder " + data + " belongs to another user (uid " + owner
                + "): run as that user, or move the folder away.");
      }
      return new PostgresAccount(List.of());
    }
    if (owner == null || owner.equals("0")) {
      var namespace = List.of("unshare", "-U");
      if (Command.run(here, namespace, binaries.program("postgres"), "--version").succeeded())
        return new PostgresAccount(namespace);
    }
    var user = owner == null || owner.equals("0") ? NOBODY : owner;
    var group = user.equals(NOBODY) ? NOBODY : attribute(data, "unix:gid");
    for (var words : List.of(
        List.of("setpriv", "--reuid=" + user, "--regid=" + group, "--clear-groups"),
        List.of("runuser", "-u", nameOf(here, user), "--"))) {
      if (Command.run(here, words, binaries.program("postgres"), "--version").succeeded()) {
        give(data, user, group);
        return new PostgresAccount(words);
      }
    }
    throw new RunProblem(
        "PostgreSQL refuses to run as root, and neither a user namespace (unshare) nor the user "
            + nameOf(here, user)
            + " (setpriv, runuser) can run it here: run as an ordinary user, or name your own PostgreSQL with DB_HOST.");
  }

  private static String ownerOf(Path data) {
    return Files.exists(data) ? attribute(data, "unix:uid") : null;
  }

  private static String attribute(Path file, String name) {
    try {
      return Files.getAttribute(file, name).toString();
    } catch (IOException e) {
      throw new RunProblem("Cannot read who owns " + file + ": " + e.getMessage(), e);
    }
  }

  private static String nameOf(Path here, String uid) {
    var name = Command.run(here, List.of("id", "-un", uid));
    return name.succeeded() ? name.output() : uid;
  }

  private static void give(Path data, String user, String group) {
    try {
      Files.createDirectories(data);
      Files.walkFileTree(data, new SimpleFileVisitor<>() {
        @Override
        public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
            throws IOException {
          return visitFile(directory, attributes);
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
            throws IOException {
          Files.setAttribute(file, "unix:uid", Integer.valueOf(user));
          Files.setAttribute(file, "unix:gid", Integer.valueOf(group));
          return FileVisitResult.CONTINUE;
        }
      });
    } catch (IOException e) {
      throw new RunProblem("Cannot give " + data + " to user " + user + ": " + e.getMessage(), e);
    }
  }
}
