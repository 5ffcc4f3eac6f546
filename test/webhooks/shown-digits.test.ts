/** Payloads are shown as they were sent: no number loses digits. */
import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";
import { newHook } from "../support/hook";
import { endedAttempts } from "../support/receiver";

const HARD =
  '{"id":12345678901234567890,"small":1e-400,"large":1e400,"held":0.1,"long":0.12345678901234567890123,' +
  '"minus":-0,"short":1E2,"list":[9007199254740993,[1.0,19.90]]}';

test("in an event, in the log, in an attempt and in their downloads", async () => {
  const hook = await newHook();
  const { token } = hook.person;
  const ask = async (method: string, path: string, body?: string) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const init = { method, headers, ...(body === undefined ? {} : { body }) };
    return (await exports.default.fetch(new Request(`http://postern.test/api/v1${path}`, init))).text();
  };
  const { data } = JSON.parse(await ask("POST", "/events", `{"type":"OrderPaid","payload":${HARD}}`));
  const [request] = await hook.inbox.arrived(1);
  expect(request?.body).toBe(HARD);
  await endedAttempts(hook.person, hook.id, 1);
  expect(await ask("GET", `/events/${data.id}`)).toContain(`"payload":${HARD}`);
  const logs = await ask("GET", `/webhooks/${hook.id}/logs`);
  expect(logs).toContain(`"payload":${HARD}`);
  const [{ _id: id }] = JSON.parse(logs).data;
  expect(await ask("GET", `/webhooks/${hook.id}/attempts/${id}`)).toContain(`"payload":${HARD}`);
});
