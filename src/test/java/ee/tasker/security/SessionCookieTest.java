package ee.tasker.security;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class SessionCookieTest {
  private static final String TOKEN = "tks_" + "a".repeat(43);
  private static final String OTHER = "tks_" + "b".repeat(43);

  private static HttpServletRequest request(String method, Map<String, String> headers,
      String... tokens) {
    String cookies = "theme=dark"
        + Arrays.stream(tokens).map(token -> "; " + SessionCookie.NAME + "=" + token)
            .collect(Collectors.joining());
    return (HttpServletRequest) Proxy.newProxyInstance(SessionCookieTest.class.getClassLoader(),
        new Class<?>[]{HttpServletRequest.class},
        (proxy, call, arguments) -> switch (call.getName()) {
          case "getMethod" -> method;
          case "getHeader" -> headers.get(arguments[0]);
          case "getHeaders" -> Collections
              .enumeration(tokens.length == 0 ? List.of() : List.of("theme=dark", cookies));
          case "getContextPath" -> "/orders";
          default -> throw new UnsupportedOperationException(call.getName());
        });
  }

  @Test
  void a_page_of_the_application_has_its_cookie() {
    assertThat(SessionCookie.tokens(request("GET", Map.of("Sec-Fetch-Site", "same-origin"), TOKEN)))
        .containsExactly(TOKEN);
    assertThat(SessionCookie.tokens(request("GET", Map.of("Sec-Fetch-Site", "none"), TOKEN)))
        .containsExactly(TOKEN);
    assertThat(SessionCookie.tokens(request("GET", Map.of(), TOKEN, OTHER)))
        .as("of an older browser").containsExactly(TOKEN, OTHER);
    assertThat(SessionCookie.tokens(request("POST",
        Map.of("Sec-Fetch-Site", "same-origin", "X-Requested-By", "console"), TOKEN)))
        .containsExactly(TOKEN);
    assertThat(SessionCookie.tokens(request("GET", Map.of()))).isEmpty();
  }

  @Test
  void a_page_of_another_site_has_none() {
    for (String site : new String[]{"cross-site", "same-site"}) {
      assertThat(SessionCookie.tokens(request("GET", Map.of("Sec-Fetch-Site", site), TOKEN)))
          .as(site).isEmpty();
      assertThat(SessionCookie
          .tokens(request("POST", Map.of("Sec-Fetch-Site", site, "X-Requested-By", "x"), TOKEN)))
          .as(site).isEmpty();
    }
  }

  @Test
  void a_change_without_the_header_that_forms_cannot_send_has_none() {
    for (String method : new String[]{"POST", "PUT", "PATCH", "DELETE"}) {
      assertThat(
          SessionCookie.tokens(request(method, Map.of("Sec-Fetch-Site", "same-origin"), TOKEN)))
          .as(method).isEmpty();
      assertThat(SessionCookie.tokens(request(method, Map.of(), TOKEN))).as(method).isEmpty();
    }
  }

  @Test
  void what_is_no_token_is_not_looked_up() {
    assertThat(SessionCookie
        .tokens(request("GET", Map.of(), "", "tks_short", "tkr_" + "a".repeat(43), TOKEN + "x")))
        .isEmpty();
    assertThat(
        SessionCookie.tokens(request("GET", Map.of(), TOKEN, TOKEN, TOKEN, TOKEN, TOKEN, TOKEN)))
        .hasSize(4);
  }

  @Test
  void the_cookie_is_out_of_reach_of_scripts_and_other_sites() {
    HttpServletRequest request = request("POST", Map.of());

    assertThat(SessionCookie.header(request, TOKEN, 60, true))
        .isEqualTo("tasker_session=" + TOKEN
            + "; Path=/orders/; Max-Age=60; HttpOnly; SameSite=Strict; Secure");
    assertThat(SessionCookie.header(request, "", 0, false))
        .isEqualTo("tasker_session=; Path=/orders/; Max-Age=0; HttpOnly; SameSite=Strict");
  }
}
