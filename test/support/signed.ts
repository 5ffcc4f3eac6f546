/** A delivery that is sent at once, and whether its signatures are valid. */
import { type VerificationKeys, verifyDelivery } from "../../src/sdk/verify";
import { addDelivery, consumeBatch, messageFor } from "./engine";
import type { Hook } from "./hook";

/** Sends one delivery and returns the request that arrived last. */
export async function sendOne({ person, inbox, id }: Hook) {
  const count = (await inbox.received()).length;
  await consumeBatch([messageFor(await addDelivery(person, id))]);
  const request = (await inbox.arrived(count + 1)).at(-1);
  if (!request) throw new Error("nothing came");
  return request;
}

/** Whether the request is genuine according to these keys, at its own timestamp. */
export async function verifies(
  request: { headers: Record<string, string>; body: string },
  keys: VerificationKeys,
): Promise<boolean> {
  try {
    await verifyDelivery(request, keys, { nowMs: Number(request.headers["webhook-timestamp"]) * 1000 });
    return true;
  } catch {
    return false;
  }
}
