package ee.tasker.cli;

import ee.tasker.cli.convert.CamundaModel;
import ee.tasker.cli.convert.Conversion;
import ee.tasker.cli.convert.CoreTemplate;
import ee.tasker.cli.convert.Finding;
import ee.tasker.cli.convert.SourceFile;
import ee.tasker.cli.convert.UnreadableException;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Turns templates of tasker-core, and BPMN models of Camunda 7, into templates. Speaks to no
 * server.
 */
final class Convert {
  private static final View FINDINGS = View.rows("findings", "LINE=line", "WHAT=kind",
      "WHERE=where", "FINDING=message", "?INSTEAD=instead");

  /** @param source null for the standard input */
  private record Converted(String file, SourceFile source, Conversion conversion) {
  }

  private Convert() {}

  static int run(Invocation in) {
    List<Converted> all = new ArrayList<>();
    int unread = 0;
    for (String named : in.texts("FILE")) {
      if (named.equals("-")) {
        unread += convert(in, all, named, null) ? 0 : 1;
      } else {
        for (SourceFile source : sources(named)) {
          unread += convert(in, all, source.file().toString(), source) ? 0 : 1;
        }
      }
    }
    Map<Path, String> files = files(in, all);
    files.forEach(Convert::write);
    if (in.output().isForPrograms()) {
      JsonArrayBuilder documents = Json.createArrayBuilder();
      all.forEach(each -> documents.add(document(each)));
      in.output().print(Json.createObjectBuilder().add("files", documents).build(), FINDINGS);
    } else {
      for (int i = 0; i < all.size(); i++) {
        tell(in, all.get(i), in.text("--to").isEmpty(), i == 0);
      }
      if (all.size() + unread > 1) {
        in.terminal().err().println(summary(all, unread));
      }
    }
    return unread > 0 ? Exit.INVALID
        : all.stream().anyMatch(each -> each.conversion().isIncomplete()) ? Exit.DIFFERS
            : Exit.DONE;
  }

  private static List<SourceFile> sources(String named) {
    try {
      List<SourceFile> sources = SourceFile.of(Path.of(named));
      if (sources.isEmpty()) {
        throw new UsageException(named + " has no YAML and no BPMN files");
      }
      return sources;
    } catch (IOException | InvalidPathException e) {
      throw new UsageException("Cannot read the folder " + named + ": " + Faults.text(e));
    }
  }

  /** False, and told, if the file cannot be converted. */
  private static boolean convert(Invocation in, List<Converted> all, String file,
      SourceFile source) {
    try {
      String text = source == null ? in.read(file) : source.text();
      if (source != null && !source.isNamed() && !CamundaModel.isXml(text)
          && !CoreTemplate.isTemplate(text)) {
        in.terminal().err().println(file + ": left alone, it is no template");
        return true;
      }
      all.add(new Converted(file, source, convert(in, text)));
      return true;
    } catch (UnreadableException e) {
      in.terminal().err()
          .println("tasker: " + file + " is not converted: " + Text.printable(e.getMessage()));
      return false;
    } catch (IOException e) {
      throw new UsageException("Cannot read the file " + file + ": " + Faults.text(e));
    }
  }

  private static String summary(List<Converted> all, int unread) {
    Map<Finding.Kind, Long> kinds = all.stream()
        .flatMap(each -> each.conversion().findings().stream())
        .collect(Collectors.groupingBy(Finding::kind, TreeMap::new, Collectors.counting()));
    return all.size() + " files converted, " + unread + " not"
        + (kinds.isEmpty() ? "" : "; findings: ") + kinds.entrySet().stream()
            .map(kind -> kind.getValue() + " " + kind.getKey()).collect(Collectors.joining(", "));
  }

  private static Conversion convert(Invocation in, String text) {
    return CamundaModel.isXml(text)
        ? CamundaModel.convert(text,
            in.text("--namespace").orElseThrow(() -> new UsageException(
                "--namespace is required for a BPMN model: it has none")),
            in.text("--version").orElse(null), Text::yaml)
        : CoreTemplate.convert(text, in.flag("--keep-behaviour"));
  }

  /** Which file gets which text; nothing is written before all can be. */
  private static Map<Path, String> files(Invocation in, List<Converted> all) {
    Map<Path, String> files = new HashMap<>();
    if (in.text("--to").isEmpty()) {
      return files;
    }
    try {
      Path folder = Path.of(in.required("--to"));
      for (Converted each : all) {
        for (Conversion.Template template : each.conversion().templates()) {
          Path file = folder.resolve(each.source() == null ? Path.of("") : each.source().place())
              .resolve(fileName(each, template));
          if (files.put(file, text(each.conversion(), template)) != null) {
            throw new UsageException("two templates would be written to " + file);
          }
          if (Files.exists(file) && !in.flag("--force")
              && !Files.readString(file).equals(files.get(file))) {
            throw new UsageException(file + " is there already; --force writes it anew");
          }
        }
      }
    } catch (InvalidPathException | IOException e) {
      throw new UsageException(in.required("--to") + " cannot be used: " + Faults.text(e));
    }
    return files;
  }

  /**
   * A template keeps the name of its file, as templates of several namespaces and versions have one
   * name; a process gives its own.
   */
  private static String fileName(Converted converted, Conversion.Template template) {
    String name = converted.source() == null ? "" : converted.source().file().getFileName()
        .toString();
    return name.matches("(?i).*\\.ya?ml") ? name
        : template.name().replaceAll("[^A-Za-z0-9._-]", "_") + ".yaml";
  }

  private static void write(Path file, String text) {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UsageException(file + " cannot be written: " + Faults.text(e));
    }
  }

  /** With what is left to do, so that it is not forgotten. */
  static String text(Conversion conversion, Conversion.Template template) {
    StringBuilder text = new StringBuilder();
    conversion.findings().stream()
        .filter(finding -> finding.kind().compareTo(Finding.Kind.DIFFERS) >= 0)
        .forEach(finding -> text.append("# ")
            .append(Text.printable(finding.sentence())).append('\n'));
    return text.append(template.text().strip()).append('\n').toString();
  }

  private static JsonObject document(Converted converted) {
    JsonArrayBuilder templates = Json.createArrayBuilder();
    converted.conversion().templates().forEach(template -> templates.add(
        Json.createObjectBuilder().add("name", template.name())
            .add("text", text(converted.conversion(), template))));
    return findings(converted.conversion()).add("file", converted.file())
        .add("templates", templates).build();
  }

  private static JsonObjectBuilder findings(Conversion conversion) {
    JsonArrayBuilder findings = Json.createArrayBuilder();
    conversion.findings().forEach(finding -> findings.add(Json.createObjectBuilder()
        .add("kind", finding.kind().toString()).add("where", finding.where())
        .add("line", finding.line()).add("message", finding.message())
        .add("instead", finding.instead())));
    return Json.createObjectBuilder().add("findings", findings);
  }

  /** The templates on the standard output, unless they are in files; what was found beside it. */
  private static void tell(Invocation in, Converted converted, boolean prints, boolean isFirst) {
    Conversion conversion = converted.conversion();
    if (prints) {
      for (int i = 0; i < conversion.templates().size(); i++) {
        in.terminal().out().print((isFirst && i == 0 ? "" : "---\n")
            + text(conversion, conversion.templates().get(i)));
      }
      in.terminal().out().flush();
    }
    Output besides = new Output(in.terminal().err(), in.terminal().err(), in.output().format(),
        in.output().colours(), 0);
    if (!conversion.findings().isEmpty()) {
      besides.print(findings(conversion).build(), FINDINGS);
    }
    in.terminal().err().println(converted.file() + ": " + conversion.templates().size()
        + (conversion.templates().size() == 1 ? " template" : " templates")
        + (conversion.isIncomplete() ? ", incomplete: see what is missing" : ""));
  }
}
