package ee.tasker.cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Scripts with which shells complete: tables of words, which need no process to be started. That
 * for bash, which zsh runs, too, has a
 * function of a few lines beside its tables; picocli would write a function for each command, and
 * ten times as much.
 */
final class Completion {
  private Completion() {}

  static int run(Invocation in) {
    PrintStream out = in.terminal().out();
    String shell = in.required("SHELL");
    switch (shell) {
      case "bash" -> out.print(bash(in.root()));
      case "zsh" -> out.print(
          "#compdef tasker\nautoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"
              + bash(in.root()));
      case "fish" -> out.print(fish(in.root()));
      default ->
        throw new UsageException("Unknown shell \"" + shell + "\"; one of bash, zsh, fish");
    }
    out.flush();
    return Exit.DONE;
  }

  /** The commands by what is typed for them; those of no group with a space at the end. */
  private static Map<String, CommandSpec> leaves(CommandLine root) {
    Map<String, CommandSpec> leaves = new TreeMap<>();
    root.getSubcommands().forEach((group, line) -> {
      if (line.getSubcommands().isEmpty()) {
        leaves.put(group + " ", line.getCommandSpec());
      }
      line.getSubcommands()
          .forEach((name, command) -> leaves.put(group + " " + name, command.getCommandSpec()));
    });
    return leaves;
  }

  /** Options that every command has. */
  private static Set<String> shared(Map<String, CommandSpec> leaves) {
    Set<String> shared = new TreeSet<>(leaves.values().iterator().next().optionsMap().keySet());
    leaves.values().forEach(command -> shared.retainAll(command.optionsMap().keySet()));
    return shared;
  }

  private static String bash(CommandLine root) {
    Map<String, CommandSpec> leaves = leaves(root);
    Set<String> shared = shared(leaves);
    StringBuilder groups = new StringBuilder();
    root.getSubcommands().forEach((group, line) -> {
      if (!line.getSubcommands().isEmpty()) {
        groups.append("    '").append(group).append("') words='")
            .append(String.join(" ", new TreeSet<>(line.getSubcommands().keySet())))
            .append("' ;;\n");
      }
    });
    // What several commands have in common stands once: their names before the same words.
    Map<String, List<String>> options = new LinkedHashMap<>();
    Map<String, List<String>> values = new LinkedHashMap<>();
    Map<String, List<String>> arguments = new LinkedHashMap<>();
    leaves.forEach((name, command) -> {
      Set<String> own = new TreeSet<>(command.optionsMap().keySet());
      own.removeAll(shared);
      add(options, String.join(" ", own), name);
      for (OptionSpec option : command.options()) {
        if (option.arity().max() > 0) {
          for (String word : option.names()) {
            add(values,
                option.completionCandidates() == null ? "" : joined(option.completionCandidates()),
                (shared.contains(word) ? "* " : name + " ") + word);
          }
        }
      }
      for (PositionalParamSpec positional : command.positionalParameters()) {
        if (positional.completionCandidates() != null) {
          add(arguments, joined(positional.completionCandidates()), name);
        }
      }
    });
    return """
        # Completes tasker in bash, and in zsh with bashcompinit.
        _complete_tasker() {
          local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} group= command= word words= i
          for ((i = 1; i < COMP_CWORD; i++)); do
            word=${COMP_WORDS[i]}
            case $word in
              -*) [ -n "$group" ] || i=$((i + 1)) ;;
              *) if [ -z "$group" ]; then group=$word; elif [ -z "$command" ]; then command=$word; fi ;;
            esac
          done
          COMPREPLY=()
          if [ -z "$group" ]; then
            COMPREPLY=($(compgen -W '@commands@' -- "$current"))
            return
          fi
          case $group in
        @groups@  esac
          if [ -n "$words" ] && [ -z "$command" ]; then
            COMPREPLY=($(compgen -W "$words" -- "$current"))
            return
          fi
          [ -n "$words" ] || command=
          case "$group $command $previous" in
        @values@  esac
          words=
          case $current in
            -*) case "$group $command" in
        @options@    esac
              words="$words @shared@" ;;
            *) case "$group $command" in
        @arguments@    esac ;;
          esac
          [ -z "$words" ] || COMPREPLY=($(compgen -W "$words" -- "$current"))
        }
        # Where no words are known, the shell completes files.
        complete -o default -F _complete_tasker tasker
        """.replace("@commands@", String.join(" ", new TreeSet<>(root.getSubcommands().keySet())))
        .replace("@groups@", groups)
        .replace("@values@",
            cases(values, "COMPREPLY=($(compgen -W '", "' -- \"$current\")); return", "return"))
        .replace("@options@", cases(options, "words='", "'", ""))
        .replace("@arguments@", cases(arguments, "words='", "'", ""))
        .replace("@shared@", String.join(" ", shared));
  }

  private static void add(Map<String, List<String>> words, String text, String pattern) {
    List<String> patterns = words.computeIfAbsent(text, none -> new ArrayList<>());
    if (!patterns.contains(pattern)) {
      patterns.add(pattern);
    }
  }

  /** @param empty what to do for those without words; empty: nothing */
  private static String cases(Map<String, List<String>> words, String before, String after,
      String empty) {
    StringBuilder cases = new StringBuilder();
    words.forEach((text, patterns) -> {
      if (!text.isEmpty() || !empty.isEmpty()) {
        String pattern = patterns.stream()
            .map(each -> each.startsWith("* ") ? "*'" + each.substring(1) + "'" : "'" + each + "'")
            .collect(Collectors.joining("|"));
        cases.append("    ").append(pattern).append(") ")
            .append(text.isEmpty() ? empty : before + text + after).append(" ;;\n");
      }
    });
    return cases.toString();
  }

  private static String joined(Iterable<String> words) {
    return String.join(" ", words);
  }

  private static String fish(CommandLine root) {
    StringBuilder script = new StringBuilder("""
        # Completes tasker in fish.
        function __tasker_in
          __fish_seen_subcommand_from $argv[1]; and __fish_seen_subcommand_from $argv[2]
        end
        function __tasker_before
          __fish_seen_subcommand_from $argv[1]; and not __fish_seen_subcommand_from $argv[2..-1]
        end
        complete -c tasker -f
        """);
    Set<String> shared = shared(leaves(root));
    CommandSpec any = leaves(root).values().iterator().next();
    any.options().stream().filter(option -> shared.contains(option.longestName()))
        .forEach(option -> option(script, "", option));
    String none = "not __fish_seen_subcommand_from "
        + String.join(" ", new TreeSet<>(root.getSubcommands().keySet()));
    for (Map.Entry<String, CommandLine> group : new TreeMap<>(root.getSubcommands()).entrySet()) {
      line(script, none, group.getKey(), group.getValue());
      Map<String, CommandLine> inside = new TreeMap<>(group.getValue().getSubcommands());
      if (inside.isEmpty()) {
        options(script, "__fish_seen_subcommand_from " + group.getKey(), group.getValue(), shared);
      }
      for (Map.Entry<String, CommandLine> command : inside.entrySet()) {
        line(script,
            "__tasker_before " + group.getKey() + " " + String.join(" ", inside.keySet()),
            command.getKey(), command.getValue());
        options(script, "__tasker_in " + group.getKey() + " " + command.getKey(),
            command.getValue(), shared);
      }
    }
    return script.toString();
  }

  private static void line(StringBuilder script, String when, String command, CommandLine line) {
    script.append("complete -c tasker -n ").append(quoted(when)).append(" -a ")
        .append(quoted(command)).append(" -d ")
        .append(quoted(description(line.getCommandSpec().usageMessage().description())))
        .append('\n');
  }

  private static void options(StringBuilder script, String when, CommandLine command,
      Set<String> shared) {
    for (OptionSpec option : command.getCommandSpec().options()) {
      if (!shared.contains(option.longestName())) {
        option(script, when, option);
      }
    }
    for (PositionalParamSpec positional : command.getCommandSpec().positionalParameters()) {
      if (positional.completionCandidates() != null) {
        script.append("complete -c tasker -n ").append(quoted(when)).append(" -a ")
            .append(quoted(joined(positional.completionCandidates()))).append('\n');
      } else if (positional.paramLabel().equals("FILE")) {
        script.append("complete -c tasker -n ").append(quoted(when)).append(" -F\n");
      }
    }
  }

  private static void option(StringBuilder script, String when, OptionSpec option) {
    script.append("complete -c tasker");
    if (!when.isEmpty()) {
      script.append(" -n ").append(quoted(when));
    }
    for (String name : option.names()) {
      script
          .append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
    }
    if (option.arity().max() > 0) {
      script.append(" -x");
    }
    if (option.completionCandidates() != null) {
      script.append(" -a ").append(quoted(joined(option.completionCandidates())));
    }
    script.append(" -d ").append(quoted(description(option.description()))).append('\n');
  }

  private static String description(String... lines) {
    return lines.length == 0 ? "" : lines[0].replace("%%", "%");
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
