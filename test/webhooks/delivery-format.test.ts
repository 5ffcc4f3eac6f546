/** `delivery.format`: the payload as it was published, or in the envelope of Standard Webhooks. */
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { call } from "../support/client";
import { addDelivery, consumeBatch, makeDue, messageFor } from "../support/engine";
import { newHook, patchHook, readHook } from "../support/hook";
import { publish } from "../support/receiver";
import { deliveryDb } from "../support/shard";

describe("the format", () => {
  const STANDARD = { delivery: { format: "standard" } };

  test("payload sends the payload as it was published; standard puts it, byte for byte, into an envelope", async () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const hook = await newHook({ ...STANDARD, secret });
    const payload = '{ "b": 12345678901234567890, "a": 1.0,  "é":"\\u00e9" }';
    const raw = `{"type":"OrderPaid","payload":${payload}}`;
    const published = await call("POST", "/events", {
      token: hook.person.token,
      raw,
      headers: { "content-type": "application/json" },
    });
    const [request] = await hook.inbox.arrived(1);
    if (!request) throw new Error("nothing came");
    const createdAt = await deliveryDb
      .prepare("SELECT created_at AS at, payload FROM events WHERE id = ?")
      .bind(published.body.data.id)
      .first<{ at: number; payload: string }>();
    const timestamp = new Date(createdAt?.at ?? 0).toISOString();
    expect(request.body).toBe(`{"type":"OrderPaid","timestamp":"${timestamp}","data":${createdAt?.payload}}`);
    expect(request.body).toContain("12345678901234567890");
    expect(request.headers["content-type"]).toBe("application/json");
    expect(new Webhook(secret).verify(request.body, request.headers)).toMatchObject({ type: "OrderPaid", timestamp });
    const reset = await patchHook(hook, { delivery: { format: "payload" } });
    expect(reset.body.data).not.toHaveProperty("delivery");
    await publish(hook.person, 7);
    expect((await hook.inbox.arrived(2)).at(-1)?.body).toBe("7");
  });

  test("is that of the attempt, and the envelope of a retry is the same", async () => {
    const hook = await newHook(STANDARD, "500");
    const key = await addDelivery(hook.person, hook.id);
    const attempt = async () => {
      await consumeBatch([messageFor(await makeDue(key))]);
      return (await hook.inbox.received()).at(-1)?.body;
    };
    const first = await attempt();
    expect(JSON.parse(first ?? "")).toMatchObject({ type: "OrderPaid", data: 1 });
    expect(await attempt()).toBe(first);
    await patchHook(hook, { delivery: { format: null } });
    expect(await attempt()).toBe("1");
  });

  test("is shown only when set, and no other is accepted", async () => {
    const hook = await newHook(STANDARD);
    expect((await readHook(hook)).delivery).toEqual({ format: "standard" });
    expect((await patchHook(hook, { delivery: { format: "cloudevents" } })).status).toBe(400);
    expect((await patchHook(hook, { delivery: { envelope: "standard" } })).status).toBe(400);
  });
});
