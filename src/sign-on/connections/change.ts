/** What a change makes of a connection: its settings, its secret, and the document of its provider. */

import { encrypt } from "../../base/crypto/encryption";
import type { Deps } from "../../base/deps";
import { invalidField } from "../../base/errors";
import { type ConnectionSettings, DEFAULT_SETTINGS, GOOGLE_ISSUER } from "../../base/schemas/connection-settings";
import { isMicrosoftIssuer } from "../../identity/providers/providers";
import { DiscoveryFailed, readProvider } from "../oidc/discovery";
import { connectionOwner } from "../sealed";
import { isComplete } from "./problems";
import type { ConnectionChange } from "./schemas";
import type { ConnectionRow } from "./store";

/** A shorter secret would be half given away. */
const SHORTEST_WITH_END = 12;

/** What the connection is after the change. Throws VALIDATION_FAILED, also for a provider that cannot be used. */
export async function changed(deps: Deps, before: ConnectionRow, change: ConnectionChange): Promise<ConnectionRow> {
  if (before.kind === "directory" && change.oidc !== undefined) {
    throw invalidField("oidc", "Must be left out: a directory signs nobody on");
  }
  const merged = mergedSettings(before.settings, change);
  const { document, issuer } = await providerOf(deps, before, merged.oidc.issuer);
  const settings = { ...merged, oidc: { ...merged.oidc, issuer } };
  refuseUnfit(settings);
  const isOther =
    before.settings.oidc.issuer !== null &&
    (issuer !== before.settings.oidc.issuer || settings.attributes.subject !== before.settings.attributes.subject);
  const after = {
    ...before,
    name: change.name ?? before.name,
    provider: change.provider === undefined ? before.provider : (change.provider ?? "other"),
    settings,
    document,
    ...(await secretOf(deps, before, change.oidc === null ? null : change.oidc?.clientSecret)),
    generation: before.generation + Number(isOther),
    updatedAt: Math.max(deps.now(), before.updatedAt + 1),
  };
  return { ...after, state: stateOf(after, isOther) };
}

function stateOf(after: ConnectionRow, isOther: boolean): ConnectionRow["state"] {
  if (!isComplete(after)) return "draft";
  if (after.kind === "directory" && after.state === "draft") return "active";
  return isOther || after.state === "draft" ? "ready" : after.state;
}

function mergedSettings(before: ConnectionSettings, change: ConnectionChange): ConnectionSettings {
  const { roles } = change;
  const { clientSecret: _, ...oidc } = change.oidc ?? {};
  const of = <K extends "provisioning" | "discovery" | "outsideDomains">(key: K): ConnectionSettings[K] =>
    change[key] === undefined ? before[key] : ((change[key] ?? DEFAULT_SETTINGS[key]) as ConnectionSettings[K]);
  return {
    oidc: mergedMembers(before.oidc, change.oidc === null ? null : oidc, DEFAULT_SETTINGS.oidc),
    attributes: mergedMembers(before.attributes, change.attributes, DEFAULT_SETTINGS.attributes),
    provisioning: of("provisioning"),
    roles: {
      ...mergedMembers(before.roles, roles, DEFAULT_SETTINGS.roles),
      // Null is a value here: nobody gets in without a rule.
      ...(roles?.default === undefined ? {} : { default: roles.default }),
    },
    session: mergedMembers(before.session, change.session, DEFAULT_SETTINGS.session),
    discovery: of("discovery"),
    outsideDomains: of("outsideDomains"),
  };
}

/** The members of a change take the place of those before; null is the default. */
function mergedMembers<T extends object>(before: T, change: object | null | undefined, defaults: T): T {
  if (change === null) return defaults;
  const given = Object.entries(change ?? {}).filter(([, value]) => value !== undefined);
  const values = given.map(([key, value]) => [key, value ?? defaults[key as keyof T]] as const);
  return { ...before, ...Object.fromEntries(values) };
}

/** Reads the document of an issuer that is new. */
async function providerOf(deps: Deps, before: ConnectionRow, issuer: string | null) {
  if (issuer === null) return { document: null, issuer };
  if (issuer === before.settings.oidc.issuer && before.document) return { document: before.document, issuer };
  try {
    const document = await readProvider(deps, issuer);
    return { document, issuer: document.issuer };
  } catch (error) {
    if (error instanceof DiscoveryFailed) throw invalidField("oidc.issuer", error.message);
    throw error;
  }
}

function refuseUnfit({ oidc: { issuer, clientAuth }, attributes }: ConnectionSettings): void {
  const isEntra = issuer !== null && isMicrosoftIssuer(issuer);
  if (attributes.subject === "oid" && !isEntra) {
    throw invalidField("attributes.subject", "Must be sub: only Entra's issuers have oid");
  }
  if (clientAuth === "private_key_jwt" && (isEntra || issuer === GOOGLE_ISSUER)) {
    throw invalidField("oidc.clientAuth", "Must be secret: this provider reads no keys");
  }
}

async function secretOf(
  { keys }: Deps,
  before: ConnectionRow,
  secret: string | null | undefined,
): Promise<Pick<ConnectionRow, "secretSealed" | "secretLast4">> {
  if (secret === undefined) return { secretSealed: before.secretSealed, secretLast4: before.secretLast4 };
  if (secret === null) return { secretSealed: null, secretLast4: null };
  const secretLast4 = secret.length < SHORTEST_WITH_END ? null : secret.slice(-4);
  return { secretSealed: await encrypt(keys, connectionOwner(before.id), secret), secretLast4 };
}
