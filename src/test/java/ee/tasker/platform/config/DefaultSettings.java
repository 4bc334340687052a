package ee.tasker.platform.config;

import java.util.Map;

/** The settings of a server that nothing is configured for. */
public final class DefaultSettings {
  private DefaultSettings() {
  }

  public static Settings read() {
    return new SettingsReader().read(new SettingsReaderTest.MapConfig(Map.of()));
  }
}
