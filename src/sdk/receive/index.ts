/**
 * `postern/receive`: handles each delivery exactly once. Delivery is at least once, so an id can arrive again; here its
 * mark and the handler's writes commit in one transaction, and a crash at any point leaves both or neither.
 */
import { type Delivery, DeliveryError, type PlainRequest, verifyDelivery } from "../verify";
import { checkedOptions } from "./checked-options";
import type { HandleOptions } from "./options";
import type { Known, Mark } from "./store";

export type { Delivery, PlainRequest, VerificationKeys } from "../verify";
export type { Gap, GapChoice, HandleOptions, Late, LateChoice } from "./options";
export type { CollectingTx, SyncTx } from "./sqlite";
export type { Value } from "./statement";
export type { Failure, Known, Mark, MarkState, Store } from "./store";
export {
  type D1Like,
  type DurableObjectSql,
  type DurableObjectStorageLike,
  d1Store,
  durableObjectStore,
  type SqliteLike,
  type StoreOptions,
  sqliteStore,
} from "./stores";

const RETRY_AFTER_SECONDS = "5";
const MAX_SHOWN_CHARACTERS = 500;

type Checked<Tx, Payload> = ReturnType<typeof checkedOptions<Tx, Payload>>;

/**
 * Answers one delivery: verifies it, calls `handler`, and commits what it writes through `tx` together with the mark.
 * Effects elsewhere, such as a call of another service, are not covered. The handler may run again for a delivery that
 * did not commit, and two copies that arrive together may both run it; one of them commits.
 *
 * The answer is 200 `handled`, `duplicate`, `skipped` (late) or `poison` (given up), 400 with the reason if the
 * delivery is not genuine, 503 `waiting` or `KEYS_UNAVAILABLE`, and 500 `error` (or, with `showErrors`, what was
 * thrown) if the handler or the store fails. Throws TypeError for an option that is unknown or cannot work.
 *
 * @example
 * const store = d1Store(env.DB); // Once, at deployment: await store.migrate()
 * return handle(request, { secret: env.WEBHOOK_SECRET, store }, ({ payload }: Delivery<{ order: number }>, tx) => {
 *   tx.run("UPDATE orders SET paid = 1 WHERE id = ?", payload.order);
 * });
 */
export async function handle<Payload, Tx>(
  request: Request | PlainRequest,
  options: HandleOptions<Tx, Payload>,
  handler: (event: Delivery<Payload>, tx: Tx) => void | Promise<void>,
): Promise<Response> {
  const checked = checkedOptions(options);
  if (typeof handler !== "function") throw new TypeError("handler must be a function.");
  let event: Delivery<Payload>;
  try {
    event = await verifyDelivery<Payload>(request, checked.secret, { json: checked.json });
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    return new Response(error.reason, { status: error.reason === "KEYS_UNAVAILABLE" ? 503 : 400 });
  }
  try {
    return await handleGenuine(event, checked, handler);
  } catch (error) {
    checked.onError?.(error, event);
    return new Response(checked.showErrors ? String(error).slice(0, MAX_SHOWN_CHARACTERS) : "error", { status: 500 });
  }
}

async function handleGenuine<Payload, Tx>(
  event: Delivery<Payload>,
  options: Checked<Tx, Payload>,
  handler: (event: Delivery<Payload>, tx: Tx) => void | Promise<void>,
): Promise<Response> {
  const { store } = options;
  const mark: Mark = { receiver: options.receiver, id: event.id, orderKey: event.orderKey, sequence: event.sequence };
  const known = await store.look(mark);
  if (known.handled) return new Response("duplicate");
  const choice = await orderChoice(mark, known, options);
  if (choice === "skip") return settled(await store.commit(mark, async () => undefined, "skipped"), "skipped");
  if (choice === "wait") {
    await store.fail(mark, { waited: true });
    return new Response("waiting", { status: 503, headers: { "Retry-After": RETRY_AFTER_SECONDS } });
  }
  try {
    return settled(await store.commit(mark, async (tx) => handler(event, tx)), "handled");
  } catch (error) {
    if (!(await isPoisoned(mark, event, error, options))) throw error;
    return new Response("poison");
  }
}

const settled = (outcome: "committed" | "duplicate", text: string) =>
  new Response(outcome === "duplicate" ? outcome : text);

/** What the event's number says: handle it, wait for those before it, or skip it. */
async function orderChoice<Tx, Payload>(
  { orderKey, sequence: received }: Mark,
  { last, waits }: Known,
  { onGap, onLate, maxWaits }: Checked<Tx, Payload>,
): Promise<"handle" | "wait" | "skip"> {
  if (orderKey === undefined || received === undefined || last === undefined) return "handle";
  if (received <= last) return onLate({ orderKey, last, received });
  if (received === last + 1) return "handle";
  const choice = await onGap({ orderKey, expected: last + 1, received });
  return choice === "wait" && waits >= maxWaits ? "handle" : choice;
}

/** Counts the failure, and gives the delivery up when it was the last one allowed. */
async function isPoisoned<Tx, Payload>(
  mark: Mark,
  event: Delivery<Payload>,
  error: unknown,
  { store, poisonAfter, onPoison }: Checked<Tx, Payload>,
): Promise<boolean> {
  if (poisonAfter === Infinity) return false;
  const { failures } = await store.fail(mark, { error: String(error), event });
  if (failures < poisonAfter) return false;
  const outcome = await store.commit(mark, async () => undefined, "poison");
  if (outcome === "committed") await onPoison?.(event, error);
  return true;
}
