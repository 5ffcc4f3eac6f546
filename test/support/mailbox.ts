/** Reads the mail that the service sends: the real binding sends it, and this keeps a copy. */
import { env } from "cloudflare:workers";
import { eventually } from "./client";

export interface SentMail {
  to: string;
  from: string;
  subject: string;
  text: string;
  html: string;
}

const sent: SentMail[] = [];
const { send } = env.EMAIL;
// Not a spy of Vitest, which would end with the first of the test files that share a runtime.
env.EMAIL.send = (mail: unknown) => {
  sent.push(mail as SentMail);
  return Reflect.apply(send, env.EMAIL, [mail]);
};

export function mailsTo(email: string): SentMail[] {
  return sent.filter((mail) => mail.to === email);
}

/** The newest mail to an address whose subject matches, once it has come. */
export function mailTo(email: string, subject: RegExp): Promise<SentMail> {
  return eventually(`mail ${subject} to ${email}`, async () =>
    mailsTo(email).findLast((mail) => subject.test(mail.subject)),
  );
}

export function tokenIn(mail: SentMail): string {
  const token = mail.text.match(/token=([^\s&]+)/)?.[1];
  if (!token) throw new Error("the mail holds no token");
  return token;
}

/** All tokens in a mail, in order. */
export const tokensIn = (mail: SentMail): string[] =>
  [...mail.text.matchAll(/token=([^\s&]+)/g)].map(([, token = ""]) => token);

/** The six digits to sign in with in a mail. */
export function codeIn(mail: SentMail): string {
  const code = mail.text.match(/\b\d{6}\b/)?.[0];
  if (!code) throw new Error("the mail holds no code");
  return code;
}
