/** The Turnstile widget. Its form sends the token as `captchaToken`. */
import { Say } from "./mount";

const SCRIPT_URL = "https://challenges.cloudflare.com/turnstile/v0/api.js";

export interface CaptchaProps {
  siteKey: string;
  /** What the token may be used for; see turnstile/captcha.ts. */
  action: string;
  nonce: string;
}

/** Shows nothing where Turnstile is not set up. It works with scripts only. */
export const CaptchaWidget = ({ captcha }: { captcha: CaptchaProps | null }) =>
  captcha && (
    <div class="field">
      <div
        class="cf-turnstile"
        data-sitekey={captcha.siteKey}
        data-action={captcha.action}
        data-response-field-name="captchaToken"
      />
      <noscript>
        <p class="hint">
          <Say of="captcha.noScript" />
        </p>
      </noscript>
      <script src={SCRIPT_URL} nonce={captcha.nonce} async defer />
    </div>
  );
