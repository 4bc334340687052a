package ee.tasker.template;

/** Finds the position that a JSON pointer refers to in the document. */
final class NodePointer {
  private NodePointer() {}

  /** As far as the pointer can be resolved. */
  static Located follow(Located from, String pointer) {
    var place = from;
    for (var step : pointer.split("/")) {
      if (!step.isEmpty()) {
        var next = child(place, step.replace("~1", "/").replace("~0", "~"));
        if (next == null) {
          return place;
        }
        place = next;
      }
    }
    return place;
  }

  private static Located child(Located place, String name) {
    return switch (place.node().getNodeType()) {
      case MAPPING -> place.keys().map(keys -> keys.entries().get(name)).orElse(null);
      case SEQUENCE -> place.list()
          .filter(
              elements -> name.matches("[0-9]{1,9}") && Integer.parseInt(name) < elements.size())
          .map(elements -> elements.get(Integer.parseInt(name))).orElse(null);
      default -> null;
    };
  }
}
