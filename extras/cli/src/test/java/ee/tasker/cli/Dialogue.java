package ee.tasker.cli;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** {@code tasker mcp --allow-write} and a client that reads each answer before it asks again. */
final class Dialogue implements AutoCloseable {
  private final PrintStream questions;
  private final BufferedReader answers;
  private final CompletableFuture<Integer> status;

  Dialogue(Program program) throws IOException {
    PipedInputStream in = new PipedInputStream(1 << 20);
    questions = new PrintStream(new PipedOutputStream(in), true, StandardCharsets.UTF_8);
    PipedInputStream written = new PipedInputStream(1 << 20);
    PrintStream out = new PrintStream(new PipedOutputStream(written), true, StandardCharsets.UTF_8);
    answers = new BufferedReader(new InputStreamReader(written, StandardCharsets.UTF_8));
    Terminal terminal = new Terminal(in, out, System.err, program.environment, false);
    status = CompletableFuture
        .supplyAsync(() -> new Tasker(terminal).run("mcp", "--tools", "all", "--allow-write"));
  }

  JsonObject ask(String message) throws IOException {
    questions.println(message.replace("\n", " "));
    return Json.createReader(new StringReader(answers.readLine())).readObject();
  }

  @Override
  public void close() throws Exception {
    questions.close();
    if (status.get(10, TimeUnit.SECONDS) != Exit.DONE) {
      throw new AssertionError("it ended with " + status.get());
    }
  }
}
