/** What a response says, before it is written in some provider's shape. */
import type { SamlExpectation } from "../../../src/sign-on/saml/response";
import { IDP } from "./keys";

export interface Facts {
  idpEntityId: string;
  audience: string;
  acsUrl: string;
  requestId: string;
  /** When it is made, Unix ms; it counts for five minutes. */
  nowMs: number;
  responseId: string;
  assertionId: string;
  subject: string;
  nameIdFormat: string;
  /** By Name. */
  attributes: Readonly<Record<string, readonly string[]>>;
  sessionIndex: string;
  sessionNotOnOrAfterMs: number | null;
  authnInstantMs: number | null;
  authnContext: string;
}

export const NOW_MS = Date.UTC(2026, 10, 30, 8);
export const EMAIL_FORMAT = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
const PASSWORD = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport";

export const FACTS: Facts = {
  idpEntityId: "https://idp.example/entity",
  audience: "https://postern.test/saml/0190a0a0-1b2c-7d3e-8f40-5a6b7c8d9e0f",
  acsUrl: "https://postern.test/auth/sign-on/0190a0a0-1b2c-7d3e-8f40-5a6b7c8d9e0f/acs",
  requestId: "_3f1c0de5a9b84b7f",
  nowMs: NOW_MS,
  responseId: "_response",
  assertionId: "_assertion",
  subject: "ada@acme.example",
  nameIdFormat: EMAIL_FORMAT,
  attributes: { email: ["ada@acme.example"], name: ["Ada Lovelace"], groups: ["Engineers", "Analysts & Poets"] },
  sessionIndex: "session-1",
  sessionNotOnOrAfterMs: null,
  authnInstantMs: null,
  authnContext: PASSWORD,
};

export const EXPECTED: SamlExpectation = {
  idpEntityId: FACTS.idpEntityId,
  certificates: [IDP.certificate],
  audience: FACTS.audience,
  acsUrl: FACTS.acsUrl,
  requestId: FACTS.requestId,
};
