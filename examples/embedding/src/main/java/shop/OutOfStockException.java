package shop;

/** Unchecked, so that {@code @Transactional} rolls back. */
public class OutOfStockException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public OutOfStockException(String article) {
    super("there is not enough of " + article);
  }
}
