package ee.tasker.cli.convert;

import ee.tasker.cli.convert.Finding.Kind;
import jakarta.json.JsonValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * A BPMN model with the extensions of Camunda 7. Each executable process becomes a template; what
 * has no counterpart is told with the id of its element, the reason, and what to write instead.
 */
public final class CamundaModel {
  private static final String ZEEBE = "http://camunda.org/schema/zeebe/1.0";

  private final XmlElement definitions;
  private final List<Finding> findings = new ArrayList<>();
  private final Map<String, XmlElement> byId = new HashMap<>();

  private CamundaModel(XmlElement definitions) {
    this.definitions = definitions;
  }

  /** Whether a text is to be read as a model. */
  public static boolean isXml(String text) {
    return text.strip().replace("\uFEFF", "").startsWith("<");
  }

  /**
   * @param version of the templates; null for the version tag of a process, or 1.0.0
   * @param yaml    writes a template
   * @throws UnreadableException if it is no model of Camunda 7
   */
  public static Conversion convert(String text, String namespace, String version,
      Function<JsonValue, String> yaml) {
    if (!namespace.matches("[a-zA-Z][a-zA-Z0-9_]{0,28}")) {
      throw new UnreadableException("\"" + namespace + "\" cannot be the name of a namespace:"
          + " a letter, and at most 28 letters, digits and underscores");
    }
    XmlElement root = XmlElement.parse(text.replace("\uFEFF", ""));
    if (!root.is("definitions")) {
      throw new UnreadableException("it is no BPMN 2.0 model: its first element is "
          + root.name());
    }
    if (root.descendants().anyMatch(each -> each.namespace().equals(ZEEBE))) {
      throw new UnreadableException(
          "it is a model of Camunda 8, whose expressions are in FEEL; Camunda 7 is read");
    }
    CamundaModel model = new CamundaModel(root);
    return model.convert(namespace, version, yaml);
  }

  private Conversion convert(String namespace, String version, Function<JsonValue, String> yaml) {
    definitions.children()
        .forEach(each -> each.attribute("id").ifPresent(id -> byId.put(id, each)));
    List<Conversion.Template> templates = new ArrayList<>();
    for (XmlElement child : definitions.children()) {
      if (child.is("process")) {
        if (child.attribute("isExecutable").filter("false"::equals).isPresent()) {
          found(Kind.LEFT_OUT, child, "the process is not executable", "");
          continue;
        }
        ProcessConverter process = new ProcessConverter(this, child.read(), namespace, version);
        process.template().ifPresent(template -> templates
            .add(new Conversion.Template(process.name(), yaml.apply(template))));
      } else if (child.is("collaboration")) {
        child.children("messageFlow").forEach(flow -> found(Kind.LEFT_OUT, flow,
            "a message flow is part of the drawing",
            "the handler that sends calls POST /v1/signals/{name}"));
      } else if (child.isBpmn() && !child.name().matches(
          "message|signal|error|escalation|itemDefinition|interface|dataStore|resource|category")) {
        found(Kind.LEFT_OUT, child, child.name() + " has no effect in a process", "");
      } else if (child.isBpmn() && child.name().matches("dataStore|resource|interface")) {
        found(Kind.LEFT_OUT, child, child.name() + " is not read by Camunda either", "");
      }
    }
    if (templates.isEmpty()) {
      throw new UnreadableException("it has no executable process in which something is done");
    }
    return new Conversion(templates, findings);
  }

  /** What a message, a signal or an error is called: of the definition that an attribute names. */
  Optional<String> name(XmlElement user, String attribute, String key) {
    return user.attribute(attribute)
        .map(id -> byId.get(id.substring(id.indexOf(':') + 1)))
        .flatMap(definition -> definition.attribute(key));
  }

  void found(Kind kind, XmlElement element, String message, String instead) {
    findings.add(new Finding(kind, element.id(), element.line(), message, instead));
  }
}
