/**
 * The pages to which a provider sends the browser back, and the page that sends the browser to a provider to link it.
 */
import { LinkButton } from "../components/buttons";
import { FailureBanner } from "../components/failure";
import { A, Say } from "../components/mount";
import { NarrowPage } from "../components/narrow-page";

export const ProviderFailed = ({ isSignedIn }: { isSignedIn: boolean }) => (
  <>
    <h1>
      <Say of="link.failed" />
    </h1>
    <FailureBanner />
    <p>
      <A to={isSignedIn ? "/security" : "/sign-in"}>
        <Say of={isSignedIn ? "passkey.back" : "forgot.back"} />
      </A>
    </p>
  </>
);

export const ContinueToProvider = ({ url, label }: { url: string; label: string }) => (
  <NarrowPage title={`Add ${label}`}>
    <p>Sign in there. Then you can use it to sign in here, and your other sessions end.</p>
    <div class="row">
      <LinkButton href={url} kind="main">
        Continue to {label}
      </LinkButton>
      <A to="/security">Cancel</A>
    </div>
  </NarrowPage>
);
