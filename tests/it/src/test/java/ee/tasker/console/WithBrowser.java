package ee.tasker.console;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.TaskerClient;
import jakarta.json.Json;
import jakarta.json.JsonNumber;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;

/**
 * A class of tests with a server and a browser of its own, and what its tests ask the page. It opens
 * them itself, with {@link #open}, or is a {@link WithConsole}.
 */
abstract class WithBrowser {
  static final Browser.Look NARROW_DARK = new Browser.Look(360, 800, true);

  static Console console;
  static Browser browser;
  static TaskerClient admin;

  static void open(Console opened) {
    if (console != null) {
      opened.close();
      throw new IllegalStateException("a console is open already");
    }
    console = opened;
    browser = console.browser;
    admin = console.admin;
  }

  @AfterAll
  static void stop() {
    if (console != null) {
      console.close();
      console = null;
    }
  }

  static void until(String what, BooleanSupplier is) {
    TaskerClient.until(what, Duration.ofSeconds(30), is);
  }

  // ---- The page

  static boolean isTrue(String expression, String... arguments) {
    return JsonValue.TRUE.equals(browser.run("return !!(" + expression + ")", arguments));
  }

  static int number(String expression, String... arguments) {
    return ((JsonNumber) browser.run("return " + expression, arguments)).intValue();
  }

  static String text(String expression, String... arguments) {
    return ((JsonString) browser.run("return String(" + expression + ")", arguments)).getString();
  }

  static boolean isOffered(String label) {
    return isTrue(
        "[...document.querySelectorAll('main button')].some((b) => b.innerText === arguments[0])",
        label);
  }

  static void choose(String css, String value) {
    browser.await("document.querySelector(arguments[0])", css);
    browser.run(
        "const s = document.querySelector(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('change', {bubbles: true}))",
        css, value);
  }

  /** Presses a button, gives the reason in its dialog, and confirms. */
  static void press(String action, String reason) {
    browser.press(action);
    console.giveReason(reason);
    console.confirm();
  }

  static void offline(boolean isOffline) {
    browser.command("Network.enable", Json.createObjectBuilder());
    browser.command("Network.emulateNetworkConditions",
        Json.createObjectBuilder().add("offline", isOffline).add("latency", 0)
            .add("downloadThroughput", -1).add("uploadThroughput", -1));
  }

  /** Notes how long the page was busy at a stretch, from now on. */
  static void watchLongTasks() {
    browser.run(
        "window.longest = 0; new PerformanceObserver((list) => list.getEntries().forEach((e) => { window.longest = "
            + "Math.max(window.longest, e.duration); })).observe({type: 'longtask', buffered: false})");
  }

  /** The page as it is, wide and light, then narrow and dark. */
  static void assertUsable(String page) {
    for (Browser.Look look : List.of(Console.WIDE, NARROW_DARK)) {
      browser.show(look);
      assertThat(console.violations()).as("%s, %s", page, look).isEmpty();
      assertThat(isTrue("document.documentElement.scrollWidth <= innerWidth"))
          .as("%s fits into %s", page, look).isTrue();
    }
    browser.show(Console.WIDE);
  }

  // ---- The server

  static void register(String name, String template) {
    var answer = admin.postTemplate("name: " + name
        + "\nnamespace_name: testing\nversion: 1.0.0\nidentity_strategy: always_unique\n"
        + template);
    assertThat(answer.status()).as(answer.body()).isIn(200, 201);
  }

  static UUID task(String name, String template, String context) {
    register(name, template);
    return admin.submit("testing", name, context);
  }
}
