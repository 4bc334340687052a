package ee.tasker.console;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.DocumentKeys;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sealed members: shown as such, opened for a reason, which the story of the task tells. */
@Tag("long")
class ConsoleSealedIT extends WithBrowser {
  private static final String ACCOUNT = "DE02secret4711";
  private static final String SCHEMA = "{type: object, properties: {iban: {type: string, x-sealed:"
      + " true}}}";

  @BeforeAll
  static void start(@TempDir Path folder) {
    open(new Console(DocumentKeys.settings(folder)));
  }

  private static String page() {
    return text("document.body.innerText");
  }

  @Test
  void what_is_sealed_is_opened_for_a_reason_and_the_story_tells_it() {
    UUID task = task("sealed",
        "input_schema: " + SCHEMA + "\nsteps:\n  - {name: echo, handler: {callable: testing.Echo},"
            + " result_schema: " + SCHEMA + "}\n",
        "{\"iban\": \"" + ACCOUNT + "\"}");
    console.awaitState(task, "complete");

    console.signIn("ann");
    console.go("tasks/" + task + "?tab=data");
    until("the context is shown", () -> page().contains("$sealed"));
    assertThat(page()).doesNotContain(ACCOUNT);
    assertUsable("a sealed task");
    press("Open what is sealed", "the customer asks");
    until("it is open", () -> page().contains(ACCOUNT));
    assertThat(isOffered("Open what is sealed")).as("it is open already").isFalse();

    console.go("tasks/" + task + "?step=echo");
    until("the result is shown", () -> page().contains("$sealed"));
    assertThat(page()).as("another page").doesNotContain(ACCOUNT);
    press("Open what is sealed", "the customer asks again");
    until("the result is open", () -> page().contains(ACCOUNT));

    console.go("tasks/" + task + "?tab=story");
    until("the story tells both", () -> page().contains("the customer asks again"));
    assertThat(page()).contains("the customer asks").doesNotContain(ACCOUNT);
    assertThat(console.violations()).isEmpty();
  }
}
