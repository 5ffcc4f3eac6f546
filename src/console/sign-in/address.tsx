/** The first of two pages for signing in, where tenants sign people on: it asks for the address. */
import { PostForm, SubmitButton } from "../components/buttons";
import { type CaptchaProps, CaptchaWidget } from "../components/captcha";
import { EmailField } from "../components/credential-fields";
import { FailureBanner } from "../components/failure";
import { Say } from "../components/mount";
import { ProviderButtons } from "../providers/buttons";
import { OtherWays, PasskeyButton, ReturnPath, type SignInOffers } from "./sign-in";

interface AddressFirstProps extends SignInOffers {
  email: string;
  to: string;
  captcha: CaptchaProps | null;
}

export const AddressFirst = (props: AddressFirstProps) => (
  <>
    <h1>
      <Say of="signIn.title" />
    </h1>
    <FailureBanner />
    <PostForm action="/sign-in/address">
      <ReturnPath to={props.to} />
      <EmailField value={props.email} autocomplete="username webauthn" />
      <CaptchaWidget captcha={props.captcha} />
      <SubmitButton>
        <Say of="signIn.continue" />
      </SubmitButton>
    </PostForm>
    <PasskeyButton {...props} kind="plain" />
    <ProviderButtons providers={props.providers} to={props.to} />
    <OtherWays {...props} />
  </>
);
