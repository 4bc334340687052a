package ee.tasker.platform.config;

import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.config.ConfigProvider;

/** Gives the beans of the product's WAR the settings that were read at its start. */
@Dependent
public class ServerSettings {
  @Produces
  @Singleton
  public Settings settings() {
    return new SettingsReader().read(ConfigProvider.getConfig());
  }
}
