/** Everything that people and their systems do with the service, each once. The test of upgrades records it. */
import { call, newEmail, PASSWORD } from "./client";
import { mailTo, tokenIn } from "./mailbox";
import { endedAttempts, newInbox } from "./receiver";
import { enrol } from "./two-factor";

/** Returns the address of the account, whose password is `PASSWORD`, and an API key that may publish. */
export async function journey(): Promise<{ email: string; apiKey: string }> {
  const email = newEmail();
  await call("POST", "/auth/register", { body: { email, password: PASSWORD, name: "Ada", tenantName: "Engines" } });
  await call("POST", "/auth/verify-email", { body: { token: tokenIn(await mailTo(email, /Verify/)) } });
  const login = await call("POST", "/auth/login", { body: { email, password: PASSWORD } });
  const { accessToken: token, refreshToken } = login.body.data;
  await call("POST", "/auth/refresh", { body: { refreshToken } });
  const me = (await call("GET", "/auth/me", { token })).body.data;
  await call("GET", "/auth/sessions", { token });
  await call("POST", "/auth/forgot-password", { body: { email } });
  await mailTo(email, /reset/i);
  await people(token);
  const key = await call("POST", "/api-keys", { token, body: { name: "shop", scopes: ["event.publish"] } });
  const apiKey: string = key.body.data.key;
  await deliveries({ email, token, refreshToken, userId: me.id, tenantId: me.tenant.id }, apiKey);
  return { email, apiKey };
}

/** A guest joins the tenant and turns two-factor authentication on. */
async function people(token: string): Promise<void> {
  const email = newEmail();
  await call("POST", "/invitations", { token, body: { email, role: "viewer" } });
  const invitationToken = tokenIn(await mailTo(email, /invit/i));
  const body = { email, password: PASSWORD, invitationToken };
  const { accessToken, refreshToken } = (await call("POST", "/auth/register", { body })).body.data;
  await enrol({ email, token: accessToken, refreshToken, userId: "", tenantId: "" });
  await call("GET", "/members", { token });
}

/** Two subscriptions, one of which fails: its deliveries wait for their next attempts. */
async function deliveries(person: Parameters<typeof endedAttempts>[0], apiKey: string): Promise<void> {
  const { token } = person;
  const subscribe = async (name: string, behaviour: string): Promise<string> => {
    const body = { name, url: newInbox(behaviour).url, events: ["OrderPaid"], secret: "a-signing-secret" };
    return (await call("POST", "/webhooks", { token, body })).body.data._id;
  };
  const orders = await subscribe("orders", "200");
  const failing = await subscribe("failing", "500");
  await call("PATCH", `/webhooks/${orders}`, { token, body: { name: "paid orders" } });
  const event = { type: "OrderPaid", payload: { order: 42 } };
  const headers = { "idempotency-key": "order-42" };
  for (let times = 0; times < 2; times++) await call("POST", "/events", { token: apiKey, body: event, headers });
  await call("POST", "/events/batch", { token: apiKey, body: { events: [event, event] } });
  await endedAttempts(person, orders, 3);
  const [attempt] = await endedAttempts(person, failing, 3);
  await call("GET", `/webhooks/${failing}/attempts/${attempt._id}`, { token });
  await call("GET", `/webhooks/${orders}/logs?limit=2`, { token });
  const [newest] = (await call("GET", "/events", { token })).body.data;
  await call("GET", `/events/${newest.id}`, { token });
  await call("GET", "/stats", { token });
  await call("GET", `/webhooks/${orders}/stats`, { token });
  await call("POST", `/webhooks/${failing}/retry`, { token });
  await call("POST", `/webhooks/${orders}/test`, { token });
  await endedAttempts(person, orders, 4);
  await call("POST", `/webhooks/${orders}/pause`, { token });
  await call("POST", `/webhooks/${orders}/resume`, { token });
  await call("POST", `/webhooks/${orders}/secret/rotate`, { token, body: {} });
  await call("GET", "/webhooks", { token });
}
