package ee.tasker.cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Scripts with which shells complete. picocli writes that for bash, which zsh runs, too; the one for fish is written here. */
final class Completion {
  private Completion() {}

  static int run(Invocation in) {
    PrintStream out = in.terminal().out();
    String shell = in.required("SHELL");
    switch (shell) {
      case "bash" -> out.print(AutoComplete.bash("tasker", in.root()));
      case "zsh" -> out.print("#compdef tasker\nautoload -U +X compinit && compinit\n" + AutoComplete.bash("tasker", in.root()));
      case "fish" -> out.print(fish(in.root()));
      default -> throw new UsageException("Unknown shell \"" + shell + "\"; one of bash, zsh, fish");
    }
    out.flush();
    return Exit.DONE;
  }

  private static String fish(CommandLine root) {
    StringBuilder script = new StringBuilder("# Completes tasker in fish.\ncomplete -c tasker -f\n");
    List<String> commands = new ArrayList<>();
    for (Map.Entry<String, CommandLine> group : new TreeMap<>(root.getSubcommands()).entrySet()) {
      commands.add(group.getKey());
    }
    String none = "not __fish_seen_subcommand_from " + String.join(" ", commands);
    for (Map.Entry<String, CommandLine> group : new TreeMap<>(root.getSubcommands()).entrySet()) {
      line(script, none, group.getKey(), group.getValue());
      Map<String, CommandLine> inside = new TreeMap<>(group.getValue().getSubcommands());
      if (inside.isEmpty()) {
        options(script, "__fish_seen_subcommand_from " + group.getKey(), group.getValue());
      }
      for (Map.Entry<String, CommandLine> command : inside.entrySet()) {
        String seen = "__fish_seen_subcommand_from " + group.getKey();
        line(script, seen + "; and not __fish_seen_subcommand_from " + String.join(" ", inside.keySet()), command.getKey(),
            command.getValue());
        options(script, seen + "; and __fish_seen_subcommand_from " + command.getKey(), command.getValue());
      }
    }
    return script.toString();
  }

  private static void line(StringBuilder script, String when, String command, CommandLine line) {
    script.append("complete -c tasker -n ").append(quoted(when)).append(" -a ").append(quoted(command)).append(" -d ")
        .append(quoted(description(line.getCommandSpec().usageMessage().description()))).append('\n');
  }

  private static void options(StringBuilder script, String when, CommandLine command) {
    for (OptionSpec option : command.getCommandSpec().options()) {
      script.append("complete -c tasker -n ").append(quoted(when));
      for (String name : option.names()) {
        script.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
      }
      if (option.arity().max() > 0) {
        script.append(" -x");
      }
      if (option.completionCandidates() != null) {
        script.append(" -a ").append(quoted(String.join(" ", option.completionCandidates())));
      }
      script.append(" -d ").append(quoted(description(option.description()))).append('\n');
    }
    for (PositionalParamSpec positional : command.getCommandSpec().positionalParameters()) {
      if (positional.completionCandidates() != null) {
        script.append("complete -c tasker -n ").append(quoted(when)).append(" -a ")
            .append(quoted(String.join(" ", positional.completionCandidates()))).append('\n');
      } else if (positional.paramLabel().equals("FILE")) {
        script.append("complete -c tasker -n ").append(quoted(when)).append(" -F\n");
      }
    }
  }

  private static String description(String... lines) {
    return lines.length == 0 ? "" : lines[0].replace("%%", "%");
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
