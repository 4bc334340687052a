package ee.tasker.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a table shows of an answer: some of its members, and lists of objects as tables. JSON and
 * YAML show all.
 *
 * @param lines paths of members, one line each; empty: none
 * @param tables lists
 */
record View(List<Column> lines, List<Table> tables) {

  /**
   * A column or a line: {@code HEADING=path}; {@code +HEADING=path} for what only {@code -o wide}
   * shows, and {@code ?HEADING=path} for a
   * column that is left out if it is empty.
   */
  record Column(String heading, String path, boolean wide, boolean sparse) {
    static Column of(String text) {
      boolean wide = text.startsWith("+");
      boolean sparse = text.startsWith("?");
      String rest = wide || sparse ? text.substring(1) : text;
      int equals = rest.indexOf('=');
      return equals < 0 ? new Column(rest, rest, wide, sparse)
          : new Column(rest.substring(0, equals), rest.substring(equals + 1), wide, sparse);
    }
  }

  /**
   * A list in the member at the path, or the answer's only one; its title is shown if there are
   * several.
   */
  record Table(String path, String title, List<Column> columns) {
  }

  static View rows(String path, String... columns) {
    return new View(List.of(),
        List.of(new Table(path, null, Arrays.stream(columns).map(Column::of).toList())));
  }

  static View details(String... lines) {
    return new View(Arrays.stream(lines).map(Column::of).toList(), List.of());
  }

  View and(String path, String title, String... columns) {
    List<Table> more = new ArrayList<>(tables);
    more.add(new Table(path, title, Arrays.stream(columns).map(Column::of).toList()));
    return new View(lines, more);
  }
}
