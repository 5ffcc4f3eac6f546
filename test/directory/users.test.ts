/** The people of a tenant's directory: who becomes whom, who joins and who leaves. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { call, newEmail, type Person, signUp, signUpVerified } from "../support/client";
import { bring, type Directory, deactivate, newDirectory, newUser, patch, recordOf, scim } from "../support/scim";
import { memberOf, moveInto, newConnection, one, outcomeOf, signOnAs, signOnWith, wordOf } from "../support/signed-on";

const idOfAccount = (email: string) => one<{ id: string }>("SELECT id FROM users WHERE email = ?", email);
const countersOf = (id: string) =>
  one(
    `SELECT directory_active AS active, directory_inactive AS inactive, directory_held AS held FROM connections
     WHERE id = ?`,
    id,
  );

/** An account in the domain of the directory that is a member of its tenant, with a session and an API key there. */
async function memberIn(directory: Directory): Promise<{ person: Person; apiKey: string; id: string }> {
  const person = await moveInto(directory.connection, await signUpVerified());
  const { tenantId } = directory.connection;
  const { id } = await bring(directory, { userName: person.email, emails: [{ value: person.email }] });
  const { body } = await call("POST", "/auth/switch-tenant", { token: person.token, body: { tenantId } });
  const token = body.data.accessToken;
  const key = await call("POST", "/api-keys", { token, body: { name: "a key", scopes: ["webhook.read"] } });
  return { person: { ...person, tenantId, token }, apiKey: key.body.data.key, id };
}

describe("somebody whom the directory brings", () => {
  test("gets an account without password and is a member with the default role", async () => {
    const directory = await newDirectory();
    const user = newUser(directory);
    const { status, body, headers } = await scim(directory, "POST", "/Users", { body: user });
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({ ...user, id: expect.any(String), meta: expect.objectContaining({ version: 'W/"1"' }) }),
    ]);
    expect(headers.get("location")).toBe(body.meta.location);
    expect(headers.get("etag")).toBe('W/"1"');
    const account = await one<{ id: string }>(
      "SELECT id, name, password_hash AS password, email_verified_by AS by FROM users WHERE email = ?",
      user.userName,
    );
    expect(account).toEqual({ id: expect.any(String), name: "Grace Hopper", password: "", by: "connection" });
    const { connection } = directory;
    expect(await memberOf(connection.tenantId, account?.id ?? "")).toEqual({
      role: "member",
      connectionId: connection.id,
      roleBy: "directory",
    });
    expect(await countersOf(connection.id)).toEqual({ active: 1, inactive: 0, held: 0 });
  });

  const HELD: Record<string, (directory: Directory) => Promise<{ user?: object; variables?: object; reason: string }>> =
    {
      "outside the proved domains": async () => ({
        user: { userName: newEmail(), emails: undefined },
        reason: "domain_not_proved",
      }),
      "without an address": async () => ({ user: { userName: "grace", emails: undefined }, reason: "no_email" }),
      "an operator": async ({ connection }) => {
        const email = `op-${crypto.randomUUID()}@${connection.domain}`;
        return {
          user: { userName: email, emails: [{ value: email }] },
          variables: { OPERATORS: email },
          reason: "operator",
        };
      },
      "with an address that another record has": async (directory) => {
        const { emails } = await bring(directory);
        return { user: { emails }, reason: "subject_changed" };
      },
      "removed by an owner before": async (directory) => {
        const { member, word } = await signedOn(directory);
        await call("DELETE", `/members/${member.userId}`, { token: directory.owner.token });
        return { user: { emails: [{ value: word.email }], externalId: word.subject }, reason: "removed" };
      },
    };

  async function signedOn({ connection }: Directory) {
    const word = wordOf(connection);
    return { word, member: await signOnAs(word) };
  }

  test.each(Object.entries(HELD))("%s is kept and held", async (_, prepare) => {
    const directory = await newDirectory();
    const { user = {}, variables = {}, reason } = await prepare(directory);
    const { status, body } = await scim(directory, "POST", "/Users", {
      body: newUser(directory, user as Record<string, unknown>),
      variables: variables as Record<string, unknown>,
    });
    expect(status).toBe(201);
    expect(await recordOf(directory.connection.id, body.id)).toMatchObject({ state: "held", reason });
    const people = await call("GET", `/tenant/connections/${directory.connection.id}/people?state=held`, {
      token: directory.owner.token,
    });
    expect(people.body.data).toEqual([expect.objectContaining({ id: body.id, state: "held", reason })]);
  });

  test("who has registered an address without proving it loses the account to the directory", async () => {
    const directory = await newDirectory();
    const squatter = await moveInto(directory.connection, await signUp());
    const { id } = await bring(directory, { userName: squatter.email, emails: [{ value: squatter.email }] });
    expect(await recordOf(directory.connection.id, id)).toMatchObject({ state: "active", userId: squatter.userId });
    expect((await call("GET", "/auth/me", { token: squatter.token })).status).toBe(401);
  });

  test("of 20 parallel requests for one person exactly one makes them", async () => {
    const directory = await newDirectory();
    const body = newUser(directory);
    const answers = await Promise.all(Array.from({ length: 20 }, () => scim(directory, "POST", "/Users", { body })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ status: "409", scimType: "uniqueness" });
    expect(await countersOf(directory.connection.id)).toEqual({ active: 1, inactive: 0, held: 0 });
  });

  test("of 20 parallel people at the cap exactly one is made", async () => {
    const directory = await newDirectory();
    const variables = { MAX_DIRECTORY_USERS: "1" };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => scim(directory, "POST", "/Users", { body: newUser(directory), variables })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 403]));
  });
});

describe("somebody who leaves", () => {
  test.each(["active: false", "DELETE"])("by %s loses the membership, sessions and keys here", async (how) => {
    const directory = await newDirectory({ roles: { default: "developer", rules: [], when: "every" } });
    const { person, apiKey, id } = await memberIn(directory);
    const { tenantId } = directory.connection;
    const left = how === "DELETE" ? await scim(directory, "DELETE", `/Users/${id}`) : await deactivate(directory, id);
    expect(left.status).toBe(how === "DELETE" ? 204 : 200);
    expect(await memberOf(tenantId, person.userId)).toBeNull();
    expect((await call("GET", "/webhooks", { token: person.token })).status).toBe(401);
    expect((await call("GET", "/webhooks", { token: apiKey })).status).toBe(401);
    const { body } = await call("GET", "/audit?action=member.removed", { token: directory.owner.token });
    expect(body.data).toEqual([
      expect.objectContaining({
        actor: expect.objectContaining({ kind: "connection", id: directory.connection.id }),
        target: expect.objectContaining({ id: person.userId }),
      }),
    ]);
    const state = how === "DELETE" ? "removed" : "inactive";
    expect(await recordOf(directory.connection.id, id)).toMatchObject({ state });
    expect((await scim(directory, "GET", `/Users/${id}`)).status).toBe(how === "DELETE" ? 404 : 200);
  });

  test("stays out by every way in, until the directory has them again", async () => {
    const directory = await newDirectory();
    const { connection, owner } = directory;
    const word = wordOf(connection);
    const member = await signOnAs(word);
    const { id } = await bring(directory, { externalId: word.subject, emails: [{ value: word.email }] });
    expect(await recordOf(connection.id, id)).toMatchObject({ state: "active", userId: member.userId });
    await deactivate(directory, id);
    expect(await outcomeOf(await signOnWith(word))).toBe("deactivated");
    const other = await newConnection(connection.tenantId);
    expect(await outcomeOf(await signOnWith(wordOf(other, { email: word.email })))).toBe("deactivated");
    const invitation = await call("POST", "/invitations", {
      token: owner.token,
      body: { email: word.email, role: "member" },
    });
    expect(invitation.status).toBe(201);
    await patch(directory, id, { op: "Replace", path: "active", value: "True" });
    expect(await memberOf(connection.tenantId, member.userId)).toMatchObject({ role: "member" });
    expect(await outcomeOf(await signOnWith(word))).toBe("in");
  });

  test("a new record lets in again whom the directory has removed", async () => {
    const directory = await newDirectory();
    const { id, emails } = await bring(directory);
    const { userId } = (await recordOf(directory.connection.id, id)) ?? {};
    await scim(directory, "DELETE", `/Users/${id}`);
    const again = await bring(directory, { emails });
    expect(await recordOf(directory.connection.id, again.id)).toMatchObject({ state: "active", userId });
    expect(await recordOf(directory.connection.id, id)).toBeNull();
  });

  test("an owner keeps the membership and their own credentials, and no sign-on", async () => {
    const directory = await newDirectory();
    const owner = await moveInto(directory.connection, directory.owner);
    const { id } = await bring(directory, { userName: owner.email, emails: [{ value: owner.email }] });
    await deactivate(directory, id);
    expect(await memberOf(directory.connection.tenantId, owner.userId)).toMatchObject({ role: "owner" });
    expect((await call("GET", "/tenant/connections", { token: owner.token })).status).toBe(200);
    const word = wordOf(directory.connection, { email: owner.email });
    expect(await outcomeOf(await signOnWith(word))).toBe("deactivated");
  });

  test("members without a record stay", async () => {
    const directory = await newDirectory();
    const member = await signOnAs(wordOf(directory.connection));
    await scim(directory, "DELETE", `/Users/${(await bring(directory)).id}`);
    expect(await memberOf(directory.connection.tenantId, member.userId)).toMatchObject({ role: "member" });
  });
});

describe("provisioning: directory", () => {
  test("lets in whom the directory has as active, and nobody else", async () => {
    const directory = await newDirectory({ provisioning: "directory" });
    const { connection } = directory;
    expect(await outcomeOf(await signOnWith(wordOf(connection)))).toBe("not_provisioned");
    const { externalId, userName } = await bring(directory);
    const { userId } = await signOnAs(wordOf(connection, { subject: externalId, email: null }));
    expect(userId).toBe((await idOfAccount(userName))?.id);
  });
});

test("a person is changed as a whole and in part, and the same content writes nothing", async () => {
  const directory = await newDirectory();
  const { id, meta: _, ...user } = await bring(directory);
  const renamed = await scim(directory, "PUT", `/Users/${id}`, { body: { ...user, displayName: "Amazing Grace" } });
  expect(renamed.body).toMatchObject({ displayName: "Amazing Grace", active: true });
  expect(renamed.headers.get("etag")).toBe('W/"2"');
  expect(await one("SELECT name FROM users WHERE email = ?", user.userName)).toEqual({ name: "Amazing Grace" });
  const same = await patch(directory, id, { op: "replace", path: "displayName", value: "Amazing Grace" });
  expect([same.status, same.headers.get("etag")]).toEqual([200, 'W/"2"']);
  const stale = { headers: { "if-match": 'W/"1"' }, body: { ...user, title: "Admiral" } };
  expect((await scim(directory, "PUT", `/Users/${id}`, stale)).status).toBe(412);
  const fresh = { headers: { "if-none-match": 'W/"2"' } };
  expect((await scim(directory, "GET", `/Users/${id}`, fresh)).status).toBe(304);
});

test("of 20 parallel changes of one person none is lost", async () => {
  const directory = await newDirectory();
  const { id } = await bring(directory);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      patch(directory, id, { op: "add", path: "emails", value: [{ value: `n${n}@x.example` }] }),
    ),
  );
  const made = answers.filter(({ status }) => status === 200).length;
  expect(new Set(answers.map(({ status }) => status)).difference(new Set([200, 409])).size).toBe(0);
  const { body } = await scim(directory, "GET", `/Users/${id}`);
  expect(body.emails).toHaveLength(1 + made);
  expect(body.meta.version).toBe(`W/"${1 + made}"`);
});

test("an owner releases somebody who was removed here", async () => {
  const directory = await newDirectory();
  const { connection, owner } = directory;
  const { id } = await bring(directory);
  const { userId = "" } = (await recordOf(connection.id, id)) ?? {};
  await call("DELETE", `/members/${userId}`, { token: owner.token });
  expect(await recordOf(connection.id, id)).toMatchObject({ state: "held", reason: "removed" });
  await patch(directory, id, { op: "replace", path: "title", value: "Admiral" });
  expect(await memberOf(connection.tenantId, userId)).toBeNull();
  const at = `/tenant/connections/${connection.id}/people/${id}/release`;
  const released = await call("POST", at, { token: owner.token, body: {} });
  expect([released.status, await memberOf(connection.tenantId, userId)]).toEqual([
    200,
    expect.objectContaining({ role: "member" }),
  ]);
  expect((await call("POST", at, { token: owner.token, body: {} })).status).toBe(409);
});

test("the tables have nothing of a deleted connection that works", async () => {
  const directory = await newDirectory();
  await bring(directory);
  const { owner, connection } = directory;
  const body = { members: "remove" };
  await call("DELETE", `/tenant/connections/${connection.id}`, { token: owner.token, body });
  expect((await scim(directory, "GET", "/Users")).status).toBe(401);
  const left = env.DB.prepare("SELECT count(*) AS n FROM scim_tokens WHERE connection_id = ?").bind(connection.id);
  expect(await left.first("n")).toBe(0);
});
