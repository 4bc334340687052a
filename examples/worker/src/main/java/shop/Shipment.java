package shop;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** What was sent for an order. */
@Entity
@Table(schema = "shop", name = "shipments")
public class Shipment {
  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  @Column(name = "shipment_id")
  private Long id;

  @Column(name = "order_id")
  private long orderId;

  private int grams;

  protected Shipment() {
    // for JPA
  }

  public Shipment(long orderId, int grams) {
    this.orderId = orderId;
    this.grams = grams;
  }

  public long orderId() {
    return orderId;
  }

  public int grams() {
    return grams;
  }
}
