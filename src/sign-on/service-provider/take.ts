/** Where the provider of a connection by SAML sends its responses: the assertion consumer service. */
import { sha256Hex } from "../../base/crypto/encoding";
import type { Deps } from "../../base/deps";
import { lookUp } from "../../base/limits/unknown";
import { API_PATH } from "../../base/paths";
import { lowerUuid } from "../../base/uuid";
import { nextPage } from "../../identity/sign-in/providers/redirects";
import { type SamlParty, samlParty } from "../connections/party";
import type { ConnectionRow } from "../connections/store";
import { findById } from "../flow/connection-store";
import { pathBelow } from "../flow/initiate";
import { isOfTest } from "../flow/saml-request";
import { personOf } from "../oidc/person";
import { SignOnRefused } from "../refused";
import { claimedInResponseTo, readResponse, type SamlPerson } from "../saml/response";
import { shortClaims, wholeClaims } from "../traces/record";
import { type AssertedPerson, type SamlAnswer, sealAnswer } from "./answer";
import { claimsOfAssertion, isAddress } from "./claims";

/** Longer than an assertion is taken. */
const REMEMBERED_MS = 15 * 60_000;

/** Returns the page to which the browser goes with its cookie. Writes nothing: anybody can send a form. */
export async function takeResponse(
  deps: Deps,
  connection: string,
  form: URLSearchParams,
  clientIp: string,
): Promise<string> {
  const id = lowerUuid(connection);
  const mark = `sign-on:${id}`;
  const found = await lookUp(deps, "unknownApiKey", { clientIp, mark }, () => findById(deps, id));
  const party = found && samlParty(deps, found);
  if (!party) return nextPage(deps, { to: "" }, { error: "expired" });
  const answer = await sealAnswer(deps, await judged(deps, found, party, form));
  const base = deps.config.publicUrl ?? deps.config.tokenIssuer;
  return `${base}${API_PATH}/auth/sign-on/${id}/finish?${new URLSearchParams({ answer })}`;
}

async function judged(
  deps: Deps,
  connection: ConnectionRow,
  party: SamlParty,
  form: URLSearchParams,
): Promise<SamlAnswer> {
  const response = form.get("SAMLResponse") ?? "";
  const requestId = claimedInResponseTo(response);
  const answer: SamlAnswer = {
    ...{ connectionId: connection.id, version: connection.version, requestId },
    ...{ asserted: null, refused: null, claims: null, to: "" },
  };
  const shown = requestId !== null && isOfTest(requestId) ? wholeClaims : shortClaims;
  try {
    const expected = { ...party, audience: party.entityId, requestId: requestId ?? "" };
    const said = await readResponse(response, expected, deps.now());
    answer.claims = claimsOfAssertion(said, connection.settings.attributes);
    answer.asserted = await assertedBy(connection, said, answer.claims);
  } catch (error) {
    if (!(error instanceof SignOnRefused)) throw error;
    const { step, reason, facts } = error;
    answer.refused = { step, reason, facts };
    if (requestId === null && reason === "in_response_to") answer.to = targetOf(deps, form);
  }
  return { ...answer, claims: answer.claims && shown(answer.claims) };
}

/** Throws SignOnRefused. */
async function assertedBy(
  { id, settings }: ConnectionRow,
  said: SamlPerson,
  claims: ReturnType<typeof claimsOfAssertion>,
): Promise<AssertedPerson> {
  const used = await sha256Hex(`${id}:${said.assertionId}`);
  return {
    person: personOf(claims, settings),
    endsAt: said.sessionNotOnOrAfterMs,
    assertionId: `${said.expiresAtMs + REMEMBERED_MS}:${used}`,
    isAddress: isAddress(said),
  };
}

/** Providers send the page that a tile is for as RelayState. */
const targetOf = ({ config }: Deps, form: URLSearchParams): string =>
  pathBelow(config.appUrl, form.get("RelayState") ?? "") ?? "";
