package ee.tasker.rest.access;

import ee.tasker.platform.Json;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.ForEveryCaller;
import ee.tasker.security.Caller;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObjectBuilder;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

/** The authenticated caller and its permissions. */
@Path("me")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class MeResource {

  @Inject
  private Access access;

  @ForEveryCaller
  @GET
  public String describe() {
    return document(access.caller()).build().toString();
  }

  static JsonObjectBuilder document(Caller caller) {
    return Json.build().createObjectBuilder().add("kind", caller.kind().text())
        .add("name", caller.name())
        .add("permissions", Json.build().createArrayBuilder(caller.grants().texts()));
  }
}
