/**
 * What ends what: each way in which somebody is inside a tenant, or gets in, against each event that may end it. A way
 * or an event that the table lacks fails, and so does a new kind of token, of caller, of sign-in, of table or of audit
 * event that is on no list here.
 */
import { getTableColumns, getTableName, is, Table } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { ACTION_NAMES, type AuditAction } from "../../src/base/schemas/audit-actions";
import * as controlPlane from "../../src/base/tables/control-plane";
import * as credentials from "../../src/base/tables/credentials";
import * as oauth from "../../src/base/tables/oauth";
import * as singleUse from "../../src/base/tables/single-use";
import { EVENTS } from "../support/ending-events";
import { newInsider } from "../support/insider";
import { WAYS_INSIDE } from "../support/ways-inside";

const control = { ...controlPlane, ...credentials, ...singleUse, ...oauth };

const sources = import.meta.glob("../../src/base/schemas/principal.ts", {
  query: "?raw",
  import: "default",
  eager: true,
}) as Record<string, string>;

/**
 * in: it works as before. -: it does not. The columns are the ways in their order: a poll of a feed that waits and the
 * socket of a listener, both of the session of the next column, session, API key, portal token, portal link that was
 * opened, subscription, key of the tenant, platform key, source, feed token, refresh token, that of an app, password,
 * passkey, provider, mailed code, invitation, reset link, new address, the tenant's own sign-on. A subscription, a
 * source, a feed and a key of the tenant belong to the tenant, a platform key to the product, and the last two to the
 * account, in whatever tenant. An operator has made the platform key. A changed address stands for the former one.
 * Everybody has asked for another address, so "not me" ends the links in mails too.
 */
const TABLE = `
                     poll sock sess key prtl plnk subs tkey plt src feed refr app pass pkey prov code invi rset addr own
nothing              in   in   in   in   in   in   in   in   in   in   in   in   in   in   in   in   in   in   in   in   in
reset                -    -    -    in   -    -    in   in   in   in   in   -    -    -    in   in   in   in   -    -    in
reset of all         -    -    -    -    -    -    in   in   in   in   in   -    -    -    -    -    in   in   -    -    in
new password         -    -    -    in   -    -    in   in   in   in   in   -    in   -    in   in   in   in   -    -    in
not me               -    -    -    -    -    -    -    -    in   -    -    -    -    -    -    -    in   -    -    -    in
two factors          -    -    -    in   in   in   in   in   in   in   in   -    in   -    in   -    -    in   in   in   in
new address          in   in   in   in   in   in   in   in   in   in   in   in   in   -    in   in   -    in   -    -    in
sign-out everywhere  -    -    -    in   -    -    in   in   in   in   in   -    in   in   in   in   in   in   in   in   in
sign-out by operator -    -    -    in   -    -    in   in   in   in   in   -    in   in   in   in   in   in   in   in   in
person suspended     -    -    -    -    -    -    in   in   in   in   in   -    -    -    -    -    -    -    in   -    -
tenant suspended     -    -    -    -    -    -    -    -    -    -    -    -    -    -    -    -    -    -    in   in   -
removed              -    -    -    -    -    -    in   in   in   in   in   -    -    -    -    -    -    -    in   in   -
demoted              -    -    -    -    -    -    in   in   in   in   in   -    in   -    -    -    -    -    in   in   -
left                 -    -    -    -    -    -    in   in   in   in   in   -    -    -    -    -    -    -    in   in   in
account deleted      -    -    -    -    -    -    in   in   in   in   in   -    -    -    -    -    -    -    -    -    -
tenant deleted       -    -    -    -    -    -    -    -    -    -    -    -    -    -    -    -    -    -    in   in   -
policy of the tenant -    -    -    in   -    -    in   in   in   in   in   -    -    -    in   -    -    -    in   in   in
new key in front     in   in   in   in   in   in   in   in   in   in   in   in   in   in   in   in   in   in   in   in   in
old key gone         in   in   -    in   in   in   in   in   in   -    in   -    -    in   in   in   -    in   in   in   in
`;

const NAME_COLUMNS = 21;
const [header = "", ...lines] = TABLE.split("\n").filter((line) => line !== "");
const wordsOf = (line: string) => line.slice(NAME_COLUMNS).trim().split(/ +/);
const rows = new Map(lines.map((line) => [line.slice(0, NAME_COLUMNS).trim(), wordsOf(line)]));
const stood = new Set(Object.values(WAYS_INSIDE).flatMap(({ stands }) => stands));

/** What opens nothing by itself, and why. */
const OPENS_NOTHING: Record<string, string> = {
  verify: "proves an address",
  undo: "ends access and gives none",
  "remove-factor": "removes a second factor; the first one is still needed",
  totp: "a second factor, after a first one",
  recovery: "a second factor, after a first one",
  setup: "sets up sign-on and reads no data; it is stored with the links of portals, and ends as these do",
};

/** Tables that have somebody's id and open nothing. */
const NO_ACCESS: Record<string, string> = {
  memberships: "what the ways lead to",
  known_devices: "whether a sign-in is announced",
  oauth_consents: "what an app may ask for; its grants are the way",
  recovery_codes: "second factors, after a first one",
  tenants: "who registered it",
};

/** Events that end no access. Whoever adds one says here or among the events above what it does. */
const ENDS_NOTHING = new RegExp(
  `^(${[
    "webhook\\.",
    "listen\\.",
    "source\\.",
    "feed\\.",
    "event_type\\.",
    "operator\\.(searched|(status|import|tenant|person)_read|(tenant|domain)_moved|move_cancelled|.*_resumed)",
    "operator\\.(2fa_removal_mailed|sends_|sign_on_ended)",
    "member\\.(invited|joined|added|updated)",
    "api_key\\.created",
    "(portal|setup)\\.link_(created|opened)",
    "tenant\\.(exported|created|updated|resumed|settings_changed)",
    "user\\.(created|updated|resumed)",
    "platform_key\\.created",
    "(client|resource)\\.created",
    "app\\.(connected|device_approved|allowed)",
    "import\\.",
    "domain\\.",
    "connection\\.(created|activated|token_created)",
    "directory\\.",
    "auth\\.(registered|login|login_failed|locked|email_verified|password_reset_requested|name_changed)$",
    "auth\\.(email_change_requested|2fa_disabled|recovery_used|recovery_codes_renewed|passkey_added)$",
    "auth\\.(identity_linked|exported|step_up)$",
  ].join("|")})`,
);

/** Events that end one thing, which has tests of its own. */
const ENDS_ONE: Partial<Record<AuditAction, string>> = {
  "api_key.deleted": "the key",
  "portal.link_revoked": "the link and its session, or the token",
  "setup.link_revoked": "the link and its session",
  "member.invitation_revoked": "the invitation",
  "auth.passkey_removed": "the passkey",
  "auth.identity_unlinked": "the provider",
  "auth.refresh_reused": "the session",
  "auth.2fa_removed": "the sessions",
  "platform_key.rotated": "the former key of the product",
  "platform_key.revoked": "the key of the product",
  "client.updated": "the sign-ins to an app that is disabled, or of tenants that it loses",
  "client.deleted": "the sign-ins to the app",
  "client.secret_rotated": "the former secret of the app, after its overlap",
  "client.secret_ended": "the former secret of the app",
  "client.tokens_revoked": "the sign-ins to the app",
  "resource.updated": "the tokens for the API if it is disabled",
  "resource.deleted": "the tokens for the API",
  "resource.secret_rotated": "the former secret of the API",
  "connection.updated": "the sessions of a former identity provider",
  "connection.disabled": "the sessions of the connection",
  "connection.deleted": "the sessions of the connection, and whom it knows",
  "connection.token_revoked": "the token of the directory",
  "app.blocked": "what the app does in the tenant, while it lasts",
  "app.code_reused": "the sign-in to the app",
  "app.disconnected": "what the app was allowed",
  "app.refresh_reused": "the offline grant of the app",
};

describe("the table", () => {
  test("has every way and every event", () => {
    expect(wordsOf(header)).toHaveLength(Object.keys(WAYS_INSIDE).length);
    expect([...rows.keys()]).toEqual(Object.keys(EVENTS));
    for (const [name, cells] of rows) expect([name, cells.length]).toEqual([name, wordsOf(header).length]);
  });

  test("has every purpose of a mailed token, every kind of caller and every method of a sign-in", () => {
    const [principal = ""] = Object.values(sources);
    const methods = principal.match(/export type AuthMethod =([^;]*);/)?.[1] ?? "";
    const quoted = (text: string) => [...text.matchAll(/"([\w-]+)"/g)].map(([, word = ""]) => word);
    const kinds = [...principal.matchAll(/^ {2}kind: "([\w-]+)"/gm)].map(([, kind = ""]) => kind);
    const all = [...control.emailTokens.purpose.enumValues, ...quoted(methods), ...kinds];
    expect(all.length).toBeGreaterThan(12);
    expect(all.filter((one) => !stood.has(one) && !(one in OPENS_NOTHING))).toEqual([]);
  });

  test("has every table that belongs to a person", () => {
    const tables = Object.values<unknown>(control).filter((one): one is Table => is(one, Table));
    const owned = tables.filter((table) =>
      Object.keys(getTableColumns(table)).some((column) => /^(userId|invitedBy|createdBy)$/.test(column)),
    );
    expect(owned.map(getTableName).filter((name) => !stood.has(name) && !(name in NO_ACCESS))).toEqual([]);
  });

  test("says of every event of the audit log what it ends", () => {
    const ending = new Set(Object.values(EVENTS).flatMap(({ actions }) => actions));
    const unknown = ACTION_NAMES.filter((name) => !ending.has(name) && !ENDS_NOTHING.test(name) && !(name in ENDS_ONE));
    expect(unknown).toEqual([]);
  });
});

/** At once, because each waits for a poll that looks for events once a second. */
test.concurrent.each(Object.entries(EVENTS))("after: %s", async (name, { happens }) => {
  const insider = await newInsider();
  await happens(insider);
  const got: string[] = [];
  for (const [way, { works }] of Object.entries(WAYS_INSIDE)) {
    got.push(`${way}: ${(await works(insider)) ? "in" : "-"}`);
  }
  const wanted = Object.keys(WAYS_INSIDE).map((way, index) => `${way}: ${rows.get(name)?.[index]}`);
  expect(got).toEqual(wanted);
});
