package ee.tasker.testing.server;

import ee.tasker.run.EmbeddedDatabase;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jboss.shrinkwrap.api.Archive;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.exporter.ZipExporter;
import org.jboss.shrinkwrap.api.importer.ZipImporter;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;

/**
 * Servers with the application of {@code examples/worker}, which has the worker as a library and
 * its own data source, and with the handlers of {@link ee.tasker.testing.handlers} in it.
 */
public final class ShopServer {
  private static final String DESCRIPTOR = "WEB-INF/web.xml";
  /** As in the example's descriptor. */
  private static final String HOST = "<server-name>127.0.0.1<";
  private static final String PORT = "<port-number>54320<";

  private ShopServer() {
  }

  /** Starts one; it is given back before it is ready. */
  public static TestServer starting(EmbeddedDatabase database, Map<String, String> settings) {
    return starting(database, TestServer.freePort(), settings, war(database));
  }

  /** The same with the data source's transactions of that kind. */
  public static TestServer starting(EmbeddedDatabase database, Map<String, String> settings,
      String isolation) {
    return starting(database, TestServer.freePort(), settings, war(database, "isolated", true,
        descriptor -> descriptor.replace("TRANSACTION_READ_COMMITTED", isolation)));
  }

  private static TestServer starting(EmbeddedDatabase database, int port,
      Map<String, String> settings, Path war) {
    Map<String, String> all = new HashMap<>(settings);
    // Its templates are those of the application. That it may be what it is not has no effect.
    all.put("TASKER_TEMPLATES_FOLDER", "");
    all.put("TASKER_ROLES", "api,orchestrator");
    return TestServer.starting(database, port, all, war);
  }

  /** Starts one, and waits until it has registered its handlers. */
  public static TestServer start(EmbeddedDatabase database, Map<String, String> settings) {
    return start(database, TestServer.freePort(), settings, war(database));
  }

  /** The same with a WAR of {@link #war}, on a port on which one may have run before. */
  public static TestServer start(EmbeddedDatabase database, int port,
      Map<String, String> settings, Path war) {
    TestServer shop = awaiting(database, () -> starting(database, port, settings, war));
    TaskerClient.until("the application answers", Duration.ofMinutes(3), () -> answers(shop));
    return shop;
  }

  /** Does what registers a worker, and waits until it has. */
  public static <T> T awaiting(EmbeddedDatabase database, Supplier<T> start) {
    TaskerClient tasker = TestServer.clientOf(database);
    long before = workers(tasker);
    T started = start.get();
    TaskerClient.until("the application's worker has registered", Duration.ofMinutes(3),
        () -> workers(tasker) > before);
    return started;
  }

  private static boolean answers(TestServer shop) {
    try {
      // What it does not know, it says itself.
      return shop.client().get("/shop/orders").status() == 405;
    } catch (UncheckedIOException notYet) {
      return false;
    }
  }

  /** How many workers of applications there have been. */
  public static long workers(TaskerClient tasker) {
    return tasker.count("select count(*) from tasker.servers where roles = '{worker}'");
  }

  private static Path war(EmbeddedDatabase database) {
    return war(database, true);
  }

  /**
   * The application with the address of the database.
   *
   * @param withMore whether the handlers of the tests are in it, beside its own
   */
  public static Path war(EmbeddedDatabase database, boolean withMore) {
    return war(database, withMore ? "shop-and-more" : "shop", withMore, UnaryOperator.identity());
  }

  private static Path war(EmbeddedDatabase database, String name, boolean withMore,
      UnaryOperator<String> change) {
    WebArchive war = shop(database, change);
    if (withMore) {
      war.addPackages(true, "ee.tasker.testing.handlers");
    }
    return exported(war, name + "-" + database.address().port() + ".war");
  }

  /** Another application with the same jar, which has the handlers of the tests only. */
  public static Path otherWar(EmbeddedDatabase database) {
    WebArchive war = shop(database, UnaryOperator.identity());
    for (String own : List.of("/WEB-INF/classes/shop", "/WEB-INF/classes/META-INF/persistence.xml",
        "/WEB-INF/classes/META-INF/tasker-templates")) {
      if (war.delete(own) == null) {
        throw new IllegalStateException("the example has no " + own);
      }
    }
    war.addPackages(true, "ee.tasker.testing.handlers");
    return exported(war, "other-" + database.address().port() + ".war");
  }

  /** The application as the web module of an EAR. */
  public static Path ear(EmbeddedDatabase database) {
    EnterpriseArchive ear = ShrinkWrap.create(EnterpriseArchive.class, "shop.ear")
        .addAsModule(shop(database, UnaryOperator.identity()));
    return exported(ear, "shop-" + database.address().port() + ".ear");
  }

  private static Path exported(Archive<?> archive, String name) {
    Path file = Path.of(TestServer.property("tasker.it.folder"), name);
    archive.as(ZipExporter.class).exportTo(file.toFile(), true);
    return file;
  }

  private static WebArchive shop(EmbeddedDatabase database, UnaryOperator<String> change) {
    WebArchive war = ShrinkWrap.create(ZipImporter.class, "shop.war")
        .importFrom(new File(TestServer.property("tasker.shop.war"))).as(WebArchive.class);
    String descriptor = text(war);
    if (!descriptor.contains(HOST) || !descriptor.contains(PORT)) {
      throw new IllegalStateException("the example's data source has another address");
    }
    war.delete(DESCRIPTOR);
    war.setWebXML(new StringAsset(change.apply(descriptor)
        .replace(HOST, "<server-name>" + database.address().host() + "<")
        .replace(PORT, "<port-number>" + database.address().port() + "<")));
    return war;
  }

  private static String text(WebArchive war) {
    try (InputStream in = war.get(DESCRIPTOR).getAsset().openStream()) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      in.transferTo(bytes);
      return bytes.toString(StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
