/** The providers that the user signs in with, and what an account without a password shows instead of one. */
import type { Identity } from "../../identity/sign-in/providers/schemas";
import { PostForm, SubmitButton } from "../components/buttons";
import { PasswordField } from "../components/credential-fields";
import { Card, Time } from "../components/display";
import type { OfferedProvider } from "../http/offers";

export const NoPassword = ({ email }: { email: string }) => (
  <Card id="password" title="Password">
    <p>Your account has none. The link in the email sets one.</p>
    <PostForm action="/forgot-password">
      <input type="hidden" name="email" value={email} />
      <SubmitButton kind="plain">Send me a link</SubmitButton>
    </PostForm>
  </Card>
);

export interface IdentitiesProps {
  hasPassword: boolean;
  /** Empty while every provider is off. */
  providers: readonly OfferedProvider[];
  identities: readonly Identity[];
}

/** One field with many buttons, which post it to different routes. */
export const Identities = ({ hasPassword, providers, identities }: IdentitiesProps) => (
  <Card id="identities" title="Sign in with providers">
    <form method="post">
      <ul class="list">
        {identities.map(({ id, provider, email, createdAt }) => (
          <li>
            <div>
              <strong>{providers.find(({ name }) => name === provider)?.label ?? provider}</strong> {email}
              <div class="small muted">
                Added <Time at={createdAt} />
              </div>
            </div>
            <SubmitButton
              kind="danger"
              formaction={`/security/identities/${id}/remove`}
              label={`Remove ${provider} ${email ?? ""}`}
            >
              Remove
            </SubmitButton>
          </li>
        ))}
      </ul>
      {hasPassword && (
        <PasswordField
          label="Your password"
          hint="Needed if you signed in more than ten minutes ago."
          required={false}
        />
      )}
      <div class="row">
        {providers.map(({ name, label }) => (
          <SubmitButton kind="plain" formaction={`/security/identities/${name}`}>
            Add {label}
          </SubmitButton>
        ))}
      </div>
    </form>
  </Card>
);
