package ee.tasker.rest.access;

import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.platform.config.Settings;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.ForEveryCaller;
import ee.tasker.security.Callers;
import ee.tasker.security.SessionCookie;
import ee.tasker.security.Sessions;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Optional;

/**
 * The session of a browser: begins with user and password or a signed token, ends by signing out.
 * Its token is in a cookie and in no answer.
 */
@Path("access/session")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class SessionResource {
  private static final String SET_COOKIE = "Set-Cookie";

  @Inject
  private Sessions sessions;

  @Inject
  private Callers callers;

  @Inject
  private Access access;

  @Inject
  private Settings settings;

  @Context
  private HttpServletRequest request;

  @ForEveryCaller
  @POST
  public Response begin() {
    if (callers.session(request).isPresent()) {
      // Otherwise a session could prolong itself for ever.
      throw Problem.of(403, "not-permitted",
          "a session begins with user and password or a signed token, not with another session");
    }
    Sessions.Begun begun = sessions.begin(access.caller(), callers.signedToken(request));
    return Response
        .ok(MeResource.document(access.caller()).add("expires_at", begun.expiresAt()).build()
            .toString())
        .header(SET_COOKIE,
            SessionCookie.header(request, begun.token(), begun.seconds(), isSecure()))
        .build();
  }

  /** Of a caller without a session nothing ends. */
  @ForEveryCaller
  @DELETE
  public Response end() {
    Optional<String> token = callers.session(request);
    String answer = Json.build().createObjectBuilder()
        .add("signed_out",
            token.filter(session -> sessions.end(session, access.caller())).isPresent())
        .build().toString();
    return Response.ok(answer).header(SET_COOKIE, SessionCookie.header(request, "", 0, isSecure()))
        .build();
  }

  /** Behind a proxy that ends TLS, the public address says so. */
  private boolean isSecure() {
    return request.isSecure()
        || settings.baseUrl().filter(url -> url.startsWith("https:")).isPresent();
  }
}
