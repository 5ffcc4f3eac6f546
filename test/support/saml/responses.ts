/** Signed responses of a provider, for tests. */
import { toBase64, utf8 } from "../../../src/base/crypto/encoding";
import { FACTS, type Facts } from "./facts";
import { IDP, type Signer } from "./keys";
import { responseXml, SHAPES, type Shape } from "./shapes";
import { type SigningWay, withSignature } from "./signing";

export interface Making {
  shape?: Shape | undefined;
  signer?: Signer;
  signing?: SigningWay;
  /** Changes the document before it is signed; `{signature}` stands where that will be. */
  change?: (xml: string) => string;
}

/** The XML of a response whose assertion is signed. */
export function signedXml(facts: Partial<Facts> = {}, making: Making = {}): Promise<string> {
  const { shape = SHAPES["okta"] as Shape, signer = IDP, change = (xml) => xml, signing } = making;
  const all = { ...FACTS, ...facts };
  const way = { ...shape.signing, ...signing };
  return withSignature(change(responseXml(all, shape)), all.assertionId, signer, way);
}

/** As the browser brings it, in the field `SAMLResponse`. */
export const encoded = (xml: string): string => toBase64(utf8(xml));

export const signedResponse = async (facts: Partial<Facts> = {}, making: Making = {}): Promise<string> =>
  encoded(await signedXml(facts, making));
