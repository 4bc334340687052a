package ee.tasker.cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The first command or option that does not exist, before anything else is complained of: what is
 * missing or left over is mostly missing
 * or left over because of it. Only what is a typo away is suggested.
 */
final class Typos {
  private Typos() {}

  /** What is wrong, and the command whose help tells more. */
  record Typo(String problem, String suggestion, CommandSpec of) {
  }

  static Optional<Typo> first(CommandLine root, String[] typed) {
    CommandLine at = root;
    int i = 0;
    while (!at.getSubcommands().isEmpty() && i < typed.length && !typed[i].startsWith("-")) {
      String word = typed[i];
      CommandLine next = at.getSubcommands().get(word);
      if (next == null) {
        return Optional.of(new Typo(
            "There is no command \"" + (at == root ? "" : at.getCommandName() + " ") + word + "\"",
            command(at == root, word, at.getSubcommands().keySet()), at.getCommandSpec()));
      }
      at = next;
      i++;
    }
    return at.getSubcommands().isEmpty()
        ? option(at.getCommandSpec(), List.of(typed).subList(i, typed.length)) : Optional.empty();
  }

  private static Optional<Typo> option(CommandSpec command, List<String> rest) {
    Map<String, OptionSpec> known = command.optionsMap();
    for (int i = 0; i < rest.size() && !rest.get(i).equals("--"); i++) {
      String word = rest.get(i);
      if (word.length() < 2 || !word.startsWith("-") || Character.isDigit(word.charAt(1))) {
        continue;
      }
      String name = word.startsWith("--") ? word.replaceAll("(?s)=.*", "") : word.substring(0, 2);
      OptionSpec option = known.get(name);
      if (option == null) {
        Set<String> names = new TreeSet<>(known.keySet());
        names.removeIf(each -> !each.startsWith("--"));
        return Optional.of(new Typo("Unknown option " + name,
            suggestion(near(name.replaceFirst("^--?", ""),
                names.stream().map(each -> each.substring(2)).toList()).stream()
                .map(each -> "--" + each).toList()),
            command));
      }
      if (option.arity().min() > 0 && word.equals(name)) {
        i++;
      }
    }
    return Optional.empty();
  }

  /** One of the same group; else the only one of this name in any group. */
  private static String command(boolean isFirst, String word, Collection<String> siblings) {
    List<String> near = near(word, siblings);
    if (!near.isEmpty() || !isFirst) {
      return suggestion(near);
    }
    List<String> elsewhere = new ArrayList<>();
    for (Commands.Group group : Commands.groups()) {
      group.commands().get().stream()
          .filter(command -> command.name().equals(word) || command.aliases().contains(word))
          .forEach(command -> elsewhere.add(group.name() + " " + word));
    }
    return elsewhere.size() == 1 ? suggestion(elsewhere) : "";
  }

  private static String suggestion(List<String> words) {
    return words.isEmpty() ? "" : "Did you mean " + String.join(" or ", words) + "?";
  }

  /** The nearest words, all as near as each other. */
  static List<String> near(String typed, Collection<String> known) {
    int most = typed.length() < 3 ? 0 : typed.length() < 6 ? 1 : 2;
    record Candidate(String word, int distance) {
    }
    List<Candidate> near = known.stream()
        .filter(word -> Math.abs(word.length() - typed.length()) <= most)
        .map(word -> new Candidate(word, distance(typed, word)))
        .filter(each -> each.distance() <= most)
        .sorted(Comparator.comparingInt(Candidate::distance)).toList();
    return near.stream().filter(each -> each.distance() == near.get(0).distance())
        .map(Candidate::word).sorted().toList();
  }

  /** Insertions, deletions, replacements and swaps of neighbours. */
  private static int distance(String a, String b) {
    int[][] distances = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          distances[i][j] = i + j;
          continue;
        }
        int replaced = distances[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        distances[i][j] = Math.min(replaced,
            Math.min(distances[i - 1][j], distances[i][j - 1]) + 1);
        if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          distances[i][j] = Math.min(distances[i][j], distances[i - 2][j - 2] + 1);
        }
      }
    }
    return distances[a.length()][b.length()];
  }
}
