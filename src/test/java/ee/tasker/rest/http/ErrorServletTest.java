package ee.tasker.rest.http;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What an application server's error becomes; what each server makes errors of is {@code
 * RawRequestsIT}'s.
 */
class ErrorServletTest {
  private record Told(int status, String type, String body) {
  }

  /** @param status what the server says, null when the servlet is asked for by its own path */
  private static Told answer(Integer status, String path, String accept) throws IOException {
    Map<String, Object> attributes = new TreeMap<>();
    if (status != null) {
      attributes.put(RequestDispatcher.ERROR_STATUS_CODE, status);
      attributes.put(RequestDispatcher.ERROR_REQUEST_URI, path);
      attributes.put(RequestDispatcher.ERROR_EXCEPTION,
          new IllegalArgumentException("com.example.Secret"));
    }
    HttpServletRequest request = of(HttpServletRequest.class,
        (method, arguments) -> switch (method) {
          case "getAttribute" -> attributes.get(arguments[0].toString());
          case "getRequestURI" -> path;
          case "getContextPath" -> "";
          case "getContentLengthLong" -> -1L;
          case "getHeader" -> arguments[0].equals("Accept") ? accept : null;
          default -> throw new UnsupportedOperationException(method);
        });
    StringWriter body = new StringWriter();
    Map<String, Object> told = new TreeMap<>();
    HttpServletResponse response = of(HttpServletResponse.class, (method, arguments) -> {
      if (method.equals("getWriter")) {
        return new PrintWriter(body);
      }
      told.put(method, arguments[0]);
      return null;
    });
    new ErrorServlet().service(request, response);
    return new Told((Integer) told.get("setStatus"), told.get("setContentType").toString(),
        body.toString());
  }

  private interface Answers {
    Object to(String method, Object[] arguments);
  }

  private static <T> T of(Class<T> type, Answers answers) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{type},
        (proxy, method, arguments) -> answers.to(method.getName(), arguments)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/..%5c..%5cetc/passwd", "/%5Cx", "/a\\b", "/%00", "/a%0d%0ab", "/%1fx", "/%7f",
        "/%zz", "/%", "/a%4", "/v1/tasks/%5c"})
  void what_a_server_stumbles_over_in_the_path_is_the_request_s_fault(String path)
      throws IOException {
    assertThat(answer(500, path, "application/json").status()).isEqualTo(400);
    assertThat(answer(404, path, "application/json").status()).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/nothing", "/v1/tasks", "/a%2fb", "/%c3%a9", "/%20", "/~a;b=c", "/%80"})
  void fault_on_an_ordinary_path_stays_one_and_names_no_class(String path) throws IOException {
    Told told = answer(500, path, "application/json");

    assertThat(told.status()).isEqualTo(500);
    assertThat(told.body()).contains("internal-error", "log id").doesNotContain("Secret",
        "Exception");
  }

  @Test
  void browser_has_a_page_and_a_program_a_problem() throws IOException {
    assertThat(answer(403, "/index.jsp", "text/html").type()).isEqualTo("text/html");
    assertThat(answer(403, "/index.jsp", "application/json").type())
        .isEqualTo("application/problem+json");
    assertThat(answer(404, "/v1/nothing", "text/html").type())
        .isEqualTo("application/problem+json");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/assets", "/assets/error"})
  void its_own_paths_lead_to_nothing(String path) throws IOException {
    assertThat(answer(null, path, "text/html").status()).isEqualTo(404);
  }
}
