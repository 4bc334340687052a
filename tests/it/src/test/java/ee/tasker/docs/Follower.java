package ee.tasker.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A reader who follows a page to the letter: writes the files that it has them write, types its
 * commands one after the other and compares what they print. Only the addresses differ.
 *
 * <ul>
 * <li>{@code sh}: commands; {@code ./mvnw} without a goal stays in the foreground of a terminal of
 * its own, and ends the one before it, as Ctrl-C would.
 * <li>{@code text}: what the commands before it print.
 * <li>{@code sql}: typed into the {@code psql} that the commands before it have opened.
 * <li>a block after a line that names a file: written if the line begins with "Write", else
 * compared with the file.
 * </ul>
 */
final class Follower implements AutoCloseable {
  private static final Pattern UUID = Pattern
      .compile("\\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\\b");
  private static final Pattern FOREGROUND = Pattern.compile("\\./mvnw(?: -[PD]\\S+)*");
  /** The exit status of the command line. */
  private static final int TIME_IS_OVER = 11;
  private static final Duration COMMAND = Duration.ofMinutes(15);
  private static final Duration RELOAD = Duration.ofMinutes(3);
  private static final Duration START = Duration.ofMinutes(25);

  private final Path folder;
  private final Map<String, String> addresses = new LinkedHashMap<>();
  private final Map<String, String> environment = new LinkedHashMap<>();
  /** What a terminal keeps from one command to the next. */
  private final List<String> kept = new ArrayList<>();
  /** What was typed, each with the seconds until it had ended. */
  private final List<String> times = new ArrayList<>();
  private final long began = System.nanoTime();
  private final boolean starts;
  private Process foreground;
  private Path foregroundPrints;
  private String uuid = "";
  private int commands;

  /**
   * @param folder the clone in which the reader works
   * @param starts whether {@code ./mvnw} is run; otherwise its server is there already
   */
  Follower(Path folder, boolean starts) {
    this.folder = folder;
    this.starts = starts;
    environment.put("PGPASSWORD", "tasker");
  }

  /** Where a page has the one, the reader types the other. */
  Follower typing(String other, String instead) {
    addresses.put(instead, other);
    return this;
  }

  Follower with(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  /** How many commands were typed so far. */
  int commands() {
    return commands;
  }

  /** After how many seconds each command had ended, in their order. */
  String times() {
    return String.join("\n", times);
  }

  private void ended(String command) {
    times.add("%5d s  %s".formatted(Duration.ofNanos(System.nanoTime() - began).toSeconds(),
        command.lines().findFirst().orElse("")));
  }

  void follow(String page) throws IOException, InterruptedException {
    String printed = "";
    String psql = null;
    for (Readme.Block block : Readme.of(folder.resolve(page)).blocks()) {
      String where = page + ":\n" + block.text();
      if (block.file() != null) {
        file(block, where);
      } else if (block.isOfServer()) {
        awaited(block, where);
      } else if (block.language().equals("sh")) {
        StringBuilder all = new StringBuilder();
        for (String command : block.commands()) {
          if (command.startsWith("psql ")) {
            psql = command;
          } else {
            all.append(command(command));
          }
        }
        printed = all.toString();
      } else if (block.language().equals("sql")) {
        assertThat(psql).as("a psql before " + where).isNotNull();
        printed = typed(psql, block.text());
      } else if (block.language().equals("text")) {
        assertThat(printed).as("what was printed is not that of " + where)
            .matches(Readme.printed(block.text()));
      }
    }
  }

  private void file(Readme.Block block, String where) throws IOException {
    Path file = folder.resolve(block.file());
    if (block.isWritten()) {
      Files.createDirectories(file.getParent());
      Files.writeString(file, block.text());
    } else {
      assertThat(file).as(where).exists();
      assertThat(Files.readString(file)).as(where).contains(block.text());
    }
  }

  private void awaited(Readme.Block block, String where) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + RELOAD.toNanos();
    while (!Readme.printed(block.text())
        .matcher(asWritten(Files.readString(foregroundPrints))).matches()) {
      assertThat(System.nanoTime())
          .as("the server did not print " + where + " but " + Files.readString(foregroundPrints))
          .isLessThan(deadline);
      TimeUnit.MILLISECONDS.sleep(200);
    }
  }

  private String command(String command) throws IOException, InterruptedException {
    if (FOREGROUND.matcher(command.replaceAll(" +#.*", "").strip()).matches()) {
      return starts ? started(command) : Readme.of(folder.resolve("README.md")).blocks().stream()
          .filter(block -> block.text().contains("Tasker EE is ready")).findFirst().orElseThrow()
          .text();
    }
    if (command.matches("(?s)(?:alias|export) .*")) {
      kept.add(command);
      return "";
    }
    return typed(command, "");
  }

  private String typed(String command, String input) throws IOException, InterruptedException {
    commands++;
    String line = replaced(command).replaceAll("<[a-z_]*uuid>", uuid);
    Path in = Files.writeString(Files.createTempFile("typed", null), input);
    Path out = Files.createTempFile("printed", null);
    Process process = shell(line).redirectInput(in.toFile()).redirectErrorStream(true)
        .redirectOutput(out.toFile()).start();
    boolean ended = process.waitFor(COMMAND.toSeconds(), TimeUnit.SECONDS);
    String printed = Files.readString(out);
    if (!ended) {
      process.destroy();
    }
    assertThat(ended).as(line + " does not end: " + printed).isTrue();
    // A task that does not end in time is what some pages show.
    assertThat(process.exitValue()).as(line + "\n" + printed)
        .isIn(line.contains(" --wait ") ? List.of(0, TIME_IS_OVER) : List.of(0));
    ended(command);
    uuid = UUID.matcher(printed).results().map(MatchResult::group).reduce((a, b) -> b).orElse(uuid);
    return asWritten(printed);
  }

  /** With the addresses that the page has. */
  private String asWritten(String printed) {
    String text = printed;
    for (Map.Entry<String, String> address : addresses.entrySet()) {
      text = text.replace(address.getValue(), address.getKey());
    }
    return text;
  }

  private String replaced(String command) {
    String line = command;
    for (Map.Entry<String, String> address : addresses.entrySet()) {
      line = line.replace(address.getKey(), address.getValue());
    }
    return line;
  }

  private ProcessBuilder shell(String line) {
    ProcessBuilder builder = new ProcessBuilder("bash", "-c",
        "shopt -s expand_aliases\n" + String.join("\n", kept) + "\n" + line)
        .directory(folder.toFile());
    if (starts) {
      // What the build tells its tests of servers is nothing that a reader has set.
      builder.environment().keySet()
          .removeIf(name -> name.matches("(?:DB|HTTP|MANAGEMENT|TASKER)_.*|JAVA_TOOL_OPTIONS"));
    }
    builder.environment().putAll(environment);
    return builder;
  }

  /** The output of a command that goes on running, once the server is ready. */
  private String started(String command) throws IOException, InterruptedException {
    close();
    commands++;
    Path out = Files.createTempFile("foreground", null);
    foregroundPrints = out;
    foreground = shell("exec " + replaced(command)).redirectErrorStream(true)
        .redirectOutput(out.toFile()).start();
    long deadline = System.nanoTime() + START.toNanos();
    while (!Files.readString(out).contains("Ctrl-C stops everything")) {
      assertThat(foreground.isAlive()).as(command + " ended: " + Files.readString(out)).isTrue();
      assertThat(System.nanoTime()).as(command + ": " + Files.readString(out))
          .isLessThan(deadline);
      TimeUnit.MILLISECONDS.sleep(200);
    }
    ended(command);
    return asWritten(Files.readString(out));
  }

  @Override
  public void close() {
    if (foreground == null) {
      return;
    }
    foreground.destroy();
    try {
      if (!foreground.waitFor(2, TimeUnit.MINUTES)) {
        foreground.descendants().forEach(ProcessHandle::destroyForcibly);
        foreground.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    foreground = null;
  }

  /** What a clone would have once the changes of this checkout are committed. */
  static Path cloned(Path checkout, Path folder, String... paths) {
    try {
      List<String> list = new ArrayList<>(List.of("git", "ls-files", "--cached", "--others",
          "--exclude-standard", "--deduplicate"));
      list.addAll(List.of(paths));
      Process git = new ProcessBuilder(list).directory(checkout.toFile())
          .redirectError(ProcessBuilder.Redirect.INHERIT).start();
      for (String file : new String(git.getInputStream().readAllBytes()).lines().toList()) {
        if (Files.exists(checkout.resolve(file))) {
          Path copy = folder.resolve(file);
          Files.createDirectories(copy.getParent());
          Files.copy(checkout.resolve(file), copy, StandardCopyOption.COPY_ATTRIBUTES,
              StandardCopyOption.REPLACE_EXISTING);
        }
      }
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
