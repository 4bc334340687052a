package shop;

public class OutOfStockException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public OutOfStockException(String article) {
    super("there are not enough of " + article);
  }
}
