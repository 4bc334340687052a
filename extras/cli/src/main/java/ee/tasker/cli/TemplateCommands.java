package ee.tasker.cli;

import ee.tasker.client.Call;
import ee.tasker.client.Operation;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Templates: from files, and registered ones by reference. */
final class TemplateCommands {
  private static final View PROBLEMS = View.rows("problems", "LINE=line", "COLUMN=column",
      "AT=path", "PROBLEM=message");

  private TemplateCommands() {}

  static Arg reference(String label) {
    return Arg
        .local("template", label, "NAMESPACE/NAME:VERSION, or without the version for the latest.")
        .positional().covers("namespace",
            "name", "version");
  }

  /** @param version null for the latest */
  record Reference(String namespace, String name, String version) {
    private static final Pattern FORM = Pattern.compile("([^/:]+)/([^/:]+)(?::([^/:]+))?");

    static Reference of(String text) {
      Matcher form = FORM.matcher(text);
      if (!form.matches()) {
        throw new UsageException(
            "A template is NAMESPACE/NAME or NAMESPACE/NAME:VERSION, not \"" + text + "\"");
      }
      return new Reference(form.group(1), form.group(2), form.group(3));
    }
  }

  /**
   * The registered template; without a version the one that a submission would take: the highest
   * release, else the highest prerelease.
   */
  static JsonObject registered(Invocation in, Reference reference) {
    String version = reference.version();
    if (version == null) {
      version = in.client()
          .send(Call.of(Operation.LIST_TEMPLATES).query("namespace", reference.namespace())).json()
          .getJsonArray("templates")
          .getValuesAs(JsonObject.class).stream()
          .filter(each -> each.getString("name").equals(reference.name()))
          .map(each -> each.getString("version"))
          .max(Comparator.comparing((String each) -> !each.contains("-"))
              .thenComparing(TemplateCommands::compareVersions))
          .orElseThrow(() -> new NotFoundException(
              "There is no template " + reference.namespace() + "/" + reference.name()));
    }
    return in.client().send(
        Call.of(Operation.GET_TEMPLATE).path("namespace", reference.namespace())
            .path("name", reference.name()).path("version", version))
        .json();
  }

  /** Semantic versions of the same kind: numbers as numbers, and before texts. */
  static int compareVersions(String one, String other) {
    String[] left = one.split("[.-]");
    String[] right = other.split("[.-]");
    for (int i = 0; i < Math.min(left.length, right.length); i++) {
      boolean numbers = left[i].matches("\\d{1,18}") && right[i].matches("\\d{1,18}");
      int compared = numbers ? Long.compare(Long.parseLong(left[i]), Long.parseLong(right[i]))
          : left[i].matches("\\d+") ? -1
              : right[i].matches("\\d+") ? 1 : left[i].compareTo(right[i]);
      if (compared != 0) {
        return compared;
      }
    }
    return Integer.compare(left.length, right.length);
  }

  static int get(Invocation in) {
    JsonObject template = registered(in, Reference.of(in.required("TEMPLATE")));
    if (in.flag("--source")) {
      in.terminal().out().print(source(template));
      in.terminal().out().flush();
    } else {
      in.print(template);
    }
    return Exit.DONE;
  }

  private static String source(JsonObject template) {
    return template.get("source") instanceof JsonString source ? source.getString()
        : Text.yaml(template.get("configuration")) + "\n";
  }

  static int validate(Invocation in) {
    return in.texts("FILE").stream().mapToInt(file -> validated(in, file)).max().orElse(Exit.DONE);
  }

  private static int validated(Invocation in, String file) {
    JsonObject verdict = verdict(in, in.read(file));
    print(in, file, verdict);
    return verdict.getBoolean("valid") ? Exit.DONE : Exit.INVALID;
  }

  private static void print(Invocation in, String file, JsonObject verdict) {
    if (in.output().isForPrograms()) {
      in.output().print(verdict, PROBLEMS);
    } else if (verdict.getBoolean("valid")) {
      in.output().say(file + ": " + in.output().colours().green("valid"));
    } else {
      in.output().say(file + ": " + in.output().colours().red("invalid"));
      in.output().print(verdict, PROBLEMS);
    }
  }

  private static JsonObject verdict(Invocation in, String text) {
    return in.client().send(Call.of(Operation.VALIDATE_TEMPLATE).body("application/yaml", text))
        .json();
  }

  static int register(Invocation in) {
    if (in.flag("--dry-run")) {
      return validate(in);
    }
    JsonArrayBuilder all = Json.createArrayBuilder();
    List<String> files = in.texts("FILE");
    int sent = 0;
    for (String file : files) {
      Call call = Call.of(Operation.REGISTER_TEMPLATE).body("application/yaml", in.read(file));
      in.useKey(call, files.size() == 1 ? "" : "-" + sent++);
      JsonObject answer = in.client().send(call).json();
      all.add(answer);
      in.output()
          .say(answer.getString("namespace") + "/" + answer.getString("name") + ":"
              + answer.getString("version")
              + (answer.getBoolean("registered") ? " " + in.output().colours().green("registered")
                  : " was registered before"));
      answer.getJsonArray("warnings").getValuesAs(JsonString.class)
          .forEach(warning -> in.terminal().err()
              .println("Warning: " + Text.printable(warning.getString())));
    }
    if (in.output().isForPrograms()) {
      in.output().print(Json.createObjectBuilder().add("templates", all).build(), View.details());
    }
    return Exit.DONE;
  }

  static int diff(Invocation in) {
    String[] names = {in.required("OLD"), in.required("NEW")};
    boolean source = in.flag("--source");
    for (String name : names) {
      // A template that is not valid has no normal form; nor has a file whose version is registered
      // with other content.
      if (!source && isFile(name)) {
        JsonObject verdict = verdict(in, in.read(name));
        if (!verdict.getBoolean("valid")) {
          source = true;
          in.terminal().err()
              .println("Comparing the original texts, since " + name + " is refused: "
                  + Text.cell(Text.at(verdict.getJsonArray("problems").get(0), "message")));
        }
      }
    }
    boolean texts = source;
    List<List<String>> compared = Arrays.stream(names)
        .map(name -> text(in, name, texts).lines().toList()).toList();
    List<String> lines = Diff.unified(names[0], names[1], compared.get(0), compared.get(1));
    for (String line : lines) {
      String shown = Text.printable(line);
      Colours colours = in.output().colours();
      in.terminal().out().println(line.startsWith("+") ? colours.green(shown)
          : line.startsWith("-") ? colours.red(shown) : shown);
    }
    in.terminal().out().flush();
    return lines.isEmpty() ? Exit.DONE : Exit.DIFFERS;
  }

  /** A file, if there is one of the name; else a registered template. */
  private static String text(Invocation in, String name, boolean source) {
    if (isFile(name)) {
      String text = in.read(name);
      return source ? text : Text.yaml(Text.sorted(verdict(in, text).get("template")));
    }
    JsonObject template = registered(in, Reference.of(name));
    return source ? source(template) : Text.yaml(Text.sorted(template.get("configuration")));
  }

  /**
   * The template in its normal form: of a file, if there is one of the name, else a registered one.
   * Empty, and told, if it is invalid.
   */
  static Optional<JsonValue> normalForm(Invocation in, String name) {
    if (!isFile(name) && !name.equals("-")) {
      return Optional.of(registered(in, Reference.of(name)).get("configuration"));
    }
    JsonObject verdict = verdict(in, in.read(name));
    // A version that is registered with other content is no reason not to draw it.
    if (verdict.get("template") instanceof JsonObject template) {
      return Optional.of(template);
    }
    print(in, name, verdict);
    return Optional.empty();
  }

  private static boolean isFile(String name) {
    try {
      return Files.isRegularFile(Path.of(name));
    } catch (InvalidPathException e) {
      return false;
    }
  }
}
