/** The pages on the way to the provider of a tenant. */
import { LinkButton, PostForm, SubmitButton } from "../components/buttons";
import { FailureBanner } from "../components/failure";
import { A, Say } from "../components/mount";
import { useFailure } from "../components/shown-failure";
import { WayToSignOn } from "../components/way-to-sign-on";

const Title = () => (
  <h1>
    <Say of="signOn.title" />
  </h1>
);

/** The browser goes on by itself; our policy lets no form lead to another site. */
export const Away = ({ url }: { url: string }) => (
  <>
    <Title />
    <p role="status">
      <Say of="signOn.away" />
    </p>
    <LinkButton href={url} kind="main">
      <Say of="signIn.continue" />
    </LinkButton>
  </>
);

/** `address` starts the sign-on; `another` leads to a sign-in with another account. */
export const SignOnFirst = ({ address, another }: { address: string | undefined; another: string }) => (
  <>
    <Title />
    <p>
      <Say of="error.SIGN_ON_REQUIRED" />
    </p>
    <WayToSignOn address={address} />
    <p class="after-form">
      <a href={another}>
        <Say of="choose.another" />
      </a>
    </p>
  </>
);

export const LinkMailed = ({ startAt }: { startAt: string }) => (
  <>
    <h1>
      <Say of="signOn.mailTitle" />
    </h1>
    <FailureBanner />
    {useFailure() === undefined && (
      <p role="status">
        <Say of="signOn.mailed" />
      </p>
    )}
    <p class="after-form">
      <A to={startAt}>
        <Say of="signIn.startAgain" />
      </A>
    </p>
  </>
);

/** Only the button uses the link, so a mail scanner that opens it does no harm. */
export const FollowLink = ({ token }: { token: string }) => (
  <>
    <Title />
    <FailureBanner />
    {useFailure() ? (
      <p>
        <A to="/sign-in">
          <Say of="signIn.startAgain" />
        </A>
      </p>
    ) : (
      <PostForm action="/sign-on">
        <input type="hidden" name="token" value={token} />
        <p>
          <Say of="signOn.ask" />
        </p>
        <SubmitButton>
          <Say of="signIn.continue" />
        </SubmitButton>
      </PostForm>
    )}
  </>
);
