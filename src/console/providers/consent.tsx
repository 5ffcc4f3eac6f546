/** Linking a provider to the account that has the same address: a code that is mailed to it shows whose it is. */
import { PostForm, SubmitButton } from "../components/buttons";
import { type CaptchaProps, CaptchaWidget } from "../components/captcha";
import { CodeField } from "../components/credential-fields";
import { FailureBanner } from "../components/failure";
import { A, Say, useTexts } from "../components/mount";

/** As errors of the API name it. */
export const CONSENT_FIELD = "mailCode.code";

interface ConsentProps {
  email: string;
  /** Of the provider. */
  label: string;
  /** What both forms send besides what is typed. */
  fields: Readonly<Record<"code" | "to", string>>;
}

const Hidden = ({ fields }: Pick<ConsentProps, "fields">) => (
  <>
    {Object.entries(fields).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
);

const OtherWays = () => (
  <p class="after-form">
    <A to="/sign-in">
      <Say of="link.another" />
    </A>
  </p>
);

export const AskForConsent = ({ email, label, fields, captcha }: ConsentProps & { captcha: CaptchaProps | null }) => (
  <>
    <h1>
      <Say of="link.title" />
    </h1>
    <FailureBanner />
    <p>
      <Say of="link.text" values={{ email, provider: label }} />
    </p>
    <PostForm action="/oauth/mail-code">
      <Hidden fields={fields} />
      <CaptchaWidget captcha={captcha} />
      <SubmitButton>
        <Say of="signIn.mailCode" />
      </SubmitButton>
    </PostForm>
    <OtherWays />
  </>
);

export const EnterConsent = ({ email, label, fields }: ConsentProps) => (
  <>
    <h1>
      <Say of="code.enterTitle" />
    </h1>
    <FailureBanner />
    <p role="status">
      <Say of="link.sent" values={{ email, provider: label }} />
    </p>
    <PostForm action="/oauth">
      <Hidden fields={fields} />
      <CodeField name={CONSENT_FIELD} inputmode="numeric" autofocus hint={useTexts().say("hint.mailedCode")} />
      <SubmitButton>
        <Say of="link.signIn" values={{ provider: label }} />
      </SubmitButton>
    </PostForm>
    <OtherWays />
  </>
);
