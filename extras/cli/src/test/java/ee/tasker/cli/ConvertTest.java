package ee.tasker.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the command prints and writes; {@code ee.tasker.cli.convert} has what it makes. */
class ConvertTest {
  private static final String CORE = """
      name: order
      namespace_name: shop
      version: 1.0.0
      steps:
        - {name: a, handler: {callable: A}, retry: {limit: 3}}
      """;
  private static final String MODEL = "../../examples/camunda-7/order.bpmn";

  @TempDir
  private Path folder;
  private Program tasker;

  @BeforeEach
  void start() {
    tasker = new Program(folder.resolve("configuration"));
  }

  @AfterEach
  void close() {
    tasker.close();
  }

  @Test
  void template_is_printed_and_findings_are_beside_it() {
    assertThat(tasker.runWith(CORE, "convert", "-")).as(tasker.err).isZero();

    assertThat(tasker.out).contains("# differs: steps[0].retry.limit: is max_attempts",
        "max_attempts: 3").doesNotContain("FINDING");
    assertThat(tasker.err).contains("FINDING", "steps[0].retry.limit", "-: 1 template\n");
    assertThat(tasker.requests).isEmpty();
  }

  @Test
  void model_needs_a_namespace() {
    assertThat(tasker.run("convert", MODEL)).isEqualTo(Exit.USAGE);

    assertThat(tasker.err).contains("--namespace is required for a BPMN model");
  }

  @Test
  void files_are_written_and_never_overwritten_unasked() throws IOException {
    String to = folder.resolve("made").toString();
    String[] command = {"convert", MODEL, "--namespace", "shop", "--to", to};

    assertThat(tasker.run(command)).as(tasker.err).isZero();
    Path made = folder.resolve("made/order.yaml");
    assertThat(Files.readString(made))
        .isEqualTo(Files.readString(Path.of(MODEL).resolveSibling("order.yaml")));
    assertThat(tasker.out).isEmpty();
    assertThat(tasker.run(command)).as("the same again").isZero();

    Files.writeString(made, "mine");
    assertThat(tasker.run(command)).isEqualTo(Exit.USAGE);
    assertThat(tasker.err).contains("is there already");
    assertThat(Files.readString(made)).isEqualTo("mine");
    assertThat(tasker.run("convert", MODEL, "-n", "shop", "--to", to, "--force")).isZero();
    assertThat(Files.readString(made)).contains("name: order");
  }

  /** Names of templates need not differ: their namespaces and versions do. */
  @Test
  void folders_are_converted_as_they_are_laid_out() throws IOException {
    Path from = Files.createDirectories(folder.resolve("config/refunds/.hidden")).getParent();
    Files.writeString(from.resolve("payments_order.yaml"), CORE.replace("shop", "payments"));
    Files.writeString(from.resolve("shop_order.yml"), CORE);
    Files.writeString(from.resolve(".hidden/order.yaml"), CORE);
    Files.writeString(from.resolveSibling("docker-compose.yml"), "services: {}\n");
    Files.writeString(from.resolveSibling("notes.txt"), CORE);
    Files.copy(Path.of(MODEL), from.resolveSibling("order.BPMN"));
    Path to = folder.resolve("made");
    String[] command = {"convert", folder.resolve("config").toString(), "-n", "shop", "--to",
      to.toString()};

    assertThat(tasker.run(command)).as(tasker.err).isZero();

    try (Stream<Path> made = Files.walk(to)) {
      assertThat(made.filter(Files::isRegularFile).map(file -> to.relativize(file).toString()))
          .containsExactlyInAnyOrder("order.yaml", "refunds/payments_order.yaml",
              "refunds/shop_order.yml");
    }
    assertThat(tasker.err).contains("docker-compose.yml: left alone, it is no template",
        "3 files converted, 0 not; findings: ");

    Files.writeString(from.resolve("broken.yaml"), "steps: [");
    assertThat(tasker.run(command)).isEqualTo(Exit.INVALID);
    assertThat(tasker.err).contains("broken.yaml is not converted: it is not YAML",
        "3 files converted, 1 not");
    assertThat(tasker.run("convert", Files.createDirectory(folder.resolve("empty")).toString()))
        .isEqualTo(Exit.USAGE);
    assertThat(tasker.err).contains("has no YAML and no BPMN files");
  }

  @Test
  void templates_on_the_standard_output_are_documents_of_one_stream() throws IOException {
    Path one = Files.writeString(folder.resolve("one.yaml"), CORE);
    Path two = Files.writeString(folder.resolve("two.yaml"), CORE.replace("order", "refund"));

    assertThat(tasker.run("convert", one.toString(), two.toString())).isZero();

    assertThat(tasker.out.split("(?m)^---\n")).hasSize(2);
  }

  @Test
  void models_are_read_in_the_encoding_that_they_name() throws IOException {
    String model = Files.readString(Path.of(MODEL)).replace("Charge the card", "Zahlung prüfen");
    Path file = folder.resolve("order.bpmn");
    for (String encoding : List.of("UTF-8", "ISO-8859-1", "UTF-16")) {
      Files.writeString(file, model.replace("encoding=\"UTF-8\"",
          "encoding=\"" + encoding + "\""), Charset.forName(encoding));

      assertThat(tasker.run("convert", file.toString(), "-n", "shop")).as(tasker.err).isZero();
      assertThat(tasker.out).as(encoding).contains("Zahlung prüfen");
    }
    Files.write(file, new byte[]{'n', ':', ' ', (byte) 0xfc});
    assertThat(tasker.run("convert", file.toString())).isEqualTo(Exit.INVALID);
    assertThat(tasker.err).contains("it is not written in UTF-8");
  }

  @Test
  void what_is_missing_and_what_cannot_be_read_have_a_status() {
    assertThat(tasker.runWith(CORE.replace("1.0.0", "latest"), "convert", "-"))
        .isEqualTo(Exit.DIFFERS);
    assertThat(tasker.err).contains("incomplete: see what is missing");
    assertThat(tasker.runWith("<!DOCTYPE x><x/>", "convert", "-", "-n", "shop"))
        .isEqualTo(Exit.INVALID);
    assertThat(tasker.err).contains("tasker: - is not converted: ");
    assertThat(tasker.out).isEmpty();
  }

  @Test
  void programs_get_templates_and_findings_in_one_document() {
    assertThat(tasker.runWith(CORE, "convert", "-", "-o", "json")).isZero();

    assertThat(Text.at(Text.parse(tasker.out, "out").asJsonObject().getJsonArray("files").get(0),
        "templates").toString()).contains("max_attempts: 3");
  }
}
