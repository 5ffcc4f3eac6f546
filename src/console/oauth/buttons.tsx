/** The buttons that lead to a provider. Links, because browsers refuse to follow a form to another site under our policy. */
import { LinkButton } from "../components/buttons";
import type { OfferedProvider } from "./providers";

interface ProviderButtonsProps {
  providers: readonly OfferedProvider[];
  /** Where to go after the sign-in; "" for the overview. */
  to: string;
}

export const ProviderButtons = ({ providers, to }: ProviderButtonsProps) =>
  providers.length === 0 ? null : (
    <section aria-label="Other ways to sign in" class="providers">
      {providers.map(({ name, label }) => (
        <LinkButton href={`/api/v1/auth/oauth/${name}${to === "" ? "" : `?to=${encodeURIComponent(to)}`}`}>
          Continue with {label}
        </LinkButton>
      ))}
    </section>
  );
