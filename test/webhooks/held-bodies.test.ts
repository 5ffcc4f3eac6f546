/** A request whose body comes late is authenticated when the body is there, not before. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import worker from "../../src";
import { call, signUpVerified } from "../support/client";
import { holding } from "../support/console";

/** Sends the headers of a POST and returns a function that sends its body and returns the status of the answer. */
function holdBack(path: string, headers: Record<string, string>, body: string) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const bytes = new TextEncoder().encode(body);
  const context = createExecutionContext();
  const request = new Request<unknown, IncomingRequestCfProperties>(`http://postern.test${path}`, {
    method: "POST",
    headers: { ...headers, "content-length": String(bytes.length), "cf-connecting-ip": "203.0.113.77" },
    body: readable,
    redirect: "manual",
  });
  const answer = worker.fetch(request, env, context);
  return async () => {
    const writer = writable.getWriter();
    await writer.write(bytes);
    await writer.close();
    const { status } = await answer;
    await waitOnExecutionContext(context);
    return status;
  };
}

describe("a write whose body is held back until its session has ended", () => {
  const key = { name: "late", scopes: ["webhook.read"] };

  test("creates no API key", async () => {
    const { token } = await signUpVerified();
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const send = holdBack("/api/v1/api-keys", headers, JSON.stringify(key));
    expect((await call("GET", "/auth/me", { token })).status).toBe(200);
    expect((await call("POST", "/auth/logout-all", { token })).status).toBe(200);
    expect(await send()).toBe(401);
  });

  test("creates one while the session lasts", async () => {
    const { token } = await signUpVerified();
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const send = holdBack("/api/v1/api-keys", headers, JSON.stringify(key));
    expect((await call("GET", "/auth/me", { token })).status).toBe(200);
    expect(await send()).toBe(201);
  });

  test("does nothing in the console", async () => {
    const person = await signUpVerified();
    const { jar } = await holding(person);
    const headers = {
      cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
      origin: "http://postern.test",
      "content-type": "application/x-www-form-urlencoded",
    };
    const send = holdBack("/console/api-keys", headers, "name=late&scopes=webhook.read");
    expect((await call("POST", "/auth/logout-all", { token: person.token })).status).toBe(200);
    expect(await send()).toBe(303);
    const keys = await env.DB.prepare("SELECT count(*) AS n FROM api_keys WHERE user_id = ?")
      .bind(person.userId)
      .first<{ n: number }>();
    expect(keys?.n).toBe(0);
  });
});
