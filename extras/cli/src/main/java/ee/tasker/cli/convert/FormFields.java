package ee.tasker.cli.convert;

import ee.tasker.cli.convert.Finding.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Fields of generated forms as members of a JSON Schema. */
final class FormFields {
  /** @param isDecision whether the field says what an approval says by itself */
  record Field(String name, Object schema, boolean isRequired, boolean isDecision) {
  }

  private static final List<String> DECISIONS = List.of("approved", "approve", "isApproved",
      "accepted");

  private final CamundaModel model;

  FormFields(CamundaModel model) {
    this.model = model;
  }

  List<Field> read(XmlElement element) {
    List<Field> fields = new ArrayList<>();
    for (XmlElement form : element.extensionElements("formData")) {
      for (XmlElement field : form.camundaChildren("formField")) {
        fields.add(field(element, field));
      }
    }
    for (XmlElement property : element.extensionElements("formProperty")) {
      fields.add(property(element, property));
    }
    return fields;
  }

  private Field field(XmlElement element, XmlElement field) {
    String name = field.attribute("id").orElse("field");
    String type = field.attribute("type").orElse("string");
    Map<String, Object> schema = schema(element, field, type, "label", "defaultValue");
    boolean isRequired = false;
    for (XmlElement validation : field.camundaChildren("validation")) {
      for (XmlElement constraint : validation.camundaChildren("constraint")) {
        String rule = constraint.attribute("name").orElse("");
        String config = constraint.attribute("config").orElse("");
        if (rule.equals("required")) {
          isRequired = !config.equals("false");
        } else if (rule.equals("readonly")) {
          schema.put("readOnly", true);
        } else if (List.of("min", "max", "minlength", "maxlength").contains(rule)
            && config.matches("-?\\d{1,18}")) {
          schema.put(switch (rule) {
            case "min" -> "minimum";
            case "max" -> "maximum";
            case "minlength" -> "minLength";
            default -> "maxLength";
          }, Long.parseLong(config));
        } else {
          model.found(Kind.MISSING, element, "the constraint " + rule + " of the field " + name
              + " has no counterpart", "the step after it checks the value");
        }
      }
    }
    field.readAll();
    return new Field(name, schema, isRequired, decides(element, type, name));
  }

  /** The older form of a field. */
  private Field property(XmlElement element, XmlElement property) {
    String name = property.attribute("id").orElse("field");
    String type = property.attribute("type").orElse("string");
    Map<String, Object> schema = schema(element, property, type, "name", "default");
    if (property.attribute("writable").filter("false"::equals).isPresent()) {
      schema.put("readOnly", true);
    }
    property.attribute("expression").or(() -> property.attribute("variable"))
        .ifPresent(source -> model.found(Kind.DIFFERS, element,
            "the field " + name + " is of its own, and not of " + source,
            "approval.show shows what is known"));
    property.readAll();
    return new Field(name, schema,
        property.attribute("required").filter("true"::equals).isPresent(),
        decides(element, type, name));
  }

  private static boolean decides(XmlElement element, String type, String name) {
    return type.equals("boolean") && DECISIONS.contains(name) && element.is("userTask");
  }

  private Map<String, Object> schema(XmlElement element, XmlElement field, String type,
      String label, String given) {
    String name = field.attribute("id").orElse("field");
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put("type", switch (type) {
      case "long" -> "integer";
      case "boolean" -> "boolean";
      default -> "string";
    });
    if (type.equals("date")) {
      schema.put("format", "date");
    }
    field.attribute(label).ifPresent(text -> schema.put("title", text));
    List<String> values = field.camundaChildren("value").stream()
        .flatMap(value -> value.attribute("id").stream()).toList();
    if (!values.isEmpty()) {
      schema.put("enum", values);
    }
    if (!List.of("string", "long", "boolean", "date", "enum").contains(type)) {
      model.found(Kind.DIFFERS, element, "the field " + name + " of type " + type + " is a text",
          "");
    }
    field.attribute(given).ifPresent(value -> {
      if (Juel.isExpression(value)) {
        model.found(Kind.MISSING, element, "the default of the field " + name + " is computed",
            "approval.show shows what is known");
      } else {
        schema.put("default", typed(type, value));
      }
    });
    return schema;
  }

  private static Object typed(String type, String value) {
    return type.equals("long") && value.matches("-?\\d{1,18}") ? (Object) Long.parseLong(value)
        : type.equals("boolean") ? (Object) Boolean.parseBoolean(value) : value;
  }
}
