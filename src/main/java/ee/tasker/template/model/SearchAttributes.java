package ee.tasker.template.model;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The context values by which tasks of a template can be found.
 *
 * @param paths by name the path of a member of the context, with dots between the members; ordered
 *   by name
 */
public record SearchAttributes(SortedMap<String, String> paths) {
  public static final SearchAttributes NONE = new SearchAttributes(Collections.emptySortedMap());
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,62}");
  private static final String MEMBER = "[A-Za-z_][A-Za-z0-9_-]*";
  private static final Pattern PATH = Pattern.compile(MEMBER + "(\\." + MEMBER + ")*");

  public SearchAttributes {
    Checks.present(paths, "search_attributes");
    Checks.require(paths.size() <= Limits.SEARCH_ATTRIBUTES,
        "search_attributes must be at most " + Limits.SEARCH_ATTRIBUTES);
    paths.forEach((name, path) -> {
      Checks.require(isName(name),
          "the name of a search attribute must match " + NAME + ", but is " + name);
      Checks.require(isPath(path),
          "search_attributes." + name + " must be a path of at most " + Limits.WORD
              + " characters, but is " + path);
    });
    paths = Collections.unmodifiableSortedMap(new TreeMap<>(paths));
  }

  public static SearchAttributes of(Map<String, String> paths) {
    return new SearchAttributes(new TreeMap<>(paths));
  }

  /** A small letter, then at most 62 small letters, digits and underscores. */
  public static boolean isName(String text) {
    return text != null && NAME.matcher(text).matches();
  }

  /**
   * Members that begin with a letter or an underscore, so that none is an array index, with dots
   * between them.
   */
  public static boolean isPath(String text) {
    return text != null && text.length() <= Limits.WORD && PATH.matcher(text).matches();
  }

  public boolean isEmpty() {
    return paths.isEmpty();
  }
}
