package ee.tasker.release;

import static ee.tasker.testing.Sources.files;
import static ee.tasker.testing.Sources.text;

import ee.tasker.platform.config.Setting;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.security.Permission;
import ee.tasker.testing.FunctionHeader;
import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * What others depend on, a line each: migrations, SQL functions for users, REST, the handler API,
 * the template format, settings, metrics, log events and permissions. A line that ends in {@code
 * required} is what a caller must give, or an implementer must have.
 */
final class PublicSurface {
  private static final String REQUIRED = " required";
  private static final Path OPENAPI = Path.of("src/main/resources/META-INF/tasker/openapi.yaml");
  private static final Path TEMPLATE = Path
      .of("src/main/resources/META-INF/tasker/template.schema.json");
  private static final String SCHEMAS = "#/components/schemas/";
  private static final List<String> METHODS = List.of("get", "post", "put", "patch", "delete");

  private final Set<String> lines = new TreeSet<>();
  private final Map<?, ?> openApi;

  private PublicSurface() {
    openApi = yaml(OPENAPI);
  }

  /** Of these sources. */
  static Set<String> current() throws IOException, ReflectiveOperationException {
    PublicSurface surface = new PublicSurface();
    surface.addMigrations();
    surface.addFunctions();
    surface.addRest();
    surface.addHandlerApi();
    surface.addTemplateFormat(yaml(TEMPLATE), "template");
    surface.addNames();
    return surface.lines;
  }

  /**
   * What a version may not do to those who depend on an earlier one: take a line away, or ask of
   * them what it did not.
   */
  static List<String> breaks(Collection<String> earlier, Collection<String> later) {
    Set<String> owners = earlier.stream().flatMap(PublicSurface::owners)
        .collect(Collectors.toSet());
    List<String> breaks = new ArrayList<>();
    earlier.stream().filter(line -> !later.contains(line))
        // What need no longer be given may still be.
        .filter(line -> !line.endsWith(REQUIRED)
            || !later.contains(line.substring(0, line.length() - REQUIRED.length())))
        .map(line -> "gone: " + line).forEach(breaks::add);
    later.stream().filter(line -> line.endsWith(REQUIRED) && !earlier.contains(line))
        .filter(line -> owners.contains(owner(line)))
        .map(line -> "asked for from now on: " + line).forEach(breaks::add);
    return breaks;
  }

  private static Stream<String> owners(String line) {
    return Stream.of(line, owner(line));
  }

  /** What a member is a member of: all before its last word. */
  private static String owner(String line) {
    String member = line.endsWith(REQUIRED)
        ? line.substring(0, line.length() - REQUIRED.length()) : line;
    return member.contains(" . ") ? member.substring(0, member.indexOf(" . ")) : member;
  }

  private void add(String owner, String member, boolean isRequired) {
    lines.add(owner + " . " + member + (isRequired ? REQUIRED : ""));
  }

  private void addMigrations() throws IOException {
    for (Path file : files(Path.of("db/migration"), ".sql")) {
      String name = file.getFileName().toString();
      if (name.startsWith("V")) {
        lines.add("migration " + name + " " + sha256(Files.readString(file)).substring(0, 16));
      }
    }
  }

  private void addFunctions() {
    for (Path file : files(Path.of("db/routine"), ".sql")) {
      FunctionHeader.in(text(file)).stream().filter(FunctionHeader::isPublic)
          .forEach(this::addFunction);
    }
  }

  private void addFunction(FunctionHeader function) {
    String owner = "sql " + function.name();
    lines.add(owner);
    if (function.returns() != null) {
      add(owner, "returns " + function.returns().replaceAll("\\s+", " "), false);
    }
    for (FunctionHeader.Argument each : function.arguments()) {
      add(owner, each.text(), !each.isOptional() && !each.isOut());
    }
  }

  private void addRest() {
    Set<String> asked = new HashSet<>();
    Set<String> answered = new HashSet<>();
    for (Map.Entry<?, ?> path : map(openApi, "paths").entrySet()) {
      for (String method : METHODS) {
        Map<?, ?> operation = map((Map<?, ?>) path.getValue(), method);
        if (!operation.isEmpty()) {
          String name = "rest " + method.toUpperCase(Locale.ROOT) + " " + path.getKey();
          lines.add(name);
          addParameters(name, operation);
          addParameters(name, (Map<?, ?>) path.getValue());
          collect(operation.get("requestBody"), asked);
          collect(operation.get("responses"), answered);
        }
      }
    }
    addSchemas("request ", asked, true);
    addSchemas("answer ", answered, false);
    Matcher problem = Pattern.compile("\\{status: \\d+, code: ([a-z-]+),").matcher(text(OPENAPI));
    while (problem.find()) {
      lines.add("problem " + problem.group(1));
    }
  }

  private void addParameters(String operation, Map<?, ?> described) {
    if (described.get("parameters") instanceof List<?> parameters) {
      for (Object each : parameters) {
        Map<?, ?> parameter = resolved((Map<?, ?>) each);
        add(operation, parameter.get("in") + " " + parameter.get("name"),
            Boolean.TRUE.equals(parameter.get("required")));
      }
    }
  }

  private void addSchemas(String kind, Set<String> references, boolean isAsked) {
    for (String reference : references) {
      if (reference.startsWith(SCHEMAS)) {
        String name = reference.substring(SCHEMAS.length());
        Map<?, ?> schema = map(map(map(openApi, "components"), "schemas"), name);
        for (Object member : map(schema, "properties").keySet()) {
          add(kind + name, member.toString(), isAsked
              && schema.get("required") instanceof List<?> required && required.contains(member));
        }
      }
    }
  }

  /** All that a part of the document refers to, at any distance. */
  private void collect(Object part, Set<String> references) {
    if (part instanceof List<?> list) {
      list.forEach(each -> collect(each, references));
    } else if (part instanceof Map<?, ?> map) {
      if (map.get("$ref") instanceof String reference && references.add(reference)) {
        Map<?, ?> found = resolved(map);
        if (found != map) {
          collect(found, references);
        }
      }
      map.values().forEach(each -> collect(each, references));
    }
  }

  private Map<?, ?> resolved(Map<?, ?> part) {
    if (!(part.get("$ref") instanceof String reference) || !reference.startsWith("#/")) {
      return part;
    }
    Map<?, ?> found = openApi;
    for (String step : reference.substring(2).split("/")) {
      found = map(found, step);
    }
    return found;
  }

  private void addHandlerApi() throws ReflectiveOperationException {
    Matcher included = Pattern.compile("<include>(ee/tasker/[^<]+)</include>")
        .matcher(text(Path.of("extras/api/pom.xml")));
    while (included.find()) {
      Path sources = Path.of("src/main/java");
      String include = included.group(1);
      List<Path> found = include.endsWith("/**")
          ? files(sources.resolve(include.replace("/**", "")), ".java")
          : List.of(sources.resolve(include));
      for (Path file : found) {
        String name = sources.relativize(file).toString().replace('\\', '/')
            .replace(".java", "").replace('/', '.');
        if (!name.endsWith("package-info")) {
          addType(Class.forName(name));
        }
      }
    }
  }

  private void addType(Class<?> type) {
    if (!Modifier.isPublic(type.getModifiers())) {
      return;
    }
    String owner = "java " + type.getName();
    lines.add(owner);
    for (Field field : type.getDeclaredFields()) {
      if (isOpen(field.getModifiers())) {
        add(owner, field.getName(), false);
      }
    }
    Stream.concat(Arrays.stream(type.getDeclaredMethods()),
        Arrays.stream(type.getDeclaredConstructors()))
        .filter(each -> isOpen(each.getModifiers()) && !each.isSynthetic())
        .forEach(each -> add(owner, signature(each),
            Modifier.isAbstract(each.getModifiers()) && !type.isAnnotation()));
    for (Class<?> inner : type.getDeclaredClasses()) {
      addType(inner);
    }
  }

  private static boolean isOpen(int modifiers) {
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
  }

  private static String signature(Executable each) {
    String arguments = Arrays.stream(each.getParameterTypes()).map(Class::getSimpleName)
        .collect(Collectors.joining(","));
    String name = each instanceof Method ? each.getName() : "new";
    return name + "(" + arguments + ")"
        + (each instanceof Method method ? method.getReturnType().getSimpleName() : "");
  }

  /** Of a JSON Schema: each property by its path; what is defined once by its name. */
  private void addTemplateFormat(Map<?, ?> schema, String owner) {
    for (Map.Entry<?, ?> each : map(schema, "$defs").entrySet()) {
      addTemplateFormat((Map<?, ?>) each.getValue(), "template " + each.getKey());
    }
    for (Map.Entry<?, ?> each : map(schema, "properties").entrySet()) {
      add(owner, each.getKey().toString(), schema.get("required") instanceof List<?> required
          && required.contains(each.getKey()));
      if (each.getValue() instanceof Map<?, ?> property) {
        addTemplateFormat(property, owner + "/" + each.getKey());
      }
    }
    for (String nested : List.of("items", "additionalProperties")) {
      if (schema.get(nested) instanceof Map<?, ?> elements) {
        addTemplateFormat(elements, owner + "[]");
      }
    }
    for (String branch : List.of("oneOf", "anyOf", "allOf")) {
      if (schema.get(branch) instanceof List<?> branches) {
        branches.forEach(each -> addTemplateFormat((Map<?, ?>) each, owner));
      }
    }
  }

  private void addNames() {
    for (Setting setting : Setting.values()) {
      lines.add("setting " + setting.key());
    }
    for (LogEvent event : LogEvent.values()) {
      lines.add("log " + event.id());
    }
    for (Permission permission : Permission.values()) {
      lines.add("permission " + permission.text());
    }
    Matcher metric = Pattern.compile("(?m)^\\| `(tasker_\\w+)`")
        .matcher(text(Path.of("docs/reference/metrics.md")));
    while (metric.find()) {
      lines.add("metric " + metric.group(1));
    }
  }

  private static Map<?, ?> yaml(Path file) {
    return (Map<?, ?>) new Load(LoadSettings.builder().setCodePointLimit(10_000_000).build())
        .loadFromString(text(file));
  }

  private static Map<?, ?> map(Map<?, ?> parent, String key) {
    return parent.get(key) instanceof Map<?, ?> map ? map : Map.of();
  }

  private static String sha256(String text) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256")
          .digest(text.replace("\r\n", "\n").getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
