/**
 * "This was not me": what a mailed link would do. Only the button does it, so a mail scanner that opens the link does
 * no harm.
 */
import type { TextKey } from "../../base/texts/en";
import type { MailedLinkKind, Reverted } from "../../identity/recovery/revert";
import { PostForm, SubmitButton } from "../components/buttons";
import { FailureBanner } from "../components/failure";
import { A, Say } from "../components/mount";
import { Onward, type Way } from "../components/onward";

function effectsOf(kind: MailedLinkKind): TextKey[] {
  if (kind === "apiKeys") return ["notMe.apiKeys"];
  if (kind === "reclaim") return ["notMe.reclaim", "notMe.reclaimedTenants", "notMe.reclaimedMail"];
  return [`notMe.${kind}`, "notMe.sessions", "notMe.undone", "notMe.mail"];
}

interface NotMeProps {
  token: string;
  /** Undefined when the link is not valid. */
  kind: MailedLinkKind | undefined;
}

export const NotMe = ({ token, kind }: NotMeProps) => (
  <>
    <h1>
      <Say of="verify.notMe" />
    </h1>
    <FailureBanner />
    {kind ? (
      <PostForm action="/not-me">
        <input type="hidden" name="token" value={token} />
        <ul>
          {effectsOf(kind).map((effect) => (
            <li>
              <Say of={effect} />
            </li>
          ))}
        </ul>
        <SubmitButton kind="danger">
          <Say of={kind === "apiKeys" ? "notMe.revokeKeys" : "verify.notMe"} />
        </SubmitButton>
      </PostForm>
    ) : (
      <p>
        <Say
          of="notMe.over"
          values={{
            reset: (
              <A to="/forgot-password">
                <Say of="notMe.reset" />
              </A>
            ),
          }}
        />
      </p>
    )}
  </>
);

interface NotMeDoneProps {
  reverted: Reverted;
  ways: readonly Way[];
}

/** What was done. */
export const NotMeDone = ({ reverted, ways }: NotMeDoneProps) => (
  <>
    <h1>
      <Say of="verify.notMe" />
    </h1>
    <p role="status">
      <Say of={`notMe.done.${reverted}`} />
    </p>
    <Onward ways={ways} />
  </>
);
