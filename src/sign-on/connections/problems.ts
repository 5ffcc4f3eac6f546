/** What a connection lacks before it signs people on. */
import type { ConnectionSettings, SamlSettings } from "../../base/schemas/connection-settings";
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
export function missingIn({ kind, settings: { oidc, saml }, document, secretSealed }: Judged): Problem[] {
  if (kind === "directory") return [];
  if (kind === "saml") return missingInSaml(saml);
  const lacksSecret = oidc.clientAuth === "secret" && secretSealed === null;
  return [
    ...(document === null ? [{ path: "oidc.issuer", message: "Enter the issuer" }] : []),
    ...(oidc.clientId === null ? [{ path: "oidc.clientId", message: "Enter the client ID" }] : []),
    ...(lacksSecret ? [{ path: "oidc.clientSecret", message: "Enter the client secret" }] : []),
  ];
}

const missingInSaml = ({
  entityId = null,
  ssoUrl = null,
  certificates = [],
}: Partial<SamlSettings> = {}): Problem[] => [
  ...(entityId === null ? [{ path: "saml.entityId", message: "Enter the entity ID of the provider" }] : []),
  ...(ssoUrl === null ? [{ path: "saml.ssoUrl", message: "Enter its sign-on URL" }] : []),
  ...(certificates.length === 0 ? [{ path: "saml.certificates", message: "Enter its certificate" }] : []),
];

export const isComplete = (row: Judged): boolean => missingIn(row).length === 0;

/** What is missing before people sign on. */
export function missingForSignOn(row: ConnectionRow): Problem[] {
  const lacking = { path: "domains", message: "Prove the domain of your organisation at Google" };
  return row.lacksDomain === 1 ? [...missingIn(row), lacking] : missingIn(row);
}

/** What is missing before it can be activated, of one that is not or that waits for a review; else what is amiss. */
export function problemsOf(row: ConnectionRow, nowMs: number): Problem[] {
  const missing = missingForSignOn(row);
  if (missing.length > 0 || row.kind === "directory") return missing;
  if (isInUse(row)) return endedCertificates(row.settings, nowMs);
  return isTested(row, nowMs) ? [] : [{ path: "test", message: "Test the connection as it is now" }];
}

/** Their keys go on counting: providers keep signing with them, and locking people out would help nobody. */
const endedCertificates = ({ saml }: ConnectionSettings, nowMs: number): Problem[] =>
  (saml?.certificates ?? []).flatMap(({ notAfterMs }, index) =>
    notAfterMs > nowMs
      ? []
      : [{ path: `saml.certificates.${index}`, message: "A certificate of the provider has ended. Enter its new one" }],
  );

const isTested = ({ testedAt, testedVersion, version }: ConnectionRow, nowMs: number): boolean =>
  testedVersion === version && testedAt !== null && testedAt > nowMs - TEST_COUNTS_MS;
