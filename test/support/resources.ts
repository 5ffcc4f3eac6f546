/** APIs that take tokens of apps, and what their verifier says of one. */
import { createResourceVerifier } from "../../src/sdk/session";
import { clientsKey, ISSUER } from "./apps";
import { call } from "./client";
import { reach } from "./libraries/library";

export const SCOPES = [
  { name: "notes.read", description: "Read your notes", default: true },
  { name: "notes.write", description: "Change your notes" },
];

/** The list of revoked tokens is at most two seconds old. */
export const LISTED = { timeout: 20_000, interval: 250 };

export interface Api {
  id: string;
  identifier: string;
}

/** The URL of an API of a tenant; the first word of its host says what is special about its document. */
export const newResourceUrl = (special = "good"): string =>
  `https://${special}-${crypto.randomUUID().slice(0, 8)}.apis.example/${crypto.randomUUID()}`;

/** Registers an API. */
export async function newApi(fields: Record<string, unknown> = {}): Promise<Api> {
  const identifier = `https://notes.example/${crypto.randomUUID()}`;
  const body = { name: "Notes", identifier, scopes: SCOPES, ...fields };
  const answer = await call("POST", "/platform/resources", { token: await clientsKey(), body });
  if (answer.status !== 201) throw new Error(`resource answered ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}

/** The settings of a client that may ask for all of these. */
export const forApis = (...apis: readonly Pick<Api, "identifier">[]) => ({
  resources: apis.map(({ identifier }) => ({ identifier, scopes: ["*"] })),
});

export const verifierOf = (resource: string, more: { requiredScopes?: string[]; scopes?: string[] } = {}) =>
  createResourceVerifier({ issuer: ISSUER, resource, fetch: reach, ...more });
