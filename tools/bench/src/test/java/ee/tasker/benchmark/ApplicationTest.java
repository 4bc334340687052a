package ee.tasker.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApplicationTest {
  @TempDir
  private Path folder;

  @Test
  void the_application_has_the_handlers_and_else_what_it_had() throws IOException {
    Path war = folder.resolve("samples.war");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(war))) {
      for (String name : new String[]{"WEB-INF/web.xml", "WEB-INF/lib/product.jar"}) {
        zip.putNextEntry(new ZipEntry(name));
        zip.closeEntry();
      }
    }
    Path jar = Files.writeString(folder.resolve("handlers.jar"), "handlers");

    Path made = Application.with(jar, war, folder.resolve("made.war"));
    // Once more for the next server.
    Application.with(jar, war, made);

    try (ZipFile zip = new ZipFile(made.toFile())) {
      assertThat(Collections.list(zip.entries())).extracting(ZipEntry::getName)
          .filteredOn(name -> !name.endsWith("/"))
          .containsExactlyInAnyOrder("WEB-INF/web.xml", "WEB-INF/lib/product.jar",
              "WEB-INF/lib/handlers.jar");
      assertThat(zip.getInputStream(zip.getEntry("WEB-INF/lib/handlers.jar")))
          .hasContent("handlers");
    }
  }
}
