/** A form that the browser fills in with a passkey; browser/passkeys.browser.js shows it where there are passkeys. */
import type { PropsWithChildren } from "hono/jsx";
import type { CreationOptions, RequestOptions } from "../../identity/passkeys/webauthn/schemas";
import { TextField } from "./fields";
import { useHref, useTexts } from "./mount";

interface PasskeyFormProps {
  action: string;
  /** Whether a passkey is created or used. */
  kind: "create" | "get";
  start: CreationOptions | RequestOptions;
  /** Where new options come from. The browser then also suggests passkeys in the field for the address. */
  renew?: string;
}

export function PasskeyForm({ action, kind, start, renew, children }: PropsWithChildren<PasskeyFormProps>) {
  const href = useHref();
  return (
    <form
      method="post"
      action={href(action)}
      hidden
      data-passkey={kind}
      data-options={JSON.stringify(start.options)}
      data-renew={renew === undefined ? undefined : href(renew)}
    >
      <input type="hidden" name="state" value={start.state} />
      <input type="hidden" name="response" />
      {children}
      <p class="error" role="alert" />
    </form>
  );
}

/** What the user calls a new passkey. */
export function PasskeyName({ value = "" }: { value?: string }) {
  const texts = useTexts();
  return (
    <TextField
      name="name"
      label={texts.say("field.passkeyName")}
      value={value}
      hint={texts.say("hint.passkeyName")}
      required
      maxlength={64}
    />
  );
}
