package shop;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;

@ApplicationPath("/shop")
public class ShopApplication extends Application {
}
