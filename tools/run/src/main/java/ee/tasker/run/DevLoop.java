package ee.tasker.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The inner loop: what is saved in a {@link DevProject} runs in the server some seconds later.
 *
 * <p>A save is compiled beside the classes that run. With an error, it is printed and nothing else
 * happens. If only bodies of
 * methods have changed, their code is replaced in the running server ({@link HotSwap}). Otherwise
 * the server replaces the
 * application, as at any redeployment: running steps may end within a second, or are offered again
 * at once. A new version that
 * the server cannot start is printed with its cause, and the one before is put back. Templates go
 * to the REST interface.
 *
 * <p>The application is one that lies in several places, described by a file as Open Liberty has
 * it: the product's WAR,
 * unpacked once, and a folder of classes for each version.
 */
final class DevLoop {

  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(200);
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final String MARK = "dev-version.txt";

  private final DevProject project;
  private final ServerProcess server;
  private final DevTemplates templates;
  private final Consumer<String> terminal;
  private final Path folder;
  private final Path product;
  private SourceCompiler compiler;
  private HotSwap hotSwap;
  private int version;
  /** What runs now. */
  private Path running;
  private Map<Path, String> skeletons = Map.of();

  DevLoop(DevProject project, ServerProcess server, DevTemplates templates, Path folder,
      Consumer<String> terminal) {
    this.project = project;
    this.server = server;
    this.templates = templates;
    this.terminal = terminal;
    this.folder = folder.resolve("dev");
    this.product = this.folder.resolve("product");
  }

  /**
   * @param  exploded the product's WAR as the build unpacked it
   * @return          the application to start the server with
   */
  Path prepare(Path exploded) {
    try {
      Folders.delete(folder);
      Files.createDirectories(folder);
      Folders.copy(exploded, product);
      for (var library : DevProject.files(product.resolve("WEB-INF/lib"), ".jar")) {
        if (library.getFileName().toString().startsWith("tasker-ee-samples"))
          Files.delete(library);
      }
      if (Files.isDirectory(project.libraries()))
        Folders.copy(project.libraries(), product.resolve("WEB-INF/lib"));
      compiler = new SourceCompiler(libraries());
      hotSwap = new HotSwap(folder);
      var sources = project.javaFiles();
      var next = nextFolder();
      var errors = compiler.compile(sources, next, project::shown);
      if (!errors.isEmpty())
        throw new RunProblem(String.join("\n", errors));
      running = next;
      skeletons = compiler.skeletons(sources);
      return application(next);
    } catch (IOException e) {
      throw new RunProblem(
          "The application cannot be prepared in " + folder + ": " + e.getMessage(), e);
    }
  }

  private List<Path> libraries() throws IOException {
    var libraries = new java.util.ArrayList<Path>();
    libraries.add(product.resolve("WEB-INF/classes"));
    libraries.addAll(DevProject.files(product.resolve("WEB-INF/lib"), ".jar"));
    return libraries;
  }

  private Path nextFolder() {
    return folder.resolve("version-" + ++version);
  }

  /**
   * Everything of a version but its classes, and the file by which Open Liberty finds the parts.
   */
  private Path application(Path classes) throws IOException {
    for (var file : DevProject.files(project.resources(), "")) {
      if (project.isResource(file)) {
        var to = classes.resolve(project.resources().relativize(file).toString());
        Files.createDirectories(to.getParent());
        Files.copy(file, to, StandardCopyOption.REPLACE_EXISTING);
      }
    }
    var beans = classes.resolve("META-INF/beans.xml");
    if (!Files.exists(beans)) {
      Files.createDirectories(beans.getParent());
      Files.writeString(beans,
          "<beans xmlns=\"https://jakarta.ee/xml/ns/jakartaee\" version=\"4.0\" bean-discovery-mode=\"annotated\"/>\n");
    }
    var mark = Files.writeString(folder.resolve(classes.getFileName() + ".txt"),
        classes.getFileName().toString());
    return Files.writeString(folder.resolve(classes.getFileName() + ".xml"),
        String.format(Locale.ROOT, """
        <?xml version="1.0" encoding="UTF-8"?>
        <archive>
          <dir sourceOnDisk="%s" targetInArchive="/"/>
          <file sourceOnDisk="%s" targetInArchive="/%s"/>
          <archive targetInArchive="/WEB-INF/lib/application.jar"><dir sourceOnDisk="%s" targetInArchive="/"/></archive>
        </archive>
        """, product, mark, MARK, classes));
  }

  /** Returns when the thread is interrupted, or the server has ended. */
  void watch() throws InterruptedException {
    terminal.accept("Watching " + project.shown(project.sources()) + " and "
        + project.shown(project.templates())
        + ": what is saved there runs here.\n");
    try {
      var known = project.snapshot();
      while (server.handle().filter(ProcessHandle::isAlive).isPresent()) {
        Thread.sleep(BETWEEN_LOOKS.toMillis());
        var now = project.snapshot();
        if (now.equals(known))
          continue;
        // An editor may write several files, or one in pieces.
        for (var again = settled(now); !again.equals(now); again = settled(now))
          now = again;
        var changed = changed(known, now);
        known = now;
        take(changed);
      }
    } catch (IOException e) {
      terminal.accept("The files can no longer be watched: " + e);
    }
  }

  private Map<Path, String> settled(Map<Path, String> now)
      throws IOException, InterruptedException {
    Thread.sleep(BETWEEN_LOOKS.toMillis() / 2);
    return project.snapshot();
  }

  private static Set<Path> changed(Map<Path, String> before, Map<Path, String> now) {
    var changed = new LinkedHashSet<Path>();
    now.forEach((file, state) -> {
      if (!state.equals(before.get(file)))
        changed.add(file);
    });
    before.keySet().stream().filter(file -> !now.containsKey(file)).forEach(changed::add);
    return changed;
  }

  private void take(Set<Path> changed) throws InterruptedException {
    long begin = System.nanoTime();
    try {
      boolean code = changed.stream().anyMatch(project::isSource);
      boolean resources = changed.stream()
          .anyMatch(file -> project.isResource(file) && !project.isTemplate(file));
      if (code || resources)
        takeCode(begin, resources);
      for (var file : changed) {
        if (project.isTemplate(file) && Files.exists(file))
          templates.register(file, project.shown(file)).forEach(terminal);
      }
    } catch (IOException e) {
      terminal.accept("Not reloaded: " + e);
    }
  }

  private void takeCode(long begin, boolean resources) throws IOException, InterruptedException {
    var sources = project.javaFiles();
    var next = nextFolder();
    var errors = compiler.compile(sources, next, project::shown);
    if (!errors.isEmpty()) {
      errors.forEach(terminal);
      terminal.accept("Not reloaded: the version before keeps running.\n");
      Folders.delete(next);
      return;
    }
    var shape = compiler.skeletons(sources);
    if (!resources && shape.equals(skeletons) && replaceMethods(next)) {
      tell(begin, "methods were replaced");
      return;
    }
    if (replaceApplication(next)) {
      running = next;
      skeletons = shape;
      tell(begin, "the application was replaced");
    }
  }

  private void tell(long begin, String how) {
    terminal.accept(String.format(Locale.ROOT, "Reloaded in %.1f s: %s.%n",
        (System.nanoTime() - begin) / 1e9, how));
  }

  /**
   * The classes that run are replaced on disk as well: one that has not been loaded yet comes from
   * there.
   */
  private boolean replaceMethods(Path next) throws IOException {
    var before = classFiles(running);
    var after = classFiles(next);
    if (!before.keySet().equals(after.keySet()))
      return false;
    var changed = folder.resolve("changed");
    Folders.delete(changed);
    Files.createDirectories(changed);
    for (var name : after.keySet()) {
      if (!Arrays.equals(before.get(name), after.get(name))) {
        Files.createDirectories(changed.resolve(name).getParent());
        Files.write(changed.resolve(name), after.get(name));
      }
    }
    if (!hotSwap.replace(server.handle().orElseThrow().pid(), changed))
      return false;
    Folders.copy(changed, running);
    Folders.delete(next);
    return true;
  }

  private static Map<String, byte[]> classFiles(Path classes) throws IOException {
    var files = new TreeMap<String, byte[]>();
    for (var file : DevProject.files(classes, ".class"))
      files.put(classes.relativize(file).toString(), Files.readAllBytes(file));
    return files;
  }

  private boolean replaceApplication(Path next) throws IOException, InterruptedException {
    var failure = deploy(application(next), next);
    if (failure == null)
      return true;
    terminal.accept("Not reloaded: the application cannot be started: " + failure);
    var before = deploy(folder.resolve(running.getFileName() + ".xml"), running);
    terminal.accept(before == null ? "The version before runs again.\n"
        : "The version before cannot be started again either: " + before);
    return false;
  }

  /** @return null once that version answers, otherwise why it does not */
  private String deploy(Path application, Path expected) throws IOException, InterruptedException {
    if (!server.redeploy(application))
      throw new IOException("this server does not replace applications while it runs");
    var failure = new String[1];
    boolean answered = server.within(PATIENCE, () -> {
      try {
        failure[0] = server.deploymentFailure().orElse(null);
        return failure[0] != null
            || server.answers("/" + MARK, expected.getFileName().toString()) && server.isReady();
      } catch (IOException e) {
        return false;
      }
    });
    return answered ? failure[0]
        : "it did not answer within " + PATIENCE.toSeconds() + " s. Log: " + server.log();
  }
}
