/** Signing in with a code from a mail: asking for it, and entering it. */
import { PostForm, SubmitButton } from "../components/buttons";
import { type CaptchaProps, CaptchaWidget } from "../components/captcha";
import { CodeField, EmailField } from "../components/credential-fields";
import { FailureBanner } from "../components/failure";
import { A, Say, useTexts } from "../components/mount";

interface FormProps {
  /** The path to redirect to after sign-in. */
  to: string;
}

interface RequestCodeProps extends FormProps {
  email: string;
  captcha: CaptchaProps | null;
}

export const RequestCode = ({ email, to, captcha }: RequestCodeProps) => (
  <>
    <h1>
      <Say of="code.title" />
    </h1>
    <FailureBanner />
    <p>
      <Say of="code.text" />
    </p>
    <PostForm action="/sign-in/mail">
      <input type="hidden" name="to" value={to} />
      <EmailField value={email} />
      <CaptchaWidget captcha={captcha} />
      <SubmitButton>
        <Say of="signIn.mailCode" />
      </SubmitButton>
    </PostForm>
    <p class="after-form">
      <A to="/sign-in">
        <Say of="code.withPassword" />
      </A>
    </p>
  </>
);

export const EnterCode = ({ to }: FormProps) => (
  <>
    <h1>
      <Say of="code.enterTitle" />
    </h1>
    <FailureBanner />
    <p role="status">
      <Say of="code.sent" />
    </p>
    <PostForm action="/sign-in/mail/code">
      <input type="hidden" name="to" value={to} />
      <CodeField inputmode="numeric" autofocus hint={useTexts().say("hint.mailedCode")} />
      <SubmitButton>
        <Say of="signIn.submit" />
      </SubmitButton>
    </PostForm>
    <p class="after-form">
      <A to="/sign-in/mail">
        <Say of="code.another" />
      </A>
    </p>
  </>
);
