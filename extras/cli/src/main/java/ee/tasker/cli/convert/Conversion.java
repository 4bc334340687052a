package ee.tasker.cli.convert;

import java.util.List;

/**
 * What became of one file.
 *
 * @param templates in the order of the file
 * @param findings  in the order of the file
 */
public record Conversion(List<Template> templates, List<Finding> findings) {

  /** @param text YAML */
  public record Template(String name, String text) {
  }

  public Conversion {
    templates = List.copyOf(templates);
    findings = findings.stream().sorted(Finding.IN_ORDER).toList();
  }

  /** Whether something of the original has no counterpart. */
  public boolean isIncomplete() {
    return findings.stream().anyMatch(finding -> finding.kind() == Finding.Kind.MISSING);
  }
}
