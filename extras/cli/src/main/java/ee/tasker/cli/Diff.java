package ee.tasker.cli;

import java.util.ArrayList;
import java.util.List;

/** Compares texts line by line, as {@code diff -u} prints it. */
final class Diff {
  private static final int CONTEXT = 3;

  private Diff() {}

  /** @return nothing if they are the same */
  static List<String> unified(String oldName, String newName, List<String> before,
      List<String> after) {
    List<String> edits = edits(before, after);
    List<String> lines = new ArrayList<>();
    int oldLine = 1;
    int newLine = 1;
    int i = 0;
    while (i < edits.size()) {
      if (edits.get(i).startsWith(" ")) {
        i++;
        oldLine++;
        newLine++;
        continue;
      }
      int from = Math.max(i - CONTEXT, 0);
      int end = endOfHunk(edits, i);
      List<String> hunk = edits.subList(from, end);
      int oldStart = oldLine - (i - from);
      int newStart = newLine - (i - from);
      long olds = hunk.stream().filter(line -> !line.startsWith("+")).count();
      long news = hunk.stream().filter(line -> !line.startsWith("-")).count();
      if (lines.isEmpty()) {
        lines.add("--- " + oldName);
        lines.add("+++ " + newName);
      }
      lines.add(
          "@@ -" + (olds == 0 ? oldStart - 1 : oldStart) + "," + olds + " +"
              + (news == 0 ? newStart - 1 : newStart) + "," + news + " @@");
      lines.addAll(hunk);
      oldLine = (int) (oldStart + olds);
      newLine = (int) (newStart + news);
      i = end;
    }
    return lines;
  }

  /**
   * After the changes from there on that are no further from each other than twice the context, and
   * the context after them.
   */
  private static int endOfHunk(List<String> edits, int first) {
    int last = first;
    for (int i = first; i < edits.size() && i - last <= 2 * CONTEXT; i++) {
      if (!edits.get(i).startsWith(" ")) {
        last = i;
      }
    }
    return Math.min(edits.size(), last + 1 + CONTEXT);
  }

  /**
   * Each line with what happens to it: a blank, {@code -} or {@code +}; by the longest common
   * subsequence.
   */
  private static List<String> edits(List<String> before, List<String> after) {
    int[][] common = new int[before.size() + 1][after.size() + 1];
    for (int i = before.size() - 1; i >= 0; i--) {
      for (int j = after.size() - 1; j >= 0; j--) {
        common[i][j] = before.get(i).equals(after.get(j)) ? common[i + 1][j + 1] + 1
            : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }
    List<String> edits = new ArrayList<>();
    int i = 0;
    int j = 0;
    while (i < before.size() || j < after.size()) {
      if (i < before.size() && j < after.size() && before.get(i).equals(after.get(j))) {
        edits.add(" " + before.get(i++));
        j++;
      } else if (i < before.size() && (j == after.size() || common[i + 1][j] >= common[i][j + 1])) {
        edits.add("-" + before.get(i++));
      } else {
        edits.add("+" + after.get(j++));
      }
    }
    return edits;
  }
}
