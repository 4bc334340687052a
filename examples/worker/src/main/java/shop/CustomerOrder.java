package shop;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** An order of a customer; the shop had it before there was a workflow. */
@Entity
@Table(schema = "shop", name = "customer_orders")
public class CustomerOrder {
  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  @Column(name = "order_id")
  private Long id;

  private String article;

  private int quantity;

  /** The caller's name for it, by which a repeated request is recognised; null if he gave none. */
  private String reference;

  protected CustomerOrder() {
    // for JPA
  }

  public CustomerOrder(String article, int quantity, String reference) {
    this.article = article;
    this.quantity = quantity;
    this.reference = reference;
  }

  public long id() {
    return id;
  }

  public String article() {
    return article;
  }

  public int quantity() {
    return quantity;
  }

  public String reference() {
    return reference;
  }
}
