/** Looking up the record of a domain at both resolvers, with DNS over HTTPS (RFC 8484). */
import type { Deps } from "../../base/deps";
import { boundedFetch, ProviderUnreachable } from "../../identity/providers/fetch";
import { textsIn, txtQuestion } from "./dns-message";

const TIMEOUT_MS = 3_000;
const MAX_ANSWER_BYTES = 4 * 1_024;
const MEDIA_TYPE = "application/dns-message";

/** What a look-up found. */
export type DnsFinding =
  /** Both resolvers see the value. */
  | { kind: "found"; value: string }
  /** Both have answered, and not both see it; `isDenied`: neither does. */
  | { kind: "missing"; isDenied: boolean; lastError: string }
  /** One of them gave no answer, so nothing is known. */
  | { kind: "unknown" };

/** What `missing` says when there is nothing to see. */
export const nothingFound = ({ config }: Pick<Deps, "config">): string =>
  missingText(config.dnsResolvers.map((url) => `${hostOf(url)} sees no such record`));

/** Looks for a TXT record of the name that says one of the values, and nothing else. */
export async function lookUp(
  { config }: Pick<Deps, "config">,
  name: string,
  values: readonly string[],
): Promise<DnsFinding> {
  const given = await Promise.all(config.dnsResolvers.map((url) => readTexts(url, name)));
  const answers = given.filter((texts) => texts !== null);
  if (answers.length < given.length) return { kind: "unknown" };
  const found = answers.map((texts) => values.find((value) => texts.includes(value)));
  const [value] = found;
  if (value !== undefined && !found.includes(undefined)) return { kind: "found", value };
  const told = config.dnsResolvers.map((url, index) => `${hostOf(url)} sees ${sightOf(answers[index], found[index])}`);
  return { kind: "missing", isDenied: found.every((seen) => seen === undefined), lastError: missingText(told) };
}

const hostOf = (url: string): string => new URL(url).host;

const missingText = (told: readonly string[]): string => `Not found in DNS. ${told.join(", ")}.`;

function sightOf(texts: readonly string[] = [], value?: string): string {
  if (value !== undefined) return "the record";
  return texts.length === 0 ? "no such record" : "another value";
}

/** The TXT records of a name as a resolver sees them; null without an answer in time. */
async function readTexts(url: string, name: string): Promise<string[] | null> {
  const [id = 0] = crypto.getRandomValues(new Uint16Array(1));
  const headers = { Accept: MEDIA_TYPE, "Content-Type": MEDIA_TYPE };
  const request = { method: "POST", headers, body: txtQuestion(name, id) };
  try {
    const response = await boundedFetch(url, request, MAX_ANSWER_BYTES, TIMEOUT_MS);
    const isMessage = response.status === 200 && response.headers.get("Content-Type")?.startsWith(MEDIA_TYPE);
    return isMessage ? textsIn(new Uint8Array(await response.arrayBuffer()), name, id) : null;
  } catch (error) {
    if (error instanceof ProviderUnreachable) return null;
    throw error;
  }
}
