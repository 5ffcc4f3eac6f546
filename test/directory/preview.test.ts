/** What other rules would change: counted before they are saved. */
import { expect, test } from "vitest";
import { call } from "../support/client";
import { bring, newDirectory, recordOf, scim } from "../support/scim";
import { memberOf } from "../support/signed-on";

const byGroup = { default: null, rules: [{ group: "Staff", role: "viewer" }], when: "every" } as const;

test("a preview counts who would get which role, who would get in and who not, and changes nothing", async () => {
  const ruled = await newDirectory({ roles: { ...byGroup, default: "member" } });
  const { owner, connection } = ruled;
  const at = `/tenant/connections/${connection.id}`;
  const ids: string[] = [];
  for (let i = 0; i < 4; i += 1) ids.push((await bring(ruled)).id);
  const groupOf = (displayName: string, members: readonly (string | undefined)[]) =>
    scim(ruled, "POST", "/Groups", { body: { displayName, members: members.map((value) => ({ value })) } });
  await groupOf("Staff", ids.slice(0, 2));
  await groupOf("Bosses", ids.slice(1, 3));
  const preview = async (rules: readonly object[]) => {
    const { status, body } = await call("POST", `${at}/roles/preview`, { token: owner.token, body: { rules } });
    return [status, body.data?.changes];
  };
  expect(await preview(byGroup.rules)).toEqual([200, []]);
  const bosses = [{ group: "Bosses", role: "admin" }, ...byGroup.rules];
  expect(await preview(bosses)).toEqual([
    200,
    [
      { from: "member", to: "admin", count: 1 },
      { from: "viewer", to: "admin", count: 1 },
    ],
  ]);
  expect(await preview([])).toEqual([200, [{ from: "viewer", to: "member", count: 2 }]]);
  await call("PATCH", at, { token: owner.token, body: { roles: { default: null } } });
  const late = (await bring(ruled)).id;
  await groupOf("New", [late]);
  expect(await preview([{ group: "New", role: "viewer" }])).toEqual([
    200,
    [
      { from: null, to: "viewer", count: 1 },
      { from: "member", to: null, count: 2 },
      { from: "viewer", to: null, count: 2 },
    ],
  ]);
  expect((await preview([{ group: "New", role: "owner" }]))[0]).toBe(400);
});

test("whom only the directory knows follows its groups again once nobody's hand decides", async () => {
  const ruled = await newDirectory({ roles: byGroup });
  const { id } = await bring(ruled);
  const { tenantId } = ruled.connection;
  const { owner } = ruled;
  await scim(ruled, "POST", "/Groups", { body: { displayName: "Other", members: [{ value: id }] } });
  await call("PATCH", `/tenant/connections/${ruled.connection.id}`, {
    token: owner.token,
    body: { roles: { default: "member" } },
  });
  const { id: second } = await bring(ruled);
  const { userId = "" } = (await recordOf(ruled.connection.id, second)) ?? {};
  const give = (role: string | null) => call("PATCH", `/members/${userId}`, { token: owner.token, body: { role } });
  expect([(await give("admin")).status, (await give(null)).status]).toEqual([200, 200]);
  expect(await memberOf(tenantId, userId ?? "")).toMatchObject({ roleBy: "directory" });
});
