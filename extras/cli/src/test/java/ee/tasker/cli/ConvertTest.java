package ee.tasker.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
