package ee.tasker.cli.convert;

import java.io.StringWriter;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.StreamDataWriter;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/**
 * A mapping in a YAML document that is being changed. What is not changed stays as it is written,
 * with its comments, quotes and order.
 */
final class YamlMapping {
  private static final int MOST_LEVELS = 64;
  private static final int MOST_CHARACTERS = 1 << 20;

  private final MappingNode node;
  private final String path;

  private YamlMapping(MappingNode node, String path) {
    this.node = node;
    this.path = path;
  }

  /** @throws UnreadableException if the text is no mapping, too long or too deep */
  static YamlMapping parse(String text) {
    return read(text).orElseThrow(
        () -> new UnreadableException("it is no template: a mapping with name and steps"));
  }

  /** Empty for a document that is no mapping. */
  static Optional<YamlMapping> read(String text) {
    if (text.length() > MOST_CHARACTERS) {
      throw new UnreadableException("it has more than " + MOST_CHARACTERS + " characters");
    }
    LoadSettings settings = LoadSettings.builder().setSchema(new CoreSchema())
        .setParseComments(true).setCodePointLimit(MOST_CHARACTERS)
        .setMaxAliasesForCollections(1000).build();
    try {
      int level = 0;
      for (Event event : new Parse(settings).parseString(text)) {
        level += event instanceof CollectionStartEvent ? 1
            : event instanceof CollectionEndEvent ? -1 : 0;
        if (level > MOST_LEVELS) {
          throw new UnreadableException("it has more than " + MOST_LEVELS + " levels");
        }
      }
      if (new Compose(settings).composeString(text).orElse(null) instanceof MappingNode root) {
        return Optional.of(new YamlMapping(root, ""));
      }
      return Optional.empty();
    } catch (MarkedYamlEngineException e) {
      throw new UnreadableException("it is not YAML: " + e.getProblem()
          + e.getProblemMark().map(mark -> " in line " + (mark.getLine() + 1)).orElse(""));
    } catch (YamlEngineException e) {
      throw new UnreadableException("it is not YAML: " + e.getMessage());
    }
  }

  /** The document with all changes. */
  String text() {
    StringWriter written = new StringWriter();
    DumpSettings settings = DumpSettings.builder().setDumpComments(true).setWidth(4000)
        .setSplitLines(false).setIndent(2).setIndicatorIndent(2).setIndentWithIndicator(true)
        .setSchema(new CoreSchema()).build();
    new Dump(settings).dumpNode(node, new StreamDataWriter() {
      @Override
      public void write(String text) {
        written.write(text);
      }

      @Override
      public void write(String text, int offset, int length) {
        written.write(text, offset, length);
      }
    });
    return written.toString();
  }

  String path(String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  String path() {
    return path;
  }

  int line() {
    return line(node);
  }

  /** Of the key; of the mapping if it has no such key. */
  int line(String key) {
    return tuple(key).map(tuple -> line(tuple.getKeyNode())).orElseGet(this::line);
  }

  private static int line(Node node) {
    return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
  }

  List<String> keys() {
    return node.getValue().stream().map(YamlMapping::key).toList();
  }

  private static String key(NodeTuple tuple) {
    return tuple.getKeyNode() instanceof ScalarNode scalar ? scalar.getValue() : "?";
  }

  private Optional<NodeTuple> tuple(String key) {
    return node.getValue().stream().filter(tuple -> key(tuple).equals(key)).findFirst();
  }

  /** The value; empty if it is absent or null. */
  Optional<Node> get(String key) {
    return tuple(key).map(NodeTuple::getValueNode)
        .filter(value -> !value.getTag().equals(Tag.NULL));
  }

  boolean has(String key) {
    return get(key).isPresent();
  }

  Optional<String> text(String key) {
    return get(key).filter(ScalarNode.class::isInstance)
        .map(value -> ((ScalarNode) value).getValue());
  }

  /** A number, whole or not. */
  Optional<BigDecimal> number(String key) {
    return text(key).flatMap(text -> {
      try {
        return Optional.of(new BigDecimal(text));
      } catch (NumberFormatException e) {
        return Optional.empty();
      }
    });
  }

  Optional<YamlMapping> mapping(String key) {
    return get(key).filter(MappingNode.class::isInstance)
        .map(value -> new YamlMapping((MappingNode) value, path(key)));
  }

  /** The mapping of this key, which is made if it is not there: before another key, or last. */
  YamlMapping makeMapping(String key, String next) {
    return mapping(key).orElseGet(() -> {
      remove(key);
      MappingNode made = new MappingNode(Tag.MAP, new ArrayList<>(), FlowStyle.BLOCK);
      int at = keys().indexOf(next);
      node.getValue().add(at < 0 ? node.getValue().size() : at,
          new NodeTuple(new ScalarNode(Tag.STR, key, ScalarStyle.PLAIN), made));
      return new YamlMapping(made, path(key));
    });
  }

  /** The elements of a list that are mappings. */
  List<YamlMapping> mappings(String key) {
    List<YamlMapping> found = new ArrayList<>();
    if (get(key).orElse(null) instanceof SequenceNode list) {
      for (int i = 0; i < list.getValue().size(); i++) {
        if (list.getValue().get(i) instanceof MappingNode element) {
          found.add(new YamlMapping(element, path(key) + "[" + i + "]"));
        }
      }
    }
    return found;
  }

  /** The elements of a list that are scalars. */
  List<String> texts(String key) {
    return get(key).orElse(null) instanceof SequenceNode list
        ? list.getValue().stream().filter(ScalarNode.class::isInstance)
            .map(value -> ((ScalarNode) value).getValue()).toList()
        : List.of();
  }

  void removeElement(String key, YamlMapping element) {
    if (get(key).orElse(null) instanceof SequenceNode list) {
      list.getValue().remove(element.node);
    }
  }

  Optional<Node> remove(String key) {
    Optional<NodeTuple> tuple = tuple(key);
    tuple.ifPresent(node.getValue()::remove);
    return tuple.map(NodeTuple::getValueNode);
  }

  void put(String key, Node value) {
    Optional<NodeTuple> before = tuple(key);
    NodeTuple tuple = new NodeTuple(before.map(NodeTuple::getKeyNode).orElseGet(
        () -> new ScalarNode(Tag.STR, key, ScalarStyle.PLAIN)), value);
    if (before.isPresent()) {
      node.getValue().set(node.getValue().indexOf(before.get()), tuple);
    } else {
      node.getValue().add(tuple);
    }
  }

  void put(String key, long number) {
    put(key, new ScalarNode(Tag.INT, Long.toString(number), ScalarStyle.PLAIN));
  }

  void put(String key, String text) {
    put(key, scalar(text));
  }

  private static Node scalar(String text) {
    return new ScalarNode(Tag.STR, text, text.matches("[A-Za-z_][A-Za-z0-9_]*")
        ? ScalarStyle.PLAIN : ScalarStyle.DOUBLE_QUOTED);
  }

  /** Another key for the same value, in the same place. */
  void rename(String key, String other) {
    tuple(key).ifPresent(tuple -> {
      ScalarNode renamed = new ScalarNode(Tag.STR, other, ScalarStyle.PLAIN);
      renamed.setBlockComments(tuple.getKeyNode().getBlockComments());
      renamed.setInLineComments(tuple.getKeyNode().getInLineComments());
      node.getValue().set(node.getValue().indexOf(tuple),
          new NodeTuple(renamed, tuple.getValueNode()));
    });
  }
}
