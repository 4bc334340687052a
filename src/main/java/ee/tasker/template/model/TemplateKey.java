package ee.tasker.template.model;

import java.util.regex.Pattern;

/**
 * What identifies a template. The content behind a key never changes.
 *
 * @param namespace {@code [a-zA-Z][a-zA-Z0-9_]*}, at most 29 characters, because queues are named
 *   after it
 * @param name      1 to 64 characters; that of a template {@linkplain #fitsIntoAddress fits into an
 *   address}
 * @param version   a semantic version without build metadata, at most 16 characters
 */
public record TemplateKey(String namespace, String name, String version) {
  private static final Pattern NAMESPACE = Pattern.compile("[a-zA-Z][a-zA-Z0-9_]*");
  private static final Pattern UNFIT_NAME = Pattern.compile("\\.{1,2}|.*[/\\\\\\p{Cntrl}].*",
      Pattern.DOTALL);
  private static final String NUMBER = "(0|[1-9][0-9]*)";
  private static final String IDENTIFIER = "(0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)";
  private static final Pattern VERSION = Pattern.compile(
      NUMBER + "\\." + NUMBER + "\\." + NUMBER + "(-" + IDENTIFIER + "(\\." + IDENTIFIER + ")*)?");

  public TemplateKey {
    Checks.require(isNamespace(namespace),
        "namespace must match " + NAMESPACE + " and have at most "
            + Limits.NAMESPACE + " characters, but is " + namespace);
    Checks.text(name, "name", Limits.TEMPLATE_NAME);
    Checks.require(isVersion(version),
        "version must be MAJOR.MINOR.PATCH with an optional pre-release and have at most "
            + Limits.VERSION + " characters, but is " + version);
  }

  public static boolean isNamespace(String text) {
    return text != null && text.length() <= Limits.NAMESPACE && NAMESPACE.matcher(text).matches();
  }

  /**
   * Whether a name can be one part of the path of an address: without a slash, backslash or control
   * character, and neither . nor ..; the table
   * {@code named_tasks} has the same rule.
   */
  public static boolean fitsIntoAddress(String name) {
    return !UNFIT_NAME.matcher(name).matches();
  }

  public static boolean isVersion(String text) {
    return text != null && text.length() <= Limits.VERSION && VERSION.matcher(text).matches();
  }

  @Override
  public String toString() {
    return namespace + "/" + name + ":" + version;
  }
}
