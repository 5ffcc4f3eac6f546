/** How a receiver verifies the deliveries of a subscription: its secret, and a verifier in each language. */
import { Copyable, ScrollArea } from "../components/display";
import { A, Say, useTexts } from "../components/mount";
import type { Snippet } from "./snippets";

export interface VerifyingProps {
  id: string;
  snippets: readonly Snippet[];
  /** Null: not for the one who looks. */
  secret: { shown: string } | "hidden" | null;
}

export const Verifying = ({ id, snippets, secret }: VerifyingProps) => (
  <section class="card" id="verify">
    <h2>
      <Say of="portal.verify" />
    </h2>
    {secret !== null && (
      <p>
        <Say of="portal.giveSecret" />{" "}
        {secret === "hidden" ? (
          <A to={`/webhooks/${id}/security?secret=shown#verify`}>
            <Say of="portal.show" />
          </A>
        ) : (
          <Copyable text={`WEBHOOK_SECRET=${shellQuoted(secret.shown)}`} label={useTexts().say("portal.theSecret")} />
        )}
      </p>
    )}
    <p>
      <Say of="portal.thenRefuse" />
    </p>
    {snippets.map(({ language, code }, index) => (
      <details class="section">
        <summary>{language}</summary>
        <button type="button" class="button quiet" data-copy-from={`verify-${index}`} hidden>
          <Say of="copy.submit" />
        </button>
        <ScrollArea label={useTexts().say("portal.verifierIn", { language })}>
          <pre id={`verify-${index}`}>{code}</pre>
        </ScrollArea>
      </details>
    ))}
    <p>
      <a href="/docs/verify">
        <Say of="portal.howSigned" />
      </a>
    </p>
  </section>
);

const shellQuoted = (text: string): string => (/^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
