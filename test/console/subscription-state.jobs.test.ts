/** The console names the state of a subscription and offers what fits the cause of its failures. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { logIn, type Person, setRole, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { addDelivery, consumeBatch, messageFor } from "../support/engine";
import { attempt } from "../support/failing";
import { newInbox, subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() }));
afterEach(() => void vi.useRealTimers());

/** Returns the HTML of a page. */
const open = async (person: Person, path: string) => (await (await holding(await logIn(person))).get(path)).html;

/** Removes the tags. */
const textOf = (html: string) => html.replace(/<[^>]+>/g, "").replace(/\s+/g, " ");

describe("the state and the advice", () => {
  const overview = async (person: Person) => textOf(await open(person, ""));

  test("follow the number of failures: retrying, then failing as mails and metrics count it", async () => {
    const person = await signUpVerified();
    const id = await subscribe(await logIn(person), newInbox("500").url, { delivery: { retry: { schedule: [3600] } } });
    await consumeBatch([messageFor(await addDelivery(person, id))]);
    expect(await overview(person)).toContain("Retrying");
    expect(textOf(await open(person, "/webhooks"))).toContain("Retrying");
    await attempt(person, id, 9);
    expect(await overview(person)).toContain("1 subscription is failing.");
    for (const path of ["/webhooks", `/webhooks/${id}`]) expect(textOf(await open(person, path))).toContain("Failing");
  });

  test.each([
    ["500", "View the error"],
    ["404", "Change the URL"],
    ["401", "Change the headers"],
    ["429", "Set a limit"],
  ])("fit the cause: after %s the button is %s", async (behaviour, button) => {
    const person = await signUpVerified();
    const id = await subscribe(await logIn(person), newInbox(behaviour).url);
    await attempt(person, id, 1);
    for (const path of ["", `/webhooks/${id}`]) expect(await open(person, path)).toContain(`>${button}</a>`);
  });

  test("tell a receiver that asks for a pause from a slow one", async () => {
    const person = await signUpVerified();
    const id = await subscribe(await logIn(person), newInbox("200").url);
    const set = (column: string, value: number) =>
      deliveryDb.prepare(`UPDATE subscriptions SET ${column} = ? WHERE id = ?`).bind(value, id).run();
    await set("slow_until", 9e15);
    expect(await overview(person)).toContain("Slow");
    await attempt(person, id, 1);
    expect(await overview(person)).not.toContain("Slow");
    await set("held_until", 9e15);
    expect(await overview(person)).toContain("Throttled");
  });
});

test("the page of a subscription shows its limits, its format and what a pause does", async () => {
  const person = await signUpVerified();
  const id = await subscribe(await logIn(person), newInbox("200").url, {
    delivery: { rateLimit: { limit: 2, per: "second" }, maxConcurrent: 3, format: "standard", onPause: "hold" },
  });
  const text = textOf(await open(person, `/webhooks/${id}`));
  for (const part of ["2 per second", "at the same time3", "An envelope with type", "Hold new events"]) {
    expect(text).toContain(part);
  }
  await setRole(person, "viewer");
  expect(await open(person, `/webhooks/${id}?secret=shown`)).not.toContain("a-signing-secret");
});
