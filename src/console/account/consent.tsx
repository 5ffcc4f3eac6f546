/** The page on which somebody allows an app what it asks for. */
import type { ClientRow } from "../../oauth/clients/store";
import { textOf } from "../../oauth/scope-texts";
import { PostForm } from "../components/buttons";
import { NarrowPage } from "../components/narrow-page";

interface ConsentProps {
  client: ClientRow;
  /** Where the app is reached. */
  host: string;
  scopes: readonly string[];
  email: string;
  tenantName: string;
  /** The sealed question. */
  ask: string;
  /** Leads to a sign-in with another account. */
  another: string;
}

export const Consent = ({ client, host, scopes, email, tenantName, ask, another }: ConsentProps) => (
  <NarrowPage title={`${client.name} wants to sign you in`}>
    <PostForm action="/consent" class="card">
      {client.settings.logoUrl === null ? null : <img class="brand-logo" src={client.settings.logoUrl} alt="" />}
      <p class="break">
        You go to <strong>{host}</strong> as <strong>{email}</strong>, in the tenant <strong>{tenantName}</strong>.{" "}
        <a href={another}>Not you?</a> The app will:
      </p>
      <ul>
        {scopes.map((scope) => (
          <li>{textOf(scope)}</li>
        ))}
      </ul>
      <Links client={client} />
      <input type="hidden" name="ask" value={ask} />
      <div class="row">
        <button type="submit" class="button main" name="answer" value="allow">
          Allow
        </button>
        <button type="submit" class="button" name="answer" value="deny">
          Deny
        </button>
      </div>
    </PostForm>
  </NarrowPage>
);

const Links = ({ client: { settings } }: Pick<ConsentProps, "client">) => {
  const links = [
    ["Privacy", settings.privacyUrl],
    ["Terms", settings.termsUrl],
    ["About the app", settings.homepageUrl],
  ] as const;
  const shown = links.flatMap(([text, url]) => (url === null ? [] : [{ text, url }]));
  if (shown.length === 0) return null;
  return (
    <p class="row">
      {shown.map(({ text, url }) => (
        <a href={url} rel="noreferrer">
          {text}
        </a>
      ))}
    </p>
  );
};
