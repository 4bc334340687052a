package shop;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;
import java.util.Set;

/**
 * The shop's own REST interface, beside the product's at {@code /v1}. It lists its classes: an application that lists none
 * serves all resources in the WAR.
 */
@ApplicationPath("/shop")
public class ShopApplication extends Application {

  @Override
  public Set<Class<?>> getClasses() {
    return Set.of(OrdersResource.class);
  }
}
