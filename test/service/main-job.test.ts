/** The main job end to end: register, verify, log in, subscribe, publish, receive, read the log. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { call, newEmail, PASSWORD, signUp } from "../support/client";
import { mailTo, tokenIn } from "../support/mailbox";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";

describe("the main job", () => {
  test("a registered and verified user publishes an event, the subscriber gets it signed, and the log shows it", async () => {
    const email = newEmail();
    const registered = await call("POST", "/auth/register", { body: { email, password: PASSWORD } });
    expect(registered.status).toBe(201);
    const early = await call("POST", "/auth/login", { body: { email, password: PASSWORD } });
    expect([early.status, early.body.code]).toEqual([403, "EMAIL_NOT_VERIFIED"]);

    const mail = await mailTo(email, /verify/i);
    expect(mail.text).toContain(`${env.APP_URL}/verify-email?token=`);
    expect(mail.html).toContain(`${env.APP_URL}/verify-email?token=`);
    const verified = await call("POST", "/auth/verify-email", { body: { token: tokenIn(mail) } });
    expect(verified.body).toEqual({ message: "Email verified successfully." });
    const again = await call("POST", "/auth/verify-email", { body: { token: tokenIn(mail) } });
    expect([again.status, again.body]).toEqual([200, { message: "Email already verified." }]);

    const login = await call("POST", "/auth/login", { body: { email, password: PASSWORD } });
    expect(login.status).toBe(200);
    const token = login.body.data.accessToken;

    const inbox = newInbox("200");
    const secret = "quick-secret";
    const created = await call("POST", "/webhooks", {
      token,
      body: { name: "orders", url: inbox.url, events: ["OrderPaid"], secret },
    });
    expect(created.status).toBe(201);
    const published = await call("POST", "/events", {
      token,
      body: { type: "OrderPaid", payload: { note: "naïve ✓" } },
    });
    expect([published.status, published.body.data.deliveries]).toEqual([202, 1]);

    const [delivery] = await inbox.arrived(1);
    expect(delivery?.body).toBe('{"note":"naïve ✓"}');
    expect(delivery?.headers["x-webhook-event"]).toBe("OrderPaid");
    expect(delivery?.headers["content-type"]).toBe("application/json");
    // printf '%s' '{"note":"naïve ✓"}' | openssl dgst -sha256 -hmac quick-secret
    expect(delivery?.headers["x-webhook-signature"]).toBe(
      "30ea277f1c26daf924b4289309fb96e1e869176c1204375e8215a350403fb760",
    );

    const person = { email, token, refreshToken: "", userId: "", tenantId: "" };
    const [row] = await endedAttempts(person, created.body.data._id, 1);
    expect(row).toMatchObject({
      webhookId: created.body.data._id,
      eventType: "OrderPaid",
      payload: { note: "naïve ✓" },
      status: "success",
      responseCode: 200,
      responseBody: "answer 200",
      attemptCount: 1,
    });
  });

  test("a subscriber that fails twice gets three attempts, none early, and three rows", async () => {
    const person = await signUp();
    const inbox = newInbox("fail-2");
    const webhookId = await subscribe(person, inbox.url);
    await publish(person, { n: 1 });
    const rows = await endedAttempts(person, webhookId, 3, 25_000);
    expect(rows.map((row: { status: string; attemptCount: number }) => [row.status, row.attemptCount])).toEqual([
      ["success", 3],
      ["failed", 2],
      ["failed", 1],
    ]);
    const times = (await inbox.received()).map((delivery) => delivery.at);
    const waits = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(waits[0]).toBeGreaterThanOrEqual(5_000);
    expect(waits[1]).toBeGreaterThanOrEqual(10_000);
    const ids = new Set((await inbox.received()).map((delivery) => delivery.headers["webhook-id"]));
    expect(ids.size).toBe(1);
  });
});
