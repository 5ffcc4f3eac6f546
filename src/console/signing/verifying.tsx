/** How a receiver verifies the deliveries of a subscription: its secret, and a verifier in each language. */
import { Copyable, ScrollArea } from "../components/display";
import { A, Worded } from "../components/mount";
import type { Snippet } from "./snippets";

export interface VerifyingProps {
  id: string;
  snippets: readonly Snippet[];
  /** Null: not for the one who looks. */
  secret: { shown: string } | "hidden" | null;
}

export const Verifying = ({ id, snippets, secret }: VerifyingProps) => (
  <section class="card" id="verify">
    <h2>Verify deliveries</h2>
    {secret !== null && (
      <p>
        <Worded>Give your receiver the secret of this subscription, such as in its environment:</Worded>{" "}
        {secret === "hidden" ? (
          <A to={`/webhooks/${id}/security?secret=shown#verify`}>Show</A>
        ) : (
          <Copyable text={`WEBHOOK_SECRET=${shellQuoted(secret.shown)}`} label="the secret" />
        )}
      </p>
    )}
    <p>Then refuse what is not signed with it. Pass the body as it came, before anything parses it.</p>
    {snippets.map(({ language, code }, index) => (
      <details class="section">
        <summary>{language}</summary>
        <button type="button" class="button quiet" data-copy-from={`verify-${index}`} hidden>
          Copy
        </button>
        <ScrollArea label={`The verifier in ${language}`}>
          <pre id={`verify-${index}`}>{code}</pre>
        </ScrollArea>
      </details>
    ))}
    <p>
      <a href="/docs/verify">How deliveries are signed</a>, and which header to check.
    </p>
  </section>
);

const shellQuoted = (text: string): string => (/^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
