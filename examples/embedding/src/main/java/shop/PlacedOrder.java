package shop;

import java.util.UUID;

public record PlacedOrder(long orderId, UUID taskUuid) {
}
