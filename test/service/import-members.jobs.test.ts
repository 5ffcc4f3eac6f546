/** Imports that make people members of tenants: with which keys, and who is told. */
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { call, eventually, signUpVerified } from "../support/client";
import {
  ended,
  endImports,
  forgetImporter,
  importPeople,
  ndjson,
  newRow,
  newTenant,
  reportOf,
} from "../support/imports";
import { mailsTo } from "../support/mailbox";
import { newPlatformKey } from "../support/platform-keys";

vi.setConfig({ testTimeout: 60_000 });

beforeAll(() => forgetImporter());
afterEach(endImports);

describe("an import of members", () => {
  test("refuses rows with memberships unless every key that had a part in it has members.write", async () => {
    const tenant = await newTenant();
    const weak = (await newPlatformKey(["users.write"])).key;
    const strong = (await newPlatformKey(["users.write", "members.write"])).key;
    const rows = () => [newRow({ memberships: [{ tenant: tenant.id, role: "owner" }] }), newRow()];
    for (const [creates, sends, starts] of [
      [weak, strong, strong],
      [strong, weak, strong],
      [strong, strong, weak],
      [strong, strong, strong],
    ] as const) {
      const made = await call("POST", "/platform/imports", { token: creates, body: {} });
      const path = `/platform/imports/${made.body.data.id}`;
      const headers = { "content-type": "application/x-ndjson" };
      await call("PUT", `${path}/parts/1`, { token: sends, raw: ndjson(rows()), headers });
      await call("POST", `${path}/start`, { token: starts, body: { parts: 1 } });
      const done = await ended(made.body.data.id);
      const isAllowed = [creates, sends, starts].every((key) => key === strong);
      expect([done.created, done.refused]).toEqual(isAllowed ? [2, 0] : [1, 1]);
      const [refused] = await reportOf(done.id, "outcome=refused");
      expect(refused?.reason).toBe(isAllowed ? undefined : "memberships: The platform key does not have members.write");
    }
  });

  test("tells the owners of before once that it adds owners or admins, and nobody of others", async () => {
    const [told, quiet] = [await signUpVerified(), await signUpVerified()];
    const admins = Array.from({ length: 60 }, () =>
      newRow({ memberships: [{ tenant: told.tenantId, role: "admin" }] }),
    );
    const added = newRow({ memberships: [{ tenant: told.tenantId, role: "owner" }] });
    const viewer = newRow({ memberships: [{ tenant: quiet.tenantId, role: "viewer" }] });
    await importPeople([added, viewer, ...admins]);
    const subject = "Owners or admins are imported into your tenant";
    const mails = (email: string) => mailsTo(email).filter((mail) => mail.subject === subject);
    await eventually("the notice", async () => mails(told.email).length > 0);
    expect(mails(told.email).map(({ text }) => text.includes("shop imports people"))).toEqual([true]);
    expect([mails(quiet.email), mails(added.email)]).toEqual([[], []]);
  });
});
