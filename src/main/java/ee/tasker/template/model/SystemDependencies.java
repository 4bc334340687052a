package ee.tasker.template.model;

import java.util.List;

/**
 * The systems that this template's handlers depend on: documentation only, ignored by the engine.
 */
public record SystemDependencies(String primary, List<String> secondary) {
  public static final SystemDependencies DEFAULT = new SystemDependencies("default", List.of());

  public SystemDependencies {
    Checks.text(primary, "system_dependencies.primary", Limits.WORD);
    Checks.present(secondary, "system_dependencies.secondary");
    secondary = List.copyOf(secondary);
  }
}
