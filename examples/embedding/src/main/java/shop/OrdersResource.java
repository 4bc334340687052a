package shop;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;

@Path("orders")
@RequestScoped
public class OrdersResource {

  @Inject
  private Orders orders;

  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces(MediaType.APPLICATION_JSON)
  public Response place(JsonObject order) {
    try {
      PlacedOrder placed = orders.place(order.getString("customer"), order.getString("article"), order.getInt("quantity"));
      return Response.status(Response.Status.CREATED)
          .entity(Json.createObjectBuilder().add("order_id", placed.orderId()).add("task_uuid", placed.taskUuid().toString()).build()).build();
    } catch (OutOfStockException e) {
      return Response.status(Response.Status.CONFLICT)
          .entity(Json.createObjectBuilder().add("problem", e.getMessage()).build()).build();
    }
  }
}
