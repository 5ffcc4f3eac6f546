/**
 * The pages to which a provider sends the browser back, and the page that sends the browser to a provider to link it.
 */
import { LinkButton, PostForm, SubmitButton } from "../components/buttons";
import { FailureBanner } from "../components/display";
import { TextField } from "../components/fields";
import type { Failure } from "../failure";

interface ProviderCodeProps {
  /** The code of the sign-in. */
  code: string;
  to: string;
  failure?: Failure | undefined;
}

export const ProviderCode = ({ code, to, failure }: ProviderCodeProps) => (
  <>
    <h1>Two-factor code</h1>
    <FailureBanner failure={failure} />
    <PostForm action="/console/oauth">
      <input type="hidden" name="code" value={code} />
      <input type="hidden" name="to" value={to} />
      <TextField
        name="totp"
        label="Code"
        autocomplete="one-time-code"
        required
        autofocus
        hint="The 6-digit code from your authenticator app, or one of your recovery codes."
        failure={failure}
      />
      <SubmitButton>Sign in</SubmitButton>
    </PostForm>
    <p />
    <p>
      <a href="/console/sign-in">Start again</a>
    </p>
  </>
);

export const ProviderFailed = ({ failure, isSignedIn }: { failure: Failure; isSignedIn: boolean }) => (
  <>
    <h1>The sign-in did not work</h1>
    <FailureBanner failure={failure} />
    <p>
      <a href={isSignedIn ? "/console/security" : "/console/sign-in"}>
        {isSignedIn ? "Back to my security" : "Back to sign-in"}
      </a>
    </p>
  </>
);

export const ContinueToProvider = ({ url, label }: { url: string; label: string }) => (
  <div class="narrow">
    <h1>Add {label}</h1>
    <p>Sign in there. Then you can use it to sign in here, and your other sessions end.</p>
    <div class="row">
      <LinkButton href={url} kind="main">
        Continue to {label}
      </LinkButton>
      <a href="/console/security">Cancel</a>
    </div>
  </div>
);
