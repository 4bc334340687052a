package ee.tasker.testing;

import java.io.File;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.importer.ZipImporter;
import org.jboss.shrinkwrap.api.spec.WebArchive;

/**
 * What the integration tests deploy: the WAR this build made, with the samples' jar laid over it,
 * as the run command
 * has it. One place, so that no test lists classes of the product.
 */
public final class Deployments {

  private Deployments() {}

  /**
   * For tests that stay outside and speak HTTP ({@code @RunAsClient}, or {@code testable = false}).
   */
  public static WebArchive war() {
    return war(new File(property("tasker.war")));
  }

  /** The same of another build. */
  public static WebArchive war(File file) {
    return ShrinkWrap.create(ZipImporter.class, "tasker-ee.war").importFrom(file)
        .as(WebArchive.class);
  }

  /** For tests that run inside: the package of the test class goes along, with its sub-packages. */
  public static WebArchive warWith(Class<?> test) {
    return war().addPackages(true, test.getPackage());
  }

  private static String property(String name) {
    var value = System.getProperty(name);
    if (value == null)
      throw new IllegalStateException(
          "Integration tests are run by the build (./mvnw verify): it sets " + name
              + " and prepares the server.");
    return value;
  }
}
