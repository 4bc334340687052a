package ee.tasker.run;

import java.io.IOException;
import java.nio.file.Path;

/** The integration tests on each server but Open Liberty, one after the other: -Pall-servers. */
public final class OtherServers {

  private OtherServers() {}

  /** @param arguments the folder of Maven, the checkout, and the profiles, with {@code @server@} */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    var maven = Path.of(arguments[0], "bin", PostgresBinaries.WINDOWS ? "mvn.cmd" : "mvn");
    for (var server : ServerKind.values()) {
      if (server == ServerKind.LIBERTY)
        continue;
      var tests = new ProcessBuilder(maven.toString(), "-B", "-ntp",
          "-P" + arguments[2].replace("@server@", server.id()), "-DskipUnits", "verify")
          .directory(Path.of(arguments[1]).toFile()).inheritIO().start();
      if (tests.waitFor() != 0)
        throw new RunProblem("The tests on " + server.title() + " have failed.");
    }
  }
}
