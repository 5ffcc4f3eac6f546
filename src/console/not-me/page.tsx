/**
 * "This was not me": what a mailed link would do. Only the button does it, so a mail scanner that opens the link does
 * no harm.
 */
import type { MailedLinkKind } from "../../identity/recovery/revert";
import { PostForm, SubmitButton } from "../components/buttons";
import { FailureBanner } from "../components/failure";
import { A } from "../components/mount";

const EFFECTS: Record<Exclude<MailedLinkKind, "apiKeys" | "reclaim">, string> = {
  password: "The new password becomes invalid.",
  email: "Your account keeps its email address, or gets it back. Your password becomes invalid.",
  twoFactorOn: "Two-factor authentication is turned off again.",
  twoFactorOff: "Two-factor authentication is turned on again, as it was.",
  recoveryCodes: "Your previous recovery codes become valid again.",
  passkey: "The new passkey is removed.",
  identity: "The new sign-in with a provider is removed.",
  apiKey: "The new API key is revoked.",
  app: "The app is disconnected, and so is every other one.",
  signIn: "Your password becomes invalid, and the passkey or provider if one was used is removed.",
};

function effectsOf(kind: MailedLinkKind): string[] {
  if (kind === "apiKeys") return ["All your API keys are revoked."];
  if (kind === "reclaim") {
    return [
      "The password of the account becomes invalid. Its sessions, passkeys, sign-ins with providers, API keys, " +
        "invitations and second factor end.",
      "It leaves the tenants that it has created, and their subscriptions are disabled.",
      "You get an email with a link to set a password of your own.",
    ];
  }
  return [
    EFFECTS[kind],
    "All your sessions and API keys end.",
    "What was done with your account in its tenants since then is undone: invitations end, people who joined by them " +
      "leave, members get their former roles back, subscriptions are paused, and new API keys of tenants and new " +
      "sources end.",
    "You get an email that lists what was undone, with a link to set a new password.",
  ];
}

interface NotMeProps {
  token: string;
  /** Undefined when the link is not valid. */
  kind: MailedLinkKind | undefined;
}

export const NotMe = ({ token, kind }: NotMeProps) => (
  <>
    <h1>This was not me</h1>
    <FailureBanner />
    {kind ? (
      <PostForm action="/not-me">
        <input type="hidden" name="token" value={token} />
        <ul>
          {effectsOf(kind).map((effect) => (
            <li>{effect}</li>
          ))}
        </ul>
        <SubmitButton kind="danger">{kind === "apiKeys" ? "Revoke all API keys" : "This was not me"}</SubmitButton>
      </PostForm>
    ) : (
      <p>
        The link works once, for 72 hours. You can <A to="/forgot-password">reset your password</A> instead.
      </p>
    )}
  </>
);

/** What was done. */
export const NotMeDone = ({ message }: { message: string }) => (
  <>
    <h1>This was not me</h1>
    <p role="status">{message}</p>
    <p>
      <A to="/sign-in">Sign in</A>
    </p>
  </>
);
