/**
 * The handlers of samples/order_processing in TypeScript, as a worker outside the servers.
 *
 *     tasker template register clients/order_processing.yaml
 *     cd clients/typescript && npm ci && npm test    # compiles this file, too
 *     TASKER_KEY=tkr_… node build/examples/order_processing.js
 *
 * Amounts are dollars and cents; they are computed in cents, since numbers of JavaScript are binary fractions. Nothing real is
 * charged: the payment token selects the gateway's answer.
 */
import { createHash } from "node:crypto";
import { Client, PermanentError, RetryableError, Worker, type StepContext } from "tasker-ee";

const TAX_PERCENT = 8;
const SHIPPING = 999;
const FREE_SHIPPING_FROM = 100_00;
const DELIVERY_MS = 7 * 24 * 60 * 60 * 1000;

interface Line {
  sku: string;
  name: string;
  quantity: number;
  unit_price: number;
  line_total: number;
}

interface Cart {
  customer_email: string;
  items: Line[];
  total: number;
}

const worker = new Worker({ name: "order-processing-typescript", namespaces: ["shop"], capacity: 5, client: new Client() });

/** The same document would be refused again, so a retry would not help. */
function invalid(field: string, complaint: string): PermanentError {
  return new PermanentError(`${field} ${complaint}`, { type: "ValidationError" });
}

function number(value: unknown, field: string): number {
  if (typeof value !== "number") {
    throw invalid(field, value === undefined || value === null ? "is missing" : "must be a number");
  }
  return value;
}

function text(value: unknown, field: string): string {
  if (typeof value !== "string" || value.trim() === "") {
    throw invalid(field, value === undefined || value === null ? "is missing" : "must be text");
  }
  return value.trim();
}

/** Rounds a decimal number of dollars half up, by its digits: 3.345 is 335 cents, although the nearest binary fraction is less. */
function cents(dollars: number): number {
  return Math.round(Number(`${Number(dollars.toPrecision(15))}e2`));
}

/** The same on every attempt: with a random id, a second attempt would look like a second payment. */
function stableId(prefix: string, digits: number, ...identity: unknown[]): string {
  return prefix + createHash("sha256").update([prefix, ...identity].join("\n")).digest("hex").slice(0, digits);
}

/** Prices the cart: 8 % tax on the subtotal, shipping 9.99 below a subtotal of 100.00 and free from there. */
worker.handler("shop.ValidateCart", (step: StepContext) => {
  const email = text(step.context["customer_email"], "context.customer_email");
  const items = step.context["items"] as Record<string, unknown>[];
  if (items.length === 0) {
    throw invalid("context.items", "is empty: there is nothing to order");
  }
  const lines = items.map((item, index): Line => {
    const field = `context.items[${index}]`;
    const quantity = number(item["quantity"], `${field}.quantity`);
    if (!Number.isInteger(quantity) || quantity < 1) {
      throw invalid(`${field}.quantity`, `must be a whole number of at least 1, but is ${quantity}`);
    }
    const unitPrice = number(item["unit_price"], `${field}.unit_price`);
    if (unitPrice <= 0) {
      throw invalid(`${field}.unit_price`, `must be more than 0, but is ${unitPrice}`);
    }
    const total = cents(unitPrice * quantity) / 100;
    return { sku: text(item["sku"], `${field}.sku`), name: text(item["name"], `${field}.name`), quantity, unit_price: unitPrice, line_total: total };
  });
  const subtotal = lines.reduce((sum, line) => sum + cents(line.line_total), 0);
  const tax = Math.round((subtotal * TAX_PERCENT) / 100);
  const shipping = subtotal >= FREE_SHIPPING_FROM ? 0 : SHIPPING;
  return {
    customer_email: email, items: lines, item_count: lines.reduce((sum, line) => sum + line.quantity, 0), subtotal: subtotal / 100, tax: tax / 100,
    shipping: shipping / 100, total: (subtotal + tax + shipping) / 100,
  };
});

/** A declined card is a permanent failure, a problem of the gateway is retryable. */
worker.handler("shop.ProcessPayment", (step) => {
  const { total } = step.results["validate_cart"] as Cart;
  switch (step.context["payment_token"] ?? "tok_test_approved") {
    case "tok_test_declined":
      throw new PermanentError("the card was declined", { type: "PaymentDeclined" });
    case "tok_test_insufficient_funds":
      throw new PermanentError(`the card does not cover ${total}`, { type: "InsufficientFunds" });
    case "tok_test_gateway_error":
      throw new RetryableError("the payment gateway failed", { type: "GatewayError" });
    case "tok_test_timeout":
      throw new RetryableError("the payment gateway did not answer", { type: "GatewayTimeout" });
  }
  return {
    transaction_id: stableId("txn_", 16, step.taskUuid), payment_id: stableId("pay_", 16, step.taskUuid),
    authorization_code: stableId("", 12, "authorization", step.taskUuid), status: "approved", amount: total,
  };
});

/** Reserves each line of the cart in the only warehouse. */
worker.handler("shop.UpdateInventory", (step) => {
  const { items } = step.results["validate_cart"] as Cart;
  return {
    reservations: items.map((line, index) => ({
      reservation_id: stableId("res_", 12, step.taskUuid, index), sku: line.sku, warehouse: "WH-EAST-01", stock_change: -line.quantity,
    })),
    reserved_count: items.reduce((sum, line) => sum + line.quantity, 0),
  };
});

/** Stores the order once payment and stock are confirmed. */
worker.handler("shop.CreateOrder", (step) => ({
  order_id: stableId("ORD-", 10, step.taskUuid).toUpperCase(), status: "confirmed", total: (step.results["validate_cart"] as Cart).total,
  transaction_id: step.results["process_payment"].transaction_id, reservation_count: step.results["update_inventory"].reservations.length,
  estimated_delivery: new Date(Date.now() + DELIVERY_MS).toISOString().slice(0, 10), shipping_address: step.context["shipping_address"],
}));

/** The message id is the same on every attempt, so that a mail server can drop a duplicate. */
worker.handler("shop.SendConfirmation", (step) => {
  const { customer_email: recipient } = step.results["validate_cart"] as Cart;
  const { order_id: order, total } = step.results["create_order"];
  return { message_id: stableId("msg_", 16, step.taskUuid), recipient, subject: `Your order ${order}`, total, status: "sent" };
});

await worker.run();
