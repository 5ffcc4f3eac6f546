/** What a connection lacks before it signs people on. */
import { DAY_MS } from "../../base/time";
import { type ConnectionRow, isInUse } from "./store";

interface Problem {
  path: string;
  message: string;
}

/** A connection is activated after a test that is no older. */
export const TEST_COUNTS_MS = DAY_MS;

type Judged = Pick<ConnectionRow, "kind" | "settings" | "document" | "secretSealed">;

/** What is missing before it can be tested: nothing of a directory alone, which signs nobody on. */
export function missingIn({ kind, settings: { oidc }, document, secretSealed }: Judged): Problem[] {
  if (kind === "directory") return [];
  const lacksSecret = oidc.clientAuth === "secret" && secretSealed === null;
  return [
    ...(document === null ? [{ path: "oidc.issuer", message: "Enter the issuer" }] : []),
    ...(oidc.clientId === null ? [{ path: "oidc.clientId", message: "Enter the client ID" }] : []),
    ...(lacksSecret ? [{ path: "oidc.clientSecret", message: "Enter the client secret" }] : []),
  ];
}

export const isComplete = (row: Judged): boolean => missingIn(row).length === 0;

/** What is missing before people sign on. */
export function missingForSignOn(row: ConnectionRow): Problem[] {
  const lacking = { path: "domains", message: "Prove the domain of your organisation at Google" };
  return row.lacksDomain === 1 ? [...missingIn(row), lacking] : missingIn(row);
}

/** What is missing before it can be activated, of one that is not or that waits for a review. */
export function problemsOf(row: ConnectionRow, nowMs: number): Problem[] {
  const missing = missingForSignOn(row);
  if (missing.length > 0 || isInUse(row) || row.kind === "directory") return missing;
  return isTested(row, nowMs) ? [] : [{ path: "test", message: "Test the connection as it is now" }];
}

const isTested = ({ testedAt, testedVersion, version }: ConnectionRow, nowMs: number): boolean =>
  testedVersion === version && testedAt !== null && testedAt > nowMs - TEST_COUNTS_MS;
