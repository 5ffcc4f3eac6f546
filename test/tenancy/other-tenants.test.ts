/** Who may do what with subscriptions and events: role by route, and nothing across tenants. */
import { describe, expect, test } from "vitest";
import { call, setRole, signUp } from "../support/client";
import { newInbox, subscribe } from "../support/receiver";

const subscription = { name: "n", url: "http://receiver.example/200/x", events: ["A"], secret: "s" };
const may = {
  owner: ["create", "read", "publish"],
  admin: ["create", "read", "publish"],
  developer: ["create", "read", "publish"],
  operator: ["read"],
  viewer: ["read"],
  member: [],
  // The role of a product that is gone from ROLES counts as "member".
  unknown: [],
} as const;

describe.each(Object.entries(may))("a %s", (role, allowed) => {
  test("may do exactly what the role holds, from the next request on", async () => {
    const person = await signUp();
    await setRole(person, role);
    const { token } = person;
    const answers = {
      create: await call("POST", "/webhooks", { token, body: subscription }),
      read: await call("GET", "/webhooks", { token }),
      publish: await call("POST", "/events", { token, body: { type: "A", payload: 1 } }),
    };
    for (const [action, { status, body }] of Object.entries(answers)) {
      if ((allowed as readonly string[]).includes(action)) expect(status).toBeLessThan(300);
      else expect([action, status, body.code]).toEqual([action, 403, "FORBIDDEN"]);
    }
  });
});

test("a refused role is told before its body is looked at", async () => {
  const person = await signUp();
  await setRole(person, "viewer");
  const { status } = await call("POST", "/webhooks", { token: person.token, body: { nonsense: true } });
  expect(status).toBe(403);
});

test("another tenant's subscription does not exist: the same answer as for a missing one", async () => {
  const owner = await signUp();
  const stranger = await signUp();
  const id = await subscribe(owner, newInbox("200").url);
  for (const path of [`/webhooks/${id}`, `/webhooks/${id}/logs`]) {
    const foreign = await call("GET", path, { token: stranger.token });
    const missing = await call("GET", path.replace(id, crypto.randomUUID()), { token: stranger.token });
    expect([foreign.status, foreign.body.message]).toEqual([404, "Webhook not found"]);
    expect({ ...foreign.body, requestId: "" }).toEqual({ ...missing.body, requestId: "" });
  }
  expect((await call("GET", "/webhooks", { token: stranger.token })).body.data).toEqual([]);
});

test("an event goes to the subscriptions of its own tenant only", async () => {
  const owner = await signUp();
  const stranger = await signUp();
  await subscribe(owner, newInbox("200").url, { events: ["*"] });
  const { body } = await call("POST", "/events", { token: stranger.token, body: { type: "A", payload: 1 } });
  expect(body.data.deliveries).toBe(0);
});
