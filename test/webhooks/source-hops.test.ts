/** Events that go round: deliveries to our own sources, which make events of them. */
import { expect, test } from "vitest";
import { call, eventually, signUpVerified } from "../support/client";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";
import { create, errorsOf, eventsOf, send } from "../support/sources";

const SHARED_SECRET = "a-signing-secret";
const HOPS = "postern-hops";

/** A subscription that delivers to a source of its own tenant; the test carries its requests there. */
async function circle() {
  const person = await signUpVerified();
  const { id } = await create(person, "standard", { secrets: [SHARED_SECRET] });
  const inbox = newInbox("200");
  const hook = await subscribe(person, `${inbox.url}/in/${id}`, {
    secret: SHARED_SECRET,
    delivery: { format: "standard" },
  });
  return { person, id, inbox, hook };
}

test("an event that comes back to a source of ours is taken three times, and then ignored, and the source says so", async () => {
  const { person, id, inbox, hook } = await circle();
  await publish(person, { n: 1 });
  const rounds = [];
  for (let round = 1; round <= 4; round += 1) {
    const { headers = {}, body = "" } = (await inbox.arrived(round)).at(-1) ?? {};
    const answer = await send(id, body, headers);
    rounds.push([headers[HOPS]?.split(" ")[0], answer.status, answer.body.message]);
  }
  expect(rounds).toEqual([
    ["1", 202, "Accepted"],
    ["2", 202, "Accepted"],
    ["3", 202, "Accepted"],
    ["4", 200, "Ignored"],
  ]);
  expect(await eventsOf(person)).toHaveLength(4);
  const [newest] = await endedAttempts(person, hook, 4);
  const detail = await call("GET", `/webhooks/${hook}/attempts/${newest._id}`, { token: person.token });
  expect(detail.body.data.headers[HOPS]).toBe((await inbox.received()).at(-1)?.headers[HOPS]);
  await eventually("the source names the circle", async () =>
    (await errorsOf(person, id)).some(({ reason }) => reason === "loop"),
  );
});

test("the header counts only where we have signed it for this body, and only sources get it", async () => {
  const { person, id, inbox } = await circle();
  const plain = newInbox("200");
  await subscribe(person, plain.url);
  await publish(person, { n: 1 });
  const [request] = await inbox.arrived(1);
  const proof = request?.headers[HOPS]?.split(" ")[1] ?? "";
  expect(proof).toMatch(/^[0-9a-f]{8}\.[0-9a-f]{64}$/);
  for (const forged of [`9 ${proof}`, "9 00000000.00", "9", `9 ${"0".repeat(8)}.${"0".repeat(64)}`]) {
    const sent = { ...request?.headers, [HOPS]: forged };
    const { status, body } = await send(id, request?.body ?? "", sent);
    expect([forged, status, body.message]).not.toEqual([forged, 200, "Ignored"]);
  }
  const [other] = await plain.arrived(1);
  expect(other?.headers).not.toHaveProperty(HOPS);
});
