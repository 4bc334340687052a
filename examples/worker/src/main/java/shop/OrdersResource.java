package shop;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;

/** {@code POST /shop/orders {"article": "teapot", "quantity": 2, "charged": true}}; with an {@code Idempotency-Key} it may be repeated. */
@Path("orders")
@RequestScoped
@Consumes(MediaType.APPLICATION_JSON)
@Produces(MediaType.APPLICATION_JSON)
public class OrdersResource {

  @Inject
  private Orders orders;

  @POST
  public Response place(JsonObject order, @HeaderParam("Idempotency-Key") String reference) {
    try {
      return Response.status(Response.Status.CREATED)
          .entity(orders.place(order.getString("article"), order.getInt("quantity"), order.getBoolean("charged", false), reference)).build();
    } catch (OutOfStockException e) {
      return Response.status(Response.Status.CONFLICT)
          .entity(Json.createObjectBuilder().add("detail", e.getMessage()).build()).build();
    }
  }
}
