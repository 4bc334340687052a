package ee.tasker.cli.convert;

import ee.tasker.cli.convert.Finding.Kind;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Names of steps, each once. */
final class StepNames {
  /** Ids as modelers make them: Activity_0x3f9ab. */
  private static final Pattern MADE_UP = Pattern.compile("[A-Z][A-Za-z]*_(?=.*\\d)[0-9a-z]{7}");

  private final CamundaModel model;
  private final Map<String, String> byId = new HashMap<>();
  private final Set<String> taken = new HashSet<>();

  StepNames(CamundaModel model) {
    this.model = model;
  }

  /** The id of an element, unless the modeler has made it up and the element has a name. */
  String of(XmlElement element) {
    return byId.computeIfAbsent(element.id(), id -> {
      String text = element.attribute("name").orElse("").toLowerCase(Locale.ROOT)
          .replaceAll("[^\\p{L}\\p{N}]+", "_").replaceAll("^_+|_+$", "");
      String name = MADE_UP.matcher(id).matches() && !text.isEmpty() ? text : id;
      String chosen = unique(name.length() <= 90 ? name : name.substring(0, 90));
      if (!chosen.equals(id) && ActivityMapper.isStep(element)) {
        model.found(Kind.CHANGED, element, "is the step " + chosen, "");
      }
      return chosen;
    });
  }

  /** The name, or with a number if it is taken. */
  String unique(String name) {
    String base = name.equals("ALL") ? "all" : name;
    String chosen = base;
    for (int i = 2; taken.contains(chosen); i++) {
      chosen = base + "_" + i;
    }
    taken.add(chosen);
    return chosen;
  }
}
