package ee.tasker.run;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles handlers with the compiler of this JDK. */
final class SourceCompiler {

  private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
  private final List<Path> classPath;

  /**
   * @param libraries the classes and jars of the application; what its server provides is that of
   * this process
   */
  SourceCompiler(List<Path> libraries) {
    if (compiler == null)
      throw new RunProblem("./mvnw -Pdev needs a JDK: this Java has no compiler.");
    classPath = new ArrayList<>(libraries);
    classPath.addAll(ours());
  }

  /** Jars alone: a folder has classes of an earlier build. */
  private static List<Path> ours() {
    var loader = SourceCompiler.class.getClassLoader();
    if (loader instanceof URLClassLoader urls) {
      var jars = new ArrayList<Path>();
      for (var url : urls.getURLs()) {
        try {
          var path = Path.of(url.toURI());
          if (Files.isRegularFile(path))
            jars.add(path);
        } catch (URISyntaxException e) {
          // not a file
        }
      }
      return jars;
    }
    return List.of(System.getProperty("java.class.path").split(File.pathSeparator)).stream()
        .map(Path::of).filter(Files::isRegularFile)
        .toList();
  }

  /**
   * @param  shown how a message names a file
   * @return       the compiler's errors, as a terminal shows them; none if the folder has the
   *   classes
   */
  List<String> compile(List<Path> sources, Path folder, Function<Path, String> shown)
      throws IOException {
    Files.createDirectories(folder);
    if (sources.isEmpty())
      return List.of();
    var diagnostics = new DiagnosticCollector<JavaFileObject>();
    try (var files = compiler.getStandardFileManager(diagnostics, Locale.ENGLISH,
        StandardCharsets.UTF_8)) {
      var options = List.of("-d", folder.toString(), "-parameters", "-g", "-proc:none", "--release",
          "17", "-cp",
          classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
      boolean compiled = compiler.getTask(null, files, diagnostics, options, null,
          files.getJavaFileObjectsFromPaths(sources)).call();
      if (compiled)
        return List.of();
    }
    var errors = new ArrayList<String>();
    for (var diagnostic : diagnostics.getDiagnostics()) {
      if (diagnostic.getKind() == Diagnostic.Kind.ERROR)
        errors.add(readable(diagnostic, shown));
    }
    return errors.isEmpty() ? List.of("The compiler failed and did not say why.") : errors;
  }

  /** {@code file:line:column: error: message}, the line, and a mark below the column. */
  private static String readable(Diagnostic<? extends JavaFileObject> diagnostic,
      Function<Path, String> shown) throws IOException {
    var message = diagnostic.getMessage(Locale.ENGLISH).strip();
    if (diagnostic.getSource() == null)
      return "error: " + message;
    var file = Path.of(diagnostic.getSource().toUri());
    var text = new StringBuilder();
    text.append(shown.apply(file)).append(":").append(diagnostic.getLineNumber()).append(":")
        .append(diagnostic.getColumnNumber())
        .append(": error: ").append(message.replace("\n", "\n    "));
    if (diagnostic.getLineNumber() > 0) {
      Files.readString(file).lines().skip(diagnostic.getLineNumber() - 1).findFirst()
          .ifPresent(line -> {
            int column = (int) Math.min(Math.max(diagnostic.getColumnNumber() - 1, 0),
                line.length());
            text.append("\n    ").append(line.replace("\t", " ")).append("\n    ")
                .append(" ".repeat(column)).append("^");
          });
    }
    return text.toString();
  }

  /**
   * Each source without the bodies of its methods. If these are equal, running classes differ in
   * nothing but code that runs when
   * it is called: what a constructor, an initializer, or a method with an annotation such as {@code
   * @PostConstruct} does has
   * happened already, so their bodies stay.
   */
  Map<Path, String> skeletons(List<Path> sources) throws IOException {
    var skeletons = new TreeMap<Path, String>();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, Locale.ENGLISH,
        StandardCharsets.UTF_8)) {
      var task = (JavacTask) compiler.getTask(null, files, diagnostic -> {}, List.of("-proc:none"),
          null,
          files.getJavaFileObjectsFromPaths(sources));
      for (CompilationUnitTree unit : task.parse())
        skeletons.put(Path.of(unit.getSourceFile().toUri()), skeleton(unit, Trees.instance(task)));
    }
    return skeletons;
  }

  private static String skeleton(CompilationUnitTree unit, Trees trees) throws IOException {
    var text = unit.getSourceFile().getCharContent(true).toString();
    var kept = new StringBuilder();
    var positions = trees.getSourcePositions();
    var from = new int[1];
    new TreeScanner<Void, Void>() {
      @Override
      public Void visitMethod(MethodTree method, Void nothing) {
        boolean runsWhenCalled = method.getReturnType() != null && method.getBody() != null
            && method.getModifiers().getAnnotations().stream().allMatch(SourceCompiler::isOverride);
        if (!runsWhenCalled)
          return super.visitMethod(method, nothing);
        kept.append(text, from[0], (int) positions.getStartPosition(unit, method.getBody()));
        from[0] = (int) positions.getEndPosition(unit, method.getBody());
        return nothing;
      }
    }.scan(unit, null);
    return kept.append(text.substring(from[0])).toString();
  }

  private static boolean isOverride(AnnotationTree annotation) {
    return annotation.getAnnotationType().toString().equals("Override");
  }
}
