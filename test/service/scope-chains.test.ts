/**
 * What each scope comes to, alone: what it allows, and what can be done with what it has made. The matrix is written by
 * hand; `PERMISSION_TEXTS` and `PLATFORM_SCOPE_TEXTS` say the same in words.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { PLATFORM_SCOPES, type PlatformScope } from "../../src/base/schemas/platform-scopes";
import { PERMISSIONS, type Permission } from "../../src/base/schemas/roles";
import { call, signUpVerified } from "../support/client";
import { forgetImporter } from "../support/imports";
import { newPlatformKey } from "../support/platform-keys";
import { type As, type Gain, newStage, type Stage, WAYS } from "../support/scope-chains";

const REACH: Readonly<Record<Permission, readonly Gain[]>> = {
  "webhook.create": ["receives events at its own URL", "decides which events are accepted"],
  "webhook.read": ["reads events", "reads signing secrets"],
  "webhook.update": ["receives events at its own URL", "reads signing secrets"],
  "webhook.delete": [],
  "event.publish": ["publishes events"],
  "source.manage": [],
  "member.read": [],
  "member.manage": [],
  "audit.read": ["reads the audit log"],
  "client.manage": [],
};

const PLATFORM_REACH: Readonly<Record<PlatformScope, readonly Gain[]>> = {
  "tenants.read": [],
  "tenants.write": [],
  "users.read": ["reads people"],
  "users.write": ["changes people"],
  "members.read": ["reads people"],
  "members.write": ["adds members"],
  "events.publish": REACH["event.publish"],
  "webhooks.read": REACH["webhook.read"],
  "webhooks.write": ["receives events at its own URL", "reads signing secrets", "decides which events are accepted"],
  "audit.read": REACH["audit.read"],
  "clients.read": [],
  "clients.write": [],
  "connections.read": [],
  "connections.write": [],
};

let stage: Stage;
beforeAll(async () => {
  forgetImporter();
  stage = await newStage(await signUpVerified());
});

/** Calls with the credential; a body with `ndjson` is sent as lines. */
const calling =
  (token: string, headers: Record<string, string> = {}): As =>
  (method, path, body) => {
    if (body !== undefined && "ndjson" in body) {
      const lines = { ...headers, "content-type": "application/x-ndjson" };
      return call(method, path, { token, headers: lines, raw: String(body.ndjson) });
    }
    return call(method, path, { token, headers, ...(body === undefined ? {} : { body }) });
  };

/** The ways by which the credential gains what is not in `reach`, and what of that it gains by none. */
async function differences(as: As, reach: readonly Gain[]) {
  const gained = new Set<Gain>();
  const beyond: string[] = [];
  for (const [name, { gain, succeeds }] of Object.entries(WAYS)) {
    if (!(await succeeds(as, stage))) continue;
    gained.add(gain);
    if (!reach.includes(gain)) beyond.push(name);
  }
  return { beyond, unused: reach.filter((gain) => !gained.has(gain)) };
}

const NONE = { beyond: [], unused: [] };

describe("comes to what the matrix says, and no further:", () => {
  test.each(PERMISSIONS)("a key of the tenant with %s alone", async (scope) => {
    const body = { name: "k", scopes: [scope], owner: "tenant" };
    const { key } = (await call("POST", "/api-keys", { token: stage.owner.token, body })).body.data;
    expect(await differences(calling(key), REACH[scope])).toEqual(NONE);
  });

  test.each(PLATFORM_SCOPES)("a platform key with %s alone", async (scope) => {
    const { key } = await newPlatformKey([scope]);
    const as = calling(key, { "postern-tenant": stage.owner.tenantId });
    expect(await differences(as, PLATFORM_REACH[scope])).toEqual(NONE);
  });

  test.each(PLATFORM_SCOPES)(
    "a platform key with %s alone in the tenant of the platform, beside its own",
    async (scope) => {
      const { key } = await newPlatformKey([scope]);
      const { beyond } = await differences(calling(key, { "postern-tenant": "platform" }), PLATFORM_REACH[scope]);
      expect(beyond).toEqual([]);
    },
  );
});
