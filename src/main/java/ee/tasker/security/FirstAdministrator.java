package ee.tasker.security;

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

/** Creates the first user of a database without users, if the configuration names one. */
@Singleton
@Startup
@DependsOn("TaskerSchema")
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class FirstAdministrator {
  private static final Log LOG = Log.of(FirstAdministrator.class);

  @Inject
  private Settings settings;

  @Inject
  private Accounts accounts;

  @Inject
  private StartSequence start;

  @PostConstruct
  void start() {
    start.then(this::make);
  }

  private void make() {
    settings.security().admin().ifPresent(admin -> {
      String hash = PasswordHashes.isHash(admin.secret()) ? admin.secret()
          : PasswordHashes.hash(admin.secret());
      if (accounts.createFirstAdministrator(admin.name(), hash)) {
        LOG.write(LogEvent.FIRST_ADMINISTRATOR, "user", admin.name());
      }
    });
  }
}
