package ee.tasker.insight;

import ee.tasker.platform.sql.SchemaMigration;
import ee.tasker.platform.thread.StartSequence;
import ee.tasker.template.TemplateLoader;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Startup;

/**
 * Migrations are applied and templates are loaded; a rejected template is logged and does not block
 * the startup.
 */
@Startup
@ApplicationScoped
public class Started implements HealthCheck {
  @Inject
  private SchemaMigration schema;

  @Inject
  private TemplateLoader templates;

  @Inject
  private StartSequence start;

  @Override
  public HealthCheckResponse call() {
    if (start.isUnderWay()) {
      return HealthCheckResponse.named("started").down().build();
    }
    return HealthCheckResponse.named("started")
        .status(schema.version() != null && templates.isLoaded())
        .withData("schema", String.valueOf(schema.version()))
        .withData("templates_found", templates.foundCount())
        .withData("templates_refused", templates.refusedCount())
        .build();
  }
}
