package ee.tasker.cli.convert;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import javax.xml.XMLConstants;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.parsers.SAXParserFactory;
import org.xml.sax.Attributes;
import org.xml.sax.InputSource;
import org.xml.sax.Locator;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;
import org.xml.sax.XMLReader;
import org.xml.sax.helpers.DefaultHandler;

/**
 * An element of a document, which remembers what was read of it: what nothing has read at the end
 * is told, and not dropped.
 */
final class XmlElement {
  static final String BPMN = "http://www.omg.org/spec/BPMN/20100524/MODEL";
  /** Camunda 7 reads both. */
  private static final Set<String> CAMUNDA = Set.of("http://camunda.org/schema/1.0/bpmn",
      "http://activiti.org/bpmn");
  private static final int MOST_CHARACTERS = 8 << 20;
  private static final int MOST_LEVELS = 64;
  private static final int MOST_ELEMENTS = 100_000;

  private final String namespace;
  private final String name;
  private final int line;
  private final XmlElement parent;
  private final Map<String, String> attributes = new LinkedHashMap<>();
  /** Names in the namespace of Camunda. */
  private final Map<String, String> extensions = new LinkedHashMap<>();
  private final Set<String> readExtensions = new HashSet<>();
  private final List<XmlElement> children = new ArrayList<>();
  private final StringBuilder text = new StringBuilder();
  private boolean isRead;

  private XmlElement(String namespace, String name, int line, XmlElement parent) {
    this.namespace = namespace;
    this.name = name;
    this.line = line;
    this.parent = parent;
  }

  /** @throws UnreadableException for what is no XML, too large, too deep, or has a DOCTYPE */
  static XmlElement parse(String document) {
    if (document.length() > MOST_CHARACTERS) {
      throw new UnreadableException("it has more than " + MOST_CHARACTERS + " characters");
    }
    Builder builder = new Builder();
    try {
      SAXParserFactory factory = SAXParserFactory.newDefaultInstance();
      factory.setNamespaceAware(true);
      factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      factory.setFeature("http://xml.org/sax/features/external-general-entities", false);
      factory.setFeature("http://xml.org/sax/features/external-parameter-entities", false);
      factory.setXIncludeAware(false);
      XMLReader reader = factory.newSAXParser().getXMLReader();
      reader.setContentHandler(builder);
      reader.setErrorHandler(builder);
      reader.setEntityResolver(builder);
      reader.parse(new InputSource(new StringReader(document)));
    } catch (SAXParseException e) {
      throw new UnreadableException(
          "it is not XML that can be read: line " + e.getLineNumber() + ": " + e.getMessage());
    } catch (SAXException | IOException | ParserConfigurationException e) {
      throw new UnreadableException("it is not XML that can be read: " + e.getMessage());
    }
    return builder.root;
  }

  private static final class Builder extends DefaultHandler {
    private final Deque<XmlElement> open = new ArrayDeque<>();
    private Locator locator;
    private XmlElement root;
    private int elements;

    @Override
    public void setDocumentLocator(Locator given) {
      locator = given;
    }

    @Override
    public InputSource resolveEntity(String publicId, String systemId) throws SAXException {
      throw new SAXException("nothing is read from outside the document");
    }

    @Override
    public void startElement(String uri, String local, String qualified, Attributes given) {
      if (open.size() >= MOST_LEVELS || ++elements > MOST_ELEMENTS) {
        throw new UnreadableException("it has more than " + MOST_LEVELS + " levels or "
            + MOST_ELEMENTS + " elements: line " + locator.getLineNumber());
      }
      XmlElement element = new XmlElement(uri, local, locator.getLineNumber(), open.peek());
      for (int i = 0; i < given.getLength(); i++) {
        if (given.getURI(i).isEmpty()) {
          element.attributes.put(given.getLocalName(i), given.getValue(i));
        } else if (CAMUNDA.contains(given.getURI(i))) {
          element.extensions.put(given.getLocalName(i), given.getValue(i));
        }
      }
      if (open.isEmpty()) {
        root = element;
      } else {
        open.peek().children.add(element);
      }
      open.push(element);
    }

    @Override
    public void endElement(String uri, String local, String qualified) {
      open.pop();
    }

    @Override
    public void characters(char[] characters, int start, int length) {
      open.element().text.append(characters, start, length);
    }

    @Override
    public void error(SAXParseException e) throws SAXException {
      throw e;
    }
  }

  boolean is(String bpmnName) {
    return isBpmn() && name.equals(bpmnName);
  }

  boolean isBpmn() {
    return namespace.equals(BPMN);
  }

  boolean isCamunda() {
    return CAMUNDA.contains(namespace);
  }

  String namespace() {
    return namespace;
  }

  String name() {
    return name;
  }

  int line() {
    return line;
  }

  XmlElement parent() {
    return parent;
  }

  List<XmlElement> children() {
    return children;
  }

  Stream<XmlElement> descendants() {
    return Stream.concat(Stream.of(this), children.stream().flatMap(XmlElement::descendants));
  }

  /** Its own, or that of the nearest element around it. */
  String id() {
    return attribute("id").orElseGet(() -> parent == null ? name : parent.id());
  }

  Optional<String> attribute(String key) {
    return Optional.ofNullable(attributes.get(key)).filter(value -> !value.isBlank());
  }

  /** The attribute of Camunda, which is read by that. */
  Optional<String> extension(String key) {
    readExtensions.add(key);
    return Optional.ofNullable(extensions.get(key)).map(String::strip)
        .filter(value -> !value.isEmpty());
  }

  List<String> unreadExtensions() {
    return extensions.keySet().stream().filter(key -> !readExtensions.contains(key)).toList();
  }

  boolean isRead() {
    return isRead;
  }

  XmlElement read() {
    isRead = true;
    return this;
  }

  void readAll() {
    descendants().forEach(each -> {
      each.isRead = true;
      each.readExtensions.addAll(each.extensions.keySet());
    });
  }

  /** The child of BPMN, which is read by that. */
  Optional<XmlElement> child(String bpmnName) {
    return children.stream().filter(each -> each.is(bpmnName)).findFirst().map(XmlElement::read);
  }

  List<XmlElement> children(String bpmnName) {
    return children.stream().filter(each -> each.is(bpmnName)).map(XmlElement::read).toList();
  }

  /** Elements of Camunda in extensionElements, which are read by that. */
  List<XmlElement> extensionElements(String camundaName) {
    return children.stream().filter(each -> each.is("extensionElements")).map(XmlElement::read)
        .flatMap(each -> each.camundaChildren(camundaName).stream()).toList();
  }

  List<XmlElement> camundaChildren(String camundaName) {
    return children.stream().filter(each -> each.isCamunda() && each.name.equals(camundaName))
        .map(XmlElement::read).toList();
  }

  String text() {
    return text.toString().strip();
  }
}
