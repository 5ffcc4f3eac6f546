/**
 * Signed responses with parts moved, copied, renamed and mixed at random: whatever is taken gives the very person whom
 * the provider has signed. 3,000 of them, which cost about a second, and `MUTATIONS=200000` as many as one likes. They
 * are new ones each time.
 */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { SignOnRefused } from "../../src/sign-on/refused";
import { readResponse, type SamlPerson } from "../../src/sign-on/saml/response";
import { seeded } from "../support/faults/random";
import { EXPECTED, NOW_MS } from "../support/saml/facts";
import { mutated } from "../support/saml/mutations";
import { encoded, signedXml } from "../support/saml/responses";
import { SHAPES } from "../support/saml/shapes";
import { treeOf } from "../support/saml/tree";

const COUNT = Number(env.MUTATIONS);
const SEED = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
/** One whom the provider has signed too, as an attacker may be. */
const MALLORY = { subject: "mallory@evil.example", assertionId: "_mallory", responseId: "_other", attributes: {} };

const read = (xml: string): Promise<SamlPerson> => readResponse(encoded(xml), EXPECTED, NOW_MS);

async function personOrNull(xml: string): Promise<SamlPerson | null> {
  try {
    return await read(xml);
  } catch (error) {
    if (error instanceof SignOnRefused) return null;
    throw error;
  }
}

test.each(["okta", "entra", "onelogin"])("a response of %s says what was signed, or nothing", async (name) => {
  const shape = SHAPES[name];
  const signed = [await signedXml({}, { shape }), await signedXml(MALLORY, { shape })];
  const [ada, mallory] = await Promise.all(signed.map(read));
  const trees = signed.map(treeOf);
  let taken = 0;
  for (let i = 0; i < COUNT / 3; i += 1) {
    const xml = mutated(seeded(SEED + i), trees);
    const person = await personOrNull(xml);
    if (person === null) continue;
    taken += 1;
    const original = person.assertionId === ada?.assertionId ? ada : mallory;
    expect(person, `seed ${SEED + i}: ${xml}`).toEqual(original);
  }
  // Otherwise nothing would be shown: some changes leave what is signed as it is.
  expect(taken).toBeGreaterThan(COUNT / 300);
});
