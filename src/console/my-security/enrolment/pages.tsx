/** Setting up two-factor authentication: the code for the authenticator app, and the recovery codes. */
import { PostForm, SubmitButton } from "../../components/buttons";
import { CodeField } from "../../components/credential-fields";
import { Copyable } from "../../components/display";
import { A, Say, useTexts } from "../../components/mount";
import { NarrowPage } from "../../components/narrow-page";
import { QrCode } from "./qr-code";

export interface EnrolmentView {
  secret: string;
  /** `otpauth:` URI. */
  uri: string;
}

export function EnrolmentPage({ secret, uri }: EnrolmentView) {
  const texts = useTexts();
  return (
    <NarrowPage title={<Say of="factor.title" />}>
      <div class="card">
        <h2>
          <Say of="factor.scan" />
        </h2>
        <QrCode text={uri} label={texts.say("factor.qrCode")} />
        <p>
          <Say of="factor.cannotScan" values={{ key: <Copyable text={secret} label={texts.say("factor.key")} /> }} />
        </p>
        <h2>
          <Say of="factor.enter" />
        </h2>
        <PostForm action="/security/two-factor/confirm">
          <input type="hidden" name="secret" value={secret} />
          <CodeField name="token" label={texts.say("factor.code")} inputmode="numeric" />
          <div class="row">
            <SubmitButton>
              <Say of="factor.turnOn" />
            </SubmitButton>
            <A to="/security">
              <Say of="factor.cancel" />
            </A>
          </div>
        </PostForm>
      </div>
    </NarrowPage>
  );
}

interface RecoveryCodesProps {
  title: "factor.on" | "factor.newCodes";
  codes: readonly string[];
  brandName: string;
}

export const RecoveryCodes = ({ title, codes, brandName }: RecoveryCodesProps) => {
  const text = `${useTexts().say("factor.codesFile", { app: brandName })}\n\n${codes.join("\n")}\n`;
  return (
    <NarrowPage title={<Say of={title} />}>
      <div class="card">
        <h2>
          <Say of="factor.codes" />
        </h2>
        <p>
          <Say of="factor.codesText" />
        </p>
        <ul class="codes mono">
          {codes.map((code) => (
            <li>{code}</li>
          ))}
        </ul>
        <div class="row">
          <a
            class="button main"
            href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
            download="recovery-codes.txt"
          >
            <Say of="factor.download" />
          </a>
          <A to="/security">
            <Say of="factor.done" />
          </A>
        </div>
      </div>
    </NarrowPage>
  );
};
