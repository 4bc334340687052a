"""The handlers of samples/order_processing in Python, as a worker outside the servers.

    tasker template register clients/order_processing.yaml
    TASKER_KEY=tkr_… PYTHONPATH=clients/python/src python3 clients/python/examples/order_processing.py

Amounts are dollars and cents, so they are read as Decimal. Nothing real is charged: the payment token selects the gateway's answer.
"""

import datetime
import hashlib
import logging
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Dict, List

from tasker_ee import Client, PermanentError, RetryableError, StepContext, Worker

TAX_RATE = Decimal("0.08")
SHIPPING = Decimal("9.99")
FREE_SHIPPING_FROM = Decimal("100.00")
DELIVERY = datetime.timedelta(days=7)

worker = Worker(name="order-processing-python", namespaces=["shop"], capacity=5, client=Client(decimals=True))


def invalid(field: str, complaint: str) -> PermanentError:
    """The same document would be refused again, so a retry would not help."""
    return PermanentError("%s %s" % (field, complaint), type="ValidationError")


def number(value: Any, field: str) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        raise invalid(field, "is missing" if value is None else "must be a number")
    return Decimal(value)


def text(value: Any, field: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise invalid(field, "is missing" if value is None else "must be text")
    return value.strip()


def cents(amount: Decimal) -> Decimal:
    return amount.quantize(Decimal("0.01"), ROUND_HALF_UP)


def stable_id(prefix: str, digits: int, *identity: Any) -> str:
    """The same on every attempt: with a random id, a second attempt would look like a second payment."""
    return prefix + hashlib.sha256("\n".join([prefix, *map(str, identity)]).encode()).hexdigest()[:digits]


@worker.handler("shop.ValidateCart")
def validate_cart(step: StepContext) -> Dict[str, Any]:
    """Prices the cart: 8 % tax on the subtotal, shipping 9.99 below a subtotal of 100.00 and free from there."""
    email = text(step.context.get("customer_email"), "context.customer_email")
    items = step.context["items"]
    if not items:
        raise invalid("context.items", "is empty: there is nothing to order")
    lines: List[Dict[str, Any]] = []
    for index, item in enumerate(items):
        field = "context.items[%d]" % index
        quantity = number(item.get("quantity"), field + ".quantity")
        if quantity != int(quantity) or quantity < 1:
            raise invalid(field + ".quantity", "must be a whole number of at least 1, but is %s" % quantity)
        unit_price = number(item.get("unit_price"), field + ".unit_price")
        if unit_price <= 0:
            raise invalid(field + ".unit_price", "must be more than 0, but is %s" % unit_price)
        lines.append({"sku": text(item.get("sku"), field + ".sku"), "name": text(item.get("name"), field + ".name"),
                      "quantity": int(quantity), "unit_price": unit_price, "line_total": cents(unit_price * quantity)})
    subtotal = cents(sum((line["line_total"] for line in lines), Decimal(0)))
    tax = cents(subtotal * TAX_RATE)
    shipping = cents(Decimal(0)) if subtotal >= FREE_SHIPPING_FROM else SHIPPING
    return {"customer_email": email, "items": lines, "item_count": sum(line["quantity"] for line in lines), "subtotal": subtotal,
            "tax": tax, "shipping": shipping, "total": subtotal + tax + shipping}


@worker.handler("shop.ProcessPayment")
def process_payment(step: StepContext) -> Dict[str, Any]:
    """A declined card is a permanent failure, a problem of the gateway is retryable."""
    total = step.results["validate_cart"]["total"]
    token = step.context.get("payment_token", "tok_test_approved")
    if token == "tok_test_declined":
        raise PermanentError("the card was declined", type="PaymentDeclined")
    if token == "tok_test_insufficient_funds":
        raise PermanentError("the card does not cover %s" % total, type="InsufficientFunds")
    if token == "tok_test_gateway_error":
        raise RetryableError("the payment gateway failed", type="GatewayError")
    if token == "tok_test_timeout":
        raise RetryableError("the payment gateway did not answer", type="GatewayTimeout")
    return {"transaction_id": stable_id("txn_", 16, step.task_uuid), "payment_id": stable_id("pay_", 16, step.task_uuid),
            "authorization_code": stable_id("", 12, "authorization", step.task_uuid), "status": "approved", "amount": total}


@worker.handler("shop.UpdateInventory")
def update_inventory(step: StepContext) -> Dict[str, Any]:
    """Reserves each line of the cart in the only warehouse."""
    lines = step.results["validate_cart"]["items"]
    return {"reservations": [{"reservation_id": stable_id("res_", 12, step.task_uuid, index), "sku": line["sku"],
                              "warehouse": "WH-EAST-01", "stock_change": -line["quantity"]} for index, line in enumerate(lines)],
            "reserved_count": sum(line["quantity"] for line in lines)}


@worker.handler("shop.CreateOrder")
def create_order(step: StepContext) -> Dict[str, Any]:
    """Stores the order once payment and stock are confirmed."""
    order = {"order_id": stable_id("ORD-", 10, step.task_uuid).upper(), "status": "confirmed",
             "total": step.results["validate_cart"]["total"], "transaction_id": step.results["process_payment"]["transaction_id"],
             "reservation_count": len(step.results["update_inventory"]["reservations"]),
             "estimated_delivery": (datetime.datetime.now(datetime.timezone.utc) + DELIVERY).date().isoformat()}
    if "shipping_address" in step.context:
        order["shipping_address"] = step.context["shipping_address"]
    return order


@worker.handler("shop.SendConfirmation")
def send_confirmation(step: StepContext) -> Dict[str, Any]:
    """The message id is the same on every attempt, so that a mail server can drop a duplicate."""
    cart, order = step.results["validate_cart"], step.results["create_order"]
    return {"message_id": stable_id("msg_", 16, step.task_uuid), "recipient": cart["customer_email"],
            "subject": "Your order " + order["order_id"], "total": order["total"], "status": "sent"}


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    worker.run()
