package ee.tasker.cli;

import ee.tasker.client.ProblemException;
import ee.tasker.client.UnreachableException;
import ee.tasker.client.Violation;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The program {@code tasker}. */
public final class Tasker {
  private static final List<String> GLOBAL_WITH_VALUE = List.of("-o", "--output", "-p", "--profile",
      "--url", "--timeout");
  private static final String LAST = "--last";
  private static final List<String> GLOBAL_FLAGS = List.of("--debug", "--no-color");

  private final Terminal terminal;

  Tasker(Terminal terminal) {
    this.terminal = terminal;
  }

  /** @param arguments a command, as {@code tasker --help} lists them */
  public static void main(String[] arguments) {
    Terminal terminal = Terminal.ofProcess();
    int status = new Tasker(terminal).run(arguments);
    terminal.out().flush();
    // Threads of the HTTP client are daemons; the status still has to be given.
    Runtime.getRuntime().exit(status);
  }

  int run(String... arguments) {
    String[] typed = lastInItsPlace(globalOptionsLast(arguments));
    CommandLine line = commandLine(typed.length == 0 ? "" : typed[0]);
    line.setOut(
        new java.io.PrintWriter(terminal.out(), true, java.nio.charset.StandardCharsets.UTF_8));
    line.setErr(
        new java.io.PrintWriter(terminal.err(), true, java.nio.charset.StandardCharsets.UTF_8));
    boolean debug = Arrays.asList(typed).contains("--debug");
    Optional<Typos.Typo> typo = Typos.first(line, typed);
    if (typo.isPresent()) {
      return misused(typo.get().problem(), typo.get().suggestion(), typo.get().of());
    }
    line.setParameterExceptionHandler(
        (e, args) -> misused(problem(e), "", e.getCommandLine().getCommandSpec()));
    line.setExecutionExceptionHandler((e, failed, parsed) -> failed(e, debug));
    return line.execute(typed);
  }

  private int misused(String problem, String suggestion, CommandSpec of) {
    terminal.err().println("tasker: " + Text.printable(problem));
    if (!suggestion.isEmpty()) {
      terminal.err().println(suggestion);
    }
    terminal.err().println("See: " + of.qualifiedName() + " --help");
    return Exit.USAGE;
  }

  private static String problem(CommandLine.ParameterException e) {
    if (e instanceof CommandLine.UnmatchedArgumentException unmatched
        && !unmatched.getUnmatched().isEmpty()) {
      return "\"" + unmatched.getUnmatched().get(0) + "\" is one argument too many";
    }
    return e.getMessage();
  }

  /**
   * {@code --last} stands for a task, which is the first argument of its command wherever the
   * option was typed.
   */
  private static String[] lastInItsPlace(String[] arguments) {
    List<String> typed = new ArrayList<>(Arrays.asList(arguments));
    int end = typed.contains("--") ? typed.indexOf("--") : typed.size();
    int option = typed.subList(0, end).indexOf(LAST);
    boolean takesTask = option >= 2 && Commands.all().stream()
        .filter(entry -> entry.getKey().equals(typed.get(0) + " " + typed.get(1))
            || entry.getValue().aliases().contains(typed.get(1))
                && entry.getKey().startsWith(typed.get(0) + " "))
        .anyMatch(entry -> takesTask(entry.getValue()));
    if (takesTask) {
      typed.remove(option);
      typed.add(2, Ids.LAST);
    }
    return typed.toArray(String[]::new);
  }

  private static boolean takesTask(Command command) {
    return command.args().stream().filter(Arg::isPositional).findFirst()
        .filter(arg -> arg.isId() && arg.label().equals(Ids.TASK))
        .isPresent();
  }

  /** {@code tasker -o json task list} is {@code tasker task list -o json}. */
  private static String[] globalOptionsLast(String[] arguments) {
    List<String> first = new ArrayList<>();
    int i = 0;
    while (i < arguments.length && arguments[i].startsWith("-")) {
      String name = arguments[i].replaceAll("=.*", "");
      if (GLOBAL_FLAGS.contains(name)
          || GLOBAL_WITH_VALUE.contains(name) && arguments[i].contains("=")) {
        first.add(arguments[i++]);
      } else if (GLOBAL_WITH_VALUE.contains(name) && i + 1 < arguments.length) {
        first.add(arguments[i++]);
        first.add(arguments[i++]);
      } else {
        break;
      }
    }
    if (first.isEmpty() || i == arguments.length) {
      return arguments;
    }
    List<String> typed = new ArrayList<>(Arrays.asList(arguments).subList(i, arguments.length));
    int end = typed.indexOf("--");
    typed.addAll(end < 0 ? typed.size() : end, first);
    return typed.toArray(String[]::new);
  }

  /**
   * Problems in the words of the server, with the fields; a stack trace with {@code --debug} only.
   */
  private int failed(Exception e, boolean debug) {
    terminal.out().flush();
    if (debug) {
      e.printStackTrace(terminal.err());
    }
    if (e instanceof ProblemException problem) {
      terminal.err().println("tasker: " + Text.printable(problem.getMessage()) + " ("
          + Text.printable(problem.code()) + ")");
      List<Violation> violations = problem.violations();
      violations.forEach(
          violation -> terminal.err().println("  " + Text.printable(violation.field()) + ": "
              + Text.printable(violation.message())));
      if (problem.status() == 401) {
        terminal.err().println("Log in with: tasker login");
      }
      return Exit.of(problem);
    }
    if (e instanceof UnreachableException) {
      terminal.err().println("tasker: " + Text.printable(e.getMessage()));
      return Exit.UNREACHABLE;
    }
    if (e instanceof NotFoundException) {
      terminal.err().println("tasker: " + Text.printable(e.getMessage()));
      return Exit.NOT_FOUND;
    }
    if (e instanceof UsageException || e instanceof IllegalArgumentException) {
      terminal.err().println("tasker: " + Text.printable(Faults.text(e)));
      return Exit.USAGE;
    }
    terminal.err()
        .println("tasker: "
            + Text.printable(e instanceof UncheckedIOException file && file.getCause() != null
                && file.getMessage().equals(file.getCause().toString())
                    ? Faults.text(file.getCause())
                    : e instanceof UncheckedIOException ? e.getMessage()
                        : "internal error: " + Faults.text(e))
            + (debug ? "" : "; --debug shows where"));
    return Exit.FAULT;
  }

  /** All commands; or, to start sooner, of the groups only the one that is called. */
  CommandLine commandLine(String called) {
    CommandSpec root = spec("tasker",
        "Operates Tasker EE: tasks, steps, templates, servers, users.");
    root.addOption(OptionSpec.builder("-V", "--version").versionHelp(true)
        .description("Prints the version.").build());
    root.version("tasker " + version());
    root.usageMessage().footer("",
        "Options of every command: -o table|wide|json|yaml, --profile, --url, --timeout, --no-color, --debug.",
        "The environment: TASKER_URL, TASKER_KEY, TASKER_PROFILE and others; see docs/cli.md.", "",
        "  tasker login --url https://tasker.example.org",
        "  tasker task list --state blocked_by_failures");
    boolean everything = called.isEmpty() || Commands.MAKES_COMPLETIONS.equals(called);
    for (Commands.Group group : Commands.groups()) {
      if (group.name().isEmpty()) {
        group.commands().get()
            .forEach(command -> root.addSubcommand(command.name(), new CommandLine(leaf(command))));
        continue;
      }
      CommandSpec spec = spec(group.name(), group.description());
      if (everything && !called.isEmpty() || group.name().equals(called)) {
        group.commands().get()
            .forEach(command -> spec.addSubcommand(command.name(), new CommandLine(leaf(command))));
      }
      root.addSubcommand(group.name(), new CommandLine(spec));
    }
    CommandLine line = new CommandLine(root);
    line.setColorScheme(
        CommandLine.Help.defaultColorScheme(terminal.allowsColours() ? Ansi.ON : Ansi.OFF));
    // @file is a value of this program's own, and no file of arguments.
    line.setExpandAtFiles(false);
    line.setUsageHelpAutoWidth(false);
    line.setUsageHelpWidth(Math.max(60, Math.min(120, terminal.width())));
    line.setExecutionStrategy(this::execute);
    return line;
  }

  /** All commands with their options, for completion and documents. */
  CommandLine everything() {
    return commandLine(Commands.MAKES_COMPLETIONS);
  }

  private static CommandSpec spec(String name, String description) {
    CommandSpec spec = CommandSpec.create().name(name);
    spec.usageMessage().description(description).synopsisHeading("Usage: ")
        .commandListHeading("%nCommands:%n")
        .optionListHeading("%nOptions:%n");
    spec.addOption(
        OptionSpec.builder("-h", "--help").usageHelp(true).description("Shows this help.").build());
    return spec;
  }

  private static CommandSpec leaf(Command command) {
    CommandSpec spec = CommandSpec.wrapWithoutInspection(command).name(command.name())
        .aliases(command.aliases().toArray(String[]::new));
    spec.usageMessage().description(escaped(command.description())).synopsisHeading("Usage: ")
        .parameterListHeading("%n")
        .optionListHeading("%nOptions:%n")
        .sortOptions(false);
    List<String> footer = new ArrayList<>(
        List.of("", command.examples().size() == 1 ? "Example:" : "Examples:"));
    command.examples().forEach(example -> footer.add("  " + escaped(example)));
    if (!command.examples().isEmpty()) {
      spec.usageMessage().footer(footer.toArray(String[]::new));
    }
    int position = 0;
    for (Arg arg : command.args()) {
      if (arg.isPositional()) {
        spec.addPositional(
            PositionalParamSpec.builder()
                .index(arg.isMany() ? position + "..*" : Integer.toString(position))
                .paramLabel(arg.label())
                .required(arg.isRequired()).description(escaped(arg.description()))
                .arity(arg.isMany() ? arg.isRequired() ? "1..*" : "0..*"
                    : arg.isRequired() ? "1" : "0..1")
                .type(arg.isMany() ? List.class : String.class).auxiliaryTypes(String.class)
                .completionCandidates(candidates(command, arg))
                .build());
        position++;
      } else {
        spec.addOption(option(command, arg));
      }
    }
    if (takesTask(command)) {
      spec.addOption(OptionSpec.builder(LAST).type(boolean.class).arity("0")
          .description("Instead of TASK: the task that was submitted last from here.").build());
    }
    if (command.acceptsKey()) {
      spec.addOption(OptionSpec.builder("--idempotency-key").paramLabel("KEY").type(String.class)
          .description(
              "Identifies this request: the same command with the same key takes effect once.")
          .build());
    }
    global(spec);
    return spec;
  }

  /** What the shell completes; null for whatever it is. */
  private static List<String> candidates(Command command, Arg arg) {
    List<String> words = command.words(arg);
    return words.isEmpty() ? null : words;
  }

  private static OptionSpec option(Command command, Arg arg) {
    OptionSpec.Builder option = OptionSpec.builder(arg.names().toArray(String[]::new))
        .required(arg.isRequired());
    List<String> words = command.words(arg);
    String values = words.isEmpty() ? "" : " One of " + String.join(", ", words) + ".";
    String many = arg.isMany() ? " May be repeated." : "";
    option.description(escaped(arg.description() + values + many));
    if (arg.kind() == Arg.Kind.FLAG) {
      return option.type(boolean.class).arity("0").build();
    }
    return option.paramLabel(arg.label()).arity("1").type(arg.isMany() ? List.class : String.class)
        .auxiliaryTypes(String.class)
        .completionCandidates(candidates(command, arg)).build();
  }

  private static void global(CommandSpec spec) {
    spec.addOption(OptionSpec.builder("-o", "--output").paramLabel("FORMAT").type(String.class)
        .completionCandidates(List.of("table", "wide", "json", "yaml"))
        .description("How to print: table, wide, json or yaml; TASKER_OUTPUT by default.").build());
    spec.addOption(OptionSpec.builder("-p", "--profile").paramLabel("NAME").type(String.class)
        .description("The login to use.").build());
    spec.addOption(OptionSpec.builder("--url").paramLabel("URL").type(String.class)
        .description("The address of the server.").build());
    spec.addOption(OptionSpec.builder("--timeout").paramLabel("SECONDS").type(String.class)
        .description("How long to wait for an answer, 30 by default.").build());
    spec.addOption(OptionSpec.builder("--no-color").type(boolean.class).arity("0")
        .description("No colours; as NO_COLOR does.").build());
    spec.addOption(OptionSpec.builder("--debug").type(boolean.class).arity("0")
        .description("Shows where an error comes from.").build());
    spec.addOption(
        OptionSpec.builder("-h", "--help").usageHelp(true).description("Shows this help.").build());
  }

  /** picocli formats descriptions. */
  private static String escaped(String text) {
    return text.replace("%", "%%").replace("@|", "@ |");
  }

  private int execute(CommandLine.ParseResult all) {
    Integer help = CommandLine.executeHelpRequest(all);
    if (help != null) {
      return help;
    }
    CommandLine.ParseResult typed = all;
    while (typed.hasSubcommand()) {
      typed = typed.subcommand();
    }
    if (!(typed.commandSpec().userObject() instanceof Command command)) {
      CommandLine line = typed.commandSpec().commandLine();
      terminal.err()
          .println("tasker: " + line.getCommandSpec().qualifiedName() + " needs a command");
      line.usage(terminal.err());
      return Exit.USAGE;
    }
    try {
      Invocation invocation = invocation(typed);
      invocation.check();
      return command.run(invocation);
    } catch (RuntimeException e) {
      throw new CommandLine.ExecutionException(typed.commandSpec().commandLine(),
          String.valueOf(e.getMessage()), e);
    }
  }

  private Invocation invocation(CommandLine.ParseResult typed) {
    String format = typed.matchedOptionValue("--output",
        terminal.variable("TASKER_OUTPUT").orElse("table"));
    Colours colours = new Colours(
        terminal.allowsColours() && !typed.hasMatchedOption("--no-color"));
    String seconds = typed.matchedOptionValue("--timeout", null);
    if (seconds != null && !seconds.matches("[1-9]\\d{0,5}")) {
      throw new UsageException(
          "--timeout must be at least 1 second, a whole number, not \"" + seconds + "\"");
    }
    Integer timeout = seconds == null ? null : Integer.valueOf(seconds);
    String profile = typed.matchedOptionValue("--profile", null);
    String url = typed.matchedOptionValue("--url", null);
    Output output = new Output(terminal.out(), terminal.err(),
        Output.Format.of(format.toLowerCase(Locale.ROOT)), colours,
        terminal.isInteractive() ? terminal.width() : 0);
    return new Invocation(typed, terminal, output,
        () -> Session.connect(terminal, profile, url, timeout));
  }

  static String version() {
    String version = Tasker.class.getPackage().getImplementationVersion();
    return version == null ? "(development)" : version;
  }
}
