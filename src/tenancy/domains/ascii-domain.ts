/** Domain names as they are stored and compared: in lower case, in ASCII (IDNA), without a dot at the end. */

/** What would end the host of a URL, or change it. */
const NOT_IN_HOSTS = /[\s/\\?#@:%[\]]/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const MAX_CHARACTERS = 253;

/** The name as it is stored; null for what is no DNS name with a dot, such as an IP address. */
export function asciiDomain(text: string): string | null {
  if (text.length > MAX_CHARACTERS || NOT_IN_HOSTS.test(text)) return null;
  const name = URL.parse(`https://${text}`)?.hostname.replace(/\.$/, "") ?? "";
  const labels = name.split(".");
  const isName = labels.length > 1 && name.length <= MAX_CHARACTERS && labels.every((label) => LABEL.test(label));
  return isName && !/^\d+$/.test(labels.at(-1) ?? "") ? name : null;
}
