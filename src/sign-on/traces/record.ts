/** Writing down what came of a test, and why a sign-on was refused. */
import { utf8 } from "../../base/crypto/encoding";
import { encrypt } from "../../base/crypto/encryption";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { log } from "../../base/log/log";
import type { RefusalReason, SignOnRefused } from "../refused";
import { traceOwner } from "../sealed";
import type { Would } from "./schemas";
import { finishTest, insertRefusal, insertTrace, type TraceRow } from "./store";
import { tellOfFailing } from "./tell";

const MAX_CLAIMS_BYTES = 8 * 1024;

type IdpClaims = Readonly<Record<string, unknown>>;
/** The connection, as it was when the flow began. */
interface Of {
  connectionId: string;
  version: number;
}

/** How a sign-on or a test ended. */
export interface TraceEnding {
  refused: SignOnRefused | null;
  /** Null: the provider's word was not verified. */
  claims: IdpClaims | null;
  would: Would | null;
  /** What is said of a good test all the same. */
  warning?: RefusalReason | undefined;
}

/** Who begins a test: a person, or the session of a setup link; both null: a platform key. */
type Tester = Pick<TraceRow, "userId" | "setupId">;

/** Reserves the trace of a test. Returns its id. */
export async function startTrace(deps: Deps, of: Of, tester: Tester): Promise<string> {
  const id = newId();
  await insertTrace(deps, {
    ...blank(of),
    ...tester,
    id,
    at: deps.now(),
    kind: "test",
    outcome: "started",
    step: "start",
  });
  return id;
}

const blank = ({ connectionId, version }: Of) => ({
  connectionId,
  version,
  reason: null,
  facts: null,
  claimsSealed: null,
  would: null,
  userId: null,
  setupId: null,
});

/** Ends a test, with all that the provider said. Returns whether a setup link has begun it. */
export async function endTest(deps: Deps, of: Of, traceId: string, ending: TraceEnding): Promise<boolean> {
  const row = await rowOf(deps, of, ending, wholeClaims);
  const setupId = await finishTest(deps, { ...row, id: traceId, kind: "test" }, deps.now());
  return typeof setupId === "string";
}

/** Records a refusal, with the subject and the address. Returns the id of its trace. */
export async function recordRefusal(
  deps: Deps,
  { kind = "sign-on", ...of }: Of & { kind?: "sign-on" | "logout" },
  refused: SignOnRefused,
  claims: IdpClaims | null,
): Promise<string> {
  const id = newId();
  log("warn", "sign-on refused", { connectionId: of.connectionId, reason: refused.reason });
  const row = await rowOf(deps, of, { refused, claims, would: null }, shortClaims);
  if (kind === "logout") await insertTrace(deps, { ...row, id, kind });
  else tellOfFailing(deps, of.connectionId, await insertRefusal(deps, { ...row, id, kind }));
  return id;
}

async function rowOf(
  { keys, now }: Deps,
  of: Of,
  { refused, claims, would, warning }: TraceEnding,
  shown: (claims: IdpClaims) => IdpClaims,
): Promise<Omit<TraceRow, "id" | "kind">> {
  const sealed = claims && (await encrypt(keys, traceOwner(of.connectionId), JSON.stringify(shown(claims))));
  return {
    ...blank(of),
    at: now(),
    outcome: refused ? "refused" : "succeeded",
    step: refused?.step ?? "done",
    reason: refused?.reason ?? warning ?? null,
    facts: refused && JSON.stringify(refused.facts),
    claimsSealed: sealed,
    would: would && JSON.stringify(would),
  };
}

/** All claims, as far as they fit. */
export function wholeClaims(claims: IdpClaims): IdpClaims {
  let left = MAX_CLAIMS_BYTES;
  const kept = Object.entries(claims).filter(([name, value]) => {
    left -= utf8(JSON.stringify({ [name]: value ?? null })).length;
    return left >= 0;
  });
  return Object.fromEntries(kept);
}

/** The subject and the address; of the others, that they were there. */
export function shortClaims(claims: IdpClaims): IdpClaims {
  const shown = ["sub", "oid", "email"];
  return wholeClaims(
    Object.fromEntries(Object.entries(claims).map(([name, value]) => [name, shown.includes(name) ? value : null])),
  );
}
