package ee.tasker.template;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.ConstructNode;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.composer.Composer;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.resolver.CoreScalarResolver;
import org.snakeyaml.engine.v2.resolver.ScalarResolver;
import org.snakeyaml.engine.v2.scanner.StreamReader;
import org.snakeyaml.engine.v2.schema.Schema;

/**
 * Parses text into one YAML 1.2 document (core schema, so JSON too) that is safe to walk
 * recursively: bounded in length and
 * depth, without aliases that contain themselves or multiply.
 */
final class YamlDocument {
  private static final CoreSchemaWithoutMergeKeys CORE_SCHEMA = new CoreSchemaWithoutMergeKeys();

  private YamlDocument() {}

  /** The root of the document; empty, with at least one more problem, on failure. */
  static Optional<Node> parse(String text, int maxLength, Problems problems) {
    if (text.length() > maxLength) {
      problems.at(1, 1, "",
          "the template is too long: it has " + text.length() + " characters, at most " + maxLength
              + " are allowed");
      return Optional.empty();
    }
    var settings = LoadSettings.builder()
        .setSchema(CORE_SCHEMA)
        .setCodePointLimit(maxLength)
        .setAllowNonScalarKeys(true)
        .setMaxAliasesForCollections(NestingGuard.MAX_ALIASES)
        .build();
    var guard = new NestingGuard(new ParserImpl(settings, new StreamReader(settings, text)));
    try {
      var root = new Composer(settings, guard).getSingleNode();
      if (root.isEmpty()) {
        problems.at(1, 1, "", "the template is empty");
        return root;
      }
      return guard.sawAliases() && !AliasExpansion.isHarmless(root.get(), problems)
          ? Optional.empty() : root;
    } catch (NestingGuard.TooMuch tooMuch) {
      problems.at(tooMuch.getProblemMark(), "", tooMuch.getProblem());
    } catch (MarkedYamlEngineException broken) {
      problems.at(broken.getProblemMark().or(broken::getContextMark), "", sentence(broken));
    } catch (ReaderException broken) {
      var before = text.substring(0, text.offsetByCodePoints(0, Math.min(broken.getPosition(),
          text.codePointCount(0, text.length()))));
      int line = (int) before.chars().filter(character -> character == '\n').count() + 1;
      int column = before.length() - before.lastIndexOf('\n');
      problems.at(line, column, "", String.format(Locale.ROOT,
          "not YAML: the character U+%04X is not allowed", broken.getCodePoint()));
    } catch (YamlEngineException broken) {
      problems.at(1, 1, "", "not YAML: " + broken.getMessage());
    }
    return Optional.empty();
  }

  private static String sentence(MarkedYamlEngineException broken) {
    var context = broken.getContext() == null || broken.getContext().isBlank() ? ""
        : broken.getContext() + ", ";
    return "not YAML: " + context + broken.getProblem();
  }

  /** Merge keys are YAML 1.1; resolving them would hide the origin of a key. */
  private static final class CoreSchemaWithoutMergeKeys implements Schema {
    private final ScalarResolver resolver = new CoreScalarResolver(false);

    @Override
    public ScalarResolver getScalarResolver() {
      return resolver;
    }

    @Override
    public Map<Tag, ConstructNode> getSchemaTagConstructors() {
      return Map.of();
    }
  }
}
