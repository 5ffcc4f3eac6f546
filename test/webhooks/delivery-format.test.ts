/** `delivery.format`: the payload as it was published, or in the envelope of Standard Webhooks. */
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { call } from "../support/client";
import { addDelivery, consumeAtOnce, makeDue, messageFor } from "../support/engine";
import { newHook, patchHook, readHook } from "../support/hook";
import { endedAttempts, publish } from "../support/receiver";
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

  test("cloudevents sends a CloudEvent with the event's id and the payload as it was published", async () => {
    const hook = await newHook({ delivery: { format: "cloudevents" } });
    const ids = '"correlationId":"order-4711","orderKey":"order 7"';
    const raw = `{"type":"OrderPaid",${ids},"payload":{ "b": 12345678901234567890 }}`;
    const headers = { "content-type": "application/json" };
    const published = await call("POST", "/events", { token: hook.person.token, raw, headers });
    const [request] = await hook.inbox.arrived(1);
    const { id, createdAt } = (await call("GET", `/events/${published.body.data.id}`, { token: hook.person.token }))
      .body.data;
    expect(request?.headers["content-type"]).toBe("application/cloudevents+json; charset=utf-8");
    expect(request?.body).toBe(
      `{"specversion":"1.0","id":"${id}","source":"urn:uuid:${hook.person.tenantId}","type":"OrderPaid",` +
        `"time":"${createdAt}","datacontenttype":"application/json","correlationid":"order-4711",` +
        `"partitionkey":"order 7","sequence":"0000000000000001",` +
        `"data":{ "b": 12345678901234567890 }}`,
    );
    const [attempt] = await endedAttempts(hook.person, hook.id, 1);
    const detail = await call("GET", `/webhooks/${hook.id}/attempts/${attempt?._id}`, { token: hook.person.token });
    expect(detail.body.data.headers["X-Webhook-Signature"]).toBe(request?.headers["x-webhook-signature"]);
    expect(detail.body.data.headers["Content-Type"]).toBe(request?.headers["content-type"]);
  });

  test("thin sends where the event can be read, and nothing of its payload", async () => {
    const hook = await newHook({ delivery: { format: "thin" } });
    await publish(hook.person, { secret: "of the payload" });
    const [request] = await hook.inbox.arrived(1);
    const { id, type, createdAt, url } = JSON.parse(request?.body ?? "{}");
    expect(Object.keys(JSON.parse(request?.body ?? "{}"))).toEqual(["id", "type", "createdAt", "url"]);
    expect([type, url]).toEqual(["OrderPaid", `https://postern.test/api/v1/events/${id}`]);
    const event = await call("GET", `/events/${id}`, { token: hook.person.token });
    expect([event.status, event.body.data.createdAt]).toEqual([200, createdAt]);
  });

  test("is that of the attempt, and the envelope of a retry is the same", async () => {
    const hook = await newHook(STANDARD, "500");
    const key = await addDelivery(hook.person, hook.id);
    const attempt = async () => {
      await consumeAtOnce([messageFor(await makeDue(key))]);
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
    expect((await patchHook(hook, { delivery: { format: "xml" } })).status).toBe(400);
    expect((await patchHook(hook, { delivery: { envelope: "standard" } })).status).toBe(400);
  });
});
