package ee.tasker.template;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** Computes the size of a document with every alias expanded, without expanding it. */
final class AliasExpansion {
  private static final long MAX_CHARACTERS = 4L << 20;

  private record Size(long characters, int depth) {}

  /** The size of every completed collection; null while it is being measured. */
  private final Map<Node, Size> measured = new IdentityHashMap<>();
  private final Problems problems;

  private AliasExpansion(Problems problems) {
    this.problems = problems;
  }

  static boolean isHarmless(Node root, Problems problems) {
    int before = problems.count();
    var size = new AliasExpansion(problems).measure(root);
    if (problems.count() == before && size.characters() > MAX_CHARACTERS) {
      problems.at(root, "", "with its aliases written out the template is longer than "
          + MAX_CHARACTERS + " characters");
    }
    if (problems.count() == before && size.depth() > NestingGuard.MAX_DEPTH) {
      problems.at(root, "",
          "with its aliases written out the template is deeper than " + NestingGuard.MAX_DEPTH
              + " levels");
    }
    return problems.count() == before;
  }

  /**
   * Recursion follows the text, never an alias: the target of an alias was measured at its anchor.
   */
  private Size measure(Node node) {
    if (node instanceof ScalarNode scalar) {
      return new Size(scalar.getValue().length() + 1L, 0);
    }
    if (measured.containsKey(node)) {
      var known = measured.get(node);
      if (known == null) {
        problems.at(node, "", "an alias must not stand inside what it refers to");
      }
      return known == null ? new Size(0, 0) : known;
    }
    measured.put(node, null);
    long characters = 2;
    int depth = 0;
    for (var child : children(node)) {
      var size = measure(child);
      characters = Math.min(characters + size.characters(), MAX_CHARACTERS + 1);
      depth = Math.max(depth, size.depth());
    }
    var size = new Size(characters, depth + 1);
    measured.put(node, size);
    return size;
  }

  private static List<Node> children(Node node) {
    return node instanceof MappingNode mapping
        ? mapping.getValue().stream()
            .flatMap(entry -> Stream.of(entry.getKeyNode(), entry.getValueNode())).toList()
        : ((SequenceNode) node).getValue();
  }
}
