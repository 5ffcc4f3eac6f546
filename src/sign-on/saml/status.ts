/** What a provider says of a sign-on as a whole (SAML 2.0 Core, section 3.2.2). */
import { SAMLP, SUCCESS } from "./names";
import { refused, shown } from "./refuse";
import { attributeOf, onlyChild, requiredChild, type XmlElement } from "./xml";

/** Throws SignOnRefused for anything but success, with the last words of its codes. */
export function checkStatus(status: XmlElement): void {
  const code = requiredChild(status, SAMLP, "StatusCode");
  const value = attributeOf(code, "Value");
  if (value === SUCCESS) return;
  const inner = onlyChild(code, SAMLP, "StatusCode");
  const words = [value, inner && attributeOf(inner, "Value")].map((one) => one?.split(":").at(-1)).filter(Boolean);
  throw refused("access_denied", { answer: shown(words.join(", ")) });
}
