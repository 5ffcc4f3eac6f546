/** The request of a sign-on by SAML 2.0, by the HTTP-Redirect binding (SAML 2.0 Bindings, section 3.4). */
import { toBase64, utf8 } from "../../base/crypto/encoding";
import { canonicalText, canonicalValue } from "./characters";
import { POST, SAML, SAMLP } from "./names";

export interface AuthnRequest {
  /** The provider's SingleSignOnService. */
  ssoUrl: string;
  /** Ours, as the issuer. */
  entityId: string;
  acsUrl: string;
  /** An NCName: `_` and hexadecimal digits. */
  requestId: string;
  /** Whether the person is to sign in there anew. */
  forceAuthn: boolean;
  /** AuthnContextClassRefs, one of which is asked for; empty: however the provider wants. */
  acrValues?: readonly string[];
  /** At most 80 bytes; none where it is empty. */
  relayState: string;
  issueInstantMs: number;
}

/** Where to send the browser. The request is not signed: the provider answers at its registered address alone. */
export async function authnRequestUrl(of: AuthnRequest): Promise<string> {
  const url = new URL(of.ssoUrl);
  url.hash = "";
  const fields = new URLSearchParams({ SAMLRequest: toBase64(await deflated(requestXml(of))) });
  if (of.relayState !== "") fields.set("RelayState", of.relayState);
  // A provider's own fields stay as it writes them.
  url.search = url.search === "" ? `?${fields}` : `${url.search}&${fields}`;
  return url.href;
}

function requestXml({
  ssoUrl,
  entityId,
  acsUrl,
  requestId,
  forceAuthn,
  issueInstantMs,
  acrValues = [],
}: AuthnRequest): string {
  const attributes = {
    ID: requestId,
    Version: "2.0",
    IssueInstant: new Date(issueInstantMs).toISOString(),
    Destination: ssoUrl,
    AssertionConsumerServiceURL: acsUrl,
    ProtocolBinding: POST,
    ...(forceAuthn ? { ForceAuthn: "true" } : {}),
  };
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${canonicalValue(value)}"`);
  return (
    `<samlp:AuthnRequest xmlns:samlp="${SAMLP}" xmlns:saml="${SAML}"${written.join("")}>` +
    `<saml:Issuer>${canonicalText(entityId)}</saml:Issuer>` +
    `<samlp:NameIDPolicy AllowCreate="true"/>${contextXml(acrValues)}</samlp:AuthnRequest>`
  );
}

function contextXml(acrValues: readonly string[]): string {
  if (acrValues.length === 0) return "";
  const classes = acrValues.map(
    (one) => `<saml:AuthnContextClassRef>${canonicalText(one)}</saml:AuthnContextClassRef>`,
  );
  return `<samlp:RequestedAuthnContext Comparison="exact">${classes.join("")}</samlp:RequestedAuthnContext>`;
}

async function deflated(text: string): Promise<Uint8Array> {
  const stream = new Blob([utf8(text)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
