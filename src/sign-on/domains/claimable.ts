/** Which domains a tenant can have. */
import { invalidField } from "../../base/errors";
import { asciiDomain } from "../../tenancy/domains/ascii-domain";
import { isPublicSuffix } from "./public-suffixes";

/** Where everybody gets an address: most of the private addresses of the world are at these. */
const MAIL_HOSTS: ReadonlySet<string> = new Set(
  (
    "126.com 163.com aol.com comcast.net fastmail.com free.fr gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net " +
    "googlemail.com hey.com hotmail.co.uk hotmail.com hotmail.fr icloud.com laposte.net libero.it live.com mac.com " +
    "mail.com mail.ru me.com msn.com naver.com orange.fr outlook.com pm.me proton.me protonmail.com qq.com " +
    "t-online.de tuta.com web.de yahoo.co.jp yahoo.com yandex.ru zoho.com"
  ).split(" "),
);

/** Room for the name of the challenge record in front. */
const MAX_CHARACTERS = 230;

/** The domain as it is stored. Throws VALIDATION_FAILED for what no tenant can have. */
export function claimableDomain(text: string): string {
  const domain = asciiDomain(text.trim());
  if (domain === null || domain.length > MAX_CHARACTERS) throw refused("Must be a domain such as acme.com");
  if (isPublicSuffix(domain)) throw refused("Must be your own: everybody can register names below this one");
  if (MAIL_HOSTS.has(domain)) throw refused("Must be your own: everybody can have an address at this one");
  return domain;
}

const refused = (message: string) => invalidField("domain", message);
