package ee.tasker.run;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * Replaces the code of methods in a running server, by the JDK's own means; see {@link
 * Redefinition}.
 */
final class HotSwap {

  private final Path agent;

  /** @param folder where the jar is made that the server's process loads */
  HotSwap(Path folder) throws IOException {
    agent = folder.resolve("redefinition.jar");
    var manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Agent-Class", Redefinition.class.getName());
    manifest.getMainAttributes().putValue("Can-Redefine-Classes", "true");
    var name = Redefinition.class.getName().replace('.', '/') + ".class";
    try (var jar = new JarOutputStream(Files.newOutputStream(agent), manifest);
        var code = Redefinition.class.getClassLoader().getResourceAsStream(name)) {
      jar.putNextEntry(new JarEntry(name));
      code.transferTo(jar);
      jar.closeEntry();
    }
  }

  /**
   * @param  classes a folder with the class files that have changed, and no others
   * @return         false if this JVM cannot replace them while it runs, as when a method was added
   */
  boolean replace(long pid, Path classes) throws IOException {
    try {
      var machine = VirtualMachine.attach(Long.toString(pid));
      try {
        machine.loadAgent(agent.toString(), classes.toString());
        return Files.deleteIfExists(classes.resolve(Redefinition.DONE));
      } finally {
        machine.detach();
      }
    } catch (AttachNotSupportedException | AgentLoadException | AgentInitializationException e) {
      return false;
    }
  }
}
