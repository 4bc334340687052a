package ee.tasker.template;

import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.thread.StartSequence;
import jakarta.annotation.PostConstruct;
import jakarta.ejb.DependsOn;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Registers the templates of the class path and of the configured folder when the server starts. A
 * rejected template is
 * logged with all its problems; the others are registered.
 */
@Singleton(name = "TaskerTemplates")
@Startup
@DependsOn("TaskerSchema")
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class TemplateLoader {
  private static final Log LOG = Log.of(TemplateLoader.class);

  @Inject
  private Templates templates;

  @Inject
  private Settings settings;

  @Inject
  private StartSequence start;

  private volatile boolean loaded;
  private volatile int found;
  private volatile int refused;

  @PostConstruct
  void start() {
    start.then(this::load);
  }

  private void load() {
    List<TemplateFile> files = new ArrayList<>(
        TemplateFiles.onClassPath(Thread.currentThread().getContextClassLoader()));
    settings.templatesFolder().map(TemplateFiles::inFolder).ifPresent(files::addAll);
    found = files.size();
    refused = 0;
    files.forEach(this::register);
    loaded = true;
  }

  public boolean isLoaded() {
    return loaded;
  }

  /** All files found, valid or not. */
  public int foundCount() {
    return found;
  }

  /** Files that were rejected; the log says why. */
  public int refusedCount() {
    return refused;
  }

  private void register(TemplateFile file) {
    Registration registration = templates.register(file.text());
    if (registration instanceof Registration.Invalid invalid) {
      refused++;
      LOG.write(LogEvent.TEMPLATE_REFUSED, "file", file.source(),
          "problems", invalid.problems().stream().map(TemplateProblem::toString)
              .collect(Collectors.joining("; ")));
    } else if (registration instanceof Registration.Conflict conflict) {
      refused++;
      LOG.write(LogEvent.TEMPLATE_REFUSED, "file", file.source(), "template", conflict.key(),
          "problems", "registered with other content already; a change needs a new version");
    } else if (registration instanceof Registration.NamespaceTaken taken) {
      refused++;
      LOG.write(LogEvent.TEMPLATE_REFUSED, "file", file.source(), "problems", taken.message());
    }
  }
}
