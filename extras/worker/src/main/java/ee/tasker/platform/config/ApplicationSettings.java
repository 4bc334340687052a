package ee.tasker.platform.config;

import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.util.Set;
import org.eclipse.microprofile.config.ConfigProvider;

/**
 * The settings of a worker in an application: those of a server, whose only role is {@code worker}
 * whatever the environment says of the product's WAR beside it.
 */
@Dependent
public class ApplicationSettings {
  @Produces
  @Singleton
  public Settings settings() {
    return new SettingsReader().read(ConfigProvider.getConfig()).withRoles(Set.of(Role.WORKER));
  }
}
