/** Creating and changing sources, and trying a call. */
import { utf8 } from "../../base/crypto/encoding";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { AppError, changedMeanwhile, type ErrorDetail, notFound, refuseInvalid } from "../../base/errors";
import { capReached } from "../../base/limits/caps";
import type { ActingIn } from "../../base/schemas/actor";
import type { Principal } from "../../base/schemas/principal";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { newSourceId } from "../hops/source-id";
import type { SourceOptions } from "./option-schemas";
import { readCall } from "./read";
import {
  MAX_SECRETS,
  type NewSource,
  type SourceChange,
  type SourceProvider,
  type SourceSample,
  type SourceSampleResult,
} from "./schemas";
import { givenSecret, imported, keyOf, openSecrets, publicKeyKind, sealSecrets, tooShort } from "./secrets";
import { insertSource, readSource, replaceSecrets, type SourceRow, updateSource } from "./store";
import { refusalOf } from "./verify";
import { checkTokenSecret } from "./web-token";

/** Somebody who gives a source its secrets. */
type Maker = ActingIn & Pick<Principal, "userId">;

/**
 * Creates a source. Throws VALIDATION_FAILED for what does not fit the provider, CONFLICT at the cap, and NOT_FOUND in
 * the tenant of the platform, where anybody with the secret could forge platform events.
 */
export async function createSource(deps: Deps, tenant: Maker, input: NewSource): Promise<SourceRow> {
  if (tenant.tenantId === PLATFORM_TENANT) throw notFound("Tenant");
  const { name, provider, secrets: given, enabled, ...rest } = input;
  const secrets = given.map((secret) => givenSecret(provider, secret));
  const options = withoutMissing(rest);
  const ofSecrets = secrets.map((secret, at) => refuseNewSecret(provider, options, secret, `secrets.${at}`));
  refuseInvalid([...refuseOptions(provider, options), ...(await Promise.all(ofSecrets)).flat()]);
  const nowMs = deps.now();
  const id = newSourceId();
  const secretsSealed = await sealSecrets(
    deps,
    id,
    secrets.map((secret) => ({ id: newId(), secret, createdAt: nowMs })),
  );
  const times = { createdAt: nowMs, updatedAt: nowMs, lastEventAt: null };
  const setUpBy = tenant.userId || null;
  const row = { id, tenantId: tenant.tenantId, name, provider, secretsSealed, options, enabled, setUpBy, ...times };
  const { caps } = deps.config;
  if (!(await insertSource(deps, tenant, row, caps.sources))) throw capReached("sources", caps);
  return row;
}

/** Changes the given fields; null sets an option to its default. Throws as `createSource` does, and NOT_FOUND. */
export async function changeSource(deps: Deps, tenant: ActingIn, id: string, change: SourceChange): Promise<SourceRow> {
  const before = await readSource(deps, tenant, id);
  const { name = before.name, enabled = before.enabled, ...given } = change;
  const options = withoutMissing({ ...before.options, ...withoutUndefined(given) });
  refuseInvalid(refuseOptions(before.provider, options));
  const secrets = await openSecrets(deps, id, before.secretsSealed);
  const refused = secrets.map(({ secret }) =>
    refuseSecret(before.provider, options, secret, "verification.secretEncoding"),
  );
  refuseInvalid((await Promise.all(refused)).flat());
  const after = { ...before, name, enabled, options };
  const fields = Object.keys(change).filter((field) => differs(before, after, field));
  if (fields.length === 0) return before;
  const nowMs = deps.now();
  if (!(await updateSource(deps, tenant, before, after, { fields, nowMs }))) throw changedMeanwhile("source");
  return { ...after, updatedAt: nowMs };
}

function differs(before: SourceRow, after: SourceRow, field: string): boolean {
  const valueIn = ({ name, enabled, options }: SourceRow) =>
    JSON.stringify(({ name, enabled, ...options } as Record<string, unknown>)[field]);
  return valueIn(before) !== valueIn(after);
}

/** Adds a secret. Throws CONFLICT for a fourth one, VALIDATION_FAILED and NOT_FOUND. */
export async function addSecret(deps: Deps, tenant: Maker, id: string, given: string): Promise<SourceRow> {
  const before = await readSource(deps, tenant, id);
  const secret = givenSecret(before.provider, given);
  refuseInvalid(await refuseNewSecret(before.provider, before.options, secret, "secret"));
  const secrets = await openSecrets(deps, id, before.secretsSealed);
  if (secrets.length >= MAX_SECRETS) {
    throw new AppError("CONFLICT", { message: `A source can have at most ${MAX_SECRETS} secrets.` });
  }
  const added = [...secrets, { id: newId(), secret, createdAt: deps.now() }];
  const bySomebody = { ...before, setUpBy: tenant.userId || null };
  return withSecrets(deps, tenant, bySomebody, await sealSecrets(deps, id, added), "source.secret_added");
}

/** Removes a secret. Throws CONFLICT for the last one, and NOT_FOUND. */
export async function removeSecret(deps: Deps, tenant: ActingIn, id: string, secretId: string): Promise<SourceRow> {
  const before = await readSource(deps, tenant, id);
  const secrets = await openSecrets(deps, id, before.secretsSealed);
  const left = secrets.filter((secret) => secret.id !== secretId);
  if (left.length === secrets.length) throw notFound("Secret");
  if (left.length === 0) throw new AppError("CONFLICT", { message: "A source needs a secret. Add another one first." });
  return withSecrets(deps, tenant, before, await sealSecrets(deps, id, left), "source.secret_removed");
}

async function withSecrets(
  deps: Deps,
  tenant: ActingIn,
  before: SourceRow,
  secretsSealed: string,
  action: "source.secret_added" | "source.secret_removed",
): Promise<SourceRow> {
  const nowMs = deps.now();
  if (!(await replaceSecrets(deps, tenant, before, secretsSealed, { action, nowMs }))) throw changedMeanwhile("source");
  return { ...before, secretsSealed, updatedAt: nowMs };
}

/** Says what would become of a call. Writes nothing. Throws NOT_FOUND. */
export async function trySample(
  deps: Deps,
  tenant: { tenantId: string },
  id: string,
  sample: SourceSample,
): Promise<SourceSampleResult> {
  const source = await readSource(deps, tenant, id);
  const secrets = (await openSecrets(deps, id, source.secretsSealed)).map(({ secret }) => secret);
  const url = `${deps.config.publicUrl ?? ""}/api/v1/in/${id}`;
  const call = { headers: new Headers(sample.headers), body: utf8(sample.body), url };
  const refusal = await refusalOf({ ...source, secrets }, call, deps.now());
  if (refusal !== null) return { verified: false, reason: refusal };
  const reading = readCall(source, call);
  if (reading.is === "refused") return { verified: true, reason: reading.reason, relayed: false };
  const type = reading.is === "event" ? reading.event.type : reading.type;
  return { verified: true, ...(type === null ? {} : { type }), relayed: reading.is === "event" };
}

/** Which options a provider takes beside those of all. */
function refuseOptions(provider: SourceProvider, { verification, type, dedupe }: SourceOptions): ErrorDetail[] {
  const isHmac = provider === "hmac";
  const rules: readonly (readonly [path: string, isWrong: boolean, message: string])[] = [
    ["verification", isHmac && !verification, "Is required for hmac"],
    ["verification", !isHmac && verification !== undefined, "Is for hmac only"],
    ["type", isHmac && !type, "Is required for hmac"],
    ["type", !isHmac && provider !== "standard" && type !== undefined, "Is for hmac and standard only"],
    ["dedupe", !isHmac && dedupe !== undefined, "Is for hmac only"],
  ];
  return rules.filter(([, isWrong]) => isWrong).map(([path, , message]) => ({ path, message }));
}

async function refuseNewSecret(provider: SourceProvider, options: SourceOptions, secret: string, path: string) {
  const message = tooShort(provider, secret);
  return message === null ? refuseSecret(provider, options, secret, path) : [{ path, message }];
}

/** Also for a secret that is there, when the options say another form. */
async function refuseSecret(
  provider: SourceProvider,
  options: SourceOptions,
  secret: string,
  path: string,
): Promise<ErrorDetail[]> {
  try {
    if (options.verification?.algorithm === "jwt") await checkTokenSecret(options, secret);
    else await imported(keyOf(provider, options, secret), "SHA-256");
    return [];
  } catch {
    const wanted = publicKeyKind(provider, options.verification?.algorithm)
      ? "a public key"
      : "in the form that its prefix or secretEncoding says";
    return [{ path, message: `A secret is not ${wanted}` }];
  }
}

const withoutUndefined = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

/** The options that are set. */
const withoutMissing = (options: { [K in keyof SourceOptions]?: SourceOptions[K] | null }): SourceOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null && value !== undefined));
