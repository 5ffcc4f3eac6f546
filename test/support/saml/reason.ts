/** Why a response is refused. */
import { type ReasonFacts, SignOnRefused } from "../../../src/sign-on/refused";
import { readResponse, type SamlExpectation } from "../../../src/sign-on/saml/response";
import { EXPECTED, NOW_MS } from "./facts";
import { encoded } from "./responses";

/** The reason, and for XML what is wrong with it; null where the response is taken. */
export async function refusalOf(
  xml: string,
  expected: Partial<SamlExpectation> = {},
  nowMs = NOW_MS,
): Promise<string | null> {
  const error = await errorOf(() => readResponse(encoded(xml), { ...EXPECTED, ...expected }, nowMs));
  if (error === null) return null;
  const { why } = error.facts as ReasonFacts;
  return error.reason === "xml" ? `xml: ${why}` : error.reason;
}

async function errorOf(read: () => Promise<unknown>): Promise<SignOnRefused | null> {
  try {
    await read();
    return null;
  } catch (error) {
    if (error instanceof SignOnRefused) return error;
    throw error;
  }
}
