package ee.tasker.platform.sql;

import ee.tasker.platform.config.Settings;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import javax.sql.DataSource;

/** The application's data source that leads to the database of Tasker EE. */
@ApplicationScoped
class ApplicationDataSource {
  @Inject
  private Settings settings;

  private DataSource dataSource;

  @PostConstruct
  void find() {
    dataSource = FirstConnection.dataSource(settings.worker().dataSource());
  }

  DataSource get() {
    return dataSource;
  }
}
