package ee.tasker.rest.http;

import ee.tasker.platform.Problem;
import ee.tasker.request.IdempotentResponse;
import ee.tasker.request.KeyedRequest;
import ee.tasker.request.KeyedRequests;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;

/** The {@code Idempotency-Key} of the current request, if any, and the hash of the request. */
@RequestScoped
public class RequestKeys {
  /** The header that has the key. */
  public static final String HEADER = "Idempotency-Key";
  /** The header of a replayed response, and the attribute of its request. */
  public static final String REPLAYED = "Idempotent-Replayed";
  /** Printable ASCII without the quotes that the header's standard form has around it. */
  private static final Pattern KEY = Pattern
      .compile("[!#-\\[\\]-~]([ !#-\\[\\]-~]*[!#-\\[\\]-~])?");

  @Inject
  private HttpServletRequest request;

  @Inject
  private Access access;

  @Inject
  private KeyedRequests requests;

  @Inject
  private RequestBodies bodies;

  private Problem refusal;

  /** Refuses the request, unless its key is that of another one, which is said first. */
  public void refuse(Problem why) {
    refusal = why;
  }

  /** Whether the request has an {@code Idempotency-Key}. */
  public boolean isKeyed() {
    return request.getHeader(HEADER) != null;
  }

  String read(InputStream body) {
    return bodies.longText(body);
  }

  /**
   * @throws Problem 400 invalid-request for an invalid key, and those of {@link KeyedRequests#once}
   */
  public IdempotentResponse answerOnce(String body, Callable<IdempotentResponse> effect) {
    try {
      IdempotentResponse answer = requests.once(new KeyedRequest(principal(), key(), hash(body)),
          () -> {
            if (refusal != null) {
              throw refusal;
            }
            return effect.call();
          });
      if (answer.isReplay()) {
        request.setAttribute(REPLAYED, true);
      }
      return answer;
    } catch (RuntimeException fault) {
      throw fault;
    } catch (Exception fault) {
      throw new IllegalStateException(fault);
    }
  }

  private String principal() {
    // Not the caller's name: two API keys may share a name, and neither may see the other's
    // responses.
    String name = access.caller().principal();
    // A longer one is replaced by its hash.
    return name.length() <= KeyedRequest.LONGEST_KEY ? name : sha256(name);
  }

  private String key() {
    String key = request.getHeader(HEADER).strip();
    if (key.length() >= 2 && key.startsWith("\"") && key.endsWith("\"")) {
      key = key.substring(1, key.length() - 1);
    }
    if (key.length() > KeyedRequest.LONGEST_KEY || !KEY.matcher(key).matches()) {
      throw Problem.invalid(HEADER, "must be 1 to " + KeyedRequest.LONGEST_KEY
          + " printable ASCII characters, in quotes or without");
    }
    return key;
  }

  /**
   * Of everything that identifies the request: method, path, query in any order, and body, in
   * canonical form if it is JSON.
   */
  private String hash(String body) {
    String query = request.getQueryString() == null ? "" : request.getQueryString();
    String[] parameters = query.split("&");
    Arrays.sort(parameters);
    return sha256(String.join("\n", request.getMethod(), request.getRequestURI(),
        String.join("&", parameters), bodies.canonical(body)));
  }

  private static String sha256(String text) {
    try {
      return HexFormat.of().formatHex(
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
