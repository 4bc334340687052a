package ee.tasker.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(OS.WINDOWS)
class OtherServersTest {
  @TempDir
  private Path folder;

  private void maven(String ends) throws Exception {
    Path mvn = Files.createDirectories(folder.resolve("bin")).resolve("mvn");
    Files.writeString(mvn, "#!/bin/sh\necho $* >> ran\n" + ends + "\n");
    assertThat(mvn.toFile().setExecutable(true)).isTrue();
  }

  private void run() throws Exception {
    OtherServers.main(new String[]{folder.toString(), folder.toString(), "@server@,long"});
  }

  @Test
  void each_of_the_others_has_a_maven_of_its_own() throws Exception {
    maven("exit 0");

    run();

    assertThat(Files.readAllLines(folder.resolve("ran")))
        .containsExactlyElementsOf(Stream.of(ServerKind.values())
            .filter(server -> server != ServerKind.LIBERTY)
            .map(server -> "-B -ntp -P" + server.id() + ",long -DskipUnits verify").toList());
  }

  @Test
  void what_fails_on_one_fails_and_ends_it() throws Exception {
    maven("exit 1");

    assertThatThrownBy(this::run).hasMessage("The tests on WildFly have failed.");

    assertThat(Files.readAllLines(folder.resolve("ran"))).hasSize(1);
  }
}
