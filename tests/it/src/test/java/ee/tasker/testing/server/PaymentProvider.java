package ee.tasker.testing.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import jakarta.json.Json;
import jakarta.json.JsonReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A provider of payments as there are many: it answers a key that it has seen with its first
 * receipt, refuses such a key with another order, and counts the charges of each order. It also
 * sends mails, without keys. It is in the process of the test, and lives when servers do not.
 * Thread-safe.
 */
public final class PaymentProvider implements AutoCloseable {
  private static final Duration HELD_FOR = Duration.ofSeconds(15);

  private record Charge(String order, String receipt) {
  }

  private final HttpServer http;
  private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
    Thread thread = new Thread(task, "payment-provider");
    thread.setDaemon(true);
    return thread;
  });
  private final Map<String, Charge> known = new HashMap<>();
  private final Map<String, Integer> charges = new HashMap<>();
  private final Map<String, Integer> mails = new HashMap<>();
  private Predicate<Boolean> loses = isNew -> isNew && known.size() % 3 == 0;
  private int requests;
  private int underWay;
  private boolean losesAnswers;
  private CountDownLatch released = new CountDownLatch(0);

  public PaymentProvider() {
    try {
      http = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    http.createContext("/charges", exchange -> answer(exchange, this::charge));
    http.createContext("/mails", exchange -> answer(exchange, this::mail));
    http.setExecutor(threads);
    http.start();
  }

  private void answer(HttpExchange exchange, Function<HttpExchange, String> deed)
      throws IOException {
    try (exchange) {
      String text = deed.apply(exchange);
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(text.isEmpty() ? 503 : 200,
          bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  private static String order(HttpExchange exchange) {
    try (InputStream body = exchange.getRequestBody();
        JsonReader reader = Json.createReader(body)) {
      return reader.readObject().getString("order");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** @return empty if the answer is lost: the charge is made; or if it is refused */
  private String charge(HttpExchange exchange) {
    String order = order(exchange);
    String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
    Charge charge;
    boolean isLost;
    CountDownLatch gate;
    synchronized (this) {
      requests++;
      boolean isNew = !known.containsKey(key);
      charge = known.computeIfAbsent(key, unseen -> {
        charges.merge(order, 1, Integer::sum);
        return new Charge(order, "receipt-" + (known.size() + 1));
      });
      isLost = losesAnswers || loses.test(isNew) || !charge.order().equals(order);
      gate = released;
      underWay++;
    }
    try {
      gate.await(HELD_FOR.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      synchronized (this) {
        underWay--;
      }
    }
    return isLost ? "" : charge.receipt();
  }

  private String mail(HttpExchange exchange) {
    String order = order(exchange);
    synchronized (this) {
      mails.merge(order, 1, Integer::sum);
    }
    return "sent";
  }

  /** For the property {@code shop.provider}. */
  public String address() {
    return "http://127.0.0.1:" + http.getAddress().getPort();
  }

  /** From now on it charges and does not answer, until it is let go on. */
  public synchronized void hold() {
    released = new CountDownLatch(1);
  }

  public synchronized void goOn() {
    released.countDown();
  }

  /** Whether each answer is lost from now on, and not only the first one of every third charge. */
  public synchronized void loseAnswers(boolean all) {
    losesAnswers = all;
  }

  /** From now on answers are lost by chance, also those to requests that are repeated. */
  public synchronized void loseAnswers(Random chance, double share) {
    loses = isNew -> chance.nextDouble() < share;
  }

  /** How many have been charged, and wait for their answer. */
  public synchronized int underWay() {
    return underWay;
  }

  /** How often it was asked to charge. */
  public synchronized int requests() {
    return requests;
  }

  /** How many charges were made. */
  public synchronized int charges() {
    return known.size();
  }

  /** Orders by the number of their charges. */
  public synchronized Map<Integer, Long> charges(Collection<String> orders) {
    return counted(charges, orders);
  }

  /** Orders by the number of their mails. */
  public synchronized Map<Integer, Long> mails(Collection<String> orders) {
    return counted(mails, orders);
  }

  private static Map<Integer, Long> counted(Map<String, Integer> counts,
      Collection<String> orders) {
    return orders.stream().collect(
        Collectors.groupingBy(order -> counts.getOrDefault(order, 0), Collectors.counting()));
  }

  @Override
  public void close() {
    goOn();
    http.stop(0);
    threads.shutdownNow();
  }
}
