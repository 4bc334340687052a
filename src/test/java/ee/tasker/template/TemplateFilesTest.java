package ee.tasker.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TemplateFilesTest {
  @TempDir
  Path folder;

  private Path write(String path, String text) throws IOException {
    var file = folder.resolve(path);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  @Test
  void yaml_files_of_a_folder_are_found_at_any_depth_in_the_order_of_their_paths()
      throws IOException {
    write("b.yml", "b");
    write("a/deep/er.yaml", "ä");
    write("a.yaml", "a");
    write("readme.md", "no");

    var files = TemplateFiles.inFolder(folder);

    assertThat(files).extracting(TemplateFile::text).containsExactly("a", "ä", "b");
    assertThat(files.get(1).source()).isEqualTo(folder.resolve("a/deep/er.yaml").toString());
  }

  @Test
  void build_output_and_hidden_files_are_passed_over() throws IOException {
    write("target/classes/a.yaml", "no");
    write("module/target/b.yaml", "no");
    write(".git/c.yaml", "no");
    write(".d.yaml", "no");
    write("e.yaml", "yes");

    assertThat(TemplateFiles.inFolder(folder)).extracting(TemplateFile::text)
        .containsExactly("yes");
  }

  @Test
  void a_folder_named_target_is_read_when_it_is_the_one_asked_for() throws IOException {
    write("target/a.yaml", "yes");

    assertThat(TemplateFiles.inFolder(folder.resolve("target"))).hasSize(1);
  }

  @Test
  void a_mounted_config_map_is_read_once_through_its_links() throws IOException {
    write("..2026_01_01/a.yaml", "yes");
    Files.createSymbolicLink(folder.resolve("..data"), Path.of("..2026_01_01"));
    Files.createSymbolicLink(folder.resolve("a.yaml"), Path.of("..data", "a.yaml"));

    assertThat(TemplateFiles.inFolder(folder)).extracting(TemplateFile::text)
        .containsExactly("yes");
  }

  @Test
  void a_missing_folder_is_named() throws IOException {
    assertThatThrownBy(() -> TemplateFiles.inFolder(folder.resolve("nowhere")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the template folder " + folder.resolve("nowhere") + " does not exist");

    var file = write("a.yaml", "a");
    assertThatThrownBy(() -> TemplateFiles.inFolder(file))
        .hasMessage("the template folder " + file + " is not a folder");
  }

  @Test
  void a_file_that_is_not_utf8_is_named() throws IOException {
    var file = Files.write(folder.resolve("a.yaml"), new byte[]{'a', (byte) 0xE4});

    assertThatThrownBy(() -> TemplateFiles.inFolder(folder))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the template " + file + " is not UTF-8");
  }

  @Test
  void every_index_on_the_class_path_counts_and_takes_its_own_resources() throws IOException {
    write("one/" + TemplateFiles.INDEX, "# ours\n\n t/order.yaml \nt/order.yaml\n");
    write("one/t/order.yaml", "from the folder");
    var jar = folder.resolve("two.jar");
    try (var out = new JarOutputStream(Files.newOutputStream(jar))) {
      add(out, TemplateFiles.INDEX, "t/order.yaml\nt/more.yaml\n");
      add(out, "t/order.yaml", "from the jar");
      add(out, "t/more.yaml", "more");
    }

    try (var loader = new URLClassLoader(
        new URL[]{folder.resolve("one/").toUri().toURL(), jar.toUri().toURL()}, null)) {
      var files = TemplateFiles.onClassPath(loader);

      assertThat(files).extracting(TemplateFile::text).containsExactly("from the folder",
          "from the jar", "more");
      assertThat(files.get(1).source()).endsWith("two.jar!/t/order.yaml");
    }
  }

  @Test
  void a_listed_resource_that_is_missing_is_named_with_its_index() throws IOException {
    write("one/" + TemplateFiles.INDEX, "t/lost.yaml\n");

    try (var loader = new URLClassLoader(new URL[]{folder.resolve("one/").toUri().toURL()}, null)) {
      assertThatThrownBy(() -> TemplateFiles.onClassPath(loader))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining(TemplateFiles.INDEX).hasMessageContaining("t/lost.yaml");
    }
  }

  private static void add(JarOutputStream out, String name, String text) throws IOException {
    out.putNextEntry(new JarEntry(name));
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.closeEntry();
  }
}
