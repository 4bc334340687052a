package ee.tasker.rest;

import ee.tasker.rest.http.ReadOnlyServlet;
import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * The OpenAPI document at {@code /openapi}: JSON, or YAML by content negotiation or file name. A
 * servlet, because JAX-RS
 * serves only {@code /v1}.
 */
@WebServlet({"/openapi", "/openapi.yaml"})
public class OpenApiServlet extends ReadOnlyServlet {
  private static final long serialVersionUID = 1L;

  @Inject
  private transient OpenApiDocument document;

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse answer) throws IOException {
    String accept = request.getHeader("Accept");
    boolean isYaml = request.getServletPath().endsWith(".yaml")
        || accept != null && accept.contains("yaml");
    byte[] body = (isYaml ? document.yaml() : document.json()).getBytes(StandardCharsets.UTF_8);
    answer.setContentType(isYaml ? "application/yaml" : "application/json");
    answer.setCharacterEncoding("UTF-8");
    answer.setHeader("Vary", "Accept");
    answer.setContentLength(body.length);
    answer.getOutputStream().write(body);
  }
}
