/** Whom a signed assertion speaks of, and how they signed in. */
import { attributesOf } from "./attributes";
import { SAML, TRANSIENT } from "./names";
import { refused } from "./refuse";
import { refuseEnded, refuseFuture, requiredTime, timeIn } from "./times";
import { attributeOf, childrenNamed, onlyChild, requiredChild, textOf, type XmlElement, XmlRefused } from "./xml";

export interface SamlPerson {
  /** The NameID, of 1 to 255 characters. */
  subject: string;
  nameIdFormat: string | null;
  /** By Name, and by FriendlyName where no other has that as its name. */
  attributes: Record<string, string[]>;
  sessionIndex: string | null;
  /** When the provider wants the session to end, and when the person signed in there; Unix ms. */
  sessionNotOnOrAfterMs: number | null;
  authnInstantMs: number | null;
  /** AuthnContextClassRef. */
  authnContext: string | null;
  assertionId: string;
  /** Until when the assertion could be sent again, Unix ms. */
  expiresAtMs: number;
}

const MAX_SUBJECT_CHARACTERS = 255;
const MAX_ID_CHARACTERS = 255;
const CONTROL = /\p{Cc}/u;

/** Throws SignOnRefused and XmlRefused. */
export function personIn(assertion: XmlElement, expiresAtMs: number, nowMs: number): SamlPerson {
  const assertionId = attributeOf(assertion, "ID") ?? "";
  if (assertionId.length > MAX_ID_CHARACTERS) throw new XmlRefused("the ID of the assertion is too long");
  return {
    ...subjectIn(requiredChild(assertion, SAML, "Subject")),
    ...signInOf(childrenNamed(assertion, SAML, "AuthnStatement"), nowMs),
    attributes: attributesOf(childrenNamed(assertion, SAML, "AttributeStatement")),
    assertionId,
    expiresAtMs,
  };
}

function subjectIn(element: XmlElement): Pick<SamlPerson, "subject" | "nameIdFormat"> {
  const nameId = onlyChild(element, SAML, "NameID");
  const subject = nameId === null ? "" : textOf(nameId);
  if (nameId === null || subject === null || !isSubject(subject)) throw refused("no_subject", { claim: "NameID" });
  const nameIdFormat = attributeOf(nameId, "Format");
  if (nameIdFormat === TRANSIENT) throw refused("no_subject", { claim: "NameID of a format other than transient" });
  return { subject, nameIdFormat: nameIdFormat?.slice(0, 255) ?? null };
}

const isSubject = (text: string): boolean =>
  text.trim() !== "" && text.length <= MAX_SUBJECT_CHARACTERS && !CONTROL.test(text);

/** Of several statements the first says how, and the earliest end counts. */
function signInOf(statements: readonly XmlElement[], nowMs: number) {
  const [first] = statements;
  if (first === undefined) throw new XmlRefused("an element AuthnStatement is missing");
  const authnInstantMs = requiredTime(first, "AuthnInstant");
  refuseFuture(authnInstantMs, nowMs);
  const ends = statements.map((one) => timeIn(one, "SessionNotOnOrAfter")).filter((end) => end !== null);
  for (const end of ends) refuseEnded(end, nowMs);
  const context = onlyChild(first, SAML, "AuthnContext");
  const classRef = context && onlyChild(context, SAML, "AuthnContextClassRef");
  return {
    sessionIndex: attributeOf(first, "SessionIndex")?.slice(0, MAX_ID_CHARACTERS) ?? null,
    sessionNotOnOrAfterMs: ends.length > 0 ? Math.min(...ends) : null,
    authnInstantMs,
    authnContext: (classRef && textOf(classRef)?.slice(0, 255).trim()) || null,
  };
}
