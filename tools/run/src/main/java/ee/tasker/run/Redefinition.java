package ee.tasker.run;

import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;

/**
 * Runs in the server's process and replaces the code of classes that are loaded there, all or none.
 * Nothing but the JDK is
 * there for it. The argument names a folder of class files.
 */
public final class Redefinition {

  static final String DONE = "replaced";

  private Redefinition() {}

  public static void agentmain(String folder, Instrumentation instrumentation) throws Exception {
    var definitions = new ArrayList<ClassDefinition>();
    for (var loaded : instrumentation.getAllLoadedClasses()) {
      var file = Path.of(folder, loaded.getName().replace('.', '/') + ".class");
      if (!loaded.isArray() && !loaded.isHidden() && Files.exists(file))
        definitions.add(new ClassDefinition(loaded, Files.readAllBytes(file)));
    }
    try {
      instrumentation.redefineClasses(definitions.toArray(ClassDefinition[]::new));
      Files.createFile(Path.of(folder, DONE));
    } catch (UnsupportedOperationException | LinkageError e) {
      // More than bodies of methods differs: nothing was replaced, and the file that says so is
      // missing.
    }
  }
}
