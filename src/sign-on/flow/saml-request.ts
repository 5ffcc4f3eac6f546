/** The request of a sign-on by SAML 2.0: unsigned, by the redirect binding. */
import { randomBytes, toHex } from "../../base/crypto/encoding";
import type { Deps } from "../../base/deps";
import { samlParty } from "../connections/party";
import type { ConnectionRow } from "../connections/store";
import { refusalOfEndpoint } from "../oidc/fetch";
import { authnRequestUrl } from "../saml/authn-request";
import type { Asking, ProviderRequest } from "./request";

const ID_BYTES = 20;

/** An ID is an NCName, which begins with no digit. That of a test shows it: its trace takes all that is said. */
const newRequestId = (isTest: boolean): string => `${isTest ? "_t" : "_s"}${toHex(randomBytes(ID_BYTES))}`;

/** Whether a request is that of a test, as far as its ID says. */
export const isOfTest = (requestId: string): boolean => requestId.startsWith("_t");

/**
 * Null for a connection that is not complete, or whose provider's address is refused. A connection that asks for a
 * recent sign-in asks the person each time: SAML cannot say how recent.
 */
export async function samlRequest(
  deps: Deps,
  connection: ConnectionRow,
  { isStepUp, isTest }: Asking,
): Promise<ProviderRequest | null> {
  const party = samlParty(deps, connection);
  if (!party || refusalOfEndpoint(deps, party.ssoUrl) !== null) return null;
  const requestId = newRequestId(isTest);
  const { maxAgeSeconds, acrValues } = connection.settings.session;
  const url = await authnRequestUrl({
    ssoUrl: party.ssoUrl,
    entityId: party.entityId,
    acsUrl: party.acsUrl,
    requestId,
    forceAuthn: isStepUp || maxAgeSeconds !== null,
    acrValues,
    relayState: "",
    issueInstantMs: deps.now(),
  });
  return { url, secrets: { state: requestId, nonce: "", verifier: "" } };
}
