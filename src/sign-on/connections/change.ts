/** What a change makes of a connection: its settings, its secret, and the document of its provider. */

import { encrypt } from "../../base/crypto/encryption";
import type { Deps } from "../../base/deps";
import { invalidField } from "../../base/errors";
import {
  type ConnectionKind,
  type ConnectionSettings,
  DEFAULT_SETTINGS,
  GOOGLE_ISSUER,
} from "../../base/schemas/connection-settings";
import { isMicrosoftIssuer } from "../../identity/providers/providers";
import { DiscoveryFailed, readProvider } from "../oidc/discovery";
import { connectionOwner } from "../sealed";
import { isComplete } from "./problems";
import { changedSaml, isOtherProvider, NO_SAML } from "./saml-change";
import type { ConnectionChange } from "./schemas";
import type { ConnectionRow } from "./store";

/** A shorter secret would be half given away. */
const SHORTEST_WITH_END = 12;

/** What the connection is after the change. Throws VALIDATION_FAILED, also for a provider that cannot be used. */
export async function changed(deps: Deps, before: ConnectionRow, change: ConnectionChange): Promise<ConnectionRow> {
  refuseOfOtherKind(before.kind, change);
  const merged = mergedSettings(before.settings, change);
  const { document, issuer } = await providerOf(deps, before, merged.oidc.issuer);
  const saml =
    before.kind === "saml" ? { saml: await changedSaml(deps, before.settings.saml ?? NO_SAML, change.saml) } : {};
  const settings: ConnectionSettings = { ...merged, oidc: { ...merged.oidc, issuer }, ...saml };
  refuseUnfit(settings);
  const isOther = isOtherIssuer(before.settings, settings) || isOtherProvider(before.settings.saml, settings.saml);
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

/** Throws VALIDATION_FAILED for what is about signing on in another way. */
function refuseOfOtherKind(kind: ConnectionKind, change: ConnectionChange): void {
  for (const other of ["oidc", "saml"] as const) {
    if (kind === other || change[other] === undefined) continue;
    throw invalidField(other, `Must be left out: ${kind === "directory" ? "a directory signs nobody on" : WITHOUT}`);
  }
}

const WITHOUT = "the connection is of another kind, and stays that";

/** Whether people are called otherwise from now on. */
const isOtherIssuer = (before: ConnectionSettings, after: ConnectionSettings): boolean =>
  before.oidc.issuer !== null &&
  (after.oidc.issuer !== before.oidc.issuer || after.attributes.subject !== before.attributes.subject);

function stateOf(after: ConnectionRow, isOther: boolean): ConnectionRow["state"] {
  if (!isComplete(after)) return "draft";
  if (after.kind === "directory" && after.state === "draft") return "active";
  return isOther || after.state === "draft" ? "ready" : after.state;
}

function mergedSettings(before: ConnectionSettings, change: ConnectionChange): ConnectionSettings {
  const { roles } = change;
  const { clientSecret: _, ...oidc } = change.oidc ?? {};
  return {
    oidc: mergedMembers(before.oidc, change.oidc === null ? null : oidc, DEFAULT_SETTINGS.oidc),
    attributes: mergedMembers(before.attributes, change.attributes, DEFAULT_SETTINGS.attributes),
    provisioning: chosen(before.provisioning, change.provisioning, DEFAULT_SETTINGS.provisioning),
    roles: {
      ...mergedMembers(before.roles, roles, DEFAULT_SETTINGS.roles),
      // Null is a value here: nobody gets in without a rule.
      ...(roles?.default === undefined ? {} : { default: roles.default }),
    },
    session: mergedMembers(before.session, change.session, DEFAULT_SETTINGS.session),
    discovery: chosen(before.discovery, change.discovery, DEFAULT_SETTINGS.discovery),
    outsideDomains: chosen(before.outsideDomains, change.outsideDomains, DEFAULT_SETTINGS.outsideDomains),
  };
}

const chosen = <T>(before: T, change: T | null | undefined, standard: T): T =>
  change === undefined ? before : (change ?? standard);

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
