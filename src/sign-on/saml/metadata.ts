/** The documents in which a provider and we describe ourselves to each other (SAML 2.0 Metadata). */
import { toBase64, utf8 } from "../../base/crypto/encoding";
import { strictBase64 } from "./base64";
import { canonicalValue } from "./characters";
import { DSIG, METADATA, POST, REDIRECT, SAMLP } from "./names";
import { parseXml } from "./parse";
import { attributeOf, childrenNamed, elementsIn, isNamed, requiredText, type XmlElement, XmlRefused } from "./xml";

export interface IdpMetadata {
  entityId: string;
  /** The SingleSignOnService of the HTTP-Redirect binding. */
  ssoUrl: string;
  /** One or two, each the base64 of its DER. */
  certificates: string[];
}

/** The message says what to change. */
export class MetadataRefused extends Error {
  override readonly name = "MetadataRefused";
}

const MAX_CERTIFICATES = 2;

/**
 * Reads the metadata of a provider, which somebody has pasted. Nobody checks a signature of it: what counts is who
 * enters it. Throws MetadataRefused.
 */
export function readIdpMetadata(xml: string): IdpMetadata {
  try {
    return describedIn(parseXml(utf8(xml.trim()), { comments: true }));
  } catch (error) {
    if (error instanceof XmlRefused) throw new MetadataRefused(`The metadata cannot be read: ${error.message}.`);
    throw error;
  }
}

function describedIn(root: XmlElement): IdpMetadata {
  const entities = isNamed(root, METADATA, "EntitiesDescriptor")
    ? childrenNamed(root, METADATA, "EntityDescriptor")
    : [root].filter((one) => isNamed(one, METADATA, "EntityDescriptor"));
  const providers = entities.flatMap((entity) =>
    childrenNamed(entity, METADATA, "IDPSSODescriptor")
      .filter((one) => attributeOf(one, "protocolSupportEnumeration")?.split(/\s+/).includes(SAMLP))
      .map((descriptor) => ({ entity, descriptor })),
  );
  const [provider, ...others] = providers;
  if (provider === undefined) throw new MetadataRefused("Paste the metadata of an identity provider for SAML 2.0.");
  if (others.length > 0) throw new MetadataRefused("Paste the metadata of one identity provider, not of several.");
  return {
    entityId: entityIdOf(provider.entity),
    ssoUrl: ssoUrlOf(provider.descriptor),
    certificates: certificatesOf(provider.descriptor),
  };
}

function entityIdOf(entity: XmlElement): string {
  const entityId = attributeOf(entity, "entityID");
  if (!entityId) throw new MetadataRefused("The metadata has no entityID.");
  return entityId;
}

function ssoUrlOf(descriptor: XmlElement): string {
  const service = childrenNamed(descriptor, METADATA, "SingleSignOnService").find(
    (one) => attributeOf(one, "Binding") === REDIRECT,
  );
  const location = service && attributeOf(service, "Location");
  if (!location) {
    throw new MetadataRefused(
      "The metadata has no SingleSignOnService with the binding HTTP-Redirect. Turn it on there.",
    );
  }
  return location;
}

function certificatesOf(descriptor: XmlElement): string[] {
  const keys = childrenNamed(descriptor, METADATA, "KeyDescriptor").filter(
    (one) => (attributeOf(one, "use") ?? "signing") === "signing",
  );
  const texts = keys.flatMap((key) => inside(key, ["KeyInfo", "X509Data", "X509Certificate"])).map(requiredText);
  const certificates = new Set(texts.map(strictBase64).map((bytes) => (bytes === null ? "" : toBase64(bytes))));
  if (certificates.has("")) throw new MetadataRefused("A certificate in the metadata is not base64.");
  if (certificates.size === 0)
    throw new MetadataRefused("The metadata has no certificate with which answers are signed.");
  if (certificates.size > MAX_CERTIFICATES) {
    throw new MetadataRefused(
      `The metadata has ${certificates.size} certificates for signing, and two are taken. Enter those that sign now.`,
    );
  }
  return [...certificates];
}

/** The elements at the end of a way of names through XML signatures. */
const inside = (element: XmlElement, [name, ...names]: readonly string[]): XmlElement[] =>
  name === undefined
    ? [element]
    : elementsIn(element)
        .filter((one) => isNamed(one, DSIG, name))
        .flatMap((one) => inside(one, names));

/** What an administrator gives to the provider: who we are, where answers go, and that assertions are to be signed. */
export function spMetadata({ entityId, acsUrl }: { entityId: string; acsUrl: string }): string {
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<md:EntityDescriptor xmlns:md="${METADATA}" entityID="${canonicalValue(entityId)}">` +
    '<md:SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" ' +
    `protocolSupportEnumeration="${SAMLP}">` +
    `<md:AssertionConsumerService Binding="${POST}" Location="${canonicalValue(acsUrl)}" index="0" isDefault="true"/>` +
    "</md:SPSSODescriptor></md:EntityDescriptor>\n"
  );
}
