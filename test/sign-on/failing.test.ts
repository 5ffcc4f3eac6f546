/** A connection through which nobody gets in any more: who hears of it, and of its end. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { call } from "../support/client";
import { mailsTo, mailTo } from "../support/mailbox";
import { newInbox, subscribe } from "../support/receiver";
import { memberOf, one, signedOnMember, signOnAs, signOnWith } from "../support/signed-on";

const HOUR_MS = 3_600_000;

test("twenty refusals in an hour without a sign-on are a failure, which the next sign-on ends", async () => {
  const { owner, connection, word } = await signedOnMember();
  const inbox = newInbox("200");
  await subscribe(owner, inbox.url, { events: ["postern.connection.failing", "postern.connection.recovered"] });
  const refuse = (times: number) =>
    Promise.all(Array.from({ length: times }, () => signOnWith({ ...word, role: { role: null, rule: null } })));
  const failingSince = async () => (await one<{ at: number | null }>(SINCE, connection.id))?.at;
  const anHourPassed = () =>
    env.DB.prepare("UPDATE connections SET last_sign_on_at = last_sign_on_at - ? WHERE id = ?")
      .bind(HOUR_MS, connection.id)
      .run();
  // Somebody has got in within the hour.
  await refuse(20);
  expect(await failingSince()).toBeNull();
  await anHourPassed();
  await env.DB.prepare("DELETE FROM sign_on_traces WHERE connection_id = ?").bind(connection.id).run();
  await refuse(19);
  expect(await failingSince()).toBeNull();
  await refuse(20);
  expect(await failingSince()).not.toBeNull();
  expect(await typesIn(inbox, 1)).toEqual(["postern.connection.failing"]);
  await mailTo(owner.email, /Nobody can sign on with Acme/);
  expect(await memberOf(owner.tenantId, (await signOnAs(word)).userId)).not.toBeNull();
  expect(await failingSince()).toBeNull();
  expect(await typesIn(inbox, 2)).toEqual(["postern.connection.failing", "postern.connection.recovered"]);
  // On the same day the owners are not mailed again.
  await anHourPassed();
  await refuse(1);
  expect(await typesIn(inbox, 3)).toHaveLength(3);
  expect(mailsTo(owner.email).filter(({ subject }) => /Nobody can sign on/.test(subject))).toHaveLength(1);
  const { body } = await call("GET", `/tenant/connections/${connection.id}`, { token: owner.token });
  expect(body.data.state).toBe("active");
});

const typesIn = async (inbox: ReturnType<typeof newInbox>, count: number) =>
  (await inbox.arrived(count)).map(({ headers }) => headers["x-webhook-event"]).sort();

const SINCE = "SELECT failing_since AS at FROM connections WHERE id = ?";
