package shop;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.eclipse.microprofile.config.ConfigProvider;

/** The provider of payments, and the mail system: two systems that take part in no transaction. */
@ApplicationScoped
public class Payments {
  private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
      .connectTimeout(Duration.ofSeconds(5)).build();
  private final String address = ConfigProvider.getConfig().getValue("shop.provider", String.class);

  /** What others call an order: its number is another one if it is placed again after a restore of the database. */
  static String nameOf(JsonObject order) {
    return order.getString("reference", order.getJsonNumber("order_id").toString());
  }

  /** Answers a key that it has seen with its first receipt. */
  public String charge(String key, String order) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(URI.create(address + "/charges")).header("Idempotency-Key", key), order);
  }

  /** Sends another mail each time. */
  public void mail(String order) throws IOException, InterruptedException {
    send(HttpRequest.newBuilder(URI.create(address + "/mails")), order);
  }

  private String send(HttpRequest.Builder request, String order) throws IOException, InterruptedException {
    HttpResponse<String> answer = http.send(request.timeout(Duration.ofSeconds(20))
        .POST(BodyPublishers.ofString(Json.createObjectBuilder().add("order", order).build().toString())).build(), BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IOException("the answer was " + answer.statusCode());
    }
    return answer.body();
  }
}
